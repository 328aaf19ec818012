// @ts-check
/**
 * What the page knows of one game: a match, a practice session or a game of a streak. It is made from the service's
 * state and kept true by what happens; it never judges a move or declares an end by itself.
 */
import { moverIn } from "./boards/positions.js";

/** @typedef {import("./types.d.ts").SeatName} SeatName */
/** @typedef {import("./types.d.ts").Clocks} Clocks */
/** @typedef {import("./types.d.ts").Match} Match */
/** @typedef {import("./types.d.ts").MatchEvent} MatchEvent */
/** @typedef {import("./types.d.ts").MatchNotice} MatchNotice */
/** @typedef {import("./types.d.ts").MadeMove} MadeMove */
/** @typedef {import("./types.d.ts").MatchRecord} MatchRecord */
/** @typedef {import("./types.d.ts").Outcome} Outcome */

/**
 * The part of a state that matches, practice sessions and streaks have in common.
 * @typedef {object} GameState
 * @property {import("./types.d.ts").GameName} game
 * @property {import("./types.d.ts").Options} [options]
 * @property {"live" | "ended"} status
 * @property {string} position
 * @property {number} ply
 * @property {SeatName | null} [to_move]
 * @property {string[]} legal
 * @property {number} occurrences
 * @property {number} [quiet]
 * @property {Outcome | null} [outcome]
 * @property {string[]} moves
 */

/** Texts of the starting positions: what a game looks like before its first move. */
const STARTS = {
  oware: "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S",
  morris: "........................ w 9 9",
  mu_torere: "xxxxoooo. x",
};

export class GameModel {
  /** @param {GameState} state @param {SeatName | null} own */
  constructor(state, own) {
    this.own = own;
    /** Plies as far as they are known with what they did; a hole where only the move's text is. @type {(MadeMove | undefined)[]} */
    this.plies = [];
    /** A move that was sent and has had no answer yet. @type {{ ply: number, move: string } | null} */
    this.pending = null;
    /** @type {Clocks | null} */
    this.clocks = null;
    this.paused = false;
    /** @type {{ by: SeatName, offer: number } | null} */
    this.offer = null;
    /** Who has a line open; nothing is known before the first word of it. @type {Partial<Record<SeatName, boolean>>} */
    this.online = {};
    /** A proposal stays open for a while only; until when is not known before a state says so. @type {{ state: "none" | "declined" | "expired" | "started" } | { state: "proposed", by: SeatName, until: number | null }} */
    this.rematch = { state: "none" };
    /** @type {string | null} */
    this.nextMatch = null;
    this.payout = 0;
    this.fee = 0;
    /** @type {GameState} */
    this.state = state;
    this.replace(state);
  }

  get start() {
    return STARTS[this.state.game];
  }

  /** Takes a whole state over. What was known of earlier plies stays where the moves are the same. @param {GameState | Match} state */
  replace(state) {
    this.state = { ...state };
    this.plies.length = Math.min(this.plies.length, state.ply);
    for (let index = 0; index < state.ply; index += 1) {
      if (this.plies[index]?.move !== state.moves[index]) this.plies[index] = undefined;
    }
    if (this.pending && (this.pending.ply <= state.ply || state.status === "ended")) this.pending = null;
    if ("clocks" in state) {
      this.clocks = state.clocks;
      this.offer = state.draw_offer ?? null;
      this.payout = state.payout;
      this.fee = state.fee;
      this.replaceRematch(state);
    }
  }

  /** @param {Match} state */
  replaceRematch({ rematch, next_match }) {
    this.nextMatch = next_match ?? null;
    if (rematch) this.rematch = { state: "proposed", by: rematch.by, until: Date.parse(rematch.expires_at) };
    else if (next_match) this.rematch = { state: "started" };
    else if (this.rematch.state === "proposed") this.rematch = { state: "expired" };
  }

  /** What moves did, from an answer that made them or from the record. @param {MadeMove[]} made */
  learn(made) {
    for (const ply of made) {
      if (ply.ply >= 1 && ply.ply <= this.state.ply) this.plies[ply.ply - 1] = ply;
    }
  }

  /** @param {MatchRecord} record */
  learnRecord(record) {
    const made = record.plies.map(({ after, ...ply }, index) => ({
      ...ply,
      ply: index + 1,
      by: ply.by ?? moverIn(record.game, index === 0 ? record.start : (record.plies[index - 1]?.after ?? record.start)),
      position: after,
    }));
    this.learn(made);
  }

  /**
   * The next thing that happened. The socket brings events in order and without gap.
   * @param {MatchEvent} event
   */
  apply(event) {
    if (event.type === "moved") this.moved(event);
    else if (event.type === "draw_offered") this.offer = { by: event.by, offer: event.seq };
    else if (event.type === "draw_declined") this.offer = null;
    else if (event.type === "clock_credited") this.clocks = event.clocks;
    else if (event.type === "ended") this.ended(event);
    else if (event.type === "rematch_proposed" && event.by) this.rematch = { state: "proposed", by: event.by, until: null };
    else if (event.type === "rematch_declined") this.rematch = { state: "declined" };
    else if (event.type === "rematch_started") {
      this.rematch = { state: "started" };
      this.nextMatch = event.next_match;
    }
  }

  /** @param {import("./types.d.ts").MovedEvent} event */
  moved(event) {
    const { ply, by, move, position, to_move, legal, occurrences, quiet, clocks } = event;
    const { sown, captured, mill, taken } = event;
    this.plies[ply - 1] = { ply, by, move, position, sown, captured, mill, taken };
    const moves = [...this.state.moves.slice(0, ply - 1), move];
    this.state = { ...this.state, position, ply, to_move, legal, occurrences, quiet, moves };
    this.clocks = clocks;
    // An offer stays open through the offerer's own move; the rival's move declines it.
    if (this.offer && this.offer.by !== by) this.offer = null;
    if (this.pending && this.pending.ply <= ply) this.pending = null;
  }

  /** @param {Extract<MatchEvent, { type: "ended" }>} event */
  ended(event) {
    this.state = { ...this.state, status: "ended", to_move: null, legal: [], outcome: event.outcome };
    this.clocks = event.clocks;
    this.payout = event.payout;
    this.fee = event.fee;
    this.pending = null;
    this.offer = null;
  }

  /** @param {MatchNotice} notice */
  notice(notice) {
    if (notice.type === "presence") this.online = { ...this.online, [notice.seat]: notice.online };
    else if (notice.type === "paused" || notice.type === "resumed") {
      this.paused = notice.type === "paused";
      this.clocks = notice.clocks;
    }
  }

  /** A move is on its way. @param {string} move */
  begin(move) {
    this.pending = { ply: this.state.ply + 1, move };
    return this.pending;
  }

  /** It was refused, or never arrived. */
  forget() {
    this.pending = null;
  }

  get over() {
    return this.state.status === "ended";
  }

  /** Whether the player is to move. */
  get mine() {
    return this.own !== null && !this.over && this.state.to_move === this.own;
  }

  /** The position after so many plies; nothing where it is not known. @param {number} ply @returns {string | undefined} */
  positionAt(ply) {
    if (ply === this.state.ply) return this.state.position;
    return ply === 0 ? this.start : this.plies[ply - 1]?.position;
  }

  /** The move that led to a position. @param {number} ply */
  lastAt(ply) {
    return ply > 0 ? this.plies[ply - 1] : undefined;
  }

  /** Who made a ply. @param {number} ply @returns {SeatName} */
  moverOf(ply) {
    const known = this.plies[ply - 1]?.by;
    if (known) return known;
    const before = this.positionAt(ply - 1);
    if (before !== undefined) return moverIn(this.state.game, before);
    return ply % 2 === 1 ? "first" : "second";
  }

  /**
   * What a clock shows: the server's value, counted on by the server's time while it runs. At zero it waits for the
   * server's word.
   * @param {SeatName} seat @param {number} now the service's time, in milliseconds since 1970
   */
  left(seat, now) {
    if (this.clocks === null) return 0;
    const value = seat === "first" ? this.clocks.first_ms : this.clocks.second_ms;
    if (this.clocks.running !== seat || this.paused || this.over) return value;
    return Math.max(0, value - Math.max(0, now - Date.parse(this.clocks.at)));
  }

  /** @param {SeatName} seat */
  runs(seat) {
    return this.clocks?.running === seat && !this.paused && !this.over;
  }

  /** Whose side is at the bottom where nobody has turned the board. */
  get bottom() {
    return this.own ?? "first";
  }
}
