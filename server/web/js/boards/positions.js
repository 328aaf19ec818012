// @ts-check
/** Position and move texts as the service writes them, taken apart for drawing. */

/** @typedef {"first" | "second"} Seat */

/** Houses in the order of sowing. */
export const HOUSES = ["A", "B", "C", "D", "E", "F", "a", "b", "c", "d", "e", "f"];

/** Points of the morris board in the order of a position text: from top to bottom, left to right. */
export const POINTS = (
  "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1"
).split(" ");

/** Points of Mū tōrere in the order of a position text. */
export const KAWAI = ["1", "2", "3", "4", "5", "6", "7", "8", "c"];

/** @param {Seat} seat @returns {Seat} */
export function rivalOf(seat) {
  return seat === "first" ? "second" : "first";
}

/**
 * @param {string} text
 * @returns {{ houses: Map<string, number>, stores: Record<Seat, number>, toMove: Seat }}
 */
export function oware(text) {
  const [rows = "", captured = "", side = ""] = text.split(" ");
  const seeds = rows.split(/[,/]/).map(Number);
  const [first = 0, second = 0] = captured.split("-").map(Number);
  return {
    houses: new Map(HOUSES.map((house, index) => [house, seeds[index] ?? 0])),
    stores: { first, second },
    toMove: side === "N" ? "second" : "first",
  };
}

/** Whose house it is. @param {string} house @returns {Seat} */
export function ownerOf(house) {
  return house < "a" ? "first" : "second";
}

/**
 * @param {string} text
 * @returns {{ pieces: Map<string, Seat>, hand: Record<Seat, number>, toMove: Seat }}
 */
export function morris(text) {
  const [points = "", side = "", first = "0", second = "0"] = text.split(" ");
  return {
    pieces: pieces(points, POINTS, "W", "B"),
    hand: { first: Number(first), second: Number(second) },
    toMove: side === "b" ? "second" : "first",
  };
}

/** @param {string} text @returns {{ pieces: Map<string, Seat>, empty: string, toMove: Seat }} */
export function muTorere(text) {
  const [points = "", side = ""] = text.split(" ");
  return {
    pieces: pieces(points, KAWAI, "x", "o"),
    empty: KAWAI[points.indexOf(".")] ?? "c",
    toMove: side === "o" ? "second" : "first",
  };
}

/**
 * @param {string} text @param {string[]} names @param {string} first @param {string} second
 * @returns {Map<string, Seat>}
 */
function pieces(text, names, first, second) {
  /** @type {Map<string, Seat>} */
  const found = new Map();
  names.forEach((name, index) => {
    if (text[index] === first) found.set(name, "first");
    if (text[index] === second) found.set(name, "second");
  });
  return found;
}

/** Who is to move by a position of any game. @param {string} game @param {string} text @returns {Seat} */
export function moverIn(game, text) {
  if (game === "oware") return oware(text).toMove;
  return game === "morris" ? morris(text).toMove : muTorere(text).toMove;
}

/**
 * A move taken apart: where it comes from (nowhere for a placing or a sowing), where it goes, what it takes.
 * @param {string} text @returns {{ from: string | null, to: string, takes: string[] }}
 */
export function moveParts(text) {
  const [way = "", ...takes] = text.split("x");
  const [one = "", other] = way.split("-");
  return other === undefined ? { from: null, to: one, takes } : { from: one, to: other, takes };
}
