// @ts-check
/** Paths and views: one view is shown at a time, and is loaded when it is first asked for. */

import { closeDialogs } from "./dialog.js";

/** @typedef {import("./types.d.ts").View} View */
/** @typedef {import("./types.d.ts").ViewModule} ViewModule */

/** @type {[path: string, load: () => Promise<ViewModule>][]} */
const ROUTES = [
  ["/", () => import("./views/home.js")],
  ["/lobby", () => import("./views/lobby.js")],
  ["/table/:code", () => import("./views/table.js")],
  ["/match/:id", () => import("./views/play.js")],
  ["/practice", () => import("./views/practice.js")],
  ["/practice/:id", () => import("./views/practice.js")],
  ["/streak", () => import("./views/streak.js")],
  ["/streak/:id", () => import("./views/streak.js")],
  ["/wallet", () => import("./views/wallet.js")],
  ["/history", () => import("./views/history.js")],
  ["/rules", () => import("./views/rules.js")],
  ["/rules/:game", () => import("./views/rules.js")],
  ["/settings", () => import("./views/settings.js")],
  ["/player/:id", () => import("./views/profile.js")],
  ["/leaderboard/:game", () => import("./views/leaderboard.js")],
  ["/sign-in", () => import("./views/sign_in.js")],
  ["/admin", () => import("./views/admin/overview.js")],
  ["/admin/withdrawals", () => import("./views/admin/withdrawals.js")],
  ["/admin/players", () => import("./views/admin/players.js")],
  ["/admin/players/:id", () => import("./views/admin/player.js")],
  ["/admin/matches", () => import("./views/admin/matches.js")],
  ["/admin/complaints", () => import("./views/admin/complaints.js")],
  ["/admin/adjustments", () => import("./views/admin/adjustments.js")],
  ["/admin/switches", () => import("./views/admin/switches.js")],
  ["/admin/ledger", () => import("./views/admin/ledger.js")],
  ["/admin/accounts", () => import("./views/admin/accounts.js")],
  ["/admin/accounts/:id", () => import("./views/admin/account.js")],
  ["/admin/balance", () => import("./views/admin/balance.js")],
  ["/admin/reports", () => import("./views/admin/reports.js")],
  ["/admin/fair-play", () => import("./views/admin/fair_play.js")],
  ["/admin/pairs", () => import("./views/admin/pairs.js")],
  ["/admin/payments", () => import("./views/admin/payments.js")],
  ["/admin/audit", () => import("./views/admin/audit.js")],
];
/** Paths of the service itself that are no views. */
const OUTSIDE = /^\/(v1|docs|openapi\.yaml|healthz|readyz|metrics|web|\.well-known)(\/|$)/;
const RELOADED = "stakeboard.reloaded";

/** `path` is without the query, `address` with it. @type {{ path: string, address: string, view: View | null, failed: boolean }} */
export const current = { path: "", address: "", view: null, failed: false };

/** @type {() => void} */
let redraw = () => {};
/** @type {(path: string) => void} */
let arrived = () => {};
let turn = 0;

/** Begins to load the view of a path that will be shown soon. @param {string} path */
export function fetchView(path) {
  // What goes wrong is seen when the view is to be shown.
  find(path)
    .load()
    .catch(() => {});
}

/**
 * Shows what the address names, and follows links and the buttons of the browser from then on.
 * @param {{ redraw: () => void, arrived: (path: string) => void }} hooks `arrived` is called once a view is in place
 */
export function startRouter(hooks) {
  ({ redraw, arrived } = hooks);
  history.scrollRestoration = "manual";
  addEventListener("popstate", () => {
    // A step within the page, such as to an anchor, is the browser's own.
    if (address() !== current.address) show();
  });
  document.addEventListener("click", followLink);
  return show();
}

const address = () => location.pathname + location.search;

/** @param {MouseEvent} event */
function followLink(event) {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = /** @type {Element} */ (event.target).closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || OUTSIDE.test(url.pathname)) return;
  if (url.hash && url.pathname === location.pathname) return;
  event.preventDefault();
  navigate(url.pathname + url.search);
}

/**
 * Goes to a path of the page.
 * @param {string} path
 * @param {{ replace?: boolean }} [options]
 */
export function navigate(path, { replace = false } = {}) {
  if (path === current.address && path === address() && current.view) return Promise.resolve(arrived(path));
  if (replace) history.replaceState(null, "", path);
  else if (path !== address()) history.pushState(null, "", path);
  return show();
}

/** Makes the view anew, as after somebody else has signed in. */
export const reloadView = () => show({ keepPlace: true });

/** @param {string} path */
function find(path) {
  const parts = path.split("/");
  for (const [pattern, load] of ROUTES) {
    const names = pattern.split("/");
    if (names.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const fits = names.every((name, index) => {
      if (!name.startsWith(":")) return name === parts[index];
      params[name.slice(1)] = decode(parts[index]);
      return parts[index] !== "";
    });
    if (fits) return { load, params };
  }
  return { load: /** @returns {Promise<ViewModule>} */ () => import("./views/not_found.js"), params: {} };
}

/** @param {string} part */
function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** @param {{ keepPlace?: boolean }} [options] */
async function show({ keepPlace = false } = {}) {
  const mine = ++turn;
  const path = location.pathname;
  // Set before the view is there: going back while it loads has to be noticed.
  current.address = address();
  const { load, params } = find(path);
  /** @type {ViewModule} */
  let module;
  try {
    module = await load();
    sessionStorage.removeItem(RELOADED);
  } catch (error) {
    if (mine === turn) failed(path, error);
    return;
  }
  if (mine !== turn) return;
  closeDialogs();
  current.view?.leave?.();
  current.path = path;
  current.failed = false;
  current.view = module.default({ params, query: new URLSearchParams(location.search), redraw });
  redraw();
  if (!keepPlace) arrived(path);
}

/**
 * A view could not be loaded: the line is gone, or the service has another release by now, whose modules are elsewhere.
 * The second is mended by loading the page anew, once.
 * @param {string} path
 * @param {unknown} error
 */
function failed(path, error) {
  if (navigator.onLine && sessionStorage.getItem(RELOADED) !== path) {
    sessionStorage.setItem(RELOADED, path);
    location.reload();
    return;
  }
  console.warn(error);
  current.view?.leave?.();
  Object.assign(current, { path, address: address(), view: null, failed: true });
  redraw();
}
