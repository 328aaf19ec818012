// @ts-check
/**
 * A game on the screen: its board, what was touched, which ply is looked at, what is said and heard. The same for a
 * match, a practice session and a streak; they differ in where a move is sent and in what stands beside the board.
 */
import { ApiError } from "../api.js";
import { MorrisBoard } from "../boards/morris.js";
import { MuTorereBoard } from "../boards/mu_torere.js";
import { OwareBoard } from "../boards/oware.js";
import { rivalOf } from "../boards/positions.js";
import { explainMove } from "../explain.js";
import { t } from "../i18n.js";
import { confirmsMoves, reducedMotion } from "../settings.js";
import { play as sound } from "../sound.js";
import { alert, say } from "../speech.js";
import { followMoves } from "./moves.js";
import { describe } from "./words.js";

/** @typedef {import("../match.js").GameModel} GameModel */
/** @typedef {import("../types.d.ts").MadeMove} MadeMove */
/** @typedef {import("../types.d.ts").SeatName} SeatName */

const BOARDS = { oware: OwareBoard, morris: MorrisBoard, mu_torere: MuTorereBoard };
/** Between two moves that come together, such as the player's and the bot's. */
const BETWEEN_MS = 350;

/**
 * @typedef {object} PlayHooks
 * @property {() => void} redraw
 * @property {(move: string, ply: number) => Promise<void>} send sends a move; rejects where it was not played
 * @property {() => boolean} staked
 * @property {boolean} [settles] whether what became of a move without an answer is told later; else it can be sent again
 */

export class Play {
  /** @param {GameModel} model @param {PlayHooks} hooks */
  constructor(model, hooks) {
    this.model = model;
    this.hooks = hooks;
    this.board = new BOARDS[model.state.game]({
      redraw: hooks.redraw,
      send: (move) => void this.send(move),
      settle: () => this.settle(),
    });
    /** The ply that is looked at; null for the current one. @type {number | null} */
    this.shown = null;
    this.flipped = false;
    /** Why the last move was not played. */
    this.refusal = "";
    /** What is waited for, other than a move. */
    this.waiting = "";
    /** @type {string | null} */
    this.hint = null;
    /** @type {string | null} */
    this.warned = null;
    /** What the move field was answered with. */
    this.answer = "";
    /** Plies that are still to be shown, one after the other. @type {number[]} */
    this.queue = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.closed = false;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.board.close();
  }

  /** Whose side is at the bottom. @returns {SeatName} */
  get seat() {
    return this.flipped ? rivalOf(this.model.bottom) : this.model.bottom;
  }

  /** The ply that is on the board now. */
  get at() {
    return this.shown ?? this.queue[0] ?? this.model.state.ply;
  }

  get live() {
    return this.at === this.model.state.ply;
  }

  // What comes in.

  /** New plies are known: they are shown, heard and said. @param {MadeMove[]} made */
  happened(made) {
    this.refusal = "";
    this.hint = null;
    this.warned = null;
    this.board.choice.clear();
    const told = made.map((ply) => describe(this.model.state.game, ply)).join(" ");
    // In one go: a turn that is called out on its own would cut off what the rival has done.
    if (this.model.mine) alert(`${told} ${t("status.your_move")}`);
    else say(told);
    const [first] = made;
    if (first === undefined) return;
    const taking = made.some((ply) => (ply.captured?.length ?? 0) + (ply.taken?.length ?? 0) + (ply.mill?.length ?? 0) > 0);
    if (!this.model.over) void sound(taking ? "capture" : "move");
    if (this.shown !== null) return;
    this.queue.push(...made.map((ply) => ply.ply));
    if (this.timer === undefined) this.showNext();
  }

  /** Shows what waits to be shown, one ply after the other. */
  showNext() {
    this.timer = undefined;
    const ply = this.queue[0];
    if (this.closed || ply === undefined) return;
    const last = this.model.lastAt(ply);
    const before = this.model.positionAt(ply - 1);
    this.sync();
    if (last && before !== undefined && !reducedMotion()) this.board.animate(before, last);
    const lasts = this.board.animation === null ? 0 : this.board.animation.lasts;
    this.hooks.redraw();
    followMoves();
    if (this.queue.length === 1) {
      this.queue = [];
      return;
    }
    this.timer = setTimeout(() => {
      this.queue.shift();
      this.showNext();
    }, reducedMotion() ? 0 : lasts + BETWEEN_MS);
  }

  /** Jumps to how things stand: a touch waits for nothing. */
  settle() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.queue = [];
    this.board.finish();
    this.sync();
  }

  /** @param {string} move */
  async send(move) {
    if (this.model.pending || !this.model.mine || this.shown !== null) return;
    this.refusal = "";
    const { ply } = this.model.begin(move);
    this.hooks.redraw();
    try {
      await this.hooks.send(move, ply);
    } catch (error) {
      if (this.closed) return;
      const open = error instanceof ApiError && error.isOpen;
      if (!open || !this.hooks.settles) this.model.forget();
      this.refuse(explainMove(error, this.model.state.game));
    }
    this.hooks.redraw();
  }

  /** @param {string} text */
  refuse(text) {
    this.refusal = text;
    alert(text);
    this.hooks.redraw();
  }

  // Looking back.

  /** @param {number} ply */
  look(ply) {
    const { ply: last } = this.model.state;
    const at = Math.max(0, Math.min(last, ply));
    if (this.model.positionAt(at) === undefined) return;
    this.settle();
    this.shown = at === last && !this.model.over ? null : at;
    this.board.choice.clear();
    const made = this.model.lastAt(at);
    say(made ? describe(this.model.state.game, made) : t("moves.start"));
    this.hooks.redraw();
    followMoves();
  }

  flip() {
    this.flipped = !this.flipped;
    this.hooks.redraw();
  }

  // What goes out.

  render() {
    this.sync();
    return this.board.render();
  }

  /** Gives the board what it shows. */
  sync() {
    const { model } = this;
    const { at, live } = this;
    const pending = live ? model.pending?.move ?? null : null;
    this.board.show({
      position: model.positionAt(at) ?? model.state.position,
      legal: live && model.mine ? model.state.legal : [],
      seat: this.seat,
      own: model.own,
      playable: live && model.mine && !pending && !model.paused,
      pending,
      last: model.lastAt(at) ?? null,
      hint: live ? this.hint : null,
      warned: live ? this.warned : null,
      confirms: this.warned === null && confirmsMoves(this.hooks.staked()),
      still: reducedMotion() || this.shown !== null,
    });
  }

  /** What the player is to know now, in one line. */
  status() {
    const { model } = this;
    if (this.refusal) return this.refusal;
    if (this.shown !== null && !model.over) return t("status.looking_back");
    if (model.over) return "";
    if (model.paused) return t("status.paused");
    if (model.pending) return t("status.sending", { move: model.pending.move });
    if (this.waiting) return this.waiting;
    const wanted = this.board.wanted();
    if (wanted) return wanted;
    if (model.own === null) return t(`status.watching.${model.state.to_move ?? "first"}`);
    return t(model.mine ? "status.your_move" : "status.rivals_move");
  }

  /** Escape: a half-made move is taken back, then the board returns to how things stand. */
  escape() {
    if (this.board.back()) return true;
    if (this.refusal) {
      this.refusal = "";
      this.hooks.redraw();
      return true;
    }
    if (this.shown === null || this.model.over) return false;
    this.shown = null;
    this.hooks.redraw();
    return true;
  }
}
