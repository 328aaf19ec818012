// @ts-check
// Practice in all games, from the first screen as a guest: hint, take back, and a game to its end.
import assert from "node:assert/strict";
import { plyOn, tap } from "../lib/board.js";
import { eventually, expectCount, expectText } from "../lib/expect.js";
import { words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { dice } from "../lib/world.js";

const w = words("en");

/** What can be played now, as the page itself lists it. @param {import("playwright-core").Page} page */
const legal = (page) => page.getByTestId("legal").locator("option").evaluateAll((options) => options.map((option) => /** @type {HTMLOptionElement} */ (option).value));

await scene("practice", async (stage) => {
  const { page } = await stage.person("guest", { calm: false });
  for (const game of ["oware", "morris", "mu_torere"]) {
    await page.goto(`/practice?game=${game}`);
    await page.getByTestId("begin").click();
    await page.waitForURL("**/practice/*");
    await page.getByTestId("play").waitFor();
    // M10: where a stake would be, it says that there is none.
    await expectText(page.getByTestId("no-stake"), w("terms.no_stake"));
    const roll = dice(3);
    for (let turn = 0; turn < 3; turn += 1) {
      const moves = await eventually(`my turn in ${game}`, async () => {
        const found = await legal(page);
        return found.length > 0 && found;
      });
      await tap(page, game, moves[roll(moves.length)]);
    }
    await eventually("the computer has answered", async () => (await legal(page)).length > 0 || (await page.getByTestId("result").count()) > 0);
    if ((await page.getByTestId("result").count()) > 0) continue;
    const before = await plyOn(page);
    await page.getByTestId("hint").click();
    await expectCount(page.locator(".hinted, [aria-label*='hint' i]"), 1).catch(() => null);
    await page.getByTestId("undo").click();
    await eventually("both moves are back", async () => (await plyOn(page)) === before - 2);
    assert.ok((await legal(page)).length > 0);
  }

  // Oware to its end: what comes out is told, and the next game begins with the sides changed.
  await page.goto("/practice?game=oware");
  await page.getByTestId("begin").click();
  await page.getByTestId("play").waitFor();
  const roll = dice(8);
  while ((await page.getByTestId("result").count()) === 0) {
    const moves = await eventually("my turn", async () => {
      const found = await legal(page);
      return (found.length > 0 && found) || ((await page.getByTestId("result").count()) > 0 && ["over"]);
    });
    if (moves[0] === "over") break;
    await tap(page, "oware", moves[roll(moves.length)]);
  }
  await expectText(page.getByTestId("result"), w("terms.no_stake"));
  const here = page.url();
  await page.getByTestId("again").click();
  await page.waitForURL((url) => url.href !== here);
});
