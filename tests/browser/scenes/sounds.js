// @ts-check
// What is heard: nothing before somebody has touched the page, then one tab of a person's only, and nothing once muted.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { untilPly } from "../lib/board.js";
import { eventually } from "../lib/expect.js";
import { beSignedIn } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { heard, noteTones } from "../lib/tones.js";

/** The pitch of the tone that a move makes, in hertz. */
const MOVE = 190;

await scene("sounds", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 5 });
  const sides = [match.first, match.second];
  let ply = 0;
  const step = async () => {
    const { legal } = await ana.api.get(`/v1/matches/${match.id}`);
    await sides[ply % 2].api.post(`/v1/matches/${match.id}/moves`, { ply: ply + 1, move: legal[0] });
    ply += 1;
  };

  const first = await stage.person("first");
  await noteTones(first.context);
  await beSignedIn(first, match.first);
  const other = await first.context.newPage();
  const tabs = [first.page, other];
  for (const page of tabs) {
    await page.goto(`/match/${match.id}`);
    await page.getByTestId("play").waitFor();
  }

  // B11: before a gesture there is no sound, and the browser has nothing to complain about.
  await step();
  for (const page of tabs) await untilPly(page, ply);
  for (const page of tabs) assert.deepEqual(await heard(page), []);

  // R4: both tabs have been touched, and one of them sounds.
  for (const page of tabs) await page.getByTestId("bar-first").click();
  await step();
  for (const page of tabs) await untilPly(page, ply);
  await eventually("a move is heard", async () => (await Promise.all(tabs.map(heard))).flat().includes(MOVE));
  const knocks = (await Promise.all(tabs.map(heard))).flat().filter((pitch) => pitch === MOVE);
  assert.equal(knocks.length, 1, "one of two tabs sounds");

  // One switch, remembered over a reload.
  await first.page.getByTestId("sounds").click();
  await other.close();
  await first.page.reload();
  await first.page.getByTestId("play").waitFor();
  await first.page.getByTestId("bar-first").click();
  await step();
  await untilPly(first.page, ply);
  await sides[1].api.post(`/v1/matches/${match.id}/resign`);
  await first.page.getByTestId("result").waitFor();
  assert.deepEqual(await heard(first.page), [], "muted");
});
