// @ts-check
/** What happens on a board, in words: for the move list, for who listens, and for who wants no animation. */
import { moveParts, morris, muTorere, oware, HOUSES } from "../boards/positions.js";
import { locale, t } from "../i18n.js";

/** @typedef {import("../types.d.ts").GameName} GameName */
/** @typedef {import("../types.d.ts").SeatName} SeatName */
/** @typedef {import("../types.d.ts").MadeMove} MadeMove */

/** @param {string[]} names */
export function list(names) {
  return new Intl.ListFormat(locale(), { type: "conjunction" }).format(names);
}

/** The customary name of a side: South and North, White and Black. @param {GameName} game @param {SeatName} seat */
export function side(game, seat) {
  return t(`side.${game}.${seat}`);
}

/** @param {string} point */
function place(point) {
  return point === "c" ? t("words.centre") : point;
}

/** A move as a sentence: "North sows c, 5 seeds, captures 5 in A and B". @param {GameName} game @param {MadeMove} ply */
export function describe(game, ply) {
  const who = side(game, ply.by);
  const { from, to } = moveParts(ply.move);
  const parts = [];
  if (game === "oware") {
    parts.push(t("words.sows", { side: who, house: ply.move, seeds: t("board.seeds", { count: ply.sown?.length ?? 0 }) }));
    const captured = ply.captured ?? [];
    if (captured.length > 0) {
      const count = captured.reduce((sum, it) => sum + it.seeds, 0);
      parts.push(t("words.captures", { count, houses: list(captured.map((it) => it.house)) }));
    }
  } else {
    if (from === null) parts.push(t("words.places", { side: who, to }));
    else parts.push(t("words.moves", { side: who, from: place(from), to: place(to) }));
    const mills = Math.floor((ply.mill?.length ?? 0) / 2);
    if (mills > 0) parts.push(t("words.closes", { count: mills }));
    const taken = ply.taken ?? [];
    if (taken.length > 0) parts.push(t("words.takes", { points: list(taken) }));
  }
  return `${parts.join(", ")}.`;
}

/** A whole board, read out. @param {GameName} game @param {string} position */
export function board(game, position) {
  if (game === "oware") {
    const { houses, stores } = oware(position);
    const row = (/** @type {string[]} */ names) => names.map((house) => `${house} ${houses.get(house) ?? 0}`).join(", ");
    return t("words.board.oware", {
      first: row(HOUSES.slice(0, 6)),
      second: row(HOUSES.slice(6)),
      first_store: stores.first,
      second_store: stores.second,
    });
  }
  const { pieces } = game === "morris" ? morris(position) : muTorere(position);
  const of = (/** @type {SeatName} */ seat) => {
    const points = [...pieces].filter(([, piece]) => piece === seat).map(([point]) => place(point));
    return points.length > 0 ? points.join(", ") : t("words.none");
  };
  const values = { first: of("first"), second: of("second") };
  if (game === "mu_torere") return t("words.board.mu_torere", { ...values, empty: place(muTorere(position).empty) });
  const { hand } = morris(position);
  return t("words.board.morris", { ...values, first_hand: hand.first, second_hand: hand.second });
}

/** A counter that can end the game, before it does; empty while it is far away. @param {import("../match.js").GameModel} model @param {Record<string, number>} constants */
export function warning(model, constants) {
  const { game, occurrences, quiet = 0, status } = model.state;
  if (status === "ended") return "";
  if (game !== "oware" && occurrences >= 2) return t("words.occurred_twice");
  const limit = game === "oware" ? constants.no_capture_limit : game === "morris" ? constants.no_mill_limit : undefined;
  if (limit === undefined || quiet < limit * 0.7) return "";
  return t(game === "oware" ? "words.quiet.oware" : "words.quiet.morris", { count: quiet, limit });
}

/** How a game ended, in one sentence. @param {GameName} game @param {import("../types.d.ts").Outcome} outcome @param {SeatName | null} own @param {Record<SeatName, string>} names */
export function result(game, outcome, own, names) {
  const { winner, ending, first, second } = outcome;
  const values = { why: t(`ending.${ending}`), winner: winner ? names[winner] : "" };
  let text = t("outcome.draw", values);
  if (ending === "void") text = t("outcome.void");
  else if (winner && own === null) text = t("outcome.won_by", values);
  else if (winner) text = t(winner === own ? "outcome.you_won" : "outcome.you_lost", values);
  if (game === "oware" && first !== undefined && first !== null) {
    text += ` ${t("outcome.totals", { first: side(game, "first"), first_seeds: first, second: side(game, "second"), second_seeds: second ?? 0 })}`;
  }
  return text;
}
