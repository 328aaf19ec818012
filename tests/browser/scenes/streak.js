// @ts-check
// A run of Mū tōrere as a guest, one click from the first screen: a risky move is warned of and nothing is played;
// touched again it is.
import assert from "node:assert/strict";
import { Api } from "../lib/api.js";
import { placeOn, plyOn, tap } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { dice } from "../lib/world.js";

const w = words("en");
/** So many runs without a single risk there are not. */
const RUNS = 20;

await scene("streak", async (stage) => {
  const person = await stage.person("guest");
  const { page } = person;
  const { api, path, risky } = await runWithRisk(stage, page);
  const before = await plyOn(page);
  await placeOn(page, risky.split("-")[0]).click();
  await expectText(page.getByTestId("status"), w("streak.warning"));
  assert.equal(await plyOn(page), before, "a warned move is not played");
  assert.equal((await api.get(path)).ply, before);
  await tap(page, "mu_torere", risky);
  await eventually("it is played the second time", async () => (await plyOn(page)) > before || (await page.getByTestId("result").count()) > 0);
});

/** The interface as the guest of the page has it. @param {import("../lib/scene.js").Stage} stage @param {import("playwright-core").Page} page */
async function guestApi(stage, page) {
  const session = await page.evaluate(() => localStorage.getItem("stakeboard.session"));
  return new Api(stage.origin, JSON.parse(session ?? "{}").access);
}

/** Begins runs until one has come to a move that is warned of, with the player to move. @param {import("../lib/scene.js").Stage} stage @param {import("playwright-core").Page} page */
async function runWithRisk(stage, page) {
  const roll = dice(6);
  for (let run = 0; run < RUNS; run += 1) {
    await page.goto("/streak");
    await page.getByTestId("begin").click();
    await page.waitForURL("**/streak/*");
    await page.getByTestId("play").waitFor();
    const api = await guestApi(stage, page);
    const path = `/v1/streaks/${page.url().split("/").at(-1)}`;
    const risky = await findRisk(api, path, roll);
    if (risky === null) continue;
    // What was played beside the page it has from the service.
    await page.reload();
    await page.getByTestId("play").waitFor();
    return { api, path, risky };
  }
  throw new Error(`no move was warned of in ${RUNS} runs`);
}

/**
 * Plays on until a move is warned of: a warned one is not played, so that asking costs nothing. Null where the run or
 * its first game ended before that.
 * @param {import("../lib/api.js").Api} api
 * @param {string} path
 * @param {(count: number) => number} roll
 */
async function findRisk(api, path, roll) {
  for (let state = await api.get(path); state.status === "live" && state.level === 1; ) {
    const move = state.legal[roll(state.legal.length)];
    const answer = await api.post(`${path}/moves`, { ply: state.ply + 1, move });
    if (answer.warning) return move;
    state = answer;
  }
  return null;
}
