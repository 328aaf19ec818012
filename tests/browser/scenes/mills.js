// @ts-check
// Nine Men's Morris: mills, removals, what is protected, stepping back, dragging, arrows along the lines.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { listen, placeOn, touch, untilPly } from "../lib/board.js";
import { PHONE } from "../lib/browser.js";
import { eventually, expectCount, expectFocus, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("mills", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const match = await newMatch(ana, rui, { game: "morris", stake: 5 });
  const white = await stage.person("white");
  const black = await stage.person("black");
  await beSignedIn(white, match.first);
  await beSignedIn(black, match.second);
  const pages = [white.page, black.page];
  for (const page of pages) await page.goto(`/match/${match.id}`);
  for (const page of pages) await page.getByTestId("play").waitFor();

  // B3: a piece is dragged from the hand to a point; letting it go beside the board plays nothing.
  const hand = white.page.locator('[data-place="hand"]');
  const from = await hand.boundingBox();
  const to = await placeOn(white.page, "a1").boundingBox();
  assert.ok(from && to);
  await white.page.mouse.move(from.x + 20, from.y + from.height / 2);
  await white.page.mouse.down();
  await white.page.mouse.move(from.x + 60, from.y - 60, { steps: 4 });
  await white.page.mouse.move(from.x + 60, from.y + 90, { steps: 4 });
  await white.page.mouse.up();
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).ply, 0);
  await white.page.mouse.move(from.x + 20, from.y + from.height / 2);
  await white.page.mouse.down();
  await white.page.mouse.move(from.x + 50, from.y - 50, { steps: 4 });
  await white.page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 4 });
  await white.page.mouse.up();
  await untilPly(black.page, 1);
  // A press that slides off before it is let go plays nothing either.
  const d7 = await placeOn(black.page, "d7").boundingBox();
  assert.ok(d7);
  await black.page.mouse.move(d7.x + d7.width / 2, d7.y + d7.height / 2);
  await black.page.mouse.down();
  await black.page.mouse.move(d7.x + d7.width / 2, d7.y - 200, { steps: 4 });
  await black.page.mouse.up();
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).ply, 1);

  let ply = 1;
  const play = async (/** @type {string} */ move) => {
    await touch(pages[ply % 2], "morris", move);
    ply += 1;
    for (const page of pages) await untilPly(page, ply);
  };
  for (const move of ["b2", "a4", "b4"]) await play(move);

  // B8: a mill marks what can be taken and says what is wanted; Escape steps back before anything is sent.
  const { page } = white;
  await placeOn(page, "a7").click();
  await expectText(page.getByTestId("status"), w("board.morris.take"));
  await expectCount(page.locator(".takeable"), 2);
  await placeOn(page, "d1").click();
  await expectText(page.getByTestId("status"), w("reason.nothing_to_take"));
  await placeOn(page, "a7").press("Escape");
  await placeOn(page, "a7").press("Escape");
  await expectCount(page.locator(".takeable"), 0);
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).ply, 4, "nothing was sent");
  const heard = await listen(black.page);
  await play("a7xb2");
  for (const one of pages) await expectCount(one.locator(".mill-line"), 1);
  await eventually("it is read", async () => (await heard()).includes("White places on a7, closes a mill, takes b2. Your move."));

  // A piece in a mill is protected while another is not.
  await play("b6");
  await play("g1");
  await play("b2xg1");
  await play("g4");
  await placeOn(black.page, "d3").click();
  await untilPly(black.page, 10);
  ply = 10;
  await placeOn(page, "g7").click();
  await untilPly(page, 11);
  ply = 11;
  await play("d2");
  await touch(page, "morris", "d7");
  await expectText(page.getByTestId("status"), w("board.morris.take"));
  await placeOn(page, "b4").click();
  await expectText(page.getByTestId("status"), w("reason.protected_by_mill"));
  await placeOn(page, "d2").click();
  await untilPly(black.page, 13);

  // A2: one tab stop, arrows along the lines, Home and End to the ends of the rank.
  await placeOn(page, "a1").focus();
  await page.keyboard.press("ArrowRight");
  await expectFocus(page, "[data-place='d1']");
  await page.keyboard.press("ArrowUp");
  await expectFocus(page, "[data-place='d2']");
  await page.keyboard.press("Home");
  await expectFocus(page, "[data-place='b2']");
  await expectCount(page.locator('[role="gridcell"][tabindex="0"]'), 1);
  await expectCount(page.locator('[role="gridcell"]'), 24);

  // A7: on the smallest screen the points are still apart by a finger.
  const small = await stage.person("small", { viewport: { width: 320, height: PHONE.height }, touch: true });
  await beSignedIn(small, match.second);
  await small.page.goto(`/match/${match.id}`);
  const [c3, d3] = [await placeOn(small.page, "c3").boundingBox(), await placeOn(small.page, "d3").boundingBox()];
  assert.ok(c3 && d3 && Math.abs(d3.x - c3.x) >= 44, "a finger apart");
  assert.equal(await small.page.evaluate(() => document.documentElement.scrollWidth), 320, "nothing is beyond the edge");
});
