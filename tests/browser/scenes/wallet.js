// @ts-check
// Money in and out: one effect an act (M5), lines that name their match and add up to the balance (M4, M8).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { newMatch } from "../lib/api.js";
import { expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("wallet", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana" });
  const rival = await stage.api.register({ stem: "Rui", money: 10_000 });
  const person = await stage.person("ana");
  const { page } = person;
  await beSignedIn(person, ana);
  await page.goto("/wallet");

  // A double click and Enter held down: one deposit.
  const amount = page.getByLabel(w("wallet.amount", { currency })).first();
  const deposit = page.getByRole("button", { name: w("wallet.deposit"), exact: true });
  await amount.fill("50");
  await deposit.dblclick();
  await expectText(page.getByText(w("wallet.deposit.completed", { amount: money(5_000) })), /./);
  await amount.press("Enter");
  await amount.press("Enter");
  await expectText(page.getByTestId("balance"), money(5_000));
  assert.equal((await ana.api.get("/v1/wallet/deposits")).items.length, 1, "one deposit");

  // What the service would refuse is said before it is asked.
  await amount.fill("nothing");
  await deposit.click();
  await expectText(page.locator("#deposit-amount-wrong"), w("wallet.no_amount"));
  const out = page.locator("#withdraw-amount");
  await out.fill("50.01");
  await page.getByRole("button", { name: w("wallet.withdraw"), exact: true }).click();
  await expectText(page.locator("#withdraw-amount-wrong"), w("wallet.more_than_available", { available: money(5_000) }));

  // A withdrawal is held at once; a reload in the middle of it repeats nothing; it can be taken back.
  await out.fill("20");
  await page.getByRole("button", { name: w("wallet.withdraw"), exact: true }).click();
  await expectText(page.locator(".holding.pending_withdrawal"), money(2_000));
  await expectText(page.getByTestId("balance"), money(3_000));
  await page.reload();
  await page.goBack();
  await page.goForward();
  assert.equal((await ana.api.get("/v1/wallet/withdrawals")).items.length, 1, "one withdrawal");
  await page.getByRole("button", { name: w("wallet.cancel") }).click();
  await page.getByRole("dialog").getByRole("button", { name: w("wallet.cancel") }).click();
  await expectText(page.getByTestId("balance"), money(5_000));

  // A match takes its stake within a moment, without a reload, and gives it a line with its name.
  const { id, first, second } = await newMatch(ana, rival, { game: "oware", stake: 1_000 });
  await expectText(page.getByTestId("balance"), money(4_000));
  await expectText(page.getByTestId("in-play"), money(1_000));
  const loser = first.id === ana.id ? first : second;
  await loser.api.post(`/v1/matches/${id}/resign`);
  await expectText(page.getByTestId("in-play"), money(0));
  const line = page.getByRole("row").filter({ hasText: w("transfer.stake") }).first();
  await expectText(line, rival.name);
  await line.getByRole("link").click();
  await page.waitForURL(`**/match/${id}`);
  await page.goBack();

  // The lines add up: the sum of everything is the balance, and so is the newest balance after.
  await page.getByLabel(w("wallet.period")).selectOption("all");
  await expectText(page.locator(".sums .strong").last(), money(4_000));
  await expectText(page.locator(".sums .strong").first(), money(1_000));
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: w("wallet.export") }).click()]);
  const rows = readFileSync(await file.path(), "utf8").trim().split("\r\n");
  const sum = rows.slice(1).reduce((total, row) => total + Math.round(Number(row.split(",")[2]) * 100), 0);
  assert.equal(sum, 4_000, "the file adds up to the balance");
  assert.equal(rows.length, 1 + 4, "a deposit, a hold and its release, a stake");
});
