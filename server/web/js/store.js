// @ts-check
/** The one store of what the page knows. Whoever changes it calls `update`; whoever shows it reads `state`. */

/** @typedef {import("./types.d.ts").State} State */

/** @returns {State} */
const empty = () => ({
  me: null,
  wallet: null,
  config: null,
  games: null,
  line: { up: true, since: null },
  paused: false,
  notifications: [],
  live: [],
  sitting: null,
});

/** @type {State} */
export const state = empty();

/** @type {Set<(changed: Partial<State>) => void>} */
const listeners = new Set();

/**
 * Puts new values in place and tells every listener.
 * @param {Partial<State>} changed
 */
export function update(changed) {
  Object.assign(state, changed);
  for (const listener of listeners) listener(changed);
}

/**
 * @param {(changed: Partial<State>) => void} listener
 * @returns {() => void} stops listening
 */
export function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Forgets everything that belongs to a player. */
export function forgetPlayer() {
  const { me, wallet, live, sitting, notifications } = empty();
  update({ me, wallet, live, sitting, notifications });
}
