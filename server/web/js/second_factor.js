// @ts-check
/** The second factor of one's own account: turned on with an authenticator, and off with a code. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { get, post } from "./api.js";
import { explain } from "./explain.js";
import { textField } from "./fields.js";
import { number, t } from "./i18n.js";
import { resource, shown } from "./resource.js";
import { say } from "./speech.js";

/** @typedef {{ on: boolean, session: boolean, required: boolean, recovery_codes: number }} Status */
/** @typedef {{ secret: string, uri: string }} NewFactor */

/** @param {() => void} redraw */
export function secondFactor(redraw) {
  /** @type {import("./resource.js").Resource<Status>} */
  const status = resource(() => get("/v1/me/second-factor"), redraw);
  /** What an authenticator is to be given, until a code of it was seen. @type {NewFactor | null} */
  let begun = null;
  /** Shown once. @type {string[]} */
  let codes = [];
  let typed = "";
  let wrong = "";
  let busy = false;

  /** @param {() => Promise<void>} act */
  async function run(act) {
    if (busy) return;
    busy = true;
    wrong = "";
    redraw();
    try {
      await act();
      typed = "";
      await status.load();
    } catch (error) {
      wrong = explain(error);
    }
    busy = false;
    redraw();
  }

  const begin = async () => {
    begun = await post("/v1/me/second-factor", { password: typed });
  };
  const confirm = async () => {
    codes = (await post("/v1/me/second-factor/confirm", { code: typed })).recovery_codes;
    begun = null;
  };
  const remove = async () => {
    await post("/v1/me/second-factor/remove", { code: typed });
    codes = [];
    say(t("factor.removed"));
  };

  /** @param {object} step @param {string} step.label @param {string} step.yes @param {boolean} [step.secret] @param {() => Promise<void>} step.act */
  const form = ({ label, yes, secret = false, act }) => html`
    <form
      novalidate
      @submit=${(/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        void run(act);
      }}
    >
      ${textField({
        id: "factor",
        label,
        value: typed,
        wrong,
        type: secret ? "password" : "text",
        autocomplete: secret ? "current-password" : "one-time-code",
        maxlength: secret ? 200 : 64,
        change: (value) => (typed = value),
      })}
      <button class="button" aria-disabled=${busy ? "true" : nothing}>${yes}</button>
    </form>
  `;

  const enrolment = (/** @type {NewFactor} */ { secret, uri }) => html`
    <p>${t("factor.scan")}</p>
    <p><a class="button" href=${uri}>${t("factor.open")}</a></p>
    <dl class="facts"><dt>${t("factor.secret")}</dt><dd class="code">${secret}</dd></dl>
    ${form({ label: t("factor.code"), yes: t("factor.confirm"), act: confirm })}
  `;

  const step = (/** @type {Status} */ { on }) => {
    if (on) return form({ label: t("sign_in.code"), yes: t("factor.remove"), act: remove });
    if (begun) return enrolment(begun);
    return form({ label: t("factor.password"), yes: t("factor.begin"), secret: true, act: begin });
  };

  return {
    load: () => void status.load(),
    render: () => html`
      <section aria-labelledby="factor-title">
        <h2 id="factor-title">${t("factor.title")}</h2>
        <p class="quiet">${t("factor.about")}</p>
        ${shown(
          status,
          (value) => html`
            <p data-testid="factor">
              ${value.on ? t("factor.on", { count: number(value.recovery_codes) }) : t("factor.off")}
              ${value.required ? t("factor.required") : nothing}
            </p>
            ${codes.length > 0
              ? html`<p class="notice">${t("factor.codes")}</p>
                  <ul class="code" data-testid="recovery-codes">${codes.map((code) => html`<li>${code}</li>`)}</ul>`
              : nothing}
            ${step(value)}
          `,
        )}
      </section>
    `,
  };
}
