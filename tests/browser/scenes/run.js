// @ts-check
// A streak: level and score, the line on repetition, the warning at level 1 and the second touch, the replay after it.
import assert from "node:assert/strict";
import { isOver, legalMoves, listen, touch, untilPly } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { dice } from "../lib/world.js";

const w = words("en");

await scene("run", async (stage) => {
  const { page, watch } = await stage.person("guest");
  // A touch on a stone that can't move any more is asked of the server, which says why.
  watch.expected.add(422);
  const roll = dice(5);
  let warned = false;
  let ended = false;
  for (let run = 0; run < 12 && !(warned && ended); run += 1) {
    await page.goto("/streak");
    await page.getByTestId("begin").click();
    await page.getByTestId("streak-score").waitFor();
    await expectText(page.getByTestId("repetition"), /1 time\./);
    await expectText(page.getByTestId("no-stake"), w("terms.no_stake"));
    while (!(await isOver(page))) {
      const before = Number(await page.getByTestId("play").getAttribute("data-ply"));
      const legal = await legalMoves(page);
      const move = legal[roll(legal.length)];
      await touch(page, "mu_torere", move);
      const outcome = await eventually("an answer", async () => {
        if ((await page.locator(".warned").count()) > 0) return "warned";
        if (await isOver(page)) return "over";
        return Number(await page.getByTestId("play").getAttribute("data-ply")) > before ? "played" : null;
      });
      if (outcome !== "warned") continue;
      if (warned) {
        // Another move, where there is one.
        await touch(page, "mu_torere", legal.find((other) => other !== move) ?? move);
        if ((await page.locator(".warned").count()) > 0) await touch(page, "mu_torere", move);
        await eventually("played", async () => (await isOver(page)) || Number(await page.getByTestId("play").getAttribute("data-ply")) > before);
        continue;
      }
      warned = true;
      await expectText(page.getByTestId("status"), w("streak.warning"));
      assert.equal(Number(await page.getByTestId("play").getAttribute("data-ply")), before, "nothing was played");
      // The second touch on the same stone plays it.
      await touch(page, "mu_torere", move);
      await eventually("it is played", async () => (await isOver(page)) || Number(await page.getByTestId("play").getAttribute("data-ply")) > before);
    }
    ended = true;
    await page.getByTestId("result").waitFor();
    // A draw given away is marked in the list of moves.
    await page.getByTestId("analysis").waitFor();
    await page.getByTestId("moves-first").click();
    await expectText(page.locator(".moves-at"), /^0\//);
    if ((await page.getByTestId("next-game").count()) > 0) {
      await page.getByTestId("next-game").click();
      await expectText(page.getByTestId("streak-wins"), /^[1-9]/);
      await untilPly(page, 1);
      await listen(page);
    }
  }
  assert.ok(warned, "a risky move was warned of");
  await page.goto("/streak");
  await page.getByRole("heading", { name: w("streak.best") }).waitFor();
});
