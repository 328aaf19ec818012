// @ts-check
// Practice in every game and ruleset, by a guest: one click, a hint, a move taken back, either side.
import assert from "node:assert/strict";
import { legalMoves, placeOn, touch, touches, untilPly } from "../lib/board.js";
import { eventually, expectText } from "../lib/expect.js";
import { words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("pt-BR");

await scene("rulesets", async (stage) => {
  const { page, watch } = await stage.person("guest", { language: "pt-BR" });
  // The server is asked why a stone can't move.
  watch.expected.add(422);
  const choose = (/** @type {string} */ name, /** @type {string} */ value) => page.locator(`[data-testid="choice-${name}"] input[value="${value}"]`).check();
  for (const [game, preset, seat] of [
    ["oware", "abapa", "first"],
    ["oware", "wari", "second"],
    ["oware", "caribbean", "first"],
    ["morris", "standard", "first"],
    ["morris", "no_flying", "second"],
    ["morris", "double_mill", "first"],
    ["mu_torere", "", "first"],
    ["mu_torere", "", "second"],
  ]) {
    await page.goto("/practice");
    await choose("game", game);
    if (preset !== "") await choose("preset", preset);
    await choose("level", "medium");
    await choose("seat", seat);
    await page.getByTestId("begin").click();
    await page.getByTestId("play").waitFor();
    await expectText(page.getByTestId("no-stake"), w("terms.no_stake"));
    const opened = seat === "first" ? 0 : 1;
    await untilPly(page, opened);

    // A hint is on the board, and can be played. (In the other games the strongest bot of an unoptimised build is slow.)
    if (game === "mu_torere") {
      await page.getByTestId("hint").click();
      await page.locator(".hinted").first().waitFor();
      const hinted = await page.locator(`[data-place][aria-label*="${w("board.hinted")}"]`).first().getAttribute("data-place");
      assert.ok((await legalMoves(page)).some((move) => touches(game, move).includes(hinted ?? "")), "the hint is legal");
    }
    const move = (await legalMoves(page))[0];
    await touch(page, game, move);
    await untilPly(page, opened + 2);
    await expectText(page.getByTestId("moves"), move);
    await page.getByTestId("undo").click();
    await eventually("it is taken back", async () => (await page.getByTestId("play").getAttribute("data-ply")) === String(opened));
  }

  // Why a stone can't move is told by the server's reason.
  await page.goto("/practice?game=mu_torere");
  await page.getByTestId("begin").click();
  await placeOn(page, "2").click();
  await expectText(page.getByTestId("status"), w("reason.no_rival_neighbour"));

  // Commands and moves as text; what is no move at all is said too.
  const field = page.getByTestId("move-text");
  await field.fill("tabuleiro");
  await field.press("Enter");
  await expectText(page.getByTestId("move-answer"), "Claras: 1, 2, 3, 4. Verdes: 5, 6, 7, 8. Vazio: o centro.");
  await field.fill("relógio");
  await field.press("Enter");
  await expectText(page.getByTestId("move-answer"), w("clock.none"));
  await field.fill("lances");
  await field.press("Enter");
  await expectText(page.getByTestId("move-answer"), "1-c, 4-c");
  await field.fill("C");
  await field.press("Enter");
  await expectText(page.getByTestId("status"), w("field.no_move.mu_torere"));
  await field.fill("4-c");
  await field.press("Enter");
  await untilPly(page, 2);
  await field.fill("último");
  await field.press("Enter");
  await expectText(page.getByTestId("move-answer"), "Verdes");
});
