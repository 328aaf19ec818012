// @ts-check
// A stranger plays at once, becomes an account, and leaves: who is signed in is the same in every tab, and is gone
// without a trace.
import assert from "node:assert/strict";
import { PASSWORD, newName } from "../lib/api.js";
import { PHONE } from "../lib/browser.js";
import { eventually, expectCount, expectFocus, expectText } from "../lib/expect.js";
import { words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

/** @typedef {import("playwright-core").Page} Page */

/** The player whose session a browser holds. @param {Page} page @returns {Promise<string | null>} */
const playerIn = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("stakeboard.session") ?? "null")?.player ?? null);

/** What a browser keeps. @param {Page} page */
const keptIn = (page) => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));

/** What a field says is wrong with it, where it is the one that has the focus. @param {Page} page @param {string} field */
const wrongWith = async (page, field) => {
  await expectFocus(page, `#${field}`);
  assert.equal(await page.locator(`#${field}`).getAttribute("aria-invalid"), "true");
  return page.locator(`#${field}-wrong`);
};

await scene("session", async (stage) => {
  const taken = await stage.api.register({ stem: "Ana" });
  const stranger = await stage.person("stranger", { viewport: PHONE });
  const { page, context, watch } = stranger;

  // One click, and a board is there.
  await page.goto("/");
  await page.getByTestId("practise-morris").click();
  await page.waitForURL("**/practice/*");
  const practice = page.url();
  const guest = await playerIn(page);
  assert.ok(guest, "a guest");

  // Every field says by itself what is wrong with it, and the first one is gone to.
  watch.expected = new Set([409, 422]);
  await page.locator(".sign-in-link").click();
  await page.waitForURL("**/sign-in?new");
  await page.fill("#display_name", "");
  await page.getByTestId("submit").click();
  await expectText(await wrongWith(page, "display_name"), w("sign_in.missing"));
  await expectCount(page.locator(".field-error"), 4);
  const name = newName("Rui");
  const email = "rui@test.example";
  await page.fill("#display_name", name);
  await page.fill("#email", email);
  await page.fill("#password", "1234567890");
  await page.fill("#birth_date", "1990-01-01");
  await page.getByTestId("submit").click();
  await expectText(await wrongWith(page, "password"), w("code.weak_password"));
  await page.fill("#password", PASSWORD);
  await page.fill("#birth_date", `${new Date().getFullYear() - 12}-01-01`);
  await page.getByTestId("submit").click();
  await expectText(await wrongWith(page, "birth_date"), w("code.underage"));
  await page.fill("#birth_date", "1990-01-01");
  await page.fill("#email", taken.email);
  await page.getByTestId("submit").click();
  await expectText(await wrongWith(page, "email"), w("code.email_taken"));
  await page.fill("#email", email);
  await page.getByTestId("submit").click();
  await page.waitForURL("**/lobby");
  watch.expected = new Set();
  assert.equal(await playerIn(page), guest, "the guest is the account");
  await expectText(page.getByTestId("balance"), /0\.00/);
  await page.goto(practice);
  await expectCount(page.locator(".form-error"), 0);

  // Another tab knows at once who left, and who came.
  const other = await context.newPage();
  await other.goto("/lobby");
  await expectCount(other.getByTestId("balance"), 1);
  const token = await page.evaluate(() => JSON.parse(localStorage.getItem("stakeboard.session") ?? "{}").access);
  await page.locator("#menu-button").click();
  await page.getByTestId("sign-out").click();
  await expectCount(page.getByTestId("balance"), 0);
  await expectCount(other.getByTestId("balance"), 0);
  const kept = await keptIn(page);
  for (const secret of [guest, token, email, name]) assert.ok(!kept.includes(secret), `${secret} is gone from ${kept}`);
  // The page does not wait for the service, which is told all the same.
  await eventually("the service has ended the session too", async () => {
    const answer = await fetch(`${stage.origin}/v1/me`, { headers: { authorization: `Bearer ${token}` } });
    return answer.status === 401;
  });
  // A practice session is its player's: nobody else finds it.
  watch.expected = new Set([401, 404]);
  await page.goBack();
  await expectCount(page.getByTestId("balance"), 0);

  // A wrong password names no field, and does not say which of the two was wrong.
  watch.expected = new Set([401]);
  await page.goto("/sign-in?then=/history");
  await page.fill("#email", email);
  await page.fill("#password", "not this one at all");
  await page.getByTestId("submit").click();
  await expectText(page.locator(".form-error"), w("code.bad_credentials"));
  await page.fill("#password", PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/history");
  await expectCount(other.getByTestId("balance"), 1);
  assert.equal(await playerIn(other), guest);

  // A session that the service ends is said in words, in every tab, and the way back is in the notice.
  const { access } = await page.evaluate(() => JSON.parse(localStorage.getItem("stakeboard.session") ?? "{}"));
  const headers = { authorization: `Bearer ${access}` };
  assert.ok((await fetch(`${stage.origin}/v1/auth/logout`, { method: "POST", headers })).ok);
  await expectText(page.locator(".notification"), w("session.ended"));
  await expectCount(page.getByTestId("balance"), 0);
  await expectCount(other.getByTestId("balance"), 0);
  await page.locator(".notification").getByRole("link").click();
  await page.waitForURL("**/sign-in");

  // Nobody is sent out of the house by a link that claims to come from it.
  for (const elsewhere of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
    await page.goto(`/sign-in?then=${encodeURIComponent(elsewhere)}`);
    await page.fill("#email", email);
    await page.fill("#password", PASSWORD);
    await page.getByTestId("submit").click();
    await page.waitForURL("**/lobby");
    assert.equal(new URL(page.url()).origin, stage.origin);
    await page.locator("#menu-button").click();
    await page.getByTestId("sign-out").click();
    await expectCount(page.getByTestId("balance"), 0);
  }
});
