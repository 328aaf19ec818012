// @ts-check
// Limits are seen, fall at once and rise after a day with its date shown; a break is at most three steps from the
// wallet (M7).
import assert from "node:assert/strict";
import { eventually, expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("limits", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 5_000 });
  const person = await stage.person("ana");
  const { page } = person;
  await beSignedIn(person, ana);
  await page.goto("/wallet");
  const row = page.locator(".limits li").filter({ hasText: w("limit.deposit_day") });
  const set = async (/** @type {string} */ amount) => {
    await row.getByRole("button").click();
    await page.getByRole("dialog").getByLabel(w("wallet.amount", { currency })).fill(amount);
    await page.getByRole("dialog").getByRole("button", { name: w("limits.save") }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
  };

  await expectText(row, w("limits.none"));
  await set("60");
  await expectText(row, money(6_000));
  // A higher one waits, and says until when.
  await set("500");
  await expectText(row, money(6_000));
  await expectText(row.locator(".sub"), money(50_000));
  await expectText(row.locator(".sub"), /\d{4}/);
  assert.equal((await ana.api.get("/v1/me/limits")).deposit_day, 6_000);
  await set("55");
  await expectText(row, money(5_500));

  // It holds: fifty of today's fifty-five are used up.
  person.watch.expected.add(409);
  await page.locator("#deposit-amount").fill("10");
  await page.getByRole("button", { name: w("wallet.deposit"), exact: true }).click();
  await expectText(page.locator("#deposit-amount-wrong"), w("limit.reached", { limit: w("limit.deposit_day") }));
  assert.equal((await ana.api.get("/v1/wallet")).available, 5_000);

  // One: open it. Two: how long. Three: yes.
  person.watch.expected.add(401);
  await page.getByRole("button", { name: w("pause.break") }).click();
  await page.getByRole("dialog").getByLabel(w("pause.length")).selectOption("7");
  await page.getByRole("dialog").getByRole("button", { name: w("pause.break.yes") }).click();
  const me = await eventually("a break", async () => {
    const again = await stage.api.login(ana.email);
    const { pause } = await again.api.get("/v1/me");
    return pause && { again, pause };
  });
  const days = (Date.parse(me.pause.until) - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days <= 7, `${days} days`);
  // Signed in again: told, and able to withdraw, which is what is owed.
  await beSignedIn(person, me.again);
  await page.goto("/wallet");
  await expectText(page.getByTestId("banner"), w("banner.break"));
  await page.locator("#withdraw-amount").fill("50");
  await page.getByRole("button", { name: w("wallet.withdraw"), exact: true }).click();
  await expectText(page.locator(".holding.pending_withdrawal"), money(5_000));
});
