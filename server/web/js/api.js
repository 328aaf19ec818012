// @ts-check
/** The only caller of the service over HTTP. Tokens travel in a header and are kept in this browser, never in a path. */

import { locale } from "./i18n.js";

/** @typedef {import("./types.d.ts").Session} Session */
/** @typedef {import("./types.d.ts").SignedIn} SignedIn */
/** @typedef {import("./types.d.ts").FieldProblem} FieldProblem */

const KEY = "stakeboard.session";
/** A token is renewed this long before it ends. */
const EARLY_MS = 20_000;
/** How long an answer may take. */
const PATIENCE_MS = 20_000;
/** The longest wait that is sat out for somebody, rather than told to them. */
const WAIT_MS = 8_000;

/** A refusal of the service, or a failure on the way to it (`offline`, `nonsense`). */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {{ detail?: string, errors?: FieldProblem[], retryAfter?: number, body?: Record<string, any> }} [more]
   */
  constructor(status, code, { detail = "", errors = [], retryAfter = 0, body = {} } = {}) {
    super(detail || code);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
    /** Milliseconds. */
    this.retryAfter = retryAfter;
    /** Whatever else the problem says, such as `reason`, `limit` or `until`. */
    this.body = body;
  }

  /** Whether it is unknown if the request has had its effect. */
  get isOpen() {
    return this.status === 0 || this.status >= 500 || this.code === "nonsense" || this.code === "idempotency_in_progress";
  }
}

/** @type {Session | null} */
let current = readSession();
/** @type {Set<(session: Session | null, reason: "here" | "elsewhere" | "refused") => void>} */
const listeners = new Set();

/** @returns {Session | null} */
function readSession() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null");
    const whole = kept && typeof kept.access === "string" && typeof kept.refresh === "string";
    return whole ? kept : null;
  } catch {
    return null;
  }
}

/** @returns {Session | null} */
export const session = () => current;

/**
 * Who is signed in has changed: in this tab, in another one, or because the service ended it.
 * @param {(session: Session | null, reason: "here" | "elsewhere" | "refused") => void} listener
 */
export function onSession(listener) {
  listeners.add(listener);
}

/** @param {Session | null} next @param {"here" | "elsewhere" | "refused"} reason */
function changeSession(next, reason) {
  const before = current?.player;
  current = next;
  if (before !== next?.player || reason === "here") for (const listener of listeners) listener(next, reason);
}

addEventListener("storage", (event) => {
  if (event.key === KEY || event.key === null) changeSession(readSession(), "elsewhere");
});

/** @param {SignedIn} answer @returns {Session} */
function keep(answer) {
  const next = {
    access: answer.access_token,
    refresh: answer.refresh_token,
    expires_at: Date.now() + answer.expires_in * 1_000,
    player: answer.player.id,
  };
  localStorage.setItem(KEY, JSON.stringify(next));
  return next;
}

/**
 * Signs in, up, or as a guest. No tab renews tokens meanwhile: those of a guest end as soon as there is an account.
 * @param {string} path
 * @param {unknown} body
 */
export async function enter(path, body) {
  const token = await freshToken();
  await oneTabAtATime(async () => changeSession(keep(await send("POST", path, { body }, token)), "here"));
}

/** Signs out: here at once, and then at the service, as far as it can be reached. */
export async function leave() {
  // Only a token that is still good ends the session there.
  const token = await Promise.race([freshToken().catch(() => null), pause(2_000).then(() => null)]);
  endSession("here");
  if (token) await send("POST", "/v1/auth/logout", {}, token).catch(() => {});
}

/** Forgets the tokens. @param {"here" | "refused"} reason */
function endSession(reason) {
  localStorage.removeItem(KEY);
  changeSession(null, reason);
}

/** @type {Promise<void> | null} */
let renewing = null;

/**
 * Renews the tokens once, however many calls wait for it, in this tab and in others.
 * @param {string} stale the access token that is no longer good
 */
function renew(stale) {
  renewing ??= oneTabAtATime(() => renewNow(stale)).finally(() => {
    renewing = null;
  });
  return renewing;
}

/** @param {string} stale */
async function renewNow(stale) {
  const kept = readSession();
  if (!kept) return changeSession(null, "elsewhere");
  // Somebody has been quicker.
  if (kept.access !== stale) return changeSession(kept, "elsewhere");
  try {
    current = keep(await send("POST", "/v1/auth/refresh", { body: { refresh_token: kept.refresh } }));
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return endSession("refused");
    throw error;
  }
}

/** @param {() => Promise<void>} work @returns {Promise<void>} */
const oneTabAtATime = (work) =>
  navigator.locks ? navigator.locks.request("stakeboard.renew", work) : work();

/** A token that is good for a while yet, or nothing for who is not signed in. @returns {Promise<string | null>} */
export async function freshToken() {
  if (current && current.expires_at - Date.now() < EARLY_MS) await renew(current.access);
  return current?.access ?? null;
}

/** The service does not take this token: another is fetched, or the session is over. @param {string} token */
export async function tokenRefused(token) {
  if (current?.access === token) await renew(token);
}

/**
 * @typedef {object} CallOptions
 * @property {unknown} [body]
 * @property {string} [key] the idempotency key of an act that moves money
 * @property {AbortSignal} [signal]
 * @property {boolean} [plain] the answer is a text, such as CSV, and no JSON
 */

/**
 * Calls the service. Sits out a short wait that it asks for, and renews tokens by itself.
 * @param {"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<any>} the answer's body; null where it has none
 */
export async function call(method, path, options = {}) {
  let renewed = false;
  for (let waited = 0; ; ) {
    const token = await freshToken();
    try {
      return await send(method, path, options, token);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "unauthenticated" && token && !renewed) {
        renewed = true;
        await tokenRefused(token);
        if (!current) throw error;
        continue;
      }
      // What was refused for its haste has had no effect, so that it can be sent again.
      const hasty = error.status === 429 || (error.status === 503 && (method === "GET" || options.key));
      if (!hasty || waited + error.retryAfter > WAIT_MS) throw error;
      waited += error.retryAfter;
      await pause(error.retryAfter, options.signal);
    }
  }
}

/** @param {string} path @param {CallOptions} [options] */
export const get = (path, options) => call("GET", path, options);
/** @param {string} path @param {unknown} [body] @param {CallOptions} [options] */
export const post = (path, body, options) => call("POST", path, { body, ...options });
/** @param {string} path @param {unknown} body */
export const put = (path, body) => call("PUT", path, { body });
/** @param {string} path @param {unknown} body */
export const patch = (path, body) => call("PATCH", path, { body });
/** @param {string} path */
export const remove = (path) => call("DELETE", path);

/** @param {number} ms @param {AbortSignal} [signal] */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/**
 * One request, one answer.
 * @param {string} method
 * @param {string} path
 * @param {CallOptions} options
 * @param {string | null} [token]
 */
async function send(method, path, { body, key, signal, plain }, token) {
  /** @type {Record<string, string>} */
  const headers = { accept: plain ? "*/*" : "application/json", "accept-language": locale() };
  if (token) headers.authorization = `Bearer ${token}`;
  if (key) headers["idempotency-key"] = key;
  if (body !== undefined) headers["content-type"] = "application/json";
  const patience = AbortSignal.timeout(PATIENCE_MS);
  /** @type {Response} */
  let answer;
  /** @type {string} */
  let text;
  try {
    answer = await fetch(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
      cache: "no-store",
      credentials: "omit",
    });
    text = await answer.text();
  } catch {
    if (signal?.aborted) throw signal.reason;
    throw new ApiError(0, "offline");
  }
  if (answer.ok && plain) return text;
  const parsed = parse(text);
  if (answer.ok) {
    if (parsed === undefined && text !== "") throw new ApiError(answer.status, "nonsense");
    return parsed ?? null;
  }
  throw refusal(answer, parsed);
}

/** @param {string} text @returns {any} undefined where it is no JSON */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {Response} answer @param {any} problem */
function refusal(answer, problem) {
  const retryAfter = Math.max(1, Number(answer.headers.get("retry-after")) || 1) * 1_000;
  if (typeof problem?.code !== "string") {
    // Something in between answered, or the service in a way that is not its own.
    return new ApiError(answer.status, answer.status === 429 ? "rate_limited" : "nonsense", { retryAfter });
  }
  const errors = Array.isArray(problem.errors) ? problem.errors : [];
  return new ApiError(answer.status, problem.code, { detail: String(problem.detail ?? ""), errors, retryAfter, body: problem });
}
