// @ts-check
// A staked match of Oware by tapping, from its start to its end, on a phone and on a desk, and what is left of it.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { isOver, legalMoves, listen, placeOn, touch, untilPly } from "../lib/board.js";
import { PHONE } from "../lib/browser.js";
import { eventually, expectCount, expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { dice } from "../lib/world.js";

const w = words("en");

await scene("touches", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 10_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 10_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 500 });
  const phone = await stage.person("phone", { viewport: PHONE, touch: true });
  const desk = await stage.person("desk");
  await beSignedIn(phone, match.first);
  await beSignedIn(desk, match.second);
  const pages = [phone.page, desk.page];
  for (const page of pages) await page.goto(`/match/${match.id}`);
  for (const page of pages) await page.getByTestId("play").waitFor();

  // K1: board and both clocks without scrolling; whose turn is in the title too.
  for (const testId of ["clock-first", "clock-second"]) {
    const box = await phone.page.getByTestId(testId).boundingBox();
    assert.ok(box && box.y >= 0 && box.y + box.height <= PHONE.height, `${testId} is on the screen`);
  }
  assert.match(await phone.page.title(), /Your move/);
  assert.match(await desk.page.title(), /Rival/);
  await expectText(phone.page.getByTestId("terms"), money(900));

  // A7: what is touched is large enough.
  for (const house of await phone.page.locator(".house .hit").all()) {
    const box = await house.boundingBox();
    assert.ok(box && box.width >= 44 && box.height >= 44, `a house is ${box?.width} by ${box?.height}`);
  }

  // On touch a stake asks for a second touch; nothing is sent before it, and Escape takes it back.
  await placeOn(phone.page, "C").tap();
  await expectText(phone.page.getByTestId("status"), "Play C?");
  assert.equal((await ana.api.get(`/v1/matches/${match.id}`)).ply, 0, "nothing was sent");
  await phone.page.getByTestId("confirm-move").waitFor();
  await placeOn(phone.page, "C").press("Escape");
  await eventually("it is taken back", async () => (await phone.page.getByTestId("confirm-move").count()) === 0);
  // Longer than a double click lasts: what comes next is a touch of its own.
  await phone.page.waitForTimeout(400);
  await placeOn(phone.page, "C").tap();
  await phone.page.getByTestId("confirm-move").click();
  await untilPly(desk.page, 1);

  // B4: what can't be played is told why, and nothing else changes.
  const heard = await listen(desk.page);
  await touch(desk.page, "oware", "A");
  await expectText(desk.page.getByTestId("status"), w("reason.not_your_house"));
  assert.equal((await rui.api.get(`/v1/matches/${match.id}`)).ply, 1);
  // The phone's own move is not the phone's turn any more.
  await placeOn(phone.page, "D").tap();
  assert.equal((await rui.api.get(`/v1/matches/${match.id}`)).ply, 1);

  // B10: a double click is one move.
  await placeOn(desk.page, "a").dblclick();
  await untilPly(phone.page, 2);
  assert.equal((await rui.api.get(`/v1/matches/${match.id}`)).ply, 2);
  await eventually("the own move is read", async () => (await heard()).includes("North sows a, 5 seeds."));

  // To the end by what chance has it.
  const roll = dice(11);
  for (let ply = 2; ; ply += 1) {
    const mover = (await pages[0].getByTestId("bar-first").getAttribute("data-turn")) === "yes" ? pages[0] : pages[1];
    if (await isOver(mover)) break;
    const legal = await legalMoves(mover);
    const move = legal[roll(legal.length)];
    await touch(mover, "oware", move);
    if (mover === phone.page) await mover.getByTestId("confirm-move").click();
    for (const page of pages) await untilPly(page, ply + 1);
    for (const page of pages) await eventually("told whose turn it is", async () => (await isOver(page)) || (await page.locator('[data-turn="yes"]').count()) === 1);
    const state = await match.first.api.get(`/v1/matches/${match.id}`);
    if (state.status === "ended") break;
  }

  // F1: who, why, totals and money; the winner's is the pot less the fee.
  const ended = await match.first.api.get(`/v1/matches/${match.id}`);
  for (const page of pages) {
    await page.getByTestId("result").waitFor();
    await expectText(page.getByTestId("result"), w(`ending.${ended.outcome.ending}`));
    await expectText(page.getByTestId("result"), money(ended.outcome.winner === null ? 500 : 900));
    await expectText(page.getByTestId("result"), `South ${ended.outcome.first}, North ${ended.outcome.second}.`);
  }

  // F2, F5: looking back by button and key; the record; the same for who is not signed in.
  const { page } = desk;
  await page.getByTestId("moves-first").click();
  await expectText(page.locator(".moves-at"), `0/${ended.ply}`);
  await page.keyboard.press("ArrowRight");
  await expectText(page.locator(".moves-at"), `1/${ended.ply}`);
  await page.keyboard.press("End");
  await page.getByTestId("copy-position").click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), ended.position);
  const download = page.waitForEvent("download");
  await page.getByTestId("download-record").click();
  assert.equal((await download).suggestedFilename(), `oware-${match.id}.json`);
  const stranger = await stage.person("stranger");
  await stranger.page.goto(`/match/${match.id}`);
  await stranger.page.getByTestId("result").waitFor();
  await stranger.page.locator('[data-testid="moves-previous"][aria-disabled="false"]').click();
  await expectText(stranger.page.locator(".moves-at"), `${ended.ply - 1}/${ended.ply}`);
  await expectCount(stranger.page.getByTestId("balance"), 0);
});
