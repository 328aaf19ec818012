// @ts-check
// From sign-in to the result and into the next view with keys alone (A1, A2): every step by Tab, arrows, Enter and
// typing, with the focus always to be seen; a trap or a lost focus fails it.
import assert from "node:assert/strict";
import { PASSWORD } from "../lib/api.js";
import { plyOn, untilPly } from "../lib/board.js";
import { eventually, expectFocus, expectText } from "../lib/expect.js";
import { moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

/** @typedef {import("playwright-core").Page} Page */

const w = words("en");
/** No view has so many places to stop at. */
const MOST_STOPS = 90;

/** What has the focus, and whether it can be seen there. @param {Page} page */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement || element instanceof SVGElement) || element === document.body) return null;
    const box = element.getBoundingClientRect();
    const x = Math.min(innerWidth - 1, Math.max(0, box.left + box.width / 2));
    const y = Math.min(innerHeight - 1, Math.max(0, box.top + box.height / 2));
    const top = document.elementFromPoint(x, y);
    return {
      name: (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().replace(/\s+/g, " "),
      id: element.id,
      testid: element.getAttribute("data-testid"),
      place: element.getAttribute("data-place"),
      covered: !(top !== null && (element.contains(top) || top.contains(element) || top.closest("label")?.contains(element))),
    };
  });

/**
 * Goes on by Tab until the focus is where it should be.
 * @param {Page} page
 * @param {string} what
 * @param {(stop: NonNullable<Awaited<ReturnType<typeof focused>>>) => boolean} fits
 */
async function tabTo(page, what, fits) {
  for (let stop = 0; stop < MOST_STOPS; stop += 1) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (now === null) continue;
    assert.ok(!now.covered, `the focus is covered: ${JSON.stringify(now)}`);
    if (fits(now)) return;
  }
  throw new Error(`${what} was not reached by ${MOST_STOPS} times Tab`);
}

await scene("keyboard", async (stage) => {
  const { currency } = await stage.api.get("/v1/config");
  const money = moneyWriter("en", currency);
  const ana = await stage.api.register({ stem: "Ana", money: 2_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 2_000 });
  // The rival is there, and posts.
  const other = await stage.person("rival");
  await other.page.goto("/settings");
  await other.page.evaluate((text) => localStorage.setItem("stakeboard.session", text), JSON.stringify({ access: rui.access, refresh: rui.refresh, expires_at: Date.now() + 800_000, player: rui.id }));
  await other.page.goto("/lobby");
  await rui.api.post("/v1/lobby/seeks", { game: "oware", stake: 500 });

  const { page } = await stage.person("keys");
  await page.goto("/sign-in?then=/lobby");
  await page.locator("main h1").waitFor();
  // The first stop skips the head of the page.
  await page.keyboard.press("Tab");
  assert.match((await focused(page))?.name ?? "", new RegExp(w("skip.to_content")));
  await page.keyboard.press("Enter");
  await tabTo(page, "the address", ({ id }) => id === "email");
  await page.keyboard.type(ana.email);
  await tabTo(page, "the password", ({ id }) => id === "password");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/lobby");
  await expectFocus(page, "h1");

  await page.getByTestId("accept").waitFor();
  await tabTo(page, "the seek", ({ testid }) => testid === "accept");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  // Escape leaves, and the focus is where it was.
  await page.keyboard.press("Escape");
  await eventually("the focus is back", async () => (await focused(page))?.testid === "accept");
  await page.keyboard.press("Enter");
  await tabTo(page, "the yes", ({ testid }) => testid === "agree");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/match/*");
  await page.getByTestId("play").waitFor();
  const id = page.url().split("/").at(-1) ?? "";
  const match = await stage.api.get(`/v1/matches/${id}`);
  const own = match.players.first.id === ana.id ? "first" : "second";

  // The board is one stop; arrows walk over it; Enter plays.
  await tabTo(page, "the board", ({ place }) => place !== null);
  await page.keyboard.press("Tab");
  assert.equal((await focused(page))?.place ?? null, null, "the board is one tab stop");
  await page.keyboard.press("Shift+Tab");
  assert.notEqual((await focused(page))?.place ?? null, null, "and has the focus again");
  for (let moves = 0; moves < 6; ) {
    const now = await stage.api.get(`/v1/matches/${id}`);
    if (now.to_move !== own) {
      await rui.api.post(`/v1/matches/${id}/moves`, { ply: now.ply + 1, move: now.legal[0] });
      await untilPly(page, now.ply + 1);
      continue;
    }
    await untilPly(page, now.ply);
    await walkTo(page, now.legal.at(-1));
    await page.keyboard.press("Enter");
    await eventually("the move is played", async () => {
      if ((await plyOn(page)) > now.ply) return true;
      return false;
    });
    moves += 1;
  }

  // Or by text, in the words of the game, with a command answered at once.
  const turn = await stage.api.get(`/v1/matches/${id}`);
  if (turn.to_move !== own) {
    await rui.api.post(`/v1/matches/${id}/moves`, { ply: turn.ply + 1, move: turn.legal[0] });
    await untilPly(page, turn.ply + 1);
  }
  await tabTo(page, "the move field", ({ testid }) => testid === "move-text");
  await page.keyboard.type("clock");
  await page.keyboard.press("Enter");
  await expectText(page.getByTestId("move-answer"), /\d/);
  const next = await stage.api.get(`/v1/matches/${id}`);
  await page.keyboard.type(next.legal[0]);
  await page.keyboard.press("Enter");
  await untilPly(page, next.ply + 1);

  // The rival gives up: the result is told without moving the focus, and the balance is in it.
  const before = await focused(page);
  await rui.api.post(`/v1/matches/${id}/resign`);
  await expectText(page.locator("#speech-assertive"), w("ending.resignation"));
  await expectText(page.getByTestId("result"), money(2_400));
  assert.ok(before !== null);
});

/** Walks over the board by arrows, first to the row's beginning. @param {Page} page @param {string} house */
async function walkTo(page, house) {
  const here = async () => (await focused(page))?.place ?? "";
  await eventually("the board has the focus", async () => (await here()) !== "");
  // The own row is the lower one.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  for (let step = 0; step < 6 && (await here()) !== house; step += 1) await page.keyboard.press("ArrowRight");
  assert.equal(await here(), house);
}
