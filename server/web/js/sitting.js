// @ts-check
/**
 * The sitting: how long somebody has played in one go, and what stakes have come to in it. Kept in this browser, the
 * same in every tab; a pause of half an hour begins a new one.
 */

import { get, session } from "./api.js";
import { duration, money, t } from "./i18n.js";
import { notify } from "./notify.js";
import { settings } from "./settings.js";
import { on } from "./socket.js";
import { state, subscribe, update } from "./store.js";

/** @typedef {import("./types.d.ts").Page<import("./types.d.ts").OwnTransfer>} Transfers */

const KEY = "stakeboard.sitting";
const PAUSE_MS = 30 * 60_000;
const TICK_MS = 15_000;

/**
 * `after` is the last line of the wallet before it, `staked` what lay in a match then.
 * @typedef {{ player: string, since: number, seen: number, reminded: number, after: string, staked: number }} Kept
 */

export function startSitting() {
  subscribe((changed) => {
    if (changed.me !== undefined || changed.wallet !== undefined) tick();
  });
  // Stakes and payouts show in the wallet first.
  on("wallet", count);
  setInterval(tick, TICK_MS);
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && tick());
}

/** @returns {Kept | null} */
function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return found && Number.isFinite(found.since) && typeof found.after === "string" ? found : null;
  } catch {
    return null;
  }
}

let beginning = false;

async function tick() {
  const player = session()?.player;
  if (!player || !state.wallet) {
    if (state.sitting) update({ sitting: null });
    return;
  }
  const now = Date.now();
  const current = kept();
  if (!current || current.player !== player || now - current.seen > PAUSE_MS || current.since > now) {
    if (!beginning) await begin(player);
    return;
  }
  current.seen = now;
  remind(current, now);
  localStorage.setItem(KEY, JSON.stringify(current));
  const isNew = state.sitting?.since !== current.since;
  // The time of it has changed in any case.
  update({ sitting: { since: current.since, net: isNew ? 0 : (state.sitting?.net ?? 0) } });
  if (isNew) await count();
}

/** @param {string} player */
async function begin(player) {
  beginning = true;
  try {
    /** @type {Transfers} */
    const page = await get("/v1/wallet/transfers?limit=1");
    if (session()?.player !== player || !state.wallet) return;
    const now = Date.now();
    const after = page.items[0]?.id ?? "";
    /** @type {Kept} */
    const begun = { player, since: now, seen: now, reminded: now, after, staked: state.wallet.in_play };
    localStorage.setItem(KEY, JSON.stringify(begun));
    update({ sitting: { since: now, net: 0 } });
  } catch {
    // The next tick tries again.
  } finally {
    beginning = false;
  }
}

/** A calm word on the time, at the interval that was chosen. @param {Kept} current @param {number} now */
function remind(current, now) {
  const every = settings().reminder * 60_000;
  if (every === 0 || now - (current.reminded ?? current.since) < every) return;
  current.reminded = now;
  const values = { time: duration(now - current.since), net: money(state.sitting?.net ?? 0, { sign: true }) };
  notify({ text: t("sitting.reminder", values), sticky: true, link: { path: "/wallet", label: t("sitting.limits") } });
}

/** Adds up what matches have taken and given since the sitting began. What still lies in one is neither won nor lost. */
async function count() {
  const current = kept();
  const player = session()?.player;
  if (!current || !player || current.player !== player) return;
  let net = 0;
  let cursor = "";
  do {
    /** @type {Transfers | null} */
    const page = await get(`/v1/wallet/transfers?limit=200${cursor && `&cursor=${cursor}`}`).catch(() => null);
    if (!page) return;
    // Names of lines grow with time.
    const recent = page.items.filter((line) => line.id > current.after);
    net += recent.reduce((sum, line) => sum + (line.match_id ? line.amount : 0), 0);
    cursor = recent.length === page.items.length ? (page.next_cursor ?? "") : "";
  } while (cursor);
  if (session()?.player !== player || !state.wallet) return;
  update({ sitting: { since: current.since, net: net + state.wallet.in_play - current.staked } });
}
