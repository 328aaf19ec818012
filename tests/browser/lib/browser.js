// @ts-check
// One Chromium for a script, and pages in it that nothing may go wrong in.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** How long anything that should happen at once may take on a busy machine, in milliseconds. */
export const PATIENCE = 20_000;

/** How long nothing has to be asked before a page counts as at rest, in milliseconds. */
const QUIET = 120;

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 640 };

/** Switches that keep Chromium from asking anything of the outside. */
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** @returns {Promise<import('playwright-core').Browser>} */
export function launch() {
  const executablePath = process.env.STAKEBOARD_CHROMIUM ?? "/usr/bin/chromium";
  return chromium.launch({ executablePath, args: SWITCHES, headless: true });
}

/**
 * What is wrong with a message of the console, or null. The browser itself writes one for each refused request and
 * each one that failed; those are wrong only where the script did not announce them.
 * @param {import('playwright-core').ConsoleMessage} message
 * @param {Watch} watch
 */
function complaint(message, watch) {
  if (message.type() !== "error" && message.type() !== "warning") return null;
  const text = message.text();
  const status = /the server responded with a status of (\d+)/.exec(text)?.[1];
  if (status !== undefined && watch.expected.has(Number(status))) return null;
  if (watch.lineMayFail && /net::ERR_|WebSocket connection to/.test(text)) return null;
  return `console ${message.type()}: ${text} (${message.location().url})`;
}

/** What a page did that it should not have. */
export class Watch {
  constructor() {
    /** @type {string[]} */
    this.complaints = [];
    /** Statuses of refusals that the script provokes. @type {Set<number>} */
    this.expected = new Set();
    /** While the script cuts the line, failed requests are what it wants. */
    this.lineMayFail = false;
    /** Requests without an answer yet. */
    this.open = 0;
    this.lastAnswer = 0;
  }

  /** Whether nothing is asked, and has not been for a moment. */
  isQuiet() {
    return this.open === 0 && Date.now() - this.lastAnswer > QUIET;
  }

  /**
   * @param {import('playwright-core').Page} page
   * @param {string} origin
   */
  follow(page, origin) {
    page.on("console", (message) => {
      const found = complaint(message, this);
      if (found !== null) this.complaints.push(found);
    });
    page.on("pageerror", (error) => this.complaints.push(`uncaught: ${error.stack ?? error.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.origin !== origin && url.protocol !== "data:" && url.protocol !== "blob:") {
        this.complaints.push(`a request to the outside: ${request.url()}`);
      }
      if (/token|password/i.test(url.search)) this.complaints.push(`a secret in an address: ${request.url()}`);
    });
    page.on("request", () => (this.open += 1));
    for (const ended of /** @type {const} */ (["requestfinished", "requestfailed"])) {
      page.on(/** @type {"requestfinished"} */ (ended), () => {
        this.open -= 1;
        this.lastAnswer = Date.now();
      });
    }
    page.on("response", (response) => {
      if (response.status() >= 500 && !this.expected.has(response.status()) && !this.lineMayFail) {
        this.complaints.push(`${response.status()} ${response.request().method()} ${response.url()}`);
      }
    });
  }
}

/** Where pictures go that are only to be looked at. */
export const pictureFolder = () => process.env.STAKEBOARD_PICTURES ?? join(tmpdir(), "stakeboard-browser");

/**
 * Where the picture of a failure goes.
 * @param {string} name
 */
export function pictureOfFailure(name) {
  mkdirSync(pictureFolder(), { recursive: true });
  return join(pictureFolder(), `${name.replace(/[^\w-]+/g, "-")}.png`);
}
