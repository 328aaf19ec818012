// @ts-check
// Two who leave it to the service whom they play: the first waits and sees it, the second is paired at once, and both
// are at the board.
import assert from "node:assert/strict";
import { matchOf } from "../lib/board.js";
import { expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

/** @typedef {import("../lib/scene.js").Person} Person */

const w = words("en");

/** @param {Person} person */
async function leaveItToTheService({ page }) {
  await page.getByTestId("new-game").getByRole("radio", { name: w("new_game.pair") }).check();
  await page.locator("#stake").fill("5");
  await page.getByTestId("new-game-submit").click();
}

await scene("queue", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const [one, two] = [await stage.person("ana"), await stage.person("rui")];
  await beSignedIn(one, ana);
  await beSignedIn(two, rui);
  for (const { page } of [one, two]) {
    await page.goto("/lobby");
    await page.getByTestId("new-game").waitFor();
  }
  await leaveItToTheService(one);
  await one.page.getByTestId("leave-queue").waitFor();
  await expectText(one.page.locator("[aria-labelledby=waiting-title]"), money(500));
  // It is still so after a reload, and can be left and taken again.
  await one.page.reload();
  await one.page.getByTestId("leave-queue").click();
  await one.page.getByTestId("leave-queue").waitFor({ state: "detached" });
  assert.equal((await ana.api.get("/v1/lobby/queue")).status, "idle");
  await leaveItToTheService(one);
  await one.page.getByTestId("leave-queue").waitFor();

  await leaveItToTheService(two);
  const id = await matchOf(two.page);
  assert.equal(await matchOf(one.page), id);
  for (const { page } of [one, two]) await expectText(page.getByTestId("in-play"), money(500));
});
