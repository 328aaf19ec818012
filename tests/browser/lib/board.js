// @ts-check
// Playing on the page's boards as hands do: each game by touches alone.
import { eventually } from "./expect.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./scene.js").Person} Person */
/** @typedef {{ id: string, first: Person, second: Person }} Meeting */

/** What has to be touched for a move, in order. @param {string} game @param {string} move */
export function touches(game, move) {
  if (game === "oware") return [move];
  // There is one empty point: the piece that moves says it all.
  if (game === "mu_torere") return [move.split("-")[0]];
  return move.split(/[-x]/).filter((part) => part !== "");
}

/** @param {Page} page @param {string} place */
export const placeOn = (page, place) => page.locator(`[data-place="${place}"]`);

/** How many moves the page shows. @param {Page} page */
export const plyOn = async (page) => Number(await page.getByTestId("play").getAttribute("data-ply"));

/** @param {Page} page @param {number} ply */
export const untilPly = (page, ply) => eventually(`${page.url()} shows move ${ply}`, async () => (await plyOn(page)) >= ply);

/** Two touches of one place within this time are a double click, which counts once: nobody plays that quickly. */
const DOUBLE_MS = 400;
/** @type {WeakMap<Page, { place: string, at: number }>} */
const touched = new WeakMap();

/** @param {Page} page @param {string} place */
async function touchPlace(page, place) {
  const last = touched.get(page);
  const wait = last?.place === place ? last.at + DOUBLE_MS - Date.now() : 0;
  if (wait > 0) await page.waitForTimeout(wait);
  await placeOn(page, place).click();
  touched.set(page, { place, at: Date.now() });
}

/**
 * Plays a move by touches; where it is to be confirmed, by one more.
 * @param {Page} page
 * @param {string} game
 * @param {string} move
 */
export async function tap(page, game, move) {
  const before = await plyOn(page);
  for (const place of touches(game, move)) await touchPlace(page, place);
  const confirm = page.getByTestId("confirm-move");
  await eventually(`${move} is played`, async () => {
    if ((await plyOn(page)) > before) return true;
    if (await confirm.isVisible()) await confirm.click().catch(() => null);
    return false;
  });
}

/**
 * Plays a match to its end, or until so many moves have been made, each by its player on their own page.
 * @param {import("./api.js").Api} api
 * @param {Meeting} meeting
 * @param {object} [options]
 * @param {(legal: string[], ply: number, match: any) => string} [options.choose]
 * @param {number} [options.plies]
 * @param {(page: Page, game: string, move: string) => Promise<void>} [options.play]
 */
export async function playTogether(api, { id, first, second }, { choose = (legal) => legal[0], plies = Infinity, play = tap } = {}) {
  for (;;) {
    const match = await api.get(`/v1/matches/${id}`);
    if (match.status === "ended" || match.ply >= plies) return match;
    const { page } = match.to_move === "first" ? first : second;
    await untilPly(page, match.ply);
    await play(page, match.game, choose(match.legal, match.ply, match));
  }
}

/** Who of two opened the match. @param {import("./api.js").Api} api @param {string} id @param {string} one @param {Person} first @param {Person} second @returns {Promise<Meeting>} */
export async function meeting(api, id, one, first, second) {
  const match = await api.get(`/v1/matches/${id}`);
  return match.players.first.display_name === one ? { id, first, second } : { id, first: second, second: first };
}

/** The match that a page is at. @param {Page} page */
export async function matchOf(page) {
  await page.waitForURL("**/match/*");
  await page.getByTestId("play").waitFor();
  return page.url().split("/").at(-1) ?? "";
}

/** Touches the board for a move, and does not wait for what comes of it. @param {Page} page @param {string} game @param {string} move */
export async function touch(page, game, move) {
  for (const place of touches(game, move)) await touchPlace(page, place);
}

/** Whether the game on this page is over. @param {Page} page */
export const isOver = async (page) => (await page.getByTestId("play").getAttribute("data-status")) === "ended";

/** The legal moves as the page lists them. @param {Page} page */
export const legalMoves = (page) => page.getByTestId("legal").locator("option").allTextContents();

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
