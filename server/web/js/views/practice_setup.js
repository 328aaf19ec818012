// @ts-check
/** What to practise: game, ruleset, level, side. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { explain } from "../explain.js";
import { t } from "../i18n.js";
import { state } from "../store.js";

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
  const asked = query.get("game") ?? "oware";
  const wish = {
    game: GAMES.find((game) => game === asked) ?? "oware",
    preset: query.get("preset") ?? "abapa",
    flying: true,
    double: false,
    level: "easy",
    seat: "first",
  };
  let failure = "";
  let busy = false;

  async function start() {
    if (busy) return;
    busy = true;
    failure = "";
    redraw();
    const ruleset = {
      oware: { preset: wish.preset },
      morris: { options: { flying: wish.flying, double_mill_takes_two: wish.double } },
      mu_torere: {},
    }[wish.game];
    const seat = wish.seat === "any" ? {} : { seat: wish.seat };
    try {
      await begin({ game: wish.game, level: wish.level, ...ruleset, ...seat });
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
        redraw();
      }} /><span>${label(value)}</span></label>`)}</div>
  </fieldset>`;

  /** @param {"flying" | "double"} name */
  const option = (name) => html`<label class="check"><input type="checkbox" .checked=${wish[name]} @change=${(/** @type {Event} */ event) => {
    wish[name] = event.target instanceof HTMLInputElement && event.target.checked;
    redraw();
  }} /><span>${t(`practice.option_${name}`)}</span></label>`;

  const presets = () => {
    const known = state.games?.find((it) => it.game === "oware")?.presets.map((it) => it.name) ?? [];
    return known.length > 0 ? known : ["abapa", "wari", "caribbean"];
  };

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
        ${wish.game === "oware" ? choice("preset", presets(), (preset) => t(`ruleset.${preset}`)) : nothing}
        ${wish.game === "oware" ? html`<p class="quiet small-text">${t(`ruleset.${wish.preset}.help`)}</p>` : nothing}
        ${wish.game === "morris" ? html`<fieldset class="field"><legend>${t("practice.options")}</legend>${option("flying")}${option("double")}</fieldset>` : nothing}
        ${choice("level", LEVELS, (level) => t(`level.${level}`))}
        ${choice("seat", SEATS, (seat) => (seat === "any" ? t("practice.seat_any") : t("practice.seat", { side: t(`side.${wish.game}.${seat}`), order: t(`practice.order_${seat}`) })))}
        ${failure ? html`<p class="field-error" role="alert" data-testid="failure">${failure}</p>` : nothing}
        <button type="submit" class="button primary" data-testid="begin" aria-disabled=${busy ? "true" : "false"}>${t("practice.begin")}</button>
      </form>
      <p class="section"><a href="/streak">${t("practice.to_streak")}</a> · <a href="/rules/${wish.game}">${t("practice.to_rules")}</a></p>
    </div>`,
  };
}
