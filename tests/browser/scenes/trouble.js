// @ts-check
// What goes wrong in the middle of a match: a reload, two tabs of one player, a rival who is gone, an answer that is
// nonsense, a token that has run out, a signing-out that leaves nothing behind.
import assert from "node:assert/strict";
import { newMatch } from "../lib/api.js";
import { plyOn, tap, untilPly } from "../lib/board.js";
import { eventually, expectCount, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";

const w = words("en");

await scene("trouble", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 2_000 });
  const rui = await stage.api.register({ stem: "Rui", money: 2_000 });
  const match = await newMatch(ana, rui, { game: "oware", stake: 500 });
  const one = await stage.person("one");
  const two = await stage.person("two");
  await beSignedIn(one, match.first);
  await beSignedIn(two, match.second);
  const place = `/match/${match.id}`;
  await one.page.goto(place);
  await two.page.goto(place);
  await one.page.getByTestId("play").waitFor();
  const move = async (/** @type {import("../lib/scene.js").Person} */ person) => {
    const now = await stage.api.get(`/v1/matches/${match.id}`);
    await untilPly(person.page, now.ply);
    await tap(person.page, "oware", now.legal[0]);
    return now.ply + 1;
  };
  await move(one);
  let ply = await move(two);

  // A reload shows the same position and the same clocks, and play goes on.
  await one.page.reload();
  await untilPly(one.page, ply);
  ply = await move(one);

  // R4: another tab of the same player agrees with the first.
  const tab = await one.context.newPage();
  await tab.goto(place);
  await untilPly(tab, ply);
  ply = await move(two);
  await untilPly(tab, ply);
  const now = await stage.api.get(`/v1/matches/${match.id}`);
  await tap(tab, "oware", now.legal[0]);
  ply = now.ply + 1;
  await untilPly(one.page, ply);
  await tab.close();

  // R7: the rival's last window goes: said with words, and nothing is won by it.
  await two.page.goto("about:blank");
  await one.page.getByTestId("away").first().waitFor();
  assert.equal((await stage.api.get(`/v1/matches/${match.id}`)).status, "live");
  await two.page.goto(place);
  await untilPly(two.page, ply);
  await eventually("the rival is back", async () => (await one.page.getByTestId("away").count()) === 0);

  // A token that has run out is renewed without a word.
  two.watch.expected.add(401);
  await two.page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem("stakeboard.session") ?? "{}");
    localStorage.setItem("stakeboard.session", JSON.stringify({ ...session, expires_at: 0 }));
  });
  await two.page.reload();
  await untilPly(two.page, ply);
  ply = await move(two);
  await untilPly(one.page, ply);

  await nonsense(two);

  // Signing out clears everything.
  await one.page.locator("#menu-button").click();
  await one.page.getByTestId("sign-out").click();
  await eventually("nothing is kept", async () => one.page.evaluate(() => localStorage.getItem("stakeboard.session") === null && Object.keys(sessionStorage).every((key) => !key.startsWith("stakeboard.act"))));
  await expectCount(one.page.getByTestId("balance"), 0);
  assert.equal(await plyOn(two.page).catch(() => ply), ply);
});

/** Something in between answers what is no answer, and too many requests: said in words, and over by itself. @param {import("../lib/scene.js").Person} person */
async function nonsense({ page, watch }) {
  watch.expected.add(429).add(502);
  await page.route("**/v1/matches?*", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }));
  await page.goto("/history");
  await expectText(page.locator(".problem"), w("code.nonsense"));
  await page.unroute("**/v1/matches?*");
  let refused = 0;
  await page.route("**/v1/matches?*", (route) => {
    refused += 1;
    return refused > 1 ? route.continue() : route.fulfill({ status: 429, headers: { "retry-after": "1" }, contentType: "application/problem+json", body: JSON.stringify({ code: "rate_limited", status: 429 }) });
  });
  await page.getByRole("button", { name: w("action.try_again") }).click();
  // A short wait is sat out.
  await page.locator("tbody tr").first().waitFor();
  await page.unroute("**/v1/matches?*");
}
