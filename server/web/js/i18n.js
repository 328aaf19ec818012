// @ts-check
/** Texts, numbers, money and times in the language of the person. */

import { settings } from "./settings.js";
import { state } from "./store.js";

/** @typedef {import("./types.d.ts").Locale} Locale */
/** @typedef {Record<string, string | number>} Values */

/** @type {readonly Locale[]} */
export const LOCALES = ["pt-BR", "en"];

/** @type {Record<string, string>} */
let texts = {};
/** @type {Locale} */
let current = "pt-BR";

/** @returns {Locale} */
export const locale = () => current;

/** The language chosen, else the one the server found to be liked best. @returns {Locale} */
function wanted() {
  const chosen = settings().language;
  if (chosen !== "auto") return chosen;
  const offered = document.documentElement.dataset.language;
  return offered === "en" ? "en" : "pt-BR";
}

/** Loads the texts of the language that is wanted, where they are not loaded yet. */
export async function loadTexts() {
  const next = wanted();
  if (next === current && Object.keys(texts).length > 0) return;
  const answer = await fetch(new URL(`../locales/${next}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`the texts of ${next} could not be loaded`);
  texts = await answer.json();
  current = next;
  document.documentElement.lang = next;
  formats.clear();
}

/**
 * A text, with `{names}` filled in. With a `count`, `key.one` or `key.other` after the language's own rule.
 * @param {string} key
 * @param {Values} [values]
 * @returns {string}
 */
export function t(key, values = {}) {
  let text = texts[key];
  if (text === undefined && "count" in values) {
    const form = format("plural", () => new Intl.PluralRules(current)).select(Number(values.count));
    text = texts[`${key}.${form}`] ?? texts[`${key}.other`];
  }
  if (text === undefined) {
    console.warn(`no text for ${key}`);
    return "";
  }
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

/** Whether there is a text for something the service may have added since. @param {string} key */
export const hasText = (key) => key in texts;

/** @type {Map<string, unknown>} */
const formats = new Map();

/**
 * Makers of formats are slow: each is kept until the language changes.
 * @template T
 * @param {string} name
 * @param {() => T} make
 * @returns {T}
 */
function format(name, make) {
  if (!formats.has(name)) formats.set(name, make());
  return /** @type {T} */ (formats.get(name));
}

/**
 * An amount in the currency of the house.
 * @param {number} cents
 * @param {{ sign?: boolean }} [options] `sign` also shows a plus
 */
export function money(cents, { sign = false } = {}) {
  const currency = state.config?.currency ?? "BRL";
  const made = format(`money ${currency} ${sign}`, () => {
    const signDisplay = sign ? "exceptZero" : "auto";
    return new Intl.NumberFormat(current, { style: "currency", currency, signDisplay });
  });
  return made.format(cents / 100);
}

/** How an amount is typed, without the sign of the currency. @param {number} cents */
export function plainMoney(cents) {
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return format("plain money", () => new Intl.NumberFormat(current, options)).format(cents / 100);
}

/**
 * Reads an amount as a person types it: `5`, `5,00`, `5.00`, and thousands as the language groups them.
 * @param {string} text
 * @param {Locale} [language]
 * @returns {number | null} cents; null where it is no amount, or could be meant as another one
 */
export function readMoney(text, language = current) {
  const typed = text.replace(/[\s\u00a0]|R\$|\$|€/g, "");
  const grouped = language === "en" ? /^(\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/ : /^(\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?$/;
  const parts = /^(\d+)(?:[.,](\d{1,2}))?$/.exec(typed) ?? grouped.exec(typed);
  if (!parts) return null;
  const whole = parts[1].replace(/[.,]/g, "");
  return whole.length > 12 ? null : Number(whole) * 100 + Number((parts[2] ?? "").padEnd(2, "0"));
}

/** @param {number} value */
export const number = (value) => format("number", () => new Intl.NumberFormat(current)).format(value);

/** Day and time. @param {string | number} when */
export const dateTime = (when) =>
  format(
    "date and time",
    () => new Intl.DateTimeFormat(current, { dateStyle: "medium", timeStyle: "short" }),
  ).format(new Date(when));

/** A day. @param {string | number} when */
export const date = (when) =>
  format("date", () => new Intl.DateTimeFormat(current, { dateStyle: "medium" })).format(new Date(when));

/** The time of day. @param {string | number} when */
export const time = (when) =>
  format("time", () => new Intl.DateTimeFormat(current, { timeStyle: "short" })).format(new Date(when));

/**
 * A clock as it is shown: `9:59`, and `0:08.4` in the last ten seconds.
 * @param {number} ms
 */
export function clock(ms) {
  const left = Math.max(0, ms);
  if (left < 10_000) {
    const tenths = Math.floor(left / 100);
    return `0:0${Math.floor(tenths / 10)}${current === "en" ? "." : ","}${tenths % 10}`;
  }
  const seconds = Math.floor(left / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** A length of time as it is spoken: `9 minutes 5 seconds`. @param {number} ms */
export function duration(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const parts = [];
  if (hours > 0) parts.push(t("time.hours", { count: hours }));
  if (minutes > 0) parts.push(t("time.minutes", { count: minutes }));
  if (hours === 0 && (rest > 0 || parts.length === 0)) parts.push(t("time.seconds", { count: rest }));
  return parts.join(" ");
}

/** A length of time as it is glanced at: `0:24` hours and minutes. @param {number} ms */
export function hoursMinutes(ms) {
  const minutes = Math.floor(ms / 60_000);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}
