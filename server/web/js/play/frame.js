// @ts-check
/** Where everything stands around a board, the same for every kind of game. Nothing moves when a notice comes or goes. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { rivalOf } from "../boards/positions.js";
import { t } from "../i18n.js";
import { setSetting, settings } from "../settings.js";
import { state } from "../store.js";
import { bar } from "./clocks.js";
import { describe, result, warning } from "./words.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("../types.d.ts").SeatName} SeatName */
/** @typedef {import("../../vendor/lit-html/lit-html.js").TemplateResult} TemplateResult */

/**
 * @param {Play} play
 * @param {object} around
 * @param {string} around.heading
 * @param {Record<SeatName, { name: string, note?: string }>} around.players
 * @param {unknown} around.above what stands above the side panel: terms, level, score
 * @param {unknown} around.actions
 * @param {unknown} around.below
 */
export function frame(play, { heading, players, above, actions, below }) {
  const { model } = play;
  const bottom = play.seat;
  const top = rivalOf(bottom);
  return html`<div class="play play-${model.state.game}" data-testid="play" data-ply=${model.state.ply} data-status=${model.state.status}
    @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && play.escape()}>
    <h1 class="play-heading" tabindex="-1">${heading}</h1>
    <section class="play-main" aria-label=${t("board.label")}>
      ${bar(model, top, players[top])}
      <div class="board-place">${play.render()}</div>
      ${bar(model, bottom, players[bottom])}
      <div class="play-status" data-refused=${play.refusal ? "yes" : "no"}>
        <p data-testid="status">${play.status() || ending(play, players)}</p>
        ${proposal(play)}
      </div>
      <p class="play-warning" data-testid="warning">${warning(model, constants(model.state.game))}</p>
    </section>
    <div class="play-side">
      <div class="play-above">${above}</div>
      <div class="play-actions">
        ${actions}
        <button type="button" class="button small" data-testid="flip" @click=${() => play.flip()}>${t("action.flip")}</button>
        <button type="button" class="button small" data-testid="sounds" aria-pressed=${settings().sounds ? "true" : "false"}
          @click=${() => setSetting("sounds", !settings().sounds)}>${t("action.sounds")}</button>
      </div>
      ${below}
    </div>
  </div>`;
}

/** After the end: what it came to, or, while looking through it, the move that is looked at. @param {Play} play @param {Record<SeatName, { name: string }>} players */
function ending({ model, shown, at }, players) {
  const { game, outcome, ply } = model.state;
  const made = model.lastAt(at);
  if (shown !== null && at !== ply) return made ? describe(game, made) : t("moves.start");
  return outcome ? result(game, outcome, model.own, { first: players.first.name, second: players.second.name }) : "";
}

/** A move that waits to be confirmed. Its place is always there. @param {Play} play */
function proposal(play) {
  const { proposed } = play.board.choice;
  if (proposed === null || !play.live) return nothing;
  return html`<span class="play-proposal">
    <button type="button" class="button small primary" data-testid="confirm-move" @click=${() => {
      play.board.choice.clear();
      void play.send(proposed);
    }}>${t("action.play_move", { move: proposed })}</button>
    <button type="button" class="button small" @click=${() => {
      play.board.choice.clear();
      play.hooks.redraw();
    }}>${t("action.cancel")}</button>
  </span>`;
}

/** @param {string} game @returns {Record<string, number>} */
export function constants(game) {
  return state.games?.find((it) => it.game === game)?.constants ?? {};
}
