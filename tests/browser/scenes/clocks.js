// @ts-check
// A short clock: low time for its owner, tenths at the end, a width that does not change, and an end that is the server's.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { listen } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { heard, noteTones } from "../lib/tones.js";

const w = words("en");
/** The pitch of the bell for low time, in hertz. */
const LOW = 740;

await scene("clocks", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const mover = await stage.person("mover");
  const waiter = await stage.person("waiter");
  const match = await newMatch(ana, rui, { game: "mu_torere", stake: 5 });
  await beSignedIn(mover, match.first);
  await beSignedIn(waiter, match.second);
  /** @type {string[]} */
  const ends = [];
  for (const { page, context } of [mover, waiter]) {
    await noteTones(context);
    page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
      if (String(payload).includes('"type":"ended"')) ends.push(page.url());
    }));
    // By a touch within the page: browsers allow no sound before one.
    await page.goto("/lobby");
    await page.getByTestId("live-match").click();
    await page.getByTestId("play").waitFor();
  }
  const told = await listen(waiter.page);

  // K2: low for its owner; the rival's page shows it and says nothing.
  const clock = mover.page.getByTestId("clock-first");
  await eventually("it is low", async () => (await clock.getAttribute("data-low")) === "yes");
  assert.equal(await mover.page.getByTestId("clock-second").getAttribute("data-runs"), "no");
  await expectText(clock, /^0:0\d\.\d$/);
  const widths = new Set();
  for (let look = 0; look < 12; look += 1) {
    widths.add((await clock.boundingBox())?.width);
    await mover.page.waitForTimeout(70);
  }
  assert.equal(widths.size, 1, "figures of one width");
  // K3: what is shown is the server's time.
  const shown = await clock.textContent();
  const { clocks } = await ana.api.get(`/v1/matches/${match.id}`);
  const seconds = Number((shown ?? "").trim().replace("0:", ""));
  assert.ok(Math.abs(seconds - clocks.first_ms / 1_000) < 1, `${seconds} shown, ${clocks.first_ms} ms left`);

  // K4: at zero nothing is declared before the server says so.
  for (const { page } of [mover, waiter]) await expectText(page.getByTestId("result"), w("ending.timeout"));
  assert.equal(ends.length, 2, "both were told");
  const low = await Promise.all([mover, waiter].map(async ({ page }) => (await heard(page)).includes(LOW)));
  assert.deepEqual(low, [true, false], "low time is heard by its owner");
  assert.ok((await told()).every((text) => !text.includes("Low time")), "the rival is not told of my low time");
});
