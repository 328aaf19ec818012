// @ts-check
/** What to practise: game, ruleset, level, side. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { explain } from "../explain.js";
import { KINDS } from "../games.js";
import { t } from "../i18n.js";

/** @typedef {import("../types.d.ts").GameName} GameName */

/** @type {GameName[]} */
const GAMES = ["oware", "morris", "mu_torere"];
const LEVELS = ["easy", "medium", "hard"];
const SEATS = ["first", "second", "any"];

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @param {(wish: Record<string, unknown>) => Promise<void>} begin
 * @returns {import("../types.d.ts").View}
 */
export function setup({ query, redraw }, begin) {
  const asked = KINDS.find((kind) => kind.game === query.get("game")) ?? KINDS[0];
  const wish = { game: asked.game, preset: asked.preset, level: "easy", seat: "first" };
  let failure = "";
  let busy = false;

  async function start() {
    if (busy) return;
    busy = true;
    failure = "";
    redraw();
    const seat = wish.seat === "any" ? {} : { seat: wish.seat };
    try {
      await begin({ game: wish.game, preset: wish.preset, level: wish.level, ...seat });
    } catch (error) {
      failure = explain(error);
    }
    busy = false;
    redraw();
  }

  /** @param {"game" | "preset" | "level" | "seat"} name @param {string[]} values @param {(value: string) => string} label */
  const choice = (name, values, label) => html`<fieldset class="field" data-testid="choice-${name}">
    <legend>${t(`practice.choose_${name}`)}</legend>
    <div class="segments">${values.map((value) => html`<label class="segment">
      <input type="radio" name=${name} value=${value} .checked=${wish[name] === value} @change=${() => {
        Object.assign(wish, { [name]: value });
        wish.preset = chosen().preset;
        redraw();
      }} /><span>${label(value)}</span></label>`)}</div>
  </fieldset>`;

  const kinds = () => KINDS.filter((kind) => kind.game === wish.game);
  const chosen = () => kinds().find((kind) => kind.preset === wish.preset) ?? kinds()[0];

  return {
    title: () => t("practice.title"),
    render: () => html`<div class="column">
      <h1 tabindex="-1">${t("practice.title")}</h1>
      <p class="lead">${t("practice.lead")}</p>
      <form class="card" @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        void start();
      }}>
        ${choice("game", GAMES, (game) => t(`game.${game}.plain`))}
        ${kinds().length > 1
          ? html`${choice("preset", kinds().map((kind) => kind.preset), (preset) => t(`game.${kinds().find((kind) => kind.preset === preset)?.key}`))}
              <p class="quiet small-text">${t(`ruleset.${chosen().key}`)}</p>`
          : nothing}
        ${choice("level", LEVELS, (level) => t(`level.${level}`))}
        ${choice("seat", SEATS, (seat) => (seat === "any" ? t("practice.seat_any") : t("practice.seat", { side: t(`side.${wish.game}.${seat}`), order: t(`practice.order_${seat}`) })))}
        ${failure ? html`<p class="field-error" role="alert" data-testid="failure">${failure}</p>` : nothing}
        <button type="submit" class="button primary" data-testid="begin" aria-disabled=${busy ? "true" : "false"}>${t("practice.begin")}</button>
      </form>
      <p class="section"><a href="/streak">${t("practice.to_streak")}</a> · <a href="/rules/${wish.game}">${t("practice.to_rules")}</a></p>
    </div>`,
  };
}
