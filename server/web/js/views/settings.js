// @ts-check
/** What a person chooses for this browser. Every choice holds at once. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { segments } from "../fields.js";
import { onceSignedIn } from "../gate.js";
import { t } from "../i18n.js";
import { passwordChange } from "../password.js";
import { secondFactor } from "../second_factor.js";
import { hasAccount } from "../session.js";
import { setSetting, settings } from "../settings.js";
import { say } from "../speech.js";
import { state } from "../store.js";

/** @typedef {import("../types.d.ts").Settings} Settings */

/** @type {import("../types.d.ts").ViewModule["default"]} */
export default function create({ redraw }) {
  // Of the account and not of the browser. The second factor is asked of the staff, who have more to lose.
  const password = passwordChange();
  const factor = secondFactor(redraw);
  const stop = onceSignedIn((me) => {
    if (me.roles.length > 0) factor.load();
  });
  /**
   * @template {keyof Settings} Name
   * @param {Name} name
   * @param {[value: Settings[Name], label: string][]} options
   * @param {boolean} [hinted]
   */
  const choice = (name, options, hinted = false) =>
    segments({
      id: name,
      label: t(`settings.${name}`),
      help: hinted ? t(`settings.${name}_hint`) : undefined,
      value: settings()[name],
      options,
      change: (value) => {
        setSetting(name, /** @type {Settings[Name]} */ (value));
        say(t("settings.saved"));
      },
    });

  /** Each language is named in itself. @type {[Settings["language"], string][]} */
  const languages = [["pt-BR", "Português"], ["en", "English"]];

  return {
    title: () => t("settings.title"),
    leave: stop,
    render: () => html`
      <div class="column">
        <h1>${t("settings.title")}</h1>
        <p class="quiet">${t("settings.text")}</p>
        ${choice("language", [["auto", t("settings.browser")], ...languages])}
        ${choice("theme", [["auto", t("settings.browser")], ["light", t("settings.light")], ["dark", t("settings.dark")]])}
        ${choice("sounds", [[true, t("settings.on")], [false, t("settings.off")]])}
        ${choice("confirm_moves", [["auto", t("settings.confirm_auto")], ["always", t("settings.always")], ["never", t("settings.never")]], true)}
        ${choice("reminder", [[0, t("settings.off")], [15, t("time.minutes", { count: 15 })], [30, t("time.minutes", { count: 30 })], [60, t("time.minutes", { count: 60 })]], true)}
        ${choice("motion", [["auto", t("settings.browser")], ["reduced", t("settings.reduced")]])}
        ${hasAccount() ? password.render() : nothing}
        ${state.me && state.me.roles.length > 0 ? factor.render() : nothing}
      </div>
    `,
  };
}
