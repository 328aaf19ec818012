// @ts-check
// Sowing is seen seed by seed, takes 0.9 seconds at most, and is over at once when somebody plays or wants no motion.
import assert from "node:assert/strict";
import { placeOn, touch, untilPly } from "../lib/board.js";
import { eventually } from "../lib/expect.js";
import { beSignedIn } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { newMatch } from "../lib/api.js";

await scene("sowing", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 5 });
  const moving = await stage.person("moving", { calm: false });
  const calm = await stage.person("calm", { calm: true });
  await beSignedIn(moving, match.first);
  await beSignedIn(calm, match.second);
  for (const { page } of [moving, calm]) {
    await page.goto(`/match/${match.id}`);
    await page.getByTestId("play").waitFor();
  }
  // The counts of the row that is sown into, at every change.
  await moving.page.evaluate(() => {
    const seen = /** @type {{ at: number, counts: string }[]} */ ([]);
    Object.assign(window, { seen });
    const look = () => {
      const counts = [..."CDEF"].map((house) => document.querySelector(`[data-place="${house}"] .plate text`)?.textContent).join(",");
      if (seen.at(-1)?.counts !== counts) seen.push({ at: performance.now(), counts });
      requestAnimationFrame(look);
    };
    look();
  });
  await touch(moving.page, "oware", "C");
  await untilPly(calm.page, 1);
  /** @type {() => Promise<{ at: number, counts: string }[]>} */
  const seen = () => moving.page.evaluate(() => /** @type {any} */ (window).seen);
  await eventually("all seeds are down", async () => (await seen()).at(-1)?.counts === "0,5,5,5");
  const steps = await seen();
  console.log("sown in steps:", steps.map((step) => step.counts).join(" "));
  assert.ok(steps.length >= 3, "seed by seed");
  // A touch in the middle of the rival's sowing is a move at once: it waits for nothing.
  await touch(calm.page, "oware", "f");
  await untilPly(moving.page, 2);
  await placeOn(moving.page, "F").click();
  await untilPly(calm.page, 3);
});
