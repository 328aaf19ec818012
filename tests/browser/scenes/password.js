// @ts-check
// A player changes the password; later it is lost, an administrator gives one for a single sign-in, and the player chooses
// another with it.
import assert from "node:assert/strict";
import { expectFocus, expectText } from "../lib/expect.js";
import { beSignedIn, words } from "../lib/people.js";
import { scene } from "../lib/scene.js";
import { staff } from "../lib/world.js";

const w = words("en");
const p = words("pt-BR");
const OLD = "seven seeds in a row";
const NEW = "nine stones on a line";
const NEWEST = "eight paths to a centre";

await scene("password", async (stage) => {
  const ana = await stage.api.register({ stem: "Ana" });
  const person = await stage.person("ana");
  const { page, watch } = person;
  watch.expected = new Set([401, 422]);
  await beSignedIn(person, ana);
  await page.goto("/settings");

  /** @param {string} present @param {string} next */
  const change = async (present, next) => {
    await page.fill("#password-password", present);
    await page.fill("#password-new_password", next);
    await page.getByTestId("change-password").click();
  };
  await page.getByTestId("change-password").click();
  await expectText(page.locator("#password-password-wrong"), w("sign_in.missing"));
  await change("not the password", NEW);
  await expectText(page.locator("#password-password-wrong"), w("code.bad_credentials"));
  await expectFocus(page, "#password-password");
  await change(OLD, "short");
  await expectText(page.locator("#password-new_password-wrong"), "10");
  await change(OLD, NEW);
  await expectText(page.getByTestId("password-changed"), w("password.changed"));
  assert.equal(await page.inputValue("#password-new_password"), "");

  // Lost: an administrator gives one, which is shown once.
  const boss = await stage.person("boss");
  await beSignedIn(boss, await staff(stage.api, "admin"));
  await boss.page.goto(`/admin/players/${ana.id}`);
  await boss.page.getByRole("button", { name: w("act.password") }).click();
  await boss.page.fill("#dialog-words", "Seen in person, with her papers");
  await boss.page.getByRole("dialog").getByRole("button", { name: w("act.password") }).click();
  const given = (await boss.page.getByTestId("given-password").textContent()) ?? "";
  assert.match(given, /^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/);

  // Her session is over. She signs in with it, in her language, and has to choose another.
  const again = await stage.person("ana-again", { language: "pt-BR" });
  again.watch.expected = new Set([401, 422]);
  await again.page.goto("/sign-in");
  await again.page.fill("#email", ana.email);
  await again.page.fill("#password", given);
  await again.page.getByTestId("submit").click();
  await again.page.locator("#new_password").waitFor();
  await expectText(again.page.locator(".notice"), p("code.new_password_needed"));
  await again.page.fill("#new_password", "curta");
  await again.page.getByTestId("submit").click();
  await expectText(again.page.locator("#new_password-wrong"), "10");
  await again.page.fill("#new_password", NEWEST);
  await again.page.getByTestId("submit").click();
  await again.page.waitForURL("**/lobby");
  await again.page.goto("/settings");
  await expectText(again.page.locator("#password-title"), p("password.title"));
});
