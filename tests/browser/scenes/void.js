// @ts-check
// An administrator voids a match: asked for a reason, shown who gets what back first; both players are told at once (D2).
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { playByChance, staff } from "../lib/world.js";

const w = words("en");
const p = words("pt-BR");

await scene("void", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 5_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 5_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 1_000 });
  await playByChance(match, 6, 2);

  const one = await stage.person("ana");
  const two = await stage.person("rui", { language: "pt-BR" });
  const office = await stage.person("admin");
  await beSignedIn(one, ana);
  await beSignedIn(two, rui);
  await one.page.goto(`/match/${match.id}`);
  await two.page.goto(`/match/${match.id}`);
  await expectText(one.page.getByTestId("in-play"), money(1_000));

  await beSignedIn(office, await staff(stage.api, "admin"));
  await office.page.goto("/admin/matches?status=live");
  await office.page.getByRole("button", { name: w("admin.void") }).click();
  const dialog = office.page.getByRole("dialog");
  for (const { name } of [ana, rui]) {
    await expectText(dialog.locator(".sums div").filter({ hasText: name }), w("admin.void_back", { amount: money(1_000) }));
  }
  // Without a reason nothing happens.
  await dialog.getByRole("button", { name: w("admin.void_yes") }).click();
  await expectText(dialog.locator(".field-error"), w("field.words_needed"));
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).status, "live");
  await dialog.getByLabel(w("admin.reason")).fill("A test of the house");
  await dialog.getByRole("button", { name: w("admin.void_yes") }).click();
  await dialog.waitFor({ state: "detached" });

  await expectText(one.page.getByTestId("result"), w("result.void"));
  await expectText(two.page.getByTestId("result"), p("result.void"));
  await expectText(one.page.getByTestId("balance"), money(5_000));
  await expectText(one.page.getByTestId("in-play"), money(0));

  await office.page.goto("/admin/audit?action=match.void");
  await expectText(office.page.getByRole("table"), "A test of the house");
});
