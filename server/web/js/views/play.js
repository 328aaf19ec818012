// @ts-check
/** A match: live for its players, live for who watches, and after its end to look through again. */
import { html } from "../../vendor/lit-html/lit-html.js";
import { ApiError, get, session } from "../api.js";
import { explain } from "../explain.js";
import { t } from "../i18n.js";
import { GameModel } from "../match.js";
import { notify } from "../notify.js";
import { liveActs } from "../play/acts.js";
import { startClocks } from "../play/clocks.js";
import { split } from "../parts/terms.js";
import { moveField } from "../play/field.js";
import { frame } from "../play/frame.js";
import { moveList } from "../play/moves.js";
import { Play } from "../play/play.js";
import { keepActs, resultBox } from "../play/result.js";
import { termsLine } from "../play/terms.js";
import { result } from "../play/words.js";
import { navigate } from "../router.js";
import { request, watchMatch } from "../socket.js";
import { play as sound } from "../sound.js";
import { alert } from "../speech.js";
import { state, subscribe, update } from "../store.js";
import { serverNow } from "../time.js";

/** @typedef {import("../types.d.ts").Match} Match */
/** @typedef {import("../types.d.ts").MatchEvent} MatchEvent */
/** @typedef {import("../types.d.ts").MatchNotice} MatchNotice */
/** @typedef {import("../types.d.ts").SeatName} SeatName */

/** How often who has no line of their own looks at a match that goes on. */
const LOOK_MS = 3_000;

/** How often it is asked who is there. */
const COUNT_MS = 10_000;

class MatchView {
  /** @param {import("../types.d.ts").ViewContext} context */
  constructor({ params, redraw }) {
    this.id = params.id ?? "";
    this.redraw = redraw;
    /** @type {Play | null} */
    this.play = null;
    /** @type {Match | null} */
    this.match = null;
    /** @type {unknown} */
    this.failure = null;
    /** @type {import("../types.d.ts").MatchRecord | null} */
    this.record = null;
    /** @type {import("../types.d.ts").PlyAnalysis[] | null} */
    this.analysis = null;
    this.left = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.refreshing = undefined;
    this.wasUp = state.line.up;
    this.compact = true;
    this.stops = [startClocks(() => this.play?.model ?? null, redraw), subscribe((changed) => this.lineChanged(changed))];
    /** @type {Record<SeatName, boolean> | null} */
    this.online = null;
    /** Sockets that watch beside those of the players; null before it is known. @type {number | null} */
    this.watchers = null;
    const counting = setInterval(() => void this.count(), COUNT_MS);
    this.stops.push(() => clearInterval(counting));
    void this.count();
    if (session()) {
      this.stops.push(watchMatch(this.id, {
        snapshot: (match) => this.snapshot(match),
        event: (event) => this.event(event),
        notice: (notice) => this.notice(notice),
        failed: (error) => this.failed(error),
      }));
    } else void this.look();
  }

  leave() {
    this.left = true;
    for (const stop of this.stops) stop();
    clearTimeout(this.refreshing);
    this.play?.close();
    if (state.paused) update({ paused: false });
  }

  title() {
    const { play, match } = this;
    if (!play || !match) return t("play.title");
    const game = t(`game.${match.game}.plain`);
    if (play.model.over) return t("title.over", { game });
    if (play.model.own === null) return t("title.watching", { game });
    return t(play.model.mine ? "title.your_move" : "title.rivals_move", { game });
  }

  /** @param {unknown} error */
  failed(error) {
    this.failure = error;
    this.redraw();
  }

  /** Without a line of one's own: asks again and again while it goes on. */
  async look() {
    try {
      /** @type {Match} */
      const match = await get(`/v1/matches/${this.id}`);
      if (this.left) return;
      const before = this.play?.model.state.ply;
      this.snapshot(match);
      if (before !== undefined && before !== match.ply) await this.loadRecord();
    } catch (error) {
      if (!this.play) this.failed(error);
    }
    if (!this.left && !this.play?.model.over) setTimeout(() => !this.left && this.look(), LOOK_MS);
  }

  /** Who is there: told at the start and now and then; whether a player comes or goes is told at once by the line. */
  async count() {
    if (this.play?.model.over || document.hidden) return;
    /** @type {{ first: boolean, second: boolean, watchers: number } | null} */
    const there = await get(`/v1/matches/${this.id}/attendance`).catch(() => null);
    if (this.left || !there) return;
    this.watchers = Math.max(0, there.watchers - Number(there.first) - Number(there.second));
    this.online = { first: there.first, second: there.second };
    if (this.play) this.play.model.online = this.online;
    this.redraw();
  }

  /** @param {Match} match */
  snapshot(match) {
    if (this.left) return;
    this.failure = null;
    const wasOver = this.play?.model.over ?? true;
    this.match = match;
    if (this.play === null) {
      const player = session()?.player;
      const own = player === match.players.first.id ? "first" : player === match.players.second.id ? "second" : null;
      const model = new GameModel(match, own);
      if (this.online) model.online = this.online;
      this.play = new Play(model, {
        redraw: this.redraw,
        send: (move, ply) => this.send(move, ply),
        settles: true,
        staked: () => match.stake > 0,
      });
      if (own !== null && match.status === "live" && match.ply === 0) void sound("start");
      if (model.mine) alert(t("status.your_move"));
    } else this.play.model.replace(match);
    const { model } = this.play;
    if (model.over && !wasOver) this.ended();
    else if (model.plies.length < match.ply || model.plies.includes(undefined) || model.over) void this.loadRecord();
    if (model.rematch.state === "proposed") void this.refresh();
    this.redraw();
  }

  /** @param {string} move @param {number} ply */
  async send(move, ply) {
    // Without a line nothing is sent, now or later: the move is refused here.
    if (!state.line.up) throw new ApiError(409, "offline");
    await request({ type: "move", match: this.id, ply, move });
  }

  /** Earlier plies with what they did, and, after the end, what is kept of the match. */
  async loadRecord() {
    try {
      /** @type {import("../types.d.ts").MatchRecord} */
      const record = await get(`/v1/matches/${this.id}/record`);
      if (this.left || !this.play) return;
      this.play.model.learnRecord(record);
      if (this.play.model.over) {
        this.record = record;
        await this.loadAnalysis();
      }
    } catch {
      // The moves are there without what they did; the next state tries again.
    }
    this.redraw();
  }

  async loadAnalysis() {
    if (this.match?.game !== "mu_torere" || !session() || this.analysis) return;
    try {
      const { plies } = await get(`/v1/matches/${this.id}/analysis`);
      this.analysis = plies;
    } catch (error) {
      // Who plays this game for a stake now gets no analysis: nothing is missing.
      if (!(error instanceof ApiError && error.code === "playing_for_stakes")) throw error;
    }
  }

  /** @param {MatchEvent} event */
  event(event) {
    const { play, match } = this;
    if (!play || !match) return;
    const { model } = play;
    const offer = model.offer;
    model.apply(event);
    if (event.type === "moved") {
      const made = model.lastAt(event.ply);
      if (made) play.happened([made]);
      if (offer && !model.offer && offer.by === model.own) alert(t("draw.declined"));
    } else if (event.type === "ended") this.ended();
    else if (event.type === "clock_credited") this.credited(event);
    else if (event.type === "draw_offered" && event.by !== model.own) alert(t("draw.offered_by", { name: this.names()[event.by] }));
    else if (event.type === "draw_declined" && event.by !== model.own) alert(t("draw.declined"));
    else if (event.type === "rematch_proposed") this.proposed(event.by);
    else if (event.type === "rematch_declined") alert(t("rematch.declined"));
    else if (event.type === "rematch_started" && model.own !== null) void navigate(`/match/${event.next_match}`);
    this.redraw();
  }

  /** @param {Extract<MatchEvent, { type: "clock_credited" }>} event */
  credited(event) {
    notify({ text: t(event.reason === "restart" ? "clock.credited_restart" : "clock.credited_outage") });
  }

  /** A rematch is proposed: until when, the state says. @param {SeatName} [by] */
  proposed(by) {
    if (by && by !== this.play?.model.own) alert(t("rematch.proposed_by", { name: this.names()[by] }));
    void this.refresh();
  }

  /** Asks how things stand after the end, and once more when an open proposal has had its time. */
  async refresh() {
    /** @type {Match | null} */
    const match = await get(`/v1/matches/${this.id}`).catch(() => null);
    if (this.left || !match || !this.play) return;
    this.play.model.replaceRematch(match);
    clearTimeout(this.refreshing);
    const { rematch } = this.play.model;
    if (rematch.state === "proposed" && rematch.until !== null) {
      this.refreshing = setTimeout(() => void this.refresh(), Math.max(500, rematch.until - serverNow() + 200));
    }
    this.redraw();
  }

  ended() {
    const { play, match } = this;
    const outcome = play?.model.state.outcome;
    if (!play || !match || !outcome) return;
    void sound("end");
    alert(result(match.game, outcome, play.model.own, this.names()));
    void this.loadRecord();
  }

  /** @param {MatchNotice} notice */
  notice(notice) {
    const model = this.play?.model;
    if (!model) return;
    model.notice(notice);
    if (notice.type === "paused" || notice.type === "resumed") update({ paused: model.paused });
    if (notice.type === "presence" && notice.seat !== model.own && !model.over) {
      alert(t(notice.online ? "presence.back" : "presence.gone", { name: this.names()[notice.seat] }));
    }
    this.redraw();
  }

  /** The line is back: what became of a move that was under way is asked, never sent again. @param {Partial<import("../types.d.ts").State>} changed */
  lineChanged(changed) {
    if (!changed.line) return;
    const back = changed.line.up && !this.wasUp;
    this.wasUp = changed.line.up;
    if (back && this.play?.model.pending) void this.settlePending();
  }

  async settlePending() {
    const play = this.play;
    const pending = play?.model.pending;
    if (!play || !pending) return;
    try {
      /** @type {Match} */
      const match = await get(`/v1/matches/${this.id}`);
      if (play.model.pending !== pending) return;
      if (match.ply < pending.ply) {
        play.model.forget();
        play.refuse(t("status.not_played", { move: pending.move }));
      }
      this.redraw();
    } catch {
      // The next break of the line, or the next event, will tell.
    }
  }

  /** @returns {Record<SeatName, string>} */
  names() {
    const { first, second } = /** @type {Match} */ (this.match).players;
    return { first: first.display_name, second: second.display_name };
  }

  render() {
    const { play, match } = this;
    if (this.failure !== null) {
      return html`<div class="column"><h1 tabindex="-1">${t("play.title")}</h1><p role="alert">${explain(this.failure)}</p>
        <p><a class="button" href="/lobby">${t("nav.lobby")}</a></p></div>`;
    }
    if (!play || !match) return html`<h1 tabindex="-1">${t("play.title")}</h1><p class="quiet" aria-busy="true">${t("play.loading")}</p>`;
    const names = this.names();
    const acting = { play, match, names };
    const { model } = play;
    return frame(play, {
      heading: t("play.heading", { game: t(`game.${match.game}.plain`), first: names.first, second: names.second }),
      players: { first: { name: names.first }, second: { name: names.second } },
      // After the end the amounts of a match are what was paid; these are what was agreed.
      above: html`${termsLine({ ...match, ...split(match.stake) })}
        <p class="play-watchers quiet small-text" data-testid="watchers">${this.watchers === null || model.over ? "" : t("play.watchers", { count: this.watchers })}</p>`,
      actions: model.over ? "" : liveActs(acting),
      below: html`${resultBox(acting)} ${moveList(play, this.analysis)} ${moveField(play, names)} ${keepActs(acting, this.record)}`,
    });
  }
}

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return new MatchView(context);
}
