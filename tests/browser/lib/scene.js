// @ts-check
// What every script is: people with a browser each, in front of one server. Anything that goes wrong on any of their
// pages fails it.
import { createInterface } from "node:readline";
import { Api } from "./api.js";
import { DESKTOP, PATIENCE, Watch, launch, pictureOfFailure } from "./browser.js";

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {{ page: Page, context: import('playwright-core').BrowserContext, watch: Watch, label: string, origin: string }} Person */
/** @typedef {{ language?: 'pt-BR' | 'en', viewport?: { width: number, height: number }, dark?: boolean, touch?: boolean, origin?: string, calm?: boolean }} Wishes */

export class Stage {
  /** @type {Person[]} */
  people = [];
  #answers = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

  /**
   * @param {import('playwright-core').Browser} browser
   * @param {string} origin
   */
  constructor(browser, origin) {
    this.browser = browser;
    this.origin = origin;
    this.api = new Api(origin);
  }

  /**
   * Somebody with a browser of their own.
   * @param {string} label
   * @param {Wishes} [wishes]
   * @returns {Promise<Person>}
   */
  async person(label, wishes = {}) {
    const { language = "en", viewport = DESKTOP, dark = false, touch = false, calm = true } = wishes;
    const origin = wishes.origin ?? this.origin;
    const context = await this.browser.newContext({
      baseURL: origin,
      locale: language,
      viewport,
      hasTouch: touch,
      isMobile: touch,
      colorScheme: dark ? "dark" : "light",
      reducedMotion: calm ? "reduce" : "no-preference",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    context.setDefaultTimeout(PATIENCE);
    const watch = new Watch();
    context.on("page", (page) => watch.follow(page, origin));
    const page = await context.newPage();
    const person = { page, context, watch, label, origin };
    this.people.push(person);
    return person;
  }

  /**
   * Asks whoever started this script to do something with the server, and waits until it is done.
   * @param {'kill' | 'start' | 'hold' | 'release'} what
   */
  async server(what) {
    process.stdout.write(`@server ${what}\n`);
    const answer = await this.#answers.next();
    if (answer.value !== "done") throw new Error(`the server: ${what}: ${answer.value}`);
  }

  /** What went wrong on any page so far. */
  complaints() {
    return this.people.flatMap(({ label, watch }) => watch.complaints.map((text) => `${label}: ${text}`));
  }

  /** @param {string} name */
  async pictures(name) {
    for (const { page, label } of this.people) {
      const path = pictureOfFailure(`${name}-${label}`);
      await page.screenshot({ path }).catch(() => null);
      const heading = await page.locator("main").first().innerText({ timeout: 1000 }).catch(() => "");
      console.error(`${label} at ${page.url()} (picture in ${path}):\n${heading.slice(0, 1500)}\n`);
    }
  }
}

/**
 * Runs a script. The server's address is its environment's.
 * @param {string} name
 * @param {(stage: Stage) => Promise<void>} play
 */
export async function scene(name, play) {
  const origin = process.env.STAKEBOARD_URL;
  if (origin === undefined) throw new Error("STAKEBOARD_URL is the address of a server");
  const browser = await launch();
  const stage = new Stage(browser, origin);
  let failed = false;
  try {
    await play(stage);
  } catch (error) {
    failed = true;
    console.error(error instanceof Error ? error.stack : error);
  }
  for (const text of stage.complaints()) {
    failed = true;
    console.error(text);
  }
  if (failed) await stage.pictures(name);
  await browser.close();
  process.exit(failed ? 1 : 0);
}
