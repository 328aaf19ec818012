// @ts-check
// The lobby: seeks come and go as they happen, a yes has two steps and one effect, and what is gone moves no money.
import assert from "node:assert/strict";
import { PHONE } from "../lib/browser.js";
import { eventually, expectCount, expectFocus, expectText } from "../lib/expect.js";
import { beSignedIn, moneyWriter, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("lobby", async (stage) => {
  const config = await stage.api.get("/v1/config");
  const money = moneyWriter("en", config.currency);
  const ana = await stage.api.register({ stem: "Ana", money: 2_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 1_000 });
  const host = await stage.person("host");
  const guest = await stage.person("guest", { viewport: PHONE, touch: true });
  await beSignedIn(host, ana);
  await beSignedIn(guest, rui);
  await host.page.goto("/lobby");
  await guest.page.goto("/lobby");
  await expectText(guest.page.locator(".empty"), w("lobby.none"));

  // What is wrong with a stake is said before anybody is asked.
  const form = host.page.getByTestId("new-game");
  await form.locator("#kind").selectOption("wari");
  for (const [typed, wrong] of [["five", "new_game.stake_unreadable"], ["0.03", "new_game.stake_bounds"], ["20000", "new_game.stake_bounds"]]) {
    await form.locator("#stake").fill(typed);
    await form.getByTestId("new-game-submit").click();
    const bounds = { least: money(config.stake_min), most: money(config.stake_max), step: money(config.stake_step) };
    await expectText(form.locator("#stake-wrong"), w(wrong, bounds));
  }

  // A double click posts one seek; the rival sees it without asking.
  await form.locator("#stake").fill("5.00");
  await expectText(form.getByTestId("terms-payout"), money(900));
  await form.getByTestId("new-game-submit").dblclick();
  const row = guest.page.locator(".seek");
  await expectText(row, "Wari");
  for (const shown of [ana.name, w("kind_rule.wari"), money(500), money(900), money(100)]) await expectText(row, shown);
  await expectCount(guest.page.locator(".seek"), 1);
  assert.equal((await stage.api.get("/v1/lobby/seeks")).items.length, 1);

  // M1: filters outlive a reload.
  await guest.page.locator("#filter-min").fill("6");
  await expectText(guest.page.locator(".empty"), w("lobby.none_fit"));
  await guest.page.reload();
  await expectText(guest.page.locator(".empty"), w("lobby.none_fit"));
  assert.equal(await guest.page.locator("#filter-min").inputValue(), "6");
  await guest.page.locator("#filter-min").fill("");
  await guest.page.locator("#filter-kind").selectOption("morris");
  await expectText(guest.page.locator(".empty"), w("lobby.none_fit"));
  await guest.page.locator("#filter-kind").selectOption("");

  // M2: the whole of the terms, the focus on their heading, and leaving them changes nothing.
  await row.getByTestId("accept").click();
  const dialog = guest.page.getByRole("dialog");
  await expectFocus(guest.page, "#dialog-title");
  for (const [id, shown] of [["terms-stake", money(500)], ["terms-payout", money(900)], ["terms-fee", money(100)]]) {
    await expectText(dialog.getByTestId(id), shown);
  }
  await expectText(dialog, w("facts.draw_returns", { amount: money(500) }));
  await expectText(dialog, "10 minutes each");
  await expectText(dialog, w("facts.clock_at_once"));
  await expectText(dialog, w("facts.left", { amount: money(500) }));
  await guest.page.keyboard.press("Escape");
  await expectCount(dialog, 0);
  await expectFocus(guest.page, "[data-testid='accept']");
  assert.equal((await rui.api.get("/v1/wallet")).available, 1_000);

  // M3: a seek that is withdrawn meanwhile is said to be gone, and no money moved.
  guest.watch.expected = new Set([409]);
  await row.getByTestId("accept").click();
  const [open] = (await stage.api.get("/v1/lobby/seeks")).items;
  await ana.api.call("DELETE", `/v1/lobby/seeks/${open.id}`);
  await dialog.getByTestId("agree").click();
  await expectText(dialog.getByTestId("refusal"), w("code.seek_gone"));
  await expectText(dialog.getByTestId("refusal"), w("facts.nothing_moved"));
  await expectCount(dialog.getByTestId("agree"), 0);
  await guest.page.keyboard.press("Escape");
  await expectText(guest.page.locator(".empty"), w("lobby.none"));
  guest.watch.expected = new Set();

  // M5: Enter held down on the yes is one match and one stake.
  await ana.api.post("/v1/lobby/seeks", { game: "oware", preset: "wari", stake: 500 });
  await row.getByTestId("accept").click();
  await dialog.getByTestId("agree").focus();
  await guest.page.keyboard.down("Enter");
  for (let held = 0; held < 5; held += 1) await guest.page.keyboard.down("Enter");
  await guest.page.keyboard.up("Enter");
  await guest.page.waitForURL("**/match/*");
  await host.page.waitForURL("**/match/*");
  assert.equal(guest.page.url().split("/").pop(), host.page.url().split("/").pop());
  assert.deepEqual(await rui.api.get("/v1/wallet").then(({ available, in_play }) => [available, in_play]), [500, 500]);
  assert.equal((await rui.api.get("/v1/matches")).items.length, 1);

  // M4, M6: on every page, without being asked for.
  for (const person of [host, guest]) await expectText(person.page.getByTestId("in-play"), money(500));
  await guest.page.goto("/rules");
  await expectText(guest.page.getByTestId("balance"), money(500));
  await expectText(guest.page.getByTestId("live-match"), w("banner.match"));
  await host.page.goto("/settings");
  const id = (await rui.api.get("/v1/matches")).items[0].id;
  const began = Date.now();
  await rui.api.post(`/v1/matches/${id}/resign`);
  await expectText(host.page.getByTestId("balance"), money(2_400));
  console.log(`the balance followed the end of the match in ${Date.now() - began} ms`);
  await expectText(host.page.getByTestId("in-play"), money(0));
  await expectText(host.page.getByTestId("sitting"), `+${money(400)}`);
  await expectText(guest.page.getByTestId("sitting"), `-${money(500)}`);
  await expectCount(guest.page.getByTestId("live-match"), 0);

  // The queue: one waits, sees it after a reload too, leaves, and comes back; the next one on the same terms is the rival.
  await guest.page.goto("/lobby");
  const queue = guest.page.getByTestId("new-game");
  await queue.locator("#kind").selectOption("mu_torere");
  await queue.locator('[name="way"][value="pair"]').check();
  await queue.locator("#stake").fill("1.00");
  await queue.getByTestId("new-game-submit").click();
  await expectText(guest.page.locator("#waiting-title"), w("queue.title"));
  await guest.page.reload();
  await guest.page.getByTestId("leave-queue").click();
  await expectCount(guest.page.getByTestId("leave-queue"), 0);
  assert.equal((await rui.api.get("/v1/lobby/queue")).status, "idle");
  await queue.locator('[name="way"][value="pair"]').check();
  await queue.getByTestId("new-game-submit").click();
  await expectCount(guest.page.getByTestId("leave-queue"), 1);
  await ana.api.post("/v1/lobby/queue", { game: "mu_torere", stake: 100 });
  await guest.page.waitForURL("**/match/*");
  await host.page.locator(".notification").getByRole("link").click();
  await host.page.waitForURL("**/match/*");
  const paired = (await rui.api.get("/v1/matches?status=live")).items[0].id;
  assert.ok(host.page.url().endsWith(paired));
  await rui.api.post(`/v1/matches/${paired}/resign`);
  // What is pushed reaches a page once its line stands.
  const socket = host.page.waitForEvent("websocket");
  const welcome = socket.then((opened) => opened.waitForEvent("framereceived", ({ payload }) => String(payload).includes('"type":"welcome"')));
  await host.page.goto("/settings");
  await welcome;

  // Somebody who does something else is told, and not torn from it.
  const seek = await ana.api.post("/v1/lobby/seeks", { game: "oware", stake: 100 });
  await rui.api.post(`/v1/lobby/seeks/${seek.id}/accept`, { stake: 100 });
  await expectText(host.page.locator(".notification"), w("match.begun"));
  assert.equal(new URL(host.page.url()).pathname, "/settings");
  await host.page.locator(".notification").getByRole("link").click();
  await host.page.waitForURL("**/match/*");
  await eventually("the notice has gone with it", async () => (await host.page.locator(".notification").count()) === 0);
});
