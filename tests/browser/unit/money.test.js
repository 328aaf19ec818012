// @ts-check
// What lines of the ledger come to, and the files that are made of them.
import assert from "node:assert/strict";
import test from "node:test";
import { runningBalances } from "../../../server/web/js/admin/running.js";
import { csv } from "../../../server/web/js/csv.js";
import { NO_FILTER, chosen, linesCsv, range, totals } from "../../../server/web/js/wallet/lines.js";

const NOW = Date.parse("2026-03-31T12:00:00Z");

/** @param {string} at @param {string} kind @param {number} amount @param {number} after */
const line = (at, kind, amount, after) => ({ id: at, kind, amount, balance_after: after, match_id: null, created_at: at });

const LINES = [
  line("2026-03-31T10:00:00.000Z", "payout", 900, 1_400),
  line("2026-03-31T09:00:00.000Z", "stake", -500, 500),
  line("2026-03-02T09:00:00.000Z", "deposit", 1_000, 1_000),
  line("2026-01-01T09:00:00.000Z", "withdrawal", 0, 0),
];

test("a period holds what happened since, and everything holds everything", () => {
  assert.equal(chosen(LINES, { ...NO_FILTER, period: "7" }, NOW).length, 2);
  assert.equal(chosen(LINES, { ...NO_FILTER, period: "30" }, NOW).length, 3);
  assert.equal(chosen(LINES, { ...NO_FILTER, period: "all" }, NOW).length, 4);
  assert.equal(chosen(LINES, { ...NO_FILTER, period: "all", kind: "stake" }, NOW).length, 1);
});

test("two dates are whole days here, the last one included; a missing one is no bound", () => {
  const [from, before] = range({ ...NO_FILTER, period: "dates", from: "2026-03-02", to: "2026-03-02" }, NOW);
  assert.equal(from, new Date("2026-03-02T00:00").getTime());
  assert.equal(before, new Date("2026-03-03T00:00").getTime());
  assert.deepEqual(range({ ...NO_FILTER, period: "dates" }, NOW), [-Infinity, Infinity]);
});

test("sums are by kind; the result of play is what stakes and payouts came to and no deposit", () => {
  const { kinds, sum, play } = totals(LINES.slice(0, 3));
  assert.deepEqual(kinds, [["payout", 900], ["stake", -500], ["deposit", 1_000]]);
  assert.equal(sum, 1_400);
  assert.equal(play, 400);
});

test("a file has amounts as decimals, and one line more than the list", () => {
  const rows = linesCsv(LINES, "BRL").split("\r\n");
  assert.equal(rows.length, 1 + LINES.length + 1, "a head, the lines, and an end");
  assert.equal(rows[2], "2026-03-31T09:00:00.000Z,stake,-5.00,5.00,BRL,,2026-03-31T09:00:00.000Z");
});

test("nothing that a spreadsheet would compute comes out of a text, and quotes stay quotes", () => {
  assert.equal(csv(["a"], [["=1+1"], ["+x"], ["-5.00"], ["@b"], ['say "no"'], ["a,b"], [null]]), 'a\r\n\'=1+1\r\n\'+x\r\n-5.00\r\n\'@b\r\n"say ""no"""\r\n"a,b"\r\n\r\n');
});

test("a balance runs back through the transfers of its account, whichever side it was on", () => {
  const side = (/** @type {string} */ account) => ({ account, kind: "player" });
  /** @param {string} id @param {number} amount @param {string} debit @param {string} credit */
  const transfer = (id, amount, debit, credit) => ({ id, kind: "stake", amount, debit: side(debit), credit: side(credit), reference: id, position: 1, created_at: "" });
  const after = runningBalances([transfer("c", 900, "escrow", "mine"), transfer("b", 500, "mine", "escrow"), transfer("a", 1_000, "external", "mine")], "mine", 1_400);
  assert.deepEqual([...after], [["c", 1_400], ["b", 500], ["a", 1_000]]);
});
