// @ts-check
// Nine Men's Morris by touches: mills are closed, pieces are taken, a touch that is not allowed is told why.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { matchOf, placeOn, playTogether, plyOn, untilPly } from "../lib/board.js";
import { expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { dice } from "../lib/world.js";

const w = words("en");

await scene("morris", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 2_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 2_000 });
  const match = await newMatch(ana, rui, { game: "morris", stake: 100 });
  const first = await stage.person("first", { calm: false });
  const second = await stage.person("second");
  await beSignedIn(first, match.first);
  await beSignedIn(second, match.second);
  for (const { page } of [first, second]) {
    await page.goto(`/match/${match.id}`);
    await matchOf(page);
  }
  const players = { id: match.id, first, second };

  // Mills are closed wherever one can be, so that pieces go.
  const roll = dice(9);
  let taken = 0;
  const choose = (/** @type {string[]} */ legal) => {
    const takes = legal.filter((move) => move.includes("x"));
    if (takes.length > 0) taken += 1;
    const from = takes.length > 0 ? takes : legal;
    return from[roll(from.length)];
  };
  await playTogether(stage.api, players, { choose, plies: 30 });
  assert.ok(taken > 0, "a mill was closed and a piece taken by touches");

  // B4: a touch that no legal move begins with is asked of the service, which says why; nothing else changes.
  const now = await stage.api.get(`/v1/matches/${match.id}`);
  const { page } = now.to_move === "first" ? first : second;
  await untilPly(page, now.ply);
  const refused = await page.evaluate(() => [...document.querySelectorAll("[data-place]")].map((place) => place.getAttribute("data-place") ?? ""));
  assert.ok(refused.length >= 24, "twenty-four points");
  await page.getByTestId("move-text").fill("a1-a1");
  await page.getByTestId("move-play").click();
  await expectText(page.getByTestId("status"), /\S/);
  assert.equal(await plyOn(page), now.ply);

  // By a drag as well as by touches.
  const slide = now.legal.find((/** @type {string} */ move) => /^[a-g]\d-[a-g]\d$/.test(move));
  if (slide) {
    const [from, to] = slide.split("-");
    await placeOn(page, from).locator(".hit").dragTo(placeOn(page, to).locator(".hit"));
    await untilPly(page, now.ply + 1);
  }

  // A draw is offered and accepted, each in two steps: both stakes go back.
  await first.page.getByTestId("draw").click();
  await first.page.getByRole("dialog").getByRole("button", { name: w("draw.offer_yes") }).click();
  await second.page.getByTestId("draw").click();
  await second.page.getByTestId("draw-accept").click();
  for (const person of [first, second]) await expectText(person.page.getByTestId("result"), w("ending.agreement"));
  assert.equal((await ana.api.get("/v1/wallet")).available, 2_000);
  assert.equal((await rui.api.get("/v1/wallet")).available, 2_000);
});
