// @ts-check
/** Who plays: signing in and out, what is known of the player, and keeping it true. */

import { ApiError, enter, get, onSession, patch, session } from "./api.js";
import { forgetActs } from "./acts.js";
import { explain } from "./explain.js";
import { t } from "./i18n.js";
import { notify } from "./notify.js";
import { on } from "./socket.js";
import { forgetPlayer, state, update } from "./store.js";

/** @typedef {import("./types.d.ts").SignedIn} SignedIn */
/** @typedef {import("./types.d.ts").Me} Me */
/** @typedef {import("./types.d.ts").Page<import("./types.d.ts").MatchSummary>} Matches */

/** Reads what the page needs to know of the service and of the player, and follows both. */
export function startSession() {
  onSession((current, reason) => {
    forgetPlayer();
    if (current) return void loadPlayer();
    forgetKept();
    // Whoever leaves here knows that they do; every other tab says it.
    if (reason !== "here") {
      notify({ text: t("session.ended"), tone: "bad", link: { path: "/sign-in", label: t("action.sign_in") } });
    }
  });
  on("wallet", ({ available, in_play, pending_withdrawal }) => {
    told += 1;
    update({ wallet: { available, in_play, pending_withdrawal } });
  });
  on("match_started", loadLive);
  // After a break of the line anything may have changed.
  on("welcome", loadPlayer);
  if (session()) loadPlayer();
  loadService();
}

/** What is the same for everybody. */
export async function loadService() {
  try {
    const [config, games] = await Promise.all([get("/v1/config"), get("/v1/games")]);
    if (!config?.currency || !Array.isArray(games?.items)) throw new ApiError(200, "nonsense");
    update({ config, games: games.items });
  } catch (error) {
    notify({ text: explain(error), tone: "bad" });
    setTimeout(loadService, 5_000);
  }
}

/** Counts what is told of the wallet, so that a late answer never takes the place of something newer. */
let told = 0;

/** What is the player's own. */
export async function loadPlayer() {
  const whose = session()?.player;
  if (!whose) return;
  const mine = ++told;
  try {
    /** @type {Me} */
    const me = await get("/v1/me");
    if (session()?.player !== whose) return;
    update({ me });
    const wallet = me.guest ? null : await get("/v1/wallet");
    if (session()?.player !== whose) return;
    if (mine === told) update({ wallet });
    await loadLive();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return;
    setTimeout(() => session()?.player === whose && (state.me === null || mine === told) && loadPlayer(), 5_000);
  }
}

let liveAsked = 0;

/** The player's matches that go on. */
export async function loadLive() {
  const whose = session()?.player;
  if (!whose) return;
  const mine = ++liveAsked;
  /** @type {Matches} */
  const page = await get("/v1/matches?status=live&limit=20").catch(() => null);
  if (page && mine === liveAsked && session()?.player === whose) update({ live: page.items });
}

/**
 * @param {{ email: string, password: string, code?: string, new_password?: string }} credentials the code is that of the second
 *   factor, where there is one; a new password takes the place of one that the house gave
 */
export const signIn = (credentials) => enter("/v1/auth/login", credentials);

/**
 * With a guest's token the guest becomes the account: same player, same matches.
 * @param {{ email: string, password: string, display_name: string, birth_date: string }} registration
 */
export const register = (registration) => enter("/v1/auth/register", registration);

/** @type {Promise<void> | null} */
let becomingGuest = null;

/** Makes sure that there is a player, a guest where nobody is signed in. */
export function ensurePlayer() {
  if (session()) return Promise.resolve();
  becomingGuest ??= enter("/v1/auth/guest", {}).finally(() => {
    becomingGuest = null;
  });
  return becomingGuest;
}

/** @param {string} display_name */
export async function rename(display_name) {
  update({ me: await patch("/v1/me", { display_name }) });
}

/** Takes what a player leaves behind out of this browser. What was chosen for the browser itself stays. */
function forgetKept() {
  forgetActs();
  for (const name of Object.keys(localStorage)) {
    if (name.startsWith("stakeboard.") && name !== "stakeboard.settings") localStorage.removeItem(name);
  }
}

/** Whether somebody is signed in with an account, and not just as a guest. */
export const hasAccount = () => state.me !== null && !state.me.guest;
