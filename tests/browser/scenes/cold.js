// @ts-check
// A first visit with nothing kept: the first screen weighs less than 100 KB, and a board comes up whole at a plain pace
// and on a slow line. How long it took is told, not judged.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { PHONE } from "../lib/browser.js";
import { eventually } from "../lib/expect.js";
import { scene } from "../lib/scene.js";

/** What browsers call "Slow 3G". */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
const MOST_BYTES = 100_000;

await scene("cold", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 5 });
  const board = { path: `/match/${match.id}`, shown: '[data-place="C"]' };
  const first = await visit(stage, { path: "/", shown: "main h1" }, null);
  assert.ok(first < MOST_BYTES, `the first screen weighs ${first} bytes`);
  await visit(stage, board, null);
  await visit(stage, board, SLOW);
});

/**
 * Goes somewhere with nothing kept. Gives the bytes of all that was loaded, packed as it came.
 * @param {import("../lib/scene.js").Stage} stage
 * @param {{ path: string, shown: string }} place
 * @param {typeof SLOW | null} conditions
 */
async function visit(stage, { path, shown }, conditions) {
  const { page, context, watch } = await stage.person(conditions ? "slow" : "plain", { viewport: PHONE });
  const line = await context.newCDPSession(page);
  await line.send("Network.enable");
  if (conditions) await line.send("Network.emulateNetworkConditions", conditions);
  let bytes = 0;
  line.on("Network.dataReceived", ({ encodedDataLength }) => (bytes += encodedDataLength));
  const began = Date.now();
  await page.goto(path);
  await page.locator(shown).first().waitFor();
  const took = Date.now() - began;
  await eventually("nothing is under way", async () => watch.isQuiet());
  console.log(`cold: ${path.split("/")[1] || "first screen"}, ${conditions ? "slow 3G" : "plain"}: there after ${took} ms, ${Math.round(bytes / 1_000)} KB`);
  await context.close();
  return bytes;
}
