// @ts-check
/** The moves so far: a list to click, and four buttons or arrow keys to step through them. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("../types.d.ts").PlyAnalysis} PlyAnalysis */

/** Keeps the ply that is looked at in the part of the list that is seen; the page itself does not scroll. */
export function followMoves() {
  requestAnimationFrame(() => {
    const one = document.querySelector(".moves-list [aria-current]");
    const list = one?.closest(".moves-list");
    if (!(one instanceof HTMLElement) || !(list instanceof HTMLElement)) return;
    const top = one.offsetTop - list.offsetTop;
    const seen = top >= list.scrollTop && top + one.offsetHeight <= list.scrollTop + list.clientHeight;
    if (!seen) list.scrollTop = top - list.clientHeight / 2;
  });
}

/** @param {string} path */
const icon = (path) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
const FIRST = icon("M6 5v14M18 5l-9 7l9 7z");
const PREVIOUS = icon("M16 5l-9 7l9 7z");
const NEXT = icon("M8 5l9 7l-9 7z");
const LAST = icon("M18 5v14M6 5l9 7l-9 7z");

/** A move that turned a draw into a loss. @param {PlyAnalysis | undefined} ply */
function gaveAway(ply) {
  return ply !== undefined && ply.before === "drawn" && ply.after === "lost";
}

/** @param {Play} play @param {PlyAnalysis[] | null} [analysis] */
export function moveList(play, analysis = null) {
  const { model } = play;
  const { moves, ply: last } = model.state;
  const at = play.at;
  // Where the earlier positions are still on their way there is nothing to step to yet.
  const step = (/** @type {string} */ key, /** @type {unknown} */ sign, /** @type {number} */ to, /** @type {boolean} */ end) => {
    const off = end || model.positionAt(to) === undefined;
    return html`<button type="button" class="icon-button" data-testid="moves-${key}" aria-label=${t(`moves.${key}`)} title=${t(`moves.${key}`)}
      aria-disabled=${off ? "true" : "false"} @click=${() => !off && play.look(to)}>${sign}</button>`;
  };
  return html`<section class="moves" aria-label=${t("moves.label")} @keydown=${(/** @type {KeyboardEvent} */ event) => keyed(event, play)}>
    <div class="moves-steps" role="toolbar" aria-label=${t("moves.steps")}>
      ${step("first", FIRST, 0, at === 0)}${step("previous", PREVIOUS, at - 1, at === 0)}
      <span class="moves-at figures">${at}/${last}</span>
      ${step("next", NEXT, at + 1, at === last)}${step("last", LAST, last, at === last)}
    </div>
    ${moves.length === 0 ? html`<p class="quiet">${t("moves.none")}</p>` : html`<ol class="moves-list" data-testid="moves">${pairs(play, analysis)}</ol>`}
    ${analysis === null ? nothing : legend(analysis)}
  </section>`;
}

/** The moves in pairs of the two sides; a side that moves twice has two in its column. @param {Play} play @param {PlyAnalysis[] | null} analysis */
function pairs(play, analysis) {
  const { model } = play;
  /** @type {{ first: number[], second: number[] }[]} */
  const rows = [];
  let before = "second";
  for (let ply = 1; ply <= model.state.ply; ply += 1) {
    const by = model.moverOf(ply);
    if (rows.length === 0 || (by === "first" && before === "second")) rows.push({ first: [], second: [] });
    rows.at(-1)?.[by].push(ply);
    before = by;
  }
  const column = (/** @type {number[]} */ plies) => html`<span class="moves-side">${plies.map((ply) => one(play, ply, analysis?.[ply - 1]))}</span>`;
  return rows.map((row) => html`<li>${column(row.first)}${column(row.second)}</li>`);
}

/** @param {Play} play @param {number} ply @param {PlyAnalysis | undefined} analysis */
function one(play, ply, analysis) {
  const move = play.model.state.moves[ply - 1] ?? "";
  const lost = gaveAway(analysis);
  const known = play.model.positionAt(ply) !== undefined;
  return html`<button type="button" class="moves-one" data-lost=${lost ? "yes" : "no"} aria-current=${play.at === ply ? "step" : nothing}
    aria-disabled=${known ? "false" : "true"} aria-label=${lost ? t("moves.gave_away", { move }) : nothing}
    @click=${() => play.look(ply)}>${move}${lost ? html`<span aria-hidden="true"> ?</span>` : nothing}</button>`;
}

/** @param {PlyAnalysis[]} analysis */
function legend(analysis) {
  const lost = analysis.filter(gaveAway);
  if (lost.length === 0) return html`<p class="small-text" data-testid="analysis">${t("analysis.none")}</p>`;
  return html`<div class="small-text" data-testid="analysis"><p>${t("analysis.some", { count: lost.length })}</p>
    <ul>${lost.map((ply) => html`<li>${t("analysis.better", { ply: ply.ply, move: ply.move, best: ply.best.join(", ") })}</li>`)}</ul></div>`;
}

/** @param {KeyboardEvent} event @param {Play} play */
function keyed(event, play) {
  const to = { ArrowLeft: play.at - 1, ArrowRight: play.at + 1, Home: 0, End: play.model.state.ply }[event.key];
  if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  play.look(to);
}
