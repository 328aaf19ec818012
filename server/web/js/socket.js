// @ts-check
/**
 * The only WebSocket. It comes back by itself, asks again for what is watched, and tells the store whether the line is
 * up. A match that is watched is told without gap or repeat: a missing event makes it ask for everything since.
 */

import { ApiError, freshToken, onSession, session, tokenRefused } from "./api.js";
import { state, update } from "./store.js";
import { forgetTime, learnTime } from "./time.js";

/** @typedef {import("./types.d.ts").Match} Match */
/** @typedef {import("./types.d.ts").MatchEvent} MatchEvent */
/** @typedef {import("./types.d.ts").MatchNotice} MatchNotice */
/** @typedef {import("./types.d.ts").Seek} Seek */

/**
 * @typedef {object} MatchWatcher
 * @property {(match: Match) => void} snapshot the whole state, which replaces whatever was known
 * @property {(event: MatchEvent) => void} event the next thing that happened
 * @property {(notice: MatchNotice) => void} [notice] presence, and the service's own pauses
 * @property {(error: ApiError) => void} [failed] it can't be watched
 */

/** Waits before the next try, in milliseconds; each is shortened by chance, so that not everybody comes at once. */
const WAITS = [200, 500, 1_000, 2_000, 4_000, 8_000];
/** How long a new line may take to be greeted, and an answer to come. */
const PATIENCE_MS = 8_000;
/** How long a line is believed in after the page has slept. */
const WAKE_PATIENCE_MS = 1_500;

/** @type {WebSocket | null} */
let socket = null;
let greeted = false;
let heartbeat = 5_000;
let tries = 0;
let nextId = 1;
/** @type {number | undefined} */
let retryTimer;
/** @type {number | undefined} */
let beatTimer;
/** The socket a ping is out on, until something comes back. @type {number | undefined} */
let silenceTimer;

/** @type {Map<number, { resolve: (frame: any) => void, reject: (error: ApiError) => void, timer: number }>} */
const waiting = new Map();
/** @type {Map<string, Set<(frame: any) => void>>} */
const handlers = new Map();
/** @type {Map<string, { watchers: Set<MatchWatcher>, seq: number | null, asking: boolean }>} */
const matches = new Map();
/** @type {Set<(change: { all?: Seek[], added?: Seek[], removed?: string[] }) => void>} */
const lobbyWatchers = new Set();

/** Opens the line whenever somebody is signed in, and keeps it open. */
export function startSocket() {
  onSession((_, reason) => {
    drop();
    if (reason !== "refused") connect();
    else settleLine();
  });
  addEventListener("online", connectNow);
  addEventListener("offline", () => lost());
  addEventListener("pageshow", (event) => event.persisted && connectNow());
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && wake());
  connect();
}

/**
 * Listens to a type of frame that nobody asked for, such as `wallet`; `welcome` is told whenever the line is up again.
 * @param {string} type
 * @param {(frame: any) => void} handler
 * @returns {() => void} stops listening
 */
export function on(type, handler) {
  const set = handlers.get(type) ?? new Set();
  handlers.set(type, set.add(handler));
  return () => set.delete(handler);
}

/**
 * Sends a request and gives its answer. It is never sent later than now: what could not be sent is refused with
 * `offline`, and so is what has had no answer when the line broke.
 * @param {Record<string, unknown>} message
 * @returns {Promise<any>}
 */
export function request(message) {
  if (!socket || !greeted) return Promise.reject(new ApiError(0, "offline"));
  return ask(message);
}

/**
 * Watches a match until the function that comes back is called.
 * @param {string} id
 * @param {MatchWatcher} watcher
 * @returns {() => void}
 */
export function watchMatch(id, watcher) {
  const watched = matches.get(id) ?? { watchers: new Set(), seq: null, asking: false };
  matches.set(id, watched);
  watched.watchers.add(watcher);
  // A second watcher needs a state to begin with.
  watched.seq = null;
  if (greeted) askForMatch(id);
  return () => {
    watched.watchers.delete(watcher);
    if (watched.watchers.size > 0 || matches.get(id) !== watched) return;
    matches.delete(id);
    if (greeted) ask({ type: "unwatch", match: id }).catch(() => {});
  };
}

/**
 * Watches the open seeks: all of them at first and after each break of the line, then what changes.
 * @param {(change: { all?: Seek[], added?: Seek[], removed?: string[] }) => void} watcher
 * @returns {() => void}
 */
export function watchLobby(watcher) {
  lobbyWatchers.add(watcher);
  if (greeted) askForLobby();
  return () => {
    lobbyWatchers.delete(watcher);
    if (lobbyWatchers.size === 0 && greeted) ask({ type: "unwatch_lobby" }).catch(() => {});
  };
}

// ---- the line ---------------------------------------------------------------------------------------------------

async function connect() {
  clearTimeout(retryTimer);
  if (socket || !session()) return settleLine();
  /** @type {string | null} */
  let token;
  try {
    token = await freshToken();
  } catch {
    return lost();
  }
  if (socket || !token) return settleLine();
  open(token);
}

/** @param {string} token */
function open(token) {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const opened = new WebSocket(`${scheme}//${location.host}/v1/ws`);
  socket = opened;
  const patience = setTimeout(() => opened === socket && lost(), PATIENCE_MS);
  opened.onopen = () => greet(opened, token).finally(() => clearTimeout(patience));
  opened.onmessage = ({ data }) => opened === socket && receive(data);
  opened.onclose = ({ reason }) => {
    clearTimeout(patience);
    if (opened === socket) closed(token, reason);
  };
}

/** The service says why it closes a line. @param {string} token @param {string} why */
async function closed(token, why) {
  drop();
  if (why === "unauthenticated") await tokenRefused(token).catch(() => {});
  if (!socket) lost(why === "too_many");
}

/** @param {WebSocket} opened @param {string} token */
async function greet(opened, token) {
  const sentAt = performance.now();
  try {
    const welcome = await ask({ type: "hello", token });
    if (opened !== socket) return;
    forgetTime();
    learnTime(welcome.server_time, sentAt);
    heartbeat = Math.max(1_000, Number(welcome.heartbeat_ms) || 5_000);
  } catch {
    // The close that follows is what leads on.
    if (opened === socket) opened.close();
    return;
  }
  greeted = true;
  tries = 0;
  settleLine();
  scheduleBeat();
  for (const [id, watched] of matches) {
    watched.asking = false;
    askForMatch(id);
  }
  if (lobbyWatchers.size > 0) askForLobby();
  tell("welcome", {});
}

function connectNow() {
  tries = 0;
  if (!socket) connect();
  else wake();
}

/** After a sleep a line may be dead without knowing it. */
function wake() {
  if (!socket) return connectNow();
  if (greeted) ping(WAKE_PATIENCE_MS);
}

function scheduleBeat() {
  clearTimeout(beatTimer);
  beatTimer = window.setTimeout(() => ping(heartbeat), heartbeat);
}

/** Asks for a sign of life. @param {number} patience */
function ping(patience) {
  const sentAt = performance.now();
  clearTimeout(silenceTimer);
  silenceTimer = window.setTimeout(() => lost(), patience);
  ask({ type: "ping" })
    .then((pong) => learnTime(pong.server_time, sentAt))
    .catch(() => {});
  scheduleBeat();
}

/** Closes the line, whatever waits on it. */
function drop() {
  const dropped = socket;
  socket = null;
  greeted = false;
  clearTimeout(beatTimer);
  clearTimeout(silenceTimer);
  clearTimeout(retryTimer);
  dropped?.close();
  for (const [, one] of waiting) {
    clearTimeout(one.timer);
    one.reject(new ApiError(0, "offline"));
  }
  waiting.clear();
}

/**
 * The line is gone: say so, and try again after a while. A newer tab that took its place is not fought for it: this one
 * comes back when it is looked at.
 * @param {boolean} [replaced]
 */
function lost(replaced = false) {
  drop();
  settleLine();
  if (!session() || replaced) return;
  const wait = WAITS[Math.min(tries, WAITS.length - 1)];
  tries += 1;
  retryTimer = window.setTimeout(connect, wait * (0.75 + Math.random() / 4));
}

/** Tells the store how the line is. Who is not signed in has none, and misses none. */
function settleLine() {
  const up = greeted || !session();
  if (up && state.line.up) return;
  if (up) update({ line: { up: true, since: null } });
  else if (state.line.up) update({ line: { up: false, since: Date.now() } });
}

// ---- frames -----------------------------------------------------------------------------------------------------

/** @param {Record<string, unknown>} message @returns {Promise<any>} */
function ask(message) {
  const id = nextId++;
  return new Promise((resolve, reject) => {
    if (!socket || socket.readyState !== WebSocket.OPEN) return reject(new ApiError(0, "offline"));
    const timer = window.setTimeout(() => {
      waiting.delete(id);
      reject(new ApiError(0, "offline"));
      lost();
    }, PATIENCE_MS);
    waiting.set(id, { resolve, reject, timer });
    socket.send(JSON.stringify({ ...message, id }));
  });
}

/** @param {unknown} data */
function receive(data) {
  // Anything is a sign of life.
  clearTimeout(silenceTimer);
  /** @type {any} */
  let frame;
  try {
    frame = JSON.parse(String(data));
  } catch {
    frame = null;
  }
  if (frame === null || typeof frame !== "object" || typeof frame.type !== "string") return lost();
  const asked = waiting.get(frame.id);
  if (asked) {
    waiting.delete(frame.id);
    clearTimeout(asked.timer);
    if (frame.type === "error") asked.reject(refusal(frame));
    else asked.resolve(frame);
    return;
  }
  if (typeof frame.match === "string" && matches.has(frame.match)) eventOfMatch(frame);
  else if (frame.type === "lobby_change") tellLobby({ added: frame.added, removed: frame.removed });
  tell(frame.type, frame);
}

/** @param {any} frame */
function refusal(frame) {
  const retryAfter = Number(frame.retry_after_ms) || 1_000;
  return new ApiError(409, String(frame.code), { retryAfter, body: frame });
}

/** @param {string} type @param {any} frame */
function tell(type, frame) {
  for (const handler of handlers.get(type) ?? []) handler(frame);
}

/** @param {any} frame */
function eventOfMatch(frame) {
  const watched = matches.get(frame.match);
  if (!watched) return;
  if (typeof frame.seq !== "number") {
    for (const watcher of watched.watchers) watcher.notice?.(frame);
    return;
  }
  if (watched.seq === null || frame.seq <= watched.seq) return;
  if (frame.seq > watched.seq + 1) {
    askForMatch(frame.match);
    return;
  }
  watched.seq = frame.seq;
  for (const watcher of watched.watchers) watcher.event(frame);
}

/** Asks for the state, or for what came after what is known. @param {string} id */
async function askForMatch(id) {
  const watched = matches.get(id);
  if (!watched || watched.asking) return;
  watched.asking = true;
  const since = watched.seq;
  try {
    const frame = await ask({ type: "watch", match: id, ...(since === null ? {} : { since }) });
    watched.asking = false;
    if (watched.seq !== since) {
      askForMatch(id);
    } else if (frame.type === "match") {
      watched.seq = frame.match.seq;
      for (const watcher of watched.watchers) watcher.snapshot(frame.match);
    } else {
      for (const event of frame.events) eventOfMatch(event);
    }
  } catch (error) {
    watched.asking = false;
    if (error instanceof ApiError && error.code !== "offline") {
      for (const watcher of watched.watchers) watcher.failed?.(error);
    }
  }
}

function askForLobby() {
  ask({ type: "watch_lobby" })
    .then((frame) => tellLobby({ all: frame.seeks }))
    .catch(() => {});
}

/** @param {{ all?: Seek[], added?: Seek[], removed?: string[] }} change */
function tellLobby(change) {
  for (const watcher of lobbyWatchers) watcher(change);
}
