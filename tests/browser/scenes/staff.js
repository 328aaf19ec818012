// @ts-check
// Administration by role (D1, D3, D4, D5): what one may not do is not there, and every act is in the audit list.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { newMatch } from "../lib/api.js";
import { eventually, expectCount, expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { playByChance, staff } from "../lib/world.js";

/** @typedef {import("../lib/scene.js").Person} Person */

const w = words("en");

/** Fills in the reason of an act and carries it out. @param {Person} person @param {string} reason @param {string} yes */
async function because({ page }, reason, yes) {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(w("admin.reason")).fill(reason);
  await dialog.getByRole("button", { name: yes, exact: true }).click();
}

await scene("staff", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 50_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 50_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 1_000 });
  await playByChance(match, 400, 11);
  await ana.api.post("/v1/wallet/withdrawals", { amount: 3_000 });
  await rui.api.post("/v1/wallet/withdrawals", { amount: 4_000 });

  const admin = await stage.person("admin");
  const cashier = await stage.person("cashier");
  const auditor = await stage.person("auditor");
  await beSignedIn(admin, await staff(stage.api, "admin"));
  await beSignedIn(cashier, await staff(stage.api, "cashier"));
  await beSignedIn(auditor, await staff(stage.api, "auditor"));

  await ledger(admin, ana, money);
  await withdrawals(admin, cashier, money);
  await roles(cashier, auditor, rui);
  await freezing(stage, admin, rui);
  await adjusting(admin, ana, money);
  await secondAdministrator(stage, admin, ana, money);
  await stops(admin);

  // D5: every act of above, with its reason, for the auditor to read.
  await auditor.page.goto("/admin/audit");
  for (const reason of ["no second document", "odd games", "all is well", "a gift", "a large gift", "she is one of us", "it is due", "a quiet evening"]) {
    await expectText(auditor.page.getByRole("table"), reason);
  }
});

/** D1. @param {Person} person @param {import("../lib/api.js").Account} ana @param {(cents: number) => string} money */
async function ledger({ page }, ana, money) {
  await page.goto("/admin/ledger");
  await page.getByLabel(w("filter.player")).fill(ana.id);
  await page.getByLabel(w("column.kind")).selectOption("stake");
  await page.getByRole("button", { name: w("list.search") }).click();
  await expectCount(page.locator("tbody tr"), 1);
  await expectText(page.locator("tbody tr"), money(1_000));
  // The address holds the filters: a reload shows the same.
  await page.reload();
  await expectCount(page.locator("tbody tr"), 1);
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: w("wallet.export") }).click()]);
  assert.equal(readFileSync(await file.path(), "utf8").trim().split("\n").length, 2, "a head and a line");

  // One account: the balance runs through its lines down to where it began.
  await page.locator("tbody").getByRole("link", { name: w("account.player"), exact: true }).click();
  await page.getByRole("link", { name: w("ledger.lines") }).click();
  const balances = page.locator("tbody tr td:nth-child(6)");
  await expectText(balances.last(), money(50_000));
  const available = (await ana.api.get("/v1/wallet")).available;
  await expectText(balances.first(), money(available));

  await page.goto("/admin/balance");
  await expectText(page.locator(".verdict.good"), w("ledger.passed"));
  await expectText(page.locator("tr.total"), money(0));
  assert.equal(await page.locator("tr.failed").count(), 0);
}

/** D3: two decide at once: one success, one clear refusal. @param {Person} admin @param {Person} cashier @param {(cents: number) => string} money */
async function withdrawals(admin, cashier, money) {
  for (const { page } of [admin, cashier]) {
    await page.goto("/admin/withdrawals?status=requested");
    await expectText(page.getByRole("table"), w("withdrawal.why.requested"));
    await page.getByRole("row").filter({ hasText: money(3_000) }).getByRole("button", { name: w("admin.approve") }).click();
  }
  admin.watch.expected.add(409);
  cashier.watch.expected.add(409);
  await Promise.all([admin, cashier].map(({ page }) => page.getByRole("dialog").getByRole("button", { name: w("admin.approve"), exact: true }).click()));
  const refused = (/** @type {Person} */ { page }) => page.getByRole("dialog").filter({ hasText: w("code.withdrawal_decided") }).count();
  await eventually("one of both is refused", async () => (await refused(admin)) + (await refused(cashier)) === 1);
  const loser = (await refused(admin)) === 1 ? admin : cashier;
  await loser.page.getByRole("dialog").getByRole("button", { name: w("action.close") }).click();
  admin.watch.expected.delete(409);
  cashier.watch.expected.delete(409);

  await cashier.page.goto("/admin/withdrawals?status=requested");
  await cashier.page.getByRole("row").filter({ hasText: money(4_000) }).getByRole("button", { name: w("admin.reject") }).click();
  await because(cashier, "no second document", w("admin.reject"));
  await expectCount(cashier.page.locator("tbody tr"), 0);
}

/** Cashiers see withdrawals only; auditors see everything and can do nothing. @param {Person} cashier @param {Person} auditor @param {import("../lib/api.js").Account} player */
async function roles(cashier, auditor, player) {
  await cashier.page.goto("/admin");
  await expectCount(cashier.page.locator(".staff-nav a"), 2);
  await cashier.page.goto("/admin/ledger");
  await expectText(cashier.page.locator("main"), w("gate.staff"));

  await auditor.page.goto("/admin");
  await auditor.page.locator(".staff-nav a").first().waitFor();
  const places = await auditor.page.locator(".staff-nav a").evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  assert.ok(places.length > 10, `an auditor's places: ${places}`);
  const acts = [w("admin.void"), w("admin.approve"), w("admin.reject"), w("act.freeze"), w("act.adjust"), w("switches.stop")];
  for (const place of [...places, `/admin/players/${player.id}`]) {
    await auditor.page.goto(place);
    await eventually(`${place} is at rest`, async () => auditor.watch.isQuiet());
    for (const name of acts) assert.equal(await auditor.page.getByRole("button", { name, exact: true }).count(), 0, `${place}: ${name}`);
  }
}

/** D4. @param {import("../lib/scene.js").Stage} stage @param {Person} admin @param {import("../lib/api.js").Account} player */
async function freezing(stage, admin, player) {
  const person = await stage.person("frozen");
  await beSignedIn(person, player);
  await person.page.goto("/wallet");
  await expectText(person.page.locator("main"), w("wallet.lines"));
  // Their session ends under their hands: the page is told by a refusal.
  person.watch.expected.add(401);
  await admin.page.goto("/admin/players");
  await admin.page.getByLabel(w("filter.name")).fill(player.name);
  await admin.page.getByRole("button", { name: w("list.search") }).click();
  await admin.page.getByRole("link", { name: player.name }).click();
  await admin.page.getByRole("button", { name: w("act.freeze"), exact: true }).click();
  const began = Date.now();
  await because(admin, "odd games", w("act.freeze"));
  await expectText(admin.page.locator(".staff-body"), w("player.frozen.about"));
  await expectText(person.page.locator(".notifications"), w("session.ended"));
  console.log(`frozen: the page knew after ${Date.now() - began} ms`);
  // Signed in again they are told, and read their wallet and history.
  const again = await stage.api.login(player.email);
  await beSignedIn(person, again);
  await person.page.goto("/wallet");
  await expectText(person.page.getByTestId("banner"), w("banner.frozen"));
  await expectText(person.page.locator("main"), w("transfer.deposit"));
  await person.page.goto("/history");
  await expectCount(person.page.locator("tbody tr"), 1);

  await admin.page.getByRole("button", { name: w("act.unfreeze"), exact: true }).click();
  await because(admin, "all is well", w("act.unfreeze"));
  await admin.page.getByRole("button", { name: w("act.freeze"), exact: true }).waitFor();
}

/** @param {Person} person @param {import("../lib/api.js").Account} player @param {(cents: number) => string} money */
async function adjusting(person, player, money) {
  const { page } = person;
  const before = (await player.api.get("/v1/wallet")).available;
  await page.goto(`/admin/players/${player.id}`);
  await page.getByRole("button", { name: w("act.adjust"), exact: true }).click();
  await page.getByRole("dialog").locator("#adjust-amount").fill("5");
  await because(person, "a gift", w("act.adjust"));
  await expectText(page.getByRole("dialog"), w("adjustment.made.done", { amount: `+${money(500)}` }));
  await page.getByRole("dialog").getByRole("button", { name: w("action.close") }).click();
  assert.equal((await player.api.get("/v1/wallet")).available, before + 500);
  await page.goto("/admin/adjustments");
  await expectText(page.getByRole("table"), "a gift");
}

/** Above the set amount another administrator decides; whoever asked can't. @param {import("../lib/scene.js").Stage} stage @param {Person} admin @param {import("../lib/api.js").Account} player @param {(cents: number) => string} money */
async function secondAdministrator(stage, admin, player, money) {
  const lia = await stage.api.register({ stem: "Lia" });
  await admin.page.goto(`/admin/players/${lia.id}`);
  await admin.page.getByRole("button", { name: w("act.roles"), exact: true }).click();
  await admin.page.getByRole("dialog").getByRole("checkbox", { name: w("role.admin") }).check();
  await because(admin, "she is one of us", w("action.save"));
  await expectText(admin.page.locator(".staff-body .facts"), w("role.admin"));

  const before = (await player.api.get("/v1/wallet")).available;
  await admin.page.goto(`/admin/players/${player.id}`);
  await admin.page.getByRole("button", { name: w("act.adjust"), exact: true }).click();
  await admin.page.getByRole("dialog").locator("#adjust-amount").fill("250");
  await because(admin, "a large gift", w("act.adjust"));
  await expectText(admin.page.getByRole("dialog"), w("adjustment.made.waiting", { amount: `+${money(25_000)}` }));
  await admin.page.getByRole("dialog").getByRole("button", { name: w("action.close") }).click();
  assert.equal((await player.api.get("/v1/wallet")).available, before, "nothing has moved yet");
  await admin.page.goto("/admin/adjustments?status=waiting");
  await expectText(admin.page.getByRole("table"), w("adjustment.second"));
  assert.equal(await admin.page.getByRole("button", { name: w("admin.approve") }).count(), 0);

  const second = await stage.person("second-admin");
  await beSignedIn(second, await stage.api.login(lia.email));
  await second.page.goto("/admin/adjustments?status=waiting");
  await second.page.getByRole("button", { name: w("admin.approve") }).click();
  await because(second, "it is due", w("admin.approve"));
  await expectCount(second.page.locator("tbody tr"), 0);
  assert.equal((await player.api.get("/v1/wallet")).available, before + 25_000);
}

/** @param {Person} person */
async function stops(person) {
  const { page } = person;
  await page.goto("/admin/switches");
  await page.getByRole("button", { name: `${w("switches.stop")}: ${w("switches.all")}` }).click();
  await because(person, "a quiet evening", w("switches.stop_all"));
  await expectText(page.getByRole("table"), "a quiet evening");
  await page.getByRole("button", { name: `${w("switches.start")}: ${w("switches.all")}` }).click();
  await because(person, "morning", w("switches.start_all"));
  await expectText(page.locator("main"), w("switches.none"));
}
