// @ts-check
/** The kinds of play that can be chosen: each is a game with one of its presets, under a name of its own. */

import { t } from "./i18n.js";

/** @typedef {import("./types.d.ts").GameName} GameName */
/** @typedef {import("./types.d.ts").Options} Options */
/** @typedef {{ key: string, game: GameName, preset: string, options: Options }} Kind */

/** @type {readonly Kind[]} */
export const KINDS = [
  { key: "oware", game: "oware", preset: "abapa", options: { grand_slam: "no_capture" } },
  { key: "wari", game: "oware", preset: "wari", options: { grand_slam: "forbidden" } },
  { key: "caribbean", game: "oware", preset: "caribbean", options: { grand_slam: "captures_all" } },
  { key: "morris", game: "morris", preset: "standard", options: { flying: true, double_mill_takes_two: false } },
  { key: "no_flying", game: "morris", preset: "no_flying", options: { flying: false, double_mill_takes_two: false } },
  { key: "double_mill", game: "morris", preset: "double_mill", options: { flying: true, double_mill_takes_two: true } },
  { key: "mu_torere", game: "mu_torere", preset: "standard", options: {} },
];

/** The four that the first page offers. */
export const MAIN_KINDS = ["mu_torere", "oware", "wari", "morris"];

/** @param {string} key */
export const kindByKey = (key) => KINDS.find((kind) => kind.key === key);

/**
 * The kind of a match, nothing for options that have no name.
 * @param {GameName} game
 * @param {Options} options
 */
export function kindOf(game, options) {
  const same = (/** @type {Kind} */ kind) =>
    Object.entries(kind.options).every(([name, value]) => options[name] === value);
  return KINDS.find((kind) => kind.game === game && same(kind));
}

/** What a match is called, such as `Wari`. @param {GameName} game @param {Options} options */
export function kindName(game, options) {
  const kind = kindOf(game, options);
  return t(`game.${kind?.key ?? game}`);
}

/** What its options mean, in a few words. @param {GameName} game @param {Options} options */
export function kindRule(game, options) {
  const kind = kindOf(game, options);
  if (kind) return t(`kind_rule.${kind.key}`);
  return t(options.flying ? "kind_rule.double_mill" : "kind_rule.no_flying_double");
}
