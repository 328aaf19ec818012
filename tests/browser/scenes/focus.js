// @ts-check
// The page by keyboard alone: over the head to the content, into the menu and out, from view to view, and every focus
// in sight.
import assert from "node:assert/strict";
import { PASSWORD } from "../lib/api.js";
import { eventually, expectCount } from "../lib/expect.js";
import { scene } from "../lib/scene.js";

/** @typedef {import("playwright-core").Page} Page */

/** What has the focus, in a word. @param {Page} page */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    return element?.id || element?.getAttribute("data-testid") || element?.getAttribute("href") || element?.tagName || "";
  });

/** Opens a path and waits until there is something to walk through. @param {Page} page @param {string} path */
async function open(page, path) {
  await page.goto(path);
  await page.locator("main h1").waitFor();
}

/** Presses Tab until something has the focus, and looks whether each stop on the way can be seen. @param {Page} page @param {string} wanted */
async function tabTo(page, wanted) {
  for (let steps = 0; steps < 60; steps += 1) {
    await page.keyboard.press("Tab");
    const { name, visible, why } = await page.evaluate(() => {
      const element = /** @type {HTMLElement} */ (document.activeElement);
      const shown = element.matches("input[type=radio]") ? (element.nextElementSibling ?? element) : element;
      const box = element.getBoundingClientRect();
      const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      const style = getComputedStyle(shown);
      return {
        name: element.id || element.getAttribute("data-testid") || element.getAttribute("name") || element.getAttribute("href") || element.tagName,
        why: `${style.outlineStyle}, under ${top?.outerHTML.slice(0, 80)}`,
        visible: style.outlineStyle !== "none" && (top === null || element.contains(top) || shown.contains(top) || top.contains(element)),
      };
    });
    assert.ok(visible, `${name} shows its focus and is not covered: ${why}`);
    if (name === wanted) return;
  }
  throw new Error(`Tab does not lead to ${wanted}`);
}

await scene("focus", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana", money: 1_000 });
  const { page } = await stage.person("ana");
  await open(page, "/");

  // The first stop skips the head.
  await tabTo(page, "#main");
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "main");
  await tabTo(page, "practise-mu_torere");

  // The menu opens, closes on Escape with the focus where it was, and closes when the focus leaves it.
  await open(page, "/rules");
  await tabTo(page, "menu-button");
  await page.keyboard.press("Enter");
  await eventually("the menu is open", async () => (await page.locator("#menu-button").getAttribute("aria-expanded")) === "true");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await eventually("the menu is closed", async () => (await page.locator("#menu-button").getAttribute("aria-expanded")) === "false");
  assert.equal(await focused(page), "menu-button");

  // A view that is gone to is where reading goes on.
  await open(page, "/");
  await tabTo(page, "/sign-in");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/sign-in");
  await eventually("the heading has the focus", async () => (await focused(page)) === "H1");
  await tabTo(page, "email");
  await page.keyboard.type(ana.email);
  await tabTo(page, "password");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/lobby");
  await eventually("the heading has the focus", async () => (await focused(page)) === "H1");

  // A seek posted, withdrawn by its button, without a mouse.
  await tabTo(page, "stake");
  await page.keyboard.press("Enter");
  await expectCount(page.locator(".seek[data-own]"), 1);
  await open(page, "/lobby");
  await page.locator(".seek[data-own]").getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expectCount(page.locator(".seek"), 0);

  // Choices are one stop each and change by arrows.
  await open(page, "/settings");
  await tabTo(page, "theme");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.reload();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark", "kept over a reload");
});
