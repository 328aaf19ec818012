// @ts-check
// Playing on the boards of the page, as fingers and keys do.
import { eventually } from "./expect.js";

/** @typedef {import("playwright-core").Page} Page */

/** The places that are touched for a move, one after the other. @param {string} move */
export function touches(move) {
  const [way = "", ...takes] = move.split("x");
  const [from = "", to] = way.split("-");
  // In Mū tōrere there is one empty point: the stone says it all.
  if (/^[1-8c]$/.test(from)) return [from];
  return [from, ...(to === undefined ? [] : [to]), ...takes];
}

/** @param {Page} page @param {string} name */
export const place = (page, name) => page.locator(`[role][data-place="${name}"]`);

/** Touches the board for a move. @param {Page} page @param {string} move */
export async function tap(page, move) {
  for (const name of touches(move)) await place(page, name).click();
}

/** Waits until so many plies have been made on this page. @param {Page} page @param {number} ply */
export const untilPly = (page, ply) =>
  eventually(`ply ${ply}`, async () => Number(await page.getByTestId("play").getAttribute("data-ply")) >= ply);

/** Whether the game on this page is over. @param {Page} page */
export const isOver = async (page) => (await page.getByTestId("play").getAttribute("data-status")) === "ended";

/** What is read out: every text of both live regions, from now on. @param {Page} page @returns {Promise<() => Promise<string[]>>} */
export async function listen(page) {
  await page.evaluate(() => {
    const heard = /** @type {string[]} */ ([]);
    Object.assign(window, { heard });
    for (const id of ["speech-polite", "speech-assertive"]) {
      const region = /** @type {HTMLElement} */ (document.getElementById(id));
      new MutationObserver(() => region.textContent && heard.push(region.textContent)).observe(region, { childList: true, subtree: true, characterData: true });
    }
  });
  return () => page.evaluate(() => /** @type {any} */ (window).heard);
}

/** The legal moves as the page lists them. @param {Page} page */
export const legalMoves = (page) => page.getByTestId("legal").locator("option").allTextContents();
