// @ts-check
/** A table by link: two seats that face each other, the free one marked. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ApiError, get, post, remove } from "../api.js";
import { once } from "../acts.js";
import { copyText } from "../clipboard.js";
import { explain } from "../explain.js";
import { kindOf } from "../games.js";
import { dateTime, t } from "../i18n.js";
import { accountNote, accountPath } from "../parts/account_note.js";
import { art } from "../parts/art.js";
import { agree, termsFacts, termsName } from "../parts/terms.js";
import { navigate } from "../router.js";
import { ensurePlayer, hasAccount } from "../session.js";
import { on } from "../socket.js";
import { alert, say } from "../speech.js";
import { state } from "../store.js";

/** @typedef {import("../types.d.ts").Table} Table */
/** @typedef {import("../types.d.ts").PlayerRef} PlayerRef */

const POLL_MS = 4_000;

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create({ params, redraw }) {
  const path = `/v1/tables/${encodeURIComponent(params.code)}`;
  /** @type {Table | null} */
  let table = null;
  /** @type {unknown} */
  let failure = null;
  let refused = "";
  let busy = false;
  let copied = false;

  const timer = setInterval(() => document.hidden || isOver() || load(), POLL_MS);
  const offWelcome = on("welcome", load);
  const onVisible = () => document.hidden || isOver() || load();
  document.addEventListener("visibilitychange", onVisible);
  load();

  async function load() {
    try {
      table = await get(path);
      failure = null;
    } catch (error) {
      failure = error;
      if (isGone()) table = null;
    }
    redraw();
  }

  const isGone = () => failure instanceof ApiError && (failure.status === 404 || failure.code === "table_gone");
  const isOver = () => isGone() || Boolean(table?.match_id);
  /** @param {PlayerRef | "free"} seat */
  const isMine = (seat) => seat !== "free" && seat.id === state.me?.id;

  /** @param {Table} open */
  async function sitDown(open) {
    if (open.stake > 0) return stakeAndSit(open);
    if (busy) return;
    busy = true;
    refused = "";
    redraw();
    try {
      await ensurePlayer();
      const { match_id } = await join(open);
      await navigate(`/match/${match_id}`);
    } catch (error) {
      refused = explain(error);
      alert(refused);
      load();
    }
    busy = false;
    redraw();
  }

  /** @param {Table} open */
  async function stakeAndSit(open) {
    if (!hasAccount()) return navigate(accountPath(`/table/${open.code}`));
    const host = open.seats[0];
    const name = host === "free" ? "" : host.display_name;
    const begun = await agree({ title: () => t("lobby.accept_title", { name }), terms: open, act: () => join(open) });
    if (begun) await navigate(`/match/${begun.match_id}`);
    else load();
  }

  /** @param {Table} open @returns {Promise<{ match_id: string }>} */
  const join = (open) =>
    once(`join ${open.code} ${open.stake}`, (key) => post(`${path}/join`, { stake: open.stake }, { key }));

  async function close() {
    try {
      await remove(path);
      await navigate("/lobby?with=friend");
    } catch (error) {
      refused = explain(error);
      alert(refused);
      load();
    }
  }

  /** @param {string} link */
  async function copy(link) {
    copied = await copyText(link);
    say(t(copied ? "table.copied" : "table.not_copied"));
    redraw();
  }

  /** @param {string} link */
  const share = (link) => navigator.share({ title: t("table.title"), url: link }).catch(() => {});

  /** @param {Table} open @param {PlayerRef | "free"} place @param {"far" | "near"} side */
  function seat(open, place, side) {
    if (place !== "free") {
      return html`
        <div class="seat" data-side=${side}>
          <span class="seat-mark" aria-hidden="true">${[...place.display_name][0]?.toUpperCase()}</span>
          <span>${isMine(place) ? t("table.you", { name: place.display_name }) : place.display_name}</span>
        </div>
      `;
    }
    const words = open.seats.some(isMine)
      ? html`<span>${t("table.free_seat")}</span>`
      : html`
          <button
            type="button"
            class="button primary"
            data-testid="sit-down"
            aria-disabled=${busy ? "true" : nothing}
            @click=${() => sitDown(open)}
          >
            ${t("table.sit_down")}
          </button>
        `;
    return html`
      <div class="seat" data-side=${side} data-free data-testid="free-seat">
        <span class="seat-mark" aria-hidden="true"></span>${words}
      </div>
    `;
  }

  /** @param {Table} open */
  function places(open) {
    const [host, guest] = open.seats;
    // Whoever looks sits at the near side, once seated or about to be.
    const [far, near] = isMine(host) ? [guest, host] : [host, guest];
    return html`
      <div class="table-places">
        ${seat(open, far, "far")}
        <div class="table-board">${art(kindOf(open.game, open.options)?.key ?? open.game)}</div>
        ${seat(open, near, "near")}
      </div>
    `;
  }

  /** @param {Table} open */
  function invitation(open) {
    const link = new URL(open.link ?? `/table/${open.code}`, location.origin).href;
    return html`
      <section class="card invitation" aria-labelledby="invitation-title">
        <h2 id="invitation-title">${t("table.invite")}</h2>
        <p class="quiet">${t("table.invite_text")}</p>
        <label class="visually-hidden" for="table-link">${t("table.link")}</label>
        <div class="field-control">
          <input
            class="input"
            id="table-link"
            readonly
            .value=${link}
            @focus=${(/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select()}
          />
          <button type="button" class="button primary" data-testid="copy-link" @click=${() => copy(link)}>
            ${t(copied ? "table.copied" : "action.copy")}
          </button>
        </div>
        <p class="small-text quiet">
          ${t("table.code", { code: open.code })}
          ${open.expires_at ? t("table.until", { time: dateTime(open.expires_at) }) : nothing}
        </p>
        <div class="actions">
          ${"share" in navigator
            ? html`<button type="button" class="button" @click=${() => share(link)}>${t("table.share")}</button>`
            : nothing}
          <button type="button" class="button quiet-button" data-testid="close-table" @click=${close}>
            ${t("table.close")}
          </button>
        </div>
      </section>
    `;
  }

  /** @param {Table} open */
  const begun = (open) => html`
    <p class="note">
      ${t("table.begun")} <a href="/match/${open.match_id}">${t("table.watch")}</a>
    </p>
  `;

  /** @param {Table} open */
  const whole = (open) => html`
    <div class="table-view">
      <div>
        <h1>${t(open.seats.some(isMine) ? "table.own_title" : "table.title")}</h1>
        ${termsName(open)} ${open.match_id ? begun(open) : nothing}
        ${refused ? html`<p class="form-error" data-testid="refusal">${refused}</p>` : nothing}
        ${open.stake > 0 && !open.match_id ? accountNote(`/table/${open.code}`) : nothing} ${places(open)}
      </div>
      <div class="table-side">
        ${isMine(open.seats[0]) && !open.match_id ? invitation(open) : nothing}
        <section class="card" aria-label=${t("table.terms")}>${termsFacts(open)}</section>
      </div>
    </div>
  `;

  const missing = () => html`
    <div class="column narrow">
      <h1>${t(isGone() ? "table.gone_title" : "table.title")}</h1>
      <p>${isGone() ? t("table.gone") : failure ? explain(failure) : t("lobby.loading")}</p>
      ${isGone() ? html`<p><a class="button primary" href="/lobby?with=friend">${t("home.friend.act")}</a></p>` : nothing}
    </div>
  `;

  return {
    title: () => t("table.title"),
    render: () => (table ? whole(table) : missing()),
    leave: () => {
      clearInterval(timer);
      offWelcome();
      document.removeEventListener("visibilitychange", onVisible);
    },
  };
}
