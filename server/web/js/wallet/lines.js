// @ts-check
/** What a player's own lines of the ledger come to. Values in, values out. */

import { csv } from "../csv.js";

/** @typedef {import("../types.d.ts").OwnTransfer} OwnTransfer */
/** @typedef {{ period: string, from: string, to: string, kind: string }} Filter */

const DAY_MS = 24 * 3_600_000;

/** @type {Filter} */
export const NO_FILTER = { period: "30", from: "", to: "", kind: "" };

/** The days to choose from; then everything, and two dates of one's own. */
export const PERIODS = ["7", "30", "365", "all", "dates"];

/**
 * The instants that a filter is about, in milliseconds: from the first on, before the second.
 * @param {Filter} filter
 * @param {number} now
 * @returns {[number, number]}
 */
export function range({ period, from, to }, now) {
  if (period === "all") return [-Infinity, Infinity];
  if (period !== "dates") return [now - Number(period) * DAY_MS, Infinity];
  const first = midnight(from);
  const last = midnight(to);
  return [first ?? -Infinity, last === null ? Infinity : addDay(last)];
}

/** The beginning of a day here, as a date field gives it. @param {string} day */
function midnight(day) {
  const instant = new Date(`${day}T00:00`).getTime();
  return Number.isNaN(instant) ? null : instant;
}

/** The beginning of the day after, also where the clocks change. @param {number} instant */
function addDay(instant) {
  const day = new Date(instant);
  day.setDate(day.getDate() + 1);
  return day.getTime();
}

/**
 * @param {readonly OwnTransfer[]} lines
 * @param {Filter} filter
 * @param {number} now
 */
export function chosen(lines, filter, now) {
  const [from, before] = range(filter, now);
  return lines.filter((line) => {
    const at = Date.parse(line.created_at);
    return at >= from && at < before && (filter.kind === "" || line.kind === filter.kind);
  });
}

/** What belongs to play; what is left over is money that came from outside or went there. */
const PLAY = ["stake", "payout", "refund"];

/**
 * Sums by kind, in the order in which kinds first come, and what play has come to.
 * @param {readonly OwnTransfer[]} lines
 */
export function totals(lines) {
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (const { kind, amount } of lines) kinds.set(kind, (kinds.get(kind) ?? 0) + amount);
  const sum = lines.reduce((total, { amount }) => total + amount, 0);
  const play = lines.filter(({ kind }) => PLAY.includes(kind)).reduce((total, { amount }) => total + amount, 0);
  return { kinds: [...kinds], sum, play };
}

/** Cents as other programs read them. @param {number} cents */
export const decimal = (cents) => (cents / 100).toFixed(2);

/** @param {readonly OwnTransfer[]} lines @param {string} currency */
export const linesCsv = (lines, currency) =>
  csv(
    ["created_at", "kind", "amount", "balance_after", "currency", "match_id", "id"],
    lines.map((line) => [
      line.created_at,
      line.kind,
      decimal(line.amount),
      decimal(line.balance_after),
      currency,
      line.match_id,
      line.id,
    ]),
  );
