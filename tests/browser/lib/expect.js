// @ts-check
// Waiting for what should be seen, up to a deadline.
import { PATIENCE } from "./browser.js";

/** @typedef {import("playwright-core").Locator} Locator */

/** Spaces of every kind count as one. @param {string} text */
const plain = (text) => text.replace(/[\s\u00a0\u202f]+/g, " ").trim();

/**
 * Asks again and again until there is an answer that holds.
 * @template T
 * @param {string} what
 * @param {() => Promise<T | null | undefined | false>} ask
 * @param {number} [patience]
 * @returns {Promise<T>}
 */
export async function eventually(what, ask, patience = PATIENCE) {
  const deadline = Date.now() + patience;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`not in ${patience} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Waits until something says these words.
 * @param {Locator} locator
 * @param {string | RegExp} expected
 */
export async function expectText(locator, expected) {
  let seen = "";
  const fits = async () => {
    seen = plain((await locator.first().textContent({ timeout: 200 }).catch(() => null)) ?? "");
    return typeof expected === "string" ? seen.includes(plain(expected)) : expected.test(seen);
  };
  await eventually(`${locator} says ${expected}`, fits).catch((error) => {
    throw new Error(`${error.message}; it says: ${seen.slice(0, 400)}`);
  });
}

/** @param {Locator} locator @param {number} count */
export const expectCount = (locator, count) =>
  eventually(`${count} of ${locator}`, async () => (await locator.count()) === count);

/** @param {import("playwright-core").Page} page @param {string} selector */
export const expectFocus = (page, selector) =>
  eventually(`${selector} has the focus`, () =>
    page.evaluate((wanted) => document.activeElement?.matches(wanted), selector));
