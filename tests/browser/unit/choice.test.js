// @ts-check
// Touches lead to legal moves, one move each, and to nothing else.
import assert from "node:assert/strict";
import test from "node:test";
import { Choice } from "../../../server/web/js/boards/choice.js";
import { morris, moveParts, moverIn, muTorere, oware } from "../../../server/web/js/boards/positions.js";

/** @param {string[]} moves */
function morrisChoice(moves, confirms = false) {
  const choice = new Choice();
  const candidates = moves.map((text) => {
    const { from, to, takes } = moveParts(text);
    return { text, steps: [...(from === null ? [] : [from]), to, ...takes], target: takes.at(-1) ?? to };
  });
  choice.offer(candidates, confirms);
  return choice;
}

test("a house is one touch", () => {
  const choice = new Choice();
  choice.offer([{ text: "A", steps: ["A"], target: "A" }], false);
  assert.deepEqual(choice.touch("A"), { kind: "send", move: "A" });
  assert.deepEqual(choice.touch("B"), { kind: "refused", path: [], place: "B" });
});

test("source, target and the piece taken are three touches, and what can follow is shown after each", () => {
  const choice = morrisChoice(["a1-a4xb2", "a1-a4xb4", "a1-d1", "g1-g4"]);
  assert.deepEqual([...choice.next()], ["a1", "g1"]);
  assert.equal(choice.touch("a1").kind, "changed");
  assert.deepEqual([...choice.next()], ["a4", "d1"]);
  assert.equal(choice.touch("a4").kind, "changed");
  assert.deepEqual([...choice.next()], ["b2", "b4"]);
  assert.deepEqual(choice.touch("b4"), { kind: "send", move: "a1-a4xb4" });
  assert.deepEqual(choice.path, [], "and it begins anew");
});

test("Escape steps back once at a time and then has nothing to step back from", () => {
  const choice = morrisChoice(["a1-a4xb2"]);
  choice.touch("a1");
  choice.touch("a4");
  assert.equal(choice.back(), true);
  assert.deepEqual(choice.path, ["a1"]);
  assert.equal(choice.back(), true);
  assert.equal(choice.back(), false);
});

test("another piece of one's own is a new beginning, the same one lets go", () => {
  const choice = morrisChoice(["a1-a4", "g1-g4"]);
  choice.touch("a1");
  choice.touch("g1");
  assert.deepEqual(choice.path, ["g1"]);
  choice.touch("g1");
  assert.deepEqual(choice.path, []);
});

test("a place that leads nowhere is told with the way so far, and the way stays", () => {
  const choice = morrisChoice(["a1-a4xb2"]);
  choice.touch("a1");
  choice.touch("a4");
  assert.deepEqual(choice.touch("g7"), { kind: "refused", path: ["a1", "a4"], place: "g7" });
  assert.deepEqual(choice.path, ["a1", "a4"]);
});

test("two removals are two touches in either order", () => {
  const choice = morrisChoice(["d2xa1xg7", "d2xg7xa1"]);
  choice.touch("d2");
  choice.touch("g7");
  assert.deepEqual(choice.touch("a1"), { kind: "send", move: "d2xg7xa1" });
});

test("where moves are confirmed, nothing is sent before a second touch, and elsewhere takes it back", () => {
  const choice = morrisChoice(["a1-a4", "g1-g4"], true);
  choice.touch("a1");
  assert.equal(choice.touch("a4").kind, "changed");
  assert.equal(choice.proposed, "a1-a4");
  assert.deepEqual(choice.touch("a4"), { kind: "send", move: "a1-a4" });
  choice.touch("a1");
  choice.touch("a4");
  choice.touch("g1");
  assert.equal(choice.proposed, null);
  assert.deepEqual(choice.path, ["g1"]);
});

test("one touch moves in Mū tōrere; where it is confirmed the empty point will do as well", () => {
  const choice = new Choice();
  choice.offer([{ text: "4-c", steps: ["4"], target: "c" }], true);
  choice.touch("4");
  assert.equal(choice.proposed, "4-c");
  assert.deepEqual(choice.touch("c"), { kind: "send", move: "4-c" });
});

test("a choice in the making stays only as far as it still leads somewhere", () => {
  const choice = morrisChoice(["a1-a4xb2"], true);
  choice.touch("a1");
  choice.touch("a4");
  choice.touch("b2");
  assert.equal(choice.proposed, "a1-a4xb2");
  choice.offer([{ text: "a1-d1", steps: ["a1", "d1"], target: "d1" }], true);
  assert.equal(choice.proposed, null);
  assert.deepEqual(choice.path, ["a1"]);
  choice.offer([], true);
  assert.deepEqual(choice.path, []);
});

test("positions are read as the service writes them", () => {
  const seeds = oware("4,0,1,2,3,12/5,4,4,4,4,4 1-0 N");
  assert.equal(seeds.houses.get("F"), 12);
  assert.equal(seeds.houses.get("a"), 5);
  assert.deepEqual(seeds.stores, { first: 1, second: 0 });
  assert.equal(seeds.toMove, "second");
  const board = morris("W......................B b 8 8");
  assert.equal(board.pieces.get("a7"), "first");
  assert.equal(board.pieces.get("g1"), "second");
  assert.deepEqual(board.hand, { first: 8, second: 8 });
  const star = muTorere("xxx.oooox x");
  assert.equal(star.empty, "4");
  assert.equal(star.pieces.get("c"), "first");
  assert.equal(moverIn("mu_torere", "xxxxoooo. o"), "second");
});

test("while a piece to be taken is asked for, a free point is no other move", () => {
  const choice = morrisChoice(["a7xb2", "a7xb4", "d1"]);
  choice.touch("a7");
  assert.deepEqual(choice.touch("d1"), { kind: "refused", path: ["a7"], place: "d1" });
  assert.deepEqual(choice.path, ["a7"]);
});
