// @ts-check
/**
 * Acts that must have one effect: a double click, a key held down, a reload or a lost answer repeats the same request
 * under the same key, and the service answers with the first result.
 */

import { ApiError } from "./api.js";

/** The second half of a double click may come after the first has been answered. */
const DOUBLE_MS = 1_000;

/** @type {Map<string, Promise<any>>} */
const underWay = new Map();

/** A key that nobody has used. `crypto.randomUUID` needs a secure page, which one in a local network is not. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Carries out an act once. Its name holds all its terms, such as `accept 0192… 500`: other terms are another act.
 * The key outlives a reload until it is known what became of the act.
 * @template T
 * @param {string} name
 * @param {(key: string) => Promise<T>} run
 * @returns {Promise<T>}
 */
export function once(name, run) {
  const running = underWay.get(name);
  if (running) return running;
  const place = `stakeboard.act ${name}`;
  const key = sessionStorage.getItem(place) ?? newKey();
  sessionStorage.setItem(place, key);
  const work = run(key)
    .then((result) => {
      sessionStorage.removeItem(place);
      setTimeout(() => underWay.delete(name), DOUBLE_MS);
      return result;
    })
    .catch((error) => {
      if (error instanceof ApiError && !error.isOpen) sessionStorage.removeItem(place);
      underWay.delete(name);
      throw error;
    });
  underWay.set(name, work);
  return work;
}

/** Forgets the keys of all acts, as when somebody else signs in. */
export function forgetActs() {
  underWay.clear();
  for (const place of Object.keys(sessionStorage)) {
    if (place.startsWith("stakeboard.act ")) sessionStorage.removeItem(place);
  }
}
