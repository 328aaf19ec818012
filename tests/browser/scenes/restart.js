// @ts-check
// The server is killed in the middle of a match and started again (R2): both pages come back by themselves to the same
// position, nothing that was shown is missing, and time that was given back is explained.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { tap, untilPly } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("restart", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 2_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 2_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 500 });
  const one = await stage.person("one");
  const two = await stage.person("two");
  await beSignedIn(one, match.first);
  await beSignedIn(two, match.second);
  for (const { page } of [one, two]) {
    await page.goto(`/match/${match.id}`);
    await page.getByTestId("play").waitFor();
  }
  await tap(one.page, "oware", "C");
  await untilPly(two.page, 1);
  await tap(two.page, "oware", "b");
  await untilPly(one.page, 2);
  const before = await ana.api.get(`/v1/matches/${match.id}`);

  for (const { watch } of [one, two]) watch.lineMayFail = true;
  await stage.server("kill");
  for (const { page } of [one, two]) {
    await expectText(page.getByTestId("banner"), w("banner.line_lost").split("{")[0]);
    await eventually("the clocks are the last known", async () => (await page.locator('.clock[data-stale="yes"]').count()) === 2);
  }
  await stage.server("start");
  for (const { page } of [one, two]) {
    await eventually("the line is back", async () => (await page.getByTestId("banner").count()) === 0);
    await eventually("the clocks run again", async () => (await page.locator('.clock[data-stale="yes"]').count()) === 0);
    await expectText(page.locator(".notifications"), w("clock.credited_restart"));
  }
  const after = await ana.api.get(`/v1/matches/${match.id}`);
  assert.deepEqual(after.moves, before.moves);
  assert.equal(after.position, before.position);
  // On it goes, without a reload.
  await tap(one.page, "oware", "D");
  await untilPly(two.page, 3);
  await two.page.getByTestId("resign").click();
  await two.page.getByRole("dialog").getByRole("button", { name: w("resign.yes") }).click();
  await expectText(one.page.getByTestId("result"), w("ending.resignation"));
});
