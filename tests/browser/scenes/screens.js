// @ts-check
// Every screen, on a phone and on a desk, light and dark, in both languages: nothing that axe-core calls serious or
// critical, no text without a translation, nothing wider than the window. Keeps a picture of each.
import { join } from "node:path";
import { findings } from "../lib/accessible.js";
import { DESKTOP, PHONE, pictureFolder } from "../lib/browser.js";
import { eventually } from "../lib/expect.js";
import { beSignedIn } from "../lib/people.js";
import { Album } from "../lib/pictures.js";
import { scene } from "../lib/scene.js";
import { furnished, staff } from "../lib/world.js";

/** @typedef {import("../lib/scene.js").Person} Person */

const SIZES = { phone: PHONE, desktop: DESKTOP };

/** Screens that the documents show in the dark as well. */
const DARK_TOO = ["home", "match", "wallet"];

/** Where screens that stand in the documents go; all others are only looked at. */
const album = process.env.STAKEBOARD_SCREENS ?? join(pictureFolder(), "screens");

await scene("screens", async (stage) => {
  const pictures = new Album(stage.browser, album);
  const world = await furnished(stage.api);
  const admin = await staff(stage.api, "admin");
  const practice = await world.lia.api.post("/v1/practice", { game: "morris", level: "easy", seat: "first" });
  const table = await world.lia.api.post("/v1/tables", { game: "oware", preset: "wari", stake: 0 });
  const streak = await world.lia.api.post("/v1/streaks");

  /** @type {[name: string, path: string, who: import("../lib/api.js").Account | null][]} */
  const screens = [
    ["home", "/", null],
    ["sign-in", "/sign-in", null],
    ["sign-up", "/sign-in?new", null],
    ["lobby", "/lobby", world.lia],
    ["table", `/table/${table.code}`, null],
    ["match", `/match/${world.live.id}`, world.ana],
    ["spectator", `/match/${world.live.id}`, null],
    ["replay", `/match/${world.ended.id}`, world.ana],
    ["practice", "/practice", world.lia],
    ["practice-morris", `/practice/${practice.id}`, world.lia],
    ["streak", "/streak", world.lia],
    ["streak-run", `/streak/${streak.id}`, world.lia],
    ["wallet", "/wallet", world.ana],
    ["history", "/history", world.ana],
    ["profile", `/player/${world.rui.id}`, world.ana],
    ["leaderboard", "/leaderboard/oware", world.ana],
    ["rules", "/rules", null],
    ["rules-oware", "/rules/oware", null],
    ["rules-morris", "/rules/morris", null],
    ["rules-mu-torere", "/rules/mu_torere", null],
    ["settings", "/settings", world.ana],
    ["not-found", "/nowhere", null],
    ["admin", "/admin", admin],
    ["admin-withdrawals", "/admin/withdrawals", admin],
    ["admin-players", "/admin/players", admin],
    ["admin-player", `/admin/players/${world.rui.id}`, admin],
    ["admin-matches", "/admin/matches", admin],
    ["admin-complaints", "/admin/complaints", admin],
    ["admin-adjustments", "/admin/adjustments", admin],
    ["admin-switches", "/admin/switches", admin],
    ["admin-ledger", "/admin/ledger", admin],
    ["admin-accounts", "/admin/accounts", admin],
    ["admin-balance", "/admin/balance", admin],
    ["admin-reports", "/admin/reports", admin],
    ["admin-fair-play", "/admin/fair-play", admin],
    ["admin-pairs", "/admin/pairs", admin],
    ["admin-payments", "/admin/payments", admin],
    ["admin-audit", "/admin/audit", admin],
  ];
  const only = process.env.STAKEBOARD_ONLY?.split(",");

  /** @type {string[]} */
  const found = [];
  for (const [size, viewport] of Object.entries(SIZES)) {
    // Each language is seen in each size, and each of them in light and dark.
    for (const [dark, language] of /** @type {[boolean, "pt-BR" | "en"][]} */ ([[false, "pt-BR"], [true, "en"]])) {
      const person = await stage.person(`${size}-${dark ? "dark" : "light"}`, { viewport, dark, language, touch: size === "phone" });
      let signedIn = null;
      for (const [name, path, who] of screens) {
        if (only && !only.includes(name)) continue;
        if (who !== signedIn) {
          await person.page.goto("/settings");
          await person.page.evaluate(() => localStorage.removeItem("stakeboard.session"));
          if (who) await beSignedIn(person, who);
          signedIn = who;
        }
        await show(person, path, name === "not-found");
        const where = `${name} ${size} ${dark ? "dark" : "light"} ${language}`;
        found.push(...(await findings(person.page, where)), ...(await tooWide(person, where)));
        if (process.env.STAKEBOARD_SCREENS === undefined || !dark || DARK_TOO.includes(name)) {
          await pictures.keep(person.page, `${name}-${size}${dark ? "-dark" : ""}`);
        }
      }
      await person.context.close();
    }
  }
  if (found.length > 0) throw new Error(`\n${[...new Set(found)].join("\n")}`);
});

/** Goes to a screen and waits until it stands still. @param {Person} person @param {string} path @param {boolean} missing */
async function show({ page, watch }, path, missing) {
  if (missing) watch.expected.add(404);
  await page.goto(path);
  await page.locator("main h1").first().waitFor();
  await eventually("nothing is under way", async () => watch.isQuiet());
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  watch.expected.delete(404);
}

/** WCAG 1.4.10: nothing to be scrolled sideways. Names the innermost elements that stick out. @param {Person} person @param {string} where */
async function tooWide({ page }, where) {
  const found = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const out = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > width + 0.5);
    return out.filter((element) => !out.some((other) => other !== element && element.contains(other))).map((element) => element.outerHTML.slice(0, 120));
  });
  return found.map((element) => `${where}: wider than the window: ${element}`);
}
