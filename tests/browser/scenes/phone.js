// @ts-check
// A phone in one hand, in Portuguese: a staked match by touches that are confirmed; the board does not scroll, nothing
// is wider than the screen, both clocks are seen, and nothing moves when a banner comes.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { placeOn, plyOn, untilPly } from "../lib/board.js";
import { PHONE } from "../lib/browser.js";
import { eventually, expectCount, expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const p = words("pt-BR");

await scene("phone", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("pt-BR", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 2_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 2_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 500 });
  const { page, ...person } = await stage.person("phone", { language: "pt-BR", viewport: PHONE, touch: true });
  await beSignedIn({ page, ...person }, match.first);
  await page.goto(`/match/${match.id}`);
  await page.getByTestId("play").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.lang), "pt-BR");
  assert.ok((await page.title()).includes(p("title.your_move", { game: p("game.oware.plain") })), "K1: the title says whose turn it is");
  await expectText(page.getByTestId("balance"), money(1_500));

  // K1, B1: board, both clocks and the word on whose turn it is are on the screen without scrolling.
  for (const seen of [page.getByTestId("clock-first"), page.getByTestId("clock-second"), page.locator("svg.board"), page.getByTestId("status")]) {
    const box = await seen.boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= PHONE.width + 1 && box.y + box.height <= PHONE.height + 1, `${seen}: ${JSON.stringify(box)}`);
  }
  // A7: what is touched is large enough.
  const house = await placeOn(page, "C").locator(".hit").boundingBox();
  assert.ok(house !== null && house.width >= 44 && house.height >= 44, `a house: ${JSON.stringify(house)}`);

  // A touch proposes, and nothing is sent; another house changes the mind; the second touch plays it.
  await placeOn(page, "C").tap();
  await page.getByTestId("confirm-move").waitFor();
  await placeOn(page, "D").tap();
  await expectText(page.getByTestId("confirm-move"), "D");
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).ply, 0);
  const box = () => page.locator("svg.board").boundingBox();
  const before = await box();
  await page.getByTestId("confirm-move").tap();
  await untilPly(page, 1);
  await match.second.api.post(`/v1/matches/${match.id}/moves`, { ply: 2, move: "a" });
  await untilPly(page, 2);
  await expectCount(page.getByTestId("confirm-move"), 0);

  // F4: an offer of a draw comes as a banner or a button, and the board stays where it is.
  await match.second.api.post(`/v1/matches/${match.id}/draw`, { action: "offer" });
  await expectText(page.getByTestId("draw"), p("draw.answer"));
  assert.deepEqual(await box(), before, "the board has not moved");
  await page.getByTestId("draw").tap();
  await page.getByTestId("draw-decline").tap();
  await eventually("the offer is gone", async () => (await ana.api.get(`/v1/matches/${match.id}`)).draw_offer === null);

  // The language is changed in the settings, at once and for good.
  await page.goto("/settings");
  await page.getByRole("radio", { name: "English", exact: true }).check();
  await eventually("English", async () => page.evaluate(() => document.documentElement.lang === "en"));
  await page.goto(`/match/${match.id}`);
  await untilPly(page, 2);
  assert.equal(await plyOn(page), 2);
  assert.ok((await page.title()).includes(words("en")("title.your_move", { game: words("en")("game.oware.plain") })));
});
