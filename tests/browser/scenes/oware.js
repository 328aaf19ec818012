// @ts-check
// Two people sign up, deposit, meet in the lobby, play Oware for a stake to its end by touches alone, and once more.
import assert from "node:assert/strict";
import { PASSWORD, newName } from "../lib/api.js";
import { matchOf, meeting, playTogether } from "../lib/board.js";
import { expectCount, expectFocus, expectText } from "../lib/expect.js";
import { moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { dice } from "../lib/world.js";

/** @typedef {import("../lib/scene.js").Person} Person */

const w = words("en");

/** Signs up through the page. @param {Person} person @param {string} name */
async function signUp({ page }, name) {
  await page.goto("/sign-in?new");
  await page.getByLabel(w("sign_up.name")).fill(name);
  await page.getByLabel(w("sign_in.email")).fill(`${name.replace(/\W/g, "-").toLowerCase()}@test.example`);
  await page.getByLabel(w("sign_in.password"), { exact: true }).fill(PASSWORD);
  await page.getByLabel(w("sign_up.birth_date")).fill("1990-01-01");
  await page.getByTestId("submit").click();
  await page.waitForURL("**/lobby");
}

/** @param {Person} person @param {string} amount @param {string} shown */
async function deposit({ page }, amount, shown) {
  await page.goto("/wallet");
  await page.locator("#deposit-amount").fill(amount);
  await page.getByRole("button", { name: w("wallet.deposit"), exact: true }).click();
  await expectText(page.getByTestId("balance"), shown);
}

await scene("oware", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const [one, two] = [newName("Ana"), newName("Rui")];
  const ana = await stage.person("ana");
  const rui = await stage.person("rui");
  await Promise.all([signUp(ana, one), signUp(rui, two)]);
  await Promise.all([deposit(ana, "20", money(2_000)), deposit(rui, "20", money(2_000))]);

  // They meet in the lobby.
  await ana.page.goto("/lobby");
  await rui.page.goto("/lobby");
  await ana.page.locator("#stake").fill("5");
  await ana.page.getByTestId("new-game-submit").click();
  const row = rui.page.getByTestId("seeks").locator("li").filter({ hasText: one });
  // M1: everything that a yes is a yes to stands in the row.
  for (const amount of [500, 900, 100]) await expectText(row, money(amount));
  await row.getByTestId("accept").click();
  // M2: the terms once more, with the focus on their heading; nothing is begun by it.
  const dialog = rui.page.getByRole("dialog");
  await expectText(dialog.getByTestId("terms-payout"), money(900));
  await expectFocus(rui.page, "#dialog-title");
  assert.equal((await stage.api.get("/v1/lobby/seeks")).items.length, 1, "nothing is begun yet");
  await dialog.getByTestId("agree").dblclick();
  const id = await matchOf(rui.page);
  await ana.page.goto(`/match/${id}`);
  await matchOf(ana.page);
  for (const { page } of [ana, rui]) {
    await expectText(page.getByTestId("in-play"), money(500));
    await expectText(page.getByTestId("balance"), money(1_500));
  }

  // To the end, by touches.
  const roll = dice(4);
  const players = await meeting(stage.api, id, one, ana, rui);
  const began = Date.now();
  const ended = await playTogether(stage.api, players, { choose: (legal) => legal[roll(legal.length)] });
  console.log(`oware: ${ended.ply} moves by touches in ${Date.now() - began} ms`);
  await result(stage, players, id, money);

  // Once more: proposed, answered with the terms shown, sides changed.
  await ana.page.getByTestId("rematch").click();
  await ana.page.getByRole("dialog").getByRole("button", { name: w("rematch.propose_yes") }).click();
  await rui.page.getByTestId("rematch-answer").click();
  await expectText(rui.page.getByTestId("rematch-terms"), w("terms.sides_change"));
  await rui.page.getByTestId("rematch-accept").click();
  await Promise.all([ana, rui].map(({ page }) => page.waitForURL((url) => url.pathname.startsWith("/match/") && !url.pathname.endsWith(id))));
  const next = await stage.api.get(`/v1/matches/${await matchOf(ana.page)}`);
  assert.equal(await matchOf(rui.page), next.id);
  assert.equal(next.players.first.id, ended.players.second.id, "sides change");
  assert.equal(next.stake, 500);

  // Resigning is two steps, and ends it.
  await rui.page.getByTestId("resign").click();
  await rui.page.getByRole("dialog").getByRole("button", { name: w("resign.yes") }).click();
  await expectText(ana.page.getByTestId("result"), w("ending.resignation"));
});

/** F1: who, why, stake, fee, payout, balance; in the record and in the wallet the same. @param {import("../lib/scene.js").Stage} stage @param {import("../lib/board.js").Meeting} players @param {string} id @param {(cents: number) => string} money */
async function result(stage, players, id, money) {
  const { outcome, payout, fee } = await stage.api.get(`/v1/matches/${id}`);
  assert.ok(outcome.first !== null && outcome.second !== null, "seeds are counted");
  for (const seat of /** @type {const} */ (["first", "second"])) {
    const { page } = players[seat];
    const won = outcome.winner === seat;
    const box = page.getByTestId("result");
    if (outcome.winner) for (const amount of [payout, fee]) await expectText(box, money(amount));
    await expectText(page.getByTestId("balance"), money(outcome.winner === null ? 2_000 : won ? 1_500 + payout : 1_500));
    await expectText(page.getByTestId("in-play"), money(0));
    // F2: looking through it by keys.
    await expectCount(page.getByTestId("confirm-move"), 0);
    await page.getByTestId("moves-first").click();
    await page.getByTestId("moves-last").click();
  }
}
