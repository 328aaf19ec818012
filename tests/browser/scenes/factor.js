// @ts-check
// One of the staff turns the second factor on, leaves, and comes back with a code; then looks at how a match was played.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { newMatch } from "../lib/api.js";
import { eventually, expectCount, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { playByChance, staff } from "../lib/world.js";

const w = words("en");

/** What an authenticator makes of a secret (RFC 6238). @param {string} secret in base 32 @param {number} steps from now */
function codeOf(secret, steps = 0) {
  const bits = [...secret].map((sign) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(sign).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from(bits.match(/.{8}/g)?.map((byte) => parseInt(byte, 2)) ?? []);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac("sha1", key).update(counter).digest();
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

await scene("factor", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 5_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 5_000 });
  const match = await newMatch(ana, rui, { game: "mu_torere", stake: 1_000 });
  await playByChance(match, 400, 7);

  const auditor = await stage.person("auditor");
  const { page, watch } = auditor;
  watch.expected = new Set([401]);
  const account = await staff(stage.api, "auditor");
  await beSignedIn(auditor, account);
  await page.goto("/settings");
  await expectText(page.getByTestId("factor"), w("factor.off"));
  await page.fill("#factor", "not the password");
  await page.getByRole("button", { name: w("factor.begin"), exact: true }).click();
  await expectText(page.locator("#factor-wrong"), w("code.bad_credentials"));
  await page.fill("#factor", "seven seeds in a row");
  await page.getByRole("button", { name: w("factor.begin"), exact: true }).click();
  const secret = (await page.locator("dd.code").textContent()) ?? "";
  assert.match(secret, /^[A-Z2-7]{32}$/);
  await page.fill("#factor", codeOf(secret));
  await page.getByRole("button", { name: w("factor.confirm"), exact: true }).click();
  await expectCount(page.getByTestId("recovery-codes").locator("li"), 10);
  const [recovery] = await page.getByTestId("recovery-codes").locator("li").allTextContents();

  // Whoever signs in is asked for a code, and a wrong one is said at its field.
  await page.evaluate(() => localStorage.removeItem("stakeboard.session"));
  await page.goto("/sign-in?then=/admin/fair-play");
  await page.fill("#email", account.email);
  await page.fill("#password", "seven seeds in a row");
  await page.getByTestId("submit").click();
  await page.locator("#code").waitFor();
  await page.fill("#code", "000000");
  await page.getByTestId("submit").click();
  await expectText(page.locator("#code-wrong"), w("code.bad_code"));
  await page.fill("#code", recovery);
  await page.getByTestId("submit").click();
  await page.locator(".staff-body").waitFor();

  // Of one match there are fewer choices than the report begins with.
  await eventually("the match has been looked at", async () => {
    await page.goto("/admin/fair-play?choices_min=0");
    await page.locator("h1").waitFor();
    return (await page.locator("tbody tr").count()) === 2;
  });
  await page.locator("tbody tr").first().getByRole("link", { name: "1", exact: true }).click();
  await expectText(page.locator(".staff-body"), w("fair_play.matches"));
  await expectCount(page.locator(`a[href="/match/${match.id}"]`), 1);
});
