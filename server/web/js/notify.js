// @ts-check
/** Things that happened elsewhere: shown for a while at the edge of the page, where they move nothing, and said once. */

import { say } from "./speech.js";
import { state, update } from "./store.js";

/** @typedef {import("./types.d.ts").Notification} Notification */

const SHOWN_MS = 8_000;
const MOST = 4;

let nextId = 1;

/**
 * @param {Omit<Notification, "id">} notification
 * @returns {() => void} takes it away
 */
export function notify(notification) {
  const id = nextId++;
  const others = state.notifications.filter((one) => one.text !== notification.text);
  update({ notifications: [...others, { ...notification, id }].slice(-MOST) });
  say(notification.text);
  if (!notification.sticky) setTimeout(() => dismiss(id), SHOWN_MS);
  return () => dismiss(id);
}

/** @param {number} id */
export const dismiss = (id) => drop((one) => one.id === id);

/** Whoever is there needs no way there. @param {string} path */
export const dismissLeadingTo = (path) => drop((one) => one.link?.path === path);

/** @param {(notification: Notification) => boolean} which */
function drop(which) {
  const left = state.notifications.filter((one) => !which(one));
  if (left.length < state.notifications.length) update({ notifications: left });
}
