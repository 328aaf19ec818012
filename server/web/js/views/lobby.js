// @ts-check
/** The lobby: open seeks as they come and go, one's own, and a new game. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ApiError, get, post, remove, session } from "../api.js";
import { once } from "../acts.js";
import { explain } from "../explain.js";
import { kindName } from "../games.js";
import { onceSignedIn } from "../gate.js";
import { money, number, t, time } from "../i18n.js";
import { notify } from "../notify.js";
import { accountNote, accountPath } from "../parts/account_note.js";
import { newGame } from "../parts/new_game.js";
import { filterFields, keepFilters, keptFilters, passes, seekRows } from "../parts/seek_list.js";
import { agree } from "../parts/terms.js";
import { navigate } from "../router.js";
import { hasAccount } from "../session.js";
import { on, watchLobby } from "../socket.js";
import { state } from "../store.js";

/** @typedef {import("../types.d.ts").Seek} Seek */
/** @typedef {import("../types.d.ts").Waiting} Waiting */

/** How often who is not signed in, and so has no socket, asks for the list. */
const POLL_MS = 8_000;

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create({ query, redraw }) {
  /** @type {Map<string, Seek> | null} */
  let seeks = null;
  let filters = keptFilters();
  /** @type {Waiting | null} */
  let waiting = null;
  let failure = "";
  let left = false;
  /** @type {() => void} */
  let stop = () => {};

  const form = newGame({ friend: query.get("with") === "friend", queued: showQueue });
  const offWelcome = on("welcome", readQueue);
  const offQueue = on("queue", readQueue);

  function follow() {
    if (session()) {
      stop = watchLobby(({ all, added, removed }) => {
        if (all) seeks = new Map(all.map((seek) => [seek.id, seek]));
        for (const id of removed ?? []) seeks?.delete(id);
        for (const seek of added ?? []) seeks?.set(seek.id, seek);
        redraw();
      });
      return;
    }
    const timer = setInterval(() => document.hidden || poll(), POLL_MS);
    stop = () => clearInterval(timer);
    poll();
  }

  async function poll() {
    try {
      /** @type {import("../types.d.ts").Page<Seek>} */
      const page = await get("/v1/lobby/seeks?limit=200");
      seeks = new Map(page.items.map((seek) => [seek.id, seek]));
      failure = "";
    } catch (error) {
      failure = explain(error);
    }
    redraw();
  }

  /** One's place in the queue. */
  async function readQueue() {
    if (!hasAccount() || left) return;
    /** @type {{ entry: Waiting | null } | null} */
    const answer = await get("/v1/lobby/queue").catch(() => null);
    if (answer) waiting = answer.entry;
    redraw();
  }

  /** A place was just taken: on a phone the card that says so is above what was touched. */
  async function showQueue() {
    await readQueue();
    requestAnimationFrame(() => document.getElementById("waiting-title")?.focus());
  }

  async function leaveQueue() {
    try {
      await remove("/v1/lobby/queue");
    } catch (error) {
      // Who does not wait any more has left already, or plays.
      if (!(error instanceof ApiError && error.status === 404)) notify({ text: explain(error), tone: "bad" });
    }
    await readQueue();
  }

  /** @param {Seek} seek */
  async function withdraw(seek) {
    try {
      await remove(`/v1/lobby/seeks/${seek.id}`);
      seeks?.delete(seek.id);
      redraw();
    } catch (error) {
      notify({ text: explain(error), tone: "bad" });
    }
  }

  /** @param {Seek} seek */
  async function accept(seek) {
    if (!hasAccount()) return navigate(accountPath("/lobby"));
    /** @type {{ match_id: string } | null} */
    const begun = await agree({
      title: () => t("lobby.accept_title", { name: seek.player.display_name }),
      terms: seek,
      act: () =>
        once(`accept ${seek.id} ${seek.stake}`, (key) =>
          post(`/v1/lobby/seeks/${seek.id}/accept`, { stake: seek.stake }, { key }),
        ),
    });
    if (begun) await navigate(`/match/${begun.match_id}`);
  }

  follow();
  const stopWaiting = onceSignedIn(readQueue);

  const shown = () =>
    [...(seeks?.values() ?? [])]
      .filter((seek) => seek.player.id === state.me?.id || passes(seek, filters))
      .sort((one, other) => other.created_at.localeCompare(one.created_at));

  function list() {
    if (failure && !seeks) return html`<p class="form-error">${failure}</p>`;
    if (!seeks) return html`<p class="quiet">${t("lobby.loading")}</p>`;
    const rows = shown();
    if (rows.length > 0) return seekRows(rows, { accept, withdraw });
    const key = seeks.size > 0 ? "lobby.none_fit" : "lobby.none";
    return html`<p class="empty">${t(key)}</p>`;
  }

  const queueCard = () =>
    waiting
      ? html`
          <section class="card" aria-labelledby="waiting-title">
            <h2 id="waiting-title" tabindex="-1">${t("queue.title")}</h2>
            <p>${t("queue.text", { game: kindName(waiting.game, waiting.options), stake: money(waiting.stake) })}</p>
            <p class="quiet small-text">${t("queue.since", { time: time(waiting.joined_at), count: waiting.waiting })}</p>
            <button type="button" class="button" data-testid="leave-queue" @click=${leaveQueue}>${t("queue.leave")}</button>
          </section>
        `
      : nothing;

  return {
    title: () => t("lobby.title"),
    render: () => html`
      <h1>${t("lobby.title")}</h1>
      <div class="lobby">
        <section class="lobby-list" aria-labelledby="seeks-title">
          <div class="section-head">
            <h2 id="seeks-title">${t("lobby.seeks")}</h2>
            ${seeks ? html`<p class="quiet small-text">${t("lobby.count", { count: seeks.size, shown: number(seeks.size) })}</p>` : nothing}
          </div>
          ${filterFields(filters, (part) => {
            filters = { ...filters, ...part };
            keepFilters(filters);
            redraw();
          })}
          ${list()}
        </section>
        <aside class="lobby-side">${queueCard()} ${accountNote("/lobby")} ${form()}</aside>
      </div>
    `,
    leave: () => {
      left = true;
      stop();
      offWelcome();
      offQueue();
      stopWaiting();
    },
  };
}
