// @ts-check
// A line that is cut in the middle of a match: clocks marked as last known, moves refused here, and back without a reload.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { placeOn, touch, untilPly } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { CuttableLine } from "../lib/line.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("line", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 5 });
  const line = await CuttableLine.to(stage.origin);
  const far = await stage.person("far", { origin: line.origin });
  const near = await stage.person("near");
  far.watch.lineMayFail = true;
  await beSignedIn(far, match.first);
  await beSignedIn(near, match.second);
  for (const { page } of [far, near]) {
    await page.goto(`/match/${match.id}`);
    await page.getByTestId("play").waitFor();
  }
  await touch(far.page, "oware", "C");
  await untilPly(near.page, 1);
  await touch(near.page, "oware", "a");
  await untilPly(far.page, 2);

  // R3: the move is sent as the line drops. It was not told of: it is mine to play, or it was played, and never twice.
  line.cut();
  await touch(far.page, "oware", "D");
  await expectText(far.page.getByTestId("banner"), "No connection");
  await far.page.locator('.clock[data-stale="yes"]').first().waitFor();
  await expectText(far.page.getByTestId("clock-first"), w("clock.last_known"));
  await placeOn(far.page, "E").click();
  line.mend();
  await eventually("the line is back", async () => (await far.page.getByTestId("banner").count()) === 0);
  await eventually("the clocks run again", async () => (await far.page.locator('.clock[data-stale="yes"]').count()) === 0);
  await eventually("it is settled", async () => !/sending/.test((await far.page.getByTestId("status").textContent()) ?? ""));
  const now = await ana.api.get(`/v1/matches/${match.id}`);
  assert.ok(now.ply === 2 || (now.ply === 3 && now.moves[2] === "D"), `the moves are ${now.moves}`);
  if (now.ply === 2) await touch(far.page, "oware", "E");
  await untilPly(near.page, 3);
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).ply, 3);
  line.close();
});
