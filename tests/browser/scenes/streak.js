// @ts-check
// A run of Mū tōrere as a guest, one click from the first screen: a risky move is warned of and nothing is played;
// touched again it is. Won or lost, the page says so.
import assert from "node:assert/strict";
import { placeOn, plyOn, tap } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");
/** Moves after which a risky one has surely come up. */
const MOST = 200;

await scene("streak", async (stage) => {
  const person = await stage.person("guest");
  const { page } = person;
  await page.goto("/streak");
  await page.getByTestId("begin").click();
  await page.waitForURL("**/streak/*");
  await page.getByTestId("play").waitFor();
  const api = await guestApi(stage, page);
  const path = `/v1/streaks/${page.url().split("/").at(-1)}`;

  const risky = await findRisk(api, page, path);
  const before = await plyOn(page);
  await placeOn(page, risky.split("-")[0]).click();
  await expectText(page.getByTestId("status"), w("streak.warning"));
  assert.equal(await plyOn(page), before, "a warned move is not played");
  assert.equal((await api.get(path)).ply, before);
  await tap(page, "mu_torere", risky);
  await eventually("it is played the second time", async () => (await plyOn(page)) > before || (await page.getByTestId("result").count()) > 0);

  // On to the end of the run, however it ends.
  for (let move = 0; move < MOST; move += 1) {
    const state = await api.get(path);
    if (state.status === "ended") break;
    if (await page.getByTestId("next-game").isVisible()) await page.getByTestId("next-game").click();
    await eventually("the page shows the run", async () => (await page.title()).includes(w("title.your_move", { game: w("streak.title") })));
    const place = (await api.get(path)).legal[0].split("-")[0];
    await placeOn(page, place).click();
    await eventually("something came of it", async () => (await api.get(path)).moves.length !== state.moves.length || (await page.getByTestId("status").textContent())?.includes(w("streak.warning")) || (await page.getByTestId("result").count()) > 0);
  }
});

/** The interface as the guest of the page has it. @param {import("../lib/scene.js").Stage} stage @param {import("playwright-core").Page} page */
async function guestApi(stage, page) {
  const { Api } = await import("../lib/api.js");
  const session = await page.evaluate(() => localStorage.getItem("stakeboard.session"));
  return new Api(stage.origin, JSON.parse(session ?? "{}").access);
}

/**
 * Plays on until some move would be warned of; tries are free, since without a yes nothing is played.
 * @param {import("../lib/api.js").Api} api
 * @param {import("playwright-core").Page} page
 * @param {string} path
 */
async function findRisk(api, page, path) {
  for (let turn = 0; turn < MOST; turn += 1) {
    const state = await api.get(path);
    assert.equal(state.status, "live", "no risk came up before the run ended");
    for (const move of state.legal) {
      const answer = await api.post(`${path}/moves`, { ply: state.ply + 1, move });
      if (answer.warning) return move;
      // It was no risk and has been played: the page is told by a reload.
      await page.reload();
      await page.getByTestId("play").waitFor();
      break;
    }
  }
  throw new Error("no move was warned of");
}
