// @ts-check
// Signing in and finding one's way, as people do and without the long way round.
import { readFileSync } from "node:fs";

/** @typedef {import("./scene.js").Person} Person */
/** @typedef {import("./api.js").Account} Account */

/**
 * Puts a session into a browser, as signing in there would have.
 * @param {Person} person
 * @param {Account} account
 */
export async function beSignedIn({ page }, account) {
  await page.goto("/settings");
  const session = { access: account.access, refresh: account.refresh, expires_at: Date.now() + 800_000, player: account.id };
  await page.evaluate((text) => localStorage.setItem("stakeboard.session", text), JSON.stringify(session));
}

const locales = new URL("../../../server/web/locales/", import.meta.url);

/**
 * The words of the page in a language, by key, as a script looks for them.
 * @param {"pt-BR" | "en"} language
 */
export function words(language) {
  /** @type {Record<string, string>} */
  const texts = JSON.parse(readFileSync(new URL(`${language}.json`, locales), "utf8"));
  /** @param {string} key @param {Record<string, string | number>} [values] */
  return (key, values = {}) => {
    const text = texts[key];
    if (text === undefined) throw new Error(`${language} has no text ${key}`);
    return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
  };
}

/** Amounts as the page writes them. @param {"pt-BR" | "en"} language @param {string} currency */
export const moneyWriter = (language, currency) => {
  const format = new Intl.NumberFormat(language, { style: "currency", currency });
  return (/** @type {number} */ cents) => format.format(cents / 100).replaceAll("\u00a0", " ");
};
