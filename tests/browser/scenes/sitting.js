// @ts-check
// Time that passes: a reminder of how long one has played, and a machine that slept while the match went on.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { touch, untilPly } from "../lib/board.js";
import { eventually } from "../lib/expect.js";
import { CuttableLine } from "../lib/line.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("sitting", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const line = await CuttableLine.to(stage.origin);
  const person = await stage.person("ana", { origin: line.origin });
  const { page, watch } = person;
  await page.clock.install();
  await beSignedIn(person, ana);

  // M6: a word after the time that was chosen, and not before.
  await page.goto("/settings");
  await page.locator('input[name="reminder"][value="30"]').check({ force: true });
  await page.goto("/lobby");
  await page.getByTestId("sitting").waitFor();
  const notice = page.getByText(w("sitting.reminder").split("{")[0]);
  for (let minutes = 0; minutes < 25; minutes += 5) await page.clock.fastForward("05:00");
  assert.equal(await notice.count(), 0, "not after 25 minutes");
  for (let minutes = 0; minutes < 10; minutes += 5) await page.clock.fastForward("05:00");
  await notice.first().waitFor();

  // R5: two minutes asleep, in which the line died and the rival moved.
  const match = await newMatch(ana, rui, { game: "oware", stake: 5 });
  const mine = match.first === ana;
  if (!mine) await rui.api.post(`/v1/matches/${match.id}/moves`, { ply: 1, move: "A" });
  await page.goto(`/match/${match.id}`);
  await page.getByTestId("play").waitFor();
  await untilPly(page, mine ? 0 : 1);
  await touch(page, "oware", mine ? "C" : "c");
  await untilPly(page, mine ? 1 : 2);
  watch.lineMayFail = true;
  line.cut();
  const now = await rui.api.get(`/v1/matches/${match.id}`);
  await rui.api.post(`/v1/matches/${match.id}/moves`, { ply: now.ply + 1, move: now.legal[0] });
  await page.clock.fastForward("02:00");
  line.mend();
  const woke = Date.now();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await untilPly(page, now.ply + 1);
  await eventually("the line is back", async () => (await page.getByTestId("banner").count()) === 0);
  console.log(`what happened meanwhile was there ${Date.now() - woke} ms after waking`);
  line.close();
});
