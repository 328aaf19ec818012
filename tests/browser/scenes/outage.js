// @ts-check
// A line that breaks, a service that is busy or answers nonsense: the page says so in words, moves nothing, and
// recovers by itself.
import assert from "node:assert/strict";
import { PHONE } from "../lib/browser.js";
import { expectCount, expectText } from "../lib/expect.js";
import { CuttableLine } from "../lib/line.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("outage", async (stage) => {
  const { heartbeat_ms: heartbeat } = await stage.api.get("/v1/config");
  const line = await CuttableLine.to(stage.origin);
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const person = await stage.person("ana", { origin: line.origin, viewport: PHONE });
  const { page, watch } = person;
  await beSignedIn(person, ana);
  await page.goto("/lobby");
  await expectText(page.locator(".empty"), w("lobby.none"));

  // R1: within two heartbeats, and no button moves once all is there that was asked for.
  const form = page.getByTestId("new-game");
  await expectText(form, w("facts.left").split("{")[0]);
  const button = form.getByTestId("new-game-submit");
  const before = await button.boundingBox();
  watch.lineMayFail = true;
  line.cut();
  const cut = Date.now();
  await page.getByTestId("banner").waitFor({ timeout: 2 * heartbeat + 2_000 });
  console.log(`a dead line was told after ${Date.now() - cut} ms, with a heartbeat of ${heartbeat} ms`);
  await expectText(page.locator("#speech-assertive"), /No connection/);
  assert.deepEqual(await button.boundingBox(), before, "banners move nothing");

  // What happened meanwhile is there once the line is back, without a reload.
  await page.evaluate(() => Object.assign(window, { same: true }));
  await rui.api.post("/v1/lobby/seeks", { game: "oware", stake: 100 });
  line.mend();
  const mended = Date.now();
  await expectCount(page.getByTestId("banner"), 0);
  await expectText(page.locator(".seek"), rui.name);
  console.log(`all was there again ${Date.now() - mended} ms after the line was`);
  assert.ok(await page.evaluate(() => "same" in window), "without a reload");
  watch.lineMayFail = false;

  // A busy service is waited for; the person does not notice.
  watch.expected = new Set([429, 502]);
  let refusals = 2;
  await page.route("**/v1/lobby/seeks", (route) => {
    if (route.request().method() !== "POST" || refusals === 0) return route.fallback();
    refusals -= 1;
    const headers = { "retry-after": "1", "content-type": "application/problem+json" };
    return route.fulfill({ status: 429, headers, body: '{"code":"rate_limited","status":429}' });
  });
  await button.click();
  await expectText(page.locator(".seek[data-own]"), w("lobby.own"));
  assert.equal(refusals, 0);

  // An answer that makes no sense is named as such, and trying again is safe: one key, one match, one stake.
  let nonsense = 1;
  /** @type {string[]} */
  const keys = [];
  await page.route("**/accept", async (route) => {
    keys.push(route.request().headers()["idempotency-key"]);
    if (nonsense === 0) return route.fallback();
    nonsense -= 1;
    // It reaches the service; only the answer is lost.
    await route.fetch();
    return route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" });
  });
  await page.getByTestId("accept").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByTestId("agree").click();
  await expectText(dialog.getByTestId("refusal"), w("facts.unknown"));
  await page.reload();
  await page.goto("/lobby");
  assert.deepEqual(await ana.api.get("/v1/wallet").then(({ available, in_play }) => [available, in_play]), [900, 100]);
  await page.getByTestId("live-match").click();
  await page.waitForURL("**/match/*");
  assert.equal(keys.length, 1);
  line.close();
});
