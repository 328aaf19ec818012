// @ts-check
/** Moves as text, with a few commands, and the legal moves as a list: quickest for who does not use the board. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";
import { say } from "../speech.js";
import { clocksInWords } from "./clocks.js";
import { board, describe } from "./words.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("../types.d.ts").SeatName} SeatName */

/** Commands in both languages, whichever is spoken: nobody has to learn them again. */
const COMMANDS = {
  clock: ["clock", "c?", "relogio", "relógio"],
  last: ["last", "ultimo", "último"],
  board: ["board", "tabuleiro"],
  legal: ["legal", "moves", "lances"],
};

/** @param {Play} play @param {Record<SeatName, string>} names */
export function moveField(play, names) {
  const { model } = play;
  if (model.own === null || model.over) return nothing;
  const legal = model.mine ? model.state.legal : [];
  return html`<section class="move-field" aria-label=${t("field.label")}>
    <form class="move-form" @submit=${(/** @type {SubmitEvent} */ event) => submitted(event, play, names)}>
      <label for="move-text">${t("field.move")}</label>
      <input class="input" id="move-text" name="move" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"
        enterkeyhint="send" aria-describedby="move-help" data-testid="move-text" />
      <button type="submit" class="button small" data-testid="move-play">${t("field.play")}</button>
    </form>
    <p class="quiet small-text" id="move-help">${t(`field.help.${model.state.game}`)} ${t("field.commands")}</p>
    <p class="move-answer" data-testid="move-answer">${play.answer}</p>
    <label for="move-list">${t("field.legal", { count: legal.length })}</label>
    <select class="input move-list" id="move-list" size="4" data-testid="legal" ?disabled=${legal.length === 0}
      @dblclick=${(/** @type {Event} */ event) => picked(event, play)}
      @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Enter" && picked(event, play)}>
      ${legal.map((move) => html`<option value=${move}>${move}</option>`)}
    </select>
  </section>`;
}

/** @param {Event} event @param {Play} play */
function picked(event, play) {
  const select = event.currentTarget;
  if (!(select instanceof HTMLSelectElement) || select.value === "") return;
  event.preventDefault();
  play.settle();
  play.board.propose(select.value);
}

/** @param {SubmitEvent} event @param {Play} play @param {Record<SeatName, string>} names */
function submitted(event, play, names) {
  event.preventDefault();
  const form = event.currentTarget;
  if (!(form instanceof HTMLFormElement)) return;
  const input = form.elements.namedItem("move");
  if (!(input instanceof HTMLInputElement)) return;
  const text = input.value.trim();
  if (text === "") return;
  const command = commandOf(text);
  input.value = "";
  if (command !== undefined) {
    play.answer = answer(command, play, names);
    say(play.answer);
    play.hooks.redraw();
    return;
  }
  play.answer = "";
  play.settle();
  const { model } = play;
  if (!model.mine) play.refuse(t("status.rivals_move"));
  // What is typed whole and is legal takes the board's way, so that a confirmation is asked for here too.
  else if (model.state.legal.includes(text)) play.board.propose(text);
  // Anything else is the server's to judge, which says why.
  else void play.send(text);
}

/** @param {string} text */
function commandOf(text) {
  const lower = text.toLowerCase();
  return Object.entries(COMMANDS).find(([, words]) => words.includes(lower))?.[0];
}

/** @param {string} command @param {Play} play @param {Record<SeatName, string>} names */
function answer(command, play, names) {
  const { model } = play;
  if (command === "clock") return clocksInWords(model, names);
  if (command === "board") return board(model.state.game, model.state.position);
  if (command === "legal") {
    return model.state.legal.length === 0 ? t("field.no_legal") : t("field.legal_are", { moves: model.state.legal.join(", ") });
  }
  const last = model.lastAt(model.state.ply);
  return last ? describe(model.state.game, last) : t("moves.none");
}
