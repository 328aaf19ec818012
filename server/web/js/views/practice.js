// @ts-check
/** Practice against the computer: choosing what to practise, and the game itself. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ApiError, get, post } from "../api.js";
import { explain } from "../explain.js";
import { t } from "../i18n.js";
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
import { setup } from "./practice_setup.js";

/** @typedef {import("../types.d.ts").Practice} Practice */
/** @typedef {import("../types.d.ts").SeatName} SeatName */

/** Begins a session and goes to it. @param {Record<string, unknown>} wish */
export async function beginPractice(wish) {
  await ensurePlayer();
  /** @type {Practice} */
  const session = await post("/v1/practice", wish);
  await navigate(`/practice/${session.id}`);
}

class PracticeView {
  /** @param {import("../types.d.ts").ViewContext} context */
  constructor({ params, redraw }) {
    this.id = params.id ?? "";
    this.redraw = redraw;
    this.compact = true;
    this.left = false;
    this.busy = false;
    /** @type {Practice | null} */
    this.session = null;
    /** @type {Play | null} */
    this.play = null;
    /** @type {unknown} */
    this.failure = null;
    /** @type {import("../types.d.ts").PlyAnalysis[] | null} */
    this.analysis = null;
    void this.load();
  }

  get path() {
    return `/v1/practice/${this.id}`;
  }

  async load() {
    try {
      await ensurePlayer();
      this.begin(await get(this.path));
    } catch (error) {
      this.failure = error;
    }
    this.redraw();
  }

  /** @param {Practice} session */
  begin(session) {
    if (this.left) return;
    this.play?.close();
    this.session = session;
    const model = new GameModel(session, session.seat);
    model.learn(session.made);
    this.play = new Play(model, {
      redraw: this.redraw,
      send: async (move, ply) => this.made(await post(`${this.path}/moves`, { ply, move })),
      staked: () => false,
    });
    void sound("start");
    if (model.over) void this.analyse();
  }

  /** The answer to a move: both moves, the player's and the computer's. @param {Practice} session */
  made(session) {
    if (this.left || !this.play) return;
    // A repeat of a move whose answer was lost: it has been played, and all is told anew.
    if (session.made.length === 0) return void this.load();
    const { model } = this.play;
    this.session = session;
    model.replace(session);
    model.learn(session.made);
    this.play.happened(session.made);
    if (model.over) this.ended();
    this.redraw();
  }

  ended() {
    const { play, session } = this;
    const outcome = play?.model.state.outcome;
    if (!play || !session || !outcome) return;
    void sound("end");
    alert(result(session.game, outcome, session.seat, this.names()));
    void this.analyse();
  }

  async analyse() {
    if (this.session?.game !== "mu_torere") return;
    try {
      const { plies } = await get(`${this.path}/analysis`);
      this.analysis = plies;
    } catch {
      // The session may be forgotten by now; the game itself is still there to look through.
    }
    this.redraw();
  }

  /** Something that is asked of the computer while it is the player's turn. @param {(play: Play) => Promise<void>} work */
  async ask(work) {
    const { play } = this;
    if (!play || this.busy || play.model.pending) return;
    this.busy = true;
    play.settle();
    play.waiting = t("practice.thinking");
    this.redraw();
    try {
      await work(play);
    } catch (error) {
      play.refuse(explain(error));
    }
    this.busy = false;
    play.waiting = "";
    this.redraw();
  }

  hint() {
    return this.ask(async (play) => {
      const { move } = await post(`${this.path}/hint`);
      play.hint = move;
      alert(t("practice.hint_is", { move }));
    });
  }

  undo() {
    return this.ask(async (play) => {
      /** @type {Practice} */
      const session = await post(`${this.path}/undo`);
      this.session = session;
      this.analysis = null;
      play.model.replace(session);
      play.shown = null;
      play.refusal = "";
      play.hint = null;
      alert(t("practice.taken_back"));
    });
  }

  again() {
    const { session } = this;
    if (!session) return;
    const seat = session.seat === "first" ? "second" : "first";
    return this.ask(() => beginPractice({ game: session.game, options: session.options, level: session.level, seat }));
  }

  /** @returns {Record<SeatName, string>} */
  names() {
    const own = state.me?.display_name ?? t("bar.you");
    const computer = t("practice.computer");
    return this.session?.seat === "second" ? { first: computer, second: own } : { first: own, second: computer };
  }

  leave() {
    this.left = true;
    this.play?.close();
  }

  title() {
    const { play, session } = this;
    if (!play || !session) return t("practice.title");
    const game = t(`game.${session.game}.plain`);
    return t(play.model.over ? "title.over" : play.model.mine ? "title.your_move" : "title.rivals_move", { game });
  }

  render() {
    const { play, session } = this;
    if (this.failure !== null) return forgotten(this.failure);
    if (!play || !session) return html`<h1 tabindex="-1">${t("practice.title")}</h1><p class="quiet" aria-busy="true">${t("play.loading")}</p>`;
    const names = this.names();
    const { model } = play;
    const own = { name: names[session.seat] };
    const computer = { name: t("practice.computer"), note: t(`level.${session.level}`) };
    return frame(play, {
      heading: t("practice.heading", { game: t(`game.${session.game}.plain`), level: t(`level.${session.level}`) }),
      players: session.seat === "first" ? { first: own, second: computer } : { first: computer, second: own },
      above: termsLine({ game: session.game, options: session.options, stake: 0, payout: 0, fee: 0 }),
      actions: this.actions(model),
      below: html`${this.result(session, names)} ${moveList(play, this.analysis)} ${moveField(play, names)}`,
    });
  }

  /** @param {GameModel} model */
  actions(model) {
    const off = this.busy ? "true" : "false";
    return html`<button type="button" class="button small" data-testid="hint" aria-disabled=${model.mine ? off : "true"}
        @click=${() => model.mine && this.hint()}>${t("practice.hint")}</button>
      <button type="button" class="button small" data-testid="undo" aria-disabled=${off} @click=${() => this.undo()}>${t("practice.undo")}</button>
      <a class="button small" href="/practice">${t("practice.new")}</a>`;
  }

  /** @param {Practice} session @param {Record<SeatName, string>} names */
  result(session, names) {
    const { outcome } = session;
    if (!outcome) return nothing;
    return html`<section class="result card" aria-labelledby="result-heading" data-testid="result">
      <h2 id="result-heading" tabindex="-1">${result(session.game, outcome, session.seat, names)}</h2>
      <p>${t("terms.no_stake")}</p>
      <div class="actions"><button type="button" class="button primary" data-testid="again" @click=${() => this.again()}>${t("practice.again")}</button></div>
    </section>`;
  }
}

/** @param {unknown} error */
function forgotten(error) {
  const gone = error instanceof ApiError && error.code === "not_found";
  return html`<div class="column"><h1 tabindex="-1">${t("practice.title")}</h1>
    <p role="alert">${gone ? t("practice.forgotten") : explain(error)}</p>
    <p><a class="button primary" href="/practice">${t("practice.new")}</a></p></div>`;
}

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return context.params.id ? new PracticeView(context) : setup(context, beginPractice);
}
