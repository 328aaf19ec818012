// @ts-check
/** The streak: game after game of Mū tōrere against a computer that knows every position and errs a little less each time. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ApiError, get, post } from "../api.js";
import { explain } from "../explain.js";
import { number, t } from "../i18n.js";
import { GameModel } from "../match.js";
import { moveField } from "../play/field.js";
import { frame } from "../play/frame.js";
import { moveList } from "../play/moves.js";
import { Play } from "../play/play.js";
import { termsLine } from "../play/terms.js";
import { result } from "../play/words.js";
import { navigate } from "../router.js";
import { ensurePlayer } from "../session.js";
import { play as sound } from "../sound.js";
import { alert } from "../speech.js";
import { state } from "../store.js";
import { bestRuns } from "./streak_start.js";

/** @typedef {import("../types.d.ts").Streak} Streak */
/** @typedef {import("../types.d.ts").SeatName} SeatName */

/** Begins a run, or goes on with the one under way. */
export async function beginStreak() {
  await ensurePlayer();
  /** @type {Streak} */
  const run = await post("/v1/streaks");
  await navigate(`/streak/${run.id}`);
}

class StreakView {
  /** @param {import("../types.d.ts").ViewContext} context */
  constructor({ params, redraw }) {
    this.id = params.id ?? "";
    this.redraw = redraw;
    this.compact = true;
    this.left = false;
    /** @type {Streak | null} */
    this.run = null;
    /** The game on the board: the one under way, or the one that has just ended. @type {Play | null} */
    this.play = null;
    /** @type {Streak["ended_game"]} */
    this.ended = null;
    /** @type {unknown} */
    this.failure = null;
    void this.load();
  }

  get path() {
    return `/v1/streaks/${this.id}`;
  }

  async load() {
    try {
      await ensurePlayer();
      /** @type {Streak} */
      const run = await get(this.path);
      if (this.left) return;
      this.begin(run);
    } catch (error) {
      this.failure = error;
    }
    this.redraw();
  }

  /** Puts the game under way on the board. @param {Streak} run */
  begin(run) {
    this.play?.close();
    this.run = run;
    this.ended = null;
    const model = new GameModel(run, run.seat);
    model.learn(run.made);
    const play = new Play(model, {
      redraw: this.redraw,
      send: async (move, ply) => this.made(play, await post(`${this.path}/moves`, { ply, move, confirm: play.warned === move })),
      staked: () => false,
    });
    this.play = play;
    void sound("start");
    if (model.mine) alert(t("streak.game_begins", { game: run.game_no, level: run.level }));
  }

  /** @param {Play} play @param {Streak} run */
  made(play, run) {
    if (this.left || play !== this.play) return;
    const { model } = play;
    if (run.warning) {
      play.warned = model.pending?.move ?? null;
      model.forget();
      play.refuse(t("streak.warning"));
      return;
    }
    // A repeat of a move whose answer was lost: it has been played, and all is told anew.
    if (run.made.length === 0) return void this.load();
    this.run = run;
    const last = run.made.at(-1);
    if (run.ended_game && last) {
      const { moves, outcome } = run.ended_game;
      this.ended = run.ended_game;
      model.replace({ ...model.state, status: "ended", position: last.position, ply: last.ply, legal: [], to_move: null, outcome, moves });
    } else model.replace(run);
    model.learn(run.made);
    play.happened(run.made);
    if (this.ended) {
      void sound("end");
      alert(`${result("mu_torere", this.ended.outcome, this.ended.seat, this.names())} ${t(this.ended.won ? "streak.won" : "streak.over")}`);
    }
    this.redraw();
  }

  /** @returns {Record<SeatName, string>} */
  names() {
    const own = state.me?.display_name ?? t("bar.you");
    const computer = t("practice.computer");
    return this.play?.model.own === "second" ? { first: computer, second: own } : { first: own, second: computer };
  }

  leave() {
    this.left = true;
    this.play?.close();
  }

  title() {
    const { play } = this;
    if (!play) return t("streak.title");
    return t(play.model.over ? "title.over" : play.model.mine ? "title.your_move" : "title.rivals_move", { game: t("streak.title") });
  }

  render() {
    const { play, run } = this;
    if (this.failure !== null) {
      const gone = this.failure instanceof ApiError && this.failure.code === "not_found";
      return html`<div class="column"><h1 tabindex="-1">${t("streak.title")}</h1><p role="alert">${gone ? t("streak.gone") : explain(this.failure)}</p>
        <p><a class="button primary" href="/streak">${t("streak.title")}</a></p></div>`;
    }
    if (!play || !run) return html`<h1 tabindex="-1">${t("streak.title")}</h1><p class="quiet" aria-busy="true">${t("play.loading")}</p>`;
    const names = this.names();
    const { model } = play;
    const note = t("streak.level", { level: this.ended?.game_no ?? run.level });
    return frame(play, {
      heading: t("streak.heading", { game: this.ended?.game_no ?? run.game_no }),
      players: {
        first: { name: names.first, note: model.own === "second" ? note : "" },
        second: { name: names.second, note: model.own === "first" ? note : "" },
      },
      above: html`${this.score(run)}${termsLine({ game: "mu_torere", options: {}, stake: 0, payout: 0, fee: 0 })}`,
      actions: nothing,
      line: html`<span class=${model.state.occurrences > 1 ? "" : "quiet"} data-testid="repetition">${t("streak.repetition", { count: model.state.occurrences })}</span>`,
      below: html`${model.over ? this.result(run, names) : nothing} ${moveList(play, this.ended?.analysis ?? null)} ${moveField(play, names)}`,
    });
  }

  /** @param {Streak} run */
  score(run) {
    return html`<dl class="streak-score" data-testid="streak-score">
      <div><dt>${t("streak.game_no")}</dt><dd data-testid="streak-game">${this.ended?.game_no ?? run.game_no}</dd></div>
      <div><dt>${t("streak.wins")}</dt><dd data-testid="streak-wins">${run.wins}</dd></div>
      <div><dt>${t("streak.bonus")}</dt><dd>${run.bonus}</dd></div>
      <div><dt>${t("streak.score")}</dt><dd data-testid="streak-points">${number(run.score)}</dd></div>
    </dl>`;
  }

  /** @param {Streak} run @param {Record<SeatName, string>} names */
  result(run, names) {
    const outcome = this.play?.model.state.outcome;
    return html`<section class="result card" aria-labelledby="result-heading" data-testid="result">
      <h2 id="result-heading" tabindex="-1">${outcome ? result("mu_torere", outcome, this.play?.model.own ?? null, names) : t("streak.over")}</h2>
      <p>${t(this.ended?.won ? "streak.won" : "streak.over")}</p>
      <div class="actions">${this.ended?.won
        ? html`<button type="button" class="button primary" data-testid="next-game" @click=${() => this.load()}>${t("streak.next", { game: run.game_no })}</button>`
        : html`<a class="button primary" data-testid="new-run" href="/streak">${t("streak.again")}</a>`}</div>
    </section>`;
  }
}

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return context.params.id ? new StreakView(context) : bestRuns(context, beginStreak);
}
