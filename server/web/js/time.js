// @ts-check
/** The service's time, as well as it can be known from here. */

let offset = 0;
let best = Infinity;

/** The line is new, and this machine may have slept: what was known is no measure any more. */
export function forgetTime() {
  best = Infinity;
}

/**
 * Learns from an answer that told the service's time. The quicker the answer, the better it is known.
 * @param {string} serverTime
 * @param {number} sentAt `performance.now()` when it was asked
 */
export function learnTime(serverTime, sentAt) {
  const now = performance.now();
  const trip = now - sentAt;
  // What is known grows stale slowly: clocks of machines drift apart.
  best += 1;
  if (trip > best) return;
  best = trip;
  offset = Date.parse(serverTime) + trip / 2 - now;
}

/** Milliseconds since 1970 on the service's clock; steps of this machine's clock do not reach it. */
export const serverNow = () => (offset === 0 ? Date.now() : performance.now() + offset);
