// @ts-check
// A table of Wari by link: the host sees the free seat, a guest without any account takes it, and they play.
import assert from "node:assert/strict";
import { matchOf, meeting, playTogether } from "../lib/board.js";
import { expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");
const p = words("pt-BR");

await scene("table", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const host = await stage.person("host");
  await beSignedIn(host, ana);
  await host.page.goto("/lobby?with=friend");
  await host.page.getByTestId("new-game").locator("#kind").selectOption("wari");
  await host.page.getByTestId("new-game-submit").click();
  await host.page.waitForURL("**/table/*");
  await expectText(host.page.getByTestId("free-seat"), w("table.free_seat"));

  // Somebody nobody knows, with another language, on a phone.
  const guest = await stage.person("guest", { language: "pt-BR", viewport: { width: 360, height: 640 }, touch: true });
  await guest.page.goto(new URL(host.page.url()).pathname);
  await expectText(guest.page.locator("main"), ana.name);
  await expectText(guest.page.getByTestId("terms-stake"), p("facts.none"));
  await guest.page.getByTestId("sit-down").click();
  const id = await matchOf(guest.page);
  assert.equal(await matchOf(host.page), id, "the host is brought to the board");
  const match = await stage.api.get(`/v1/matches/${id}`);
  assert.equal(match.stake, 0);
  assert.equal(match.options.grand_slam, "forbidden", "Wari");

  const players = await meeting(stage.api, id, ana.name, host, guest);
  await playTogether(stage.api, players, { plies: 6 });
  // M10: a guest is never asked for money.
  await expectText(guest.page.getByTestId("no-stake"), p("terms.no_stake"));
  assert.equal(await guest.page.getByRole("link", { name: p("nav.wallet"), exact: true }).count(), 0);

  await guest.page.getByTestId("resign").click();
  await guest.page.getByRole("dialog").getByRole("button", { name: p("resign.yes") }).click();
  await expectText(host.page.getByTestId("result"), w("ending.resignation"));
  assert.equal((await ana.api.get("/v1/wallet")).available, 1_000, "nothing was at stake");
});
