// @ts-check
// The database hangs in the middle of a match: both pages say that nobody loses time, the clocks stand, and play goes on
// by itself. A spectator sees it all, and is counted.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { touch, untilPly } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("pause", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 5 });
  const [first, second, guest] = [await stage.person("first"), await stage.person("second"), await stage.person("guest")];
  await beSignedIn(first, match.first);
  await beSignedIn(second, match.second);
  await beSignedIn(guest, await stage.api.register({ stem: "Eva", money: 0 }));
  for (const { page, watch } of [first, second, guest]) {
    // While it hangs, what is asked meanwhile is refused.
    watch.expected = new Set([503]);
    await page.goto(`/match/${match.id}`);
    await page.getByTestId("play").waitFor();
  }
  await touch(first.page, "oware", "C");
  for (const { page } of [second, guest]) await untilPly(page, 1);
  await expectText(second.page.getByTestId("watchers"), w("play.watchers.one").replace("{count}", "1"));

  // K5.
  await stage.server("hold");
  for (const { page } of [first, second]) {
    await expectText(page.getByTestId("banner"), w("banner.paused"));
    const clock = () => page.getByTestId("clock-second").textContent();
    const stood = await clock();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.equal(await clock(), stood, "the clock stands");
  }
  await stage.server("release");
  for (const { page } of [first, second]) {
    await eventually("it goes on", async () => (await page.getByTestId("banner").count()) === 0);
  }
  await touch(second.page, "oware", "a");
  await untilPly(first.page, 2);
});
