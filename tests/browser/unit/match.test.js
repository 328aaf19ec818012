// @ts-check
// What the page knows of a game follows from the service's words and from nothing else.
import assert from "node:assert/strict";
import test from "node:test";
import { GameModel } from "../../../server/web/js/match.js";

const AT = Date.parse("2026-11-30T12:00:00.000Z");

/** @returns {any} */
const snapshot = (changes = {}) => ({
  id: "m",
  game: "oware",
  options: { grand_slam: "no_capture" },
  status: "live",
  stake: 500,
  payout: 900,
  fee: 100,
  players: { first: { id: "1", display_name: "Ana" }, second: { id: "2", display_name: "Bia" } },
  position: "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S",
  ply: 0,
  seq: 0,
  to_move: "first",
  legal: ["A", "B", "C", "D", "E", "F"],
  occurrences: 1,
  quiet: 0,
  clocks: { first_ms: 600_000, second_ms: 600_000, running: "first", at: "2026-11-30T12:00:00.000Z" },
  draw_offer: null,
  outcome: null,
  moves: [],
  ...changes,
});

/** @returns {any} */
const moved = (changes = {}) => ({
  type: "moved",
  match: "m",
  seq: 1,
  ply: 1,
  by: "first",
  move: "C",
  position: "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N",
  to_move: "second",
  legal: ["a", "b", "c", "d", "e", "f"],
  occurrences: 1,
  quiet: 1,
  clocks: { first_ms: 597_000, second_ms: 600_000, running: "second", at: "2026-11-30T12:00:03.000Z" },
  sown: ["D", "E", "F", "a"],
  captured: [],
  ...changes,
});

test("a clock counts on by the service's time, on its owner's turn only", () => {
  const model = new GameModel(snapshot(), "first");
  assert.equal(model.left("first", AT + 2_500), 597_500);
  assert.equal(model.left("second", AT + 2_500), 600_000);
  assert.equal(model.left("first", AT - 40), 600_000, "an answer that seems to come from the future adds nothing");
});

test("at zero a clock stands and nobody has lost before the service says so", () => {
  const model = new GameModel(snapshot(), "first");
  assert.equal(model.left("first", AT + 700_000), 0);
  assert.equal(model.over, false);
  model.apply({
    type: "ended",
    match: "m",
    seq: 1,
    outcome: { winner: "second", ending: "timeout", first: 0, second: 0 },
    payout: 900,
    fee: 100,
    clocks: { first_ms: 0, second_ms: 600_000, running: null, at: "2026-11-30T12:10:00.000Z" },
  });
  assert.equal(model.over, true);
  assert.deepEqual(model.state.legal, []);
});

test("while the service pauses both clocks stand, and go on from what it says", () => {
  const model = new GameModel(snapshot(), "first");
  const clocks = { first_ms: 590_000, second_ms: 600_000, running: null, at: "2026-11-30T12:00:10.000Z" };
  model.notice({ type: "paused", match: "m", clocks });
  assert.equal(model.left("first", AT + 60_000), 590_000);
  assert.equal(model.runs("first"), false);
  const resumed = { ...clocks, running: /** @type {const} */ ("first"), at: "2026-11-30T12:01:00.000Z" };
  model.notice({ type: "resumed", match: "m", clocks: resumed });
  assert.equal(model.left("first", AT + 61_000), 589_000);
});

test("a move is pending until the service tells of it, and no longer", () => {
  const model = new GameModel(snapshot(), "first");
  assert.deepEqual(model.begin("C"), { ply: 1, move: "C" });
  assert.equal(model.state.position, snapshot().position, "nothing is played before it is told");
  model.apply(moved());
  assert.equal(model.pending, null);
  assert.equal(model.mine, false);
  assert.deepEqual(model.lastAt(1)?.sown, ["D", "E", "F", "a"]);
});

test("after a gap a snapshot decides: a recorded move is no longer pending, an unrecorded one still is", () => {
  const model = new GameModel(snapshot(), "first");
  model.begin("C");
  model.replace(snapshot({ seq: 1 }));
  assert.deepEqual(model.pending, { ply: 1, move: "C" });
  model.replace(snapshot({ ply: 1, seq: 2, moves: ["C"], to_move: "second", legal: ["a"], position: "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N" }));
  assert.equal(model.pending, null);
});

test("an offer stays through the offerer's own move and is declined by the rival's", () => {
  const model = new GameModel(snapshot(), "second");
  model.apply({ type: "draw_offered", match: "m", seq: 1, by: "first" });
  assert.deepEqual(model.offer, { by: "first", offer: 1 });
  model.apply(moved({ seq: 2 }));
  assert.deepEqual(model.offer, { by: "first", offer: 1 });
  model.apply(moved({ seq: 3, ply: 2, by: "second", move: "a" }));
  assert.equal(model.offer, null);
});

test("what is known of earlier plies stays where a new state has the same moves, and goes where it has others", () => {
  const model = new GameModel(snapshot(), "first");
  model.apply(moved());
  model.replace(snapshot({ ply: 2, moves: ["C", "a"] }));
  assert.equal(model.positionAt(1), moved().position);
  assert.equal(model.lastAt(2), undefined);
  model.replace(snapshot({ ply: 1, moves: ["D"], position: "4,4,4,0,5,5/5,5,4,4,4,4 0-0 N" }));
  assert.equal(model.lastAt(1), undefined, "another move was played there");
  model.replace(snapshot());
  assert.equal(model.plies.length, 0);
});

test("who made a ply is told by what is known of it, also where a side moves twice in a row", () => {
  const model = new GameModel(snapshot(), "first");
  model.apply(moved({ to_move: "first", position: "4,4,0,5,5,5/5,4,4,4,4,4 0-0 S" }));
  model.apply(moved({ seq: 2, ply: 2, by: "first", move: "D", position: "4,4,0,0,6,6/6,5,5,4,4,4 0-0 N" }));
  assert.equal(model.moverOf(1), "first");
  assert.equal(model.moverOf(2), "first");
});

test("a rematch is proposed, turned down, proposed again and begun", () => {
  const model = new GameModel(snapshot({ status: "ended", to_move: null, legal: [] }), "first");
  model.apply({ type: "rematch_proposed", match: "m", seq: 5, by: "second" });
  assert.deepEqual(model.rematch, { state: "proposed", by: "second", until: null });
  model.apply({ type: "rematch_declined", match: "m", seq: 6 });
  assert.deepEqual(model.rematch, { state: "declined" });
  model.apply({ type: "rematch_started", match: "m", seq: 8, next_match: "n" });
  assert.equal(model.nextMatch, "n");
});

test("a proposal that a later state does not have any more has run out", () => {
  const over = { status: "ended", to_move: null, legal: [] };
  const model = new GameModel(snapshot(over), "first");
  model.replace(snapshot({ ...over, rematch: { by: "second", expires_at: "2026-11-30T12:01:00.000Z" } }));
  assert.deepEqual(model.rematch, { state: "proposed", by: "second", until: AT + 60_000 });
  model.replace(snapshot({ ...over, rematch: null }));
  assert.deepEqual(model.rematch, { state: "expired" });
  model.replace(snapshot({ ...over, next_match: "n" }));
  assert.equal(model.nextMatch, "n");
});
