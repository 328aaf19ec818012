// @ts-check
// Amounts as people type them: never read as another amount than was meant.
import assert from "node:assert/strict";
import test from "node:test";
import { readMoney } from "../../../server/web/js/i18n.js";

test("cents stand behind a point or a comma, in either language", () => {
  for (const language of /** @type {const} */ (["pt-BR", "en"])) {
    for (const [typed, cents] of /** @type {const} */ ([["5", 500], ["5,00", 500], ["5.00", 500], ["0,5", 50], [" 12.34 ", 1_234], ["R$ 7,05", 705], ["0", 0]])) {
      assert.equal(readMoney(typed, language), cents, `${typed} in ${language}`);
    }
  }
});

test("thousands are grouped as the language groups them, and in no other way", () => {
  assert.equal(readMoney("1.234,50", "pt-BR"), 123_450);
  assert.equal(readMoney("1,234.50", "en"), 123_450);
  assert.equal(readMoney("1.234", "pt-BR"), 123_400);
  assert.equal(readMoney("12,345,678", "en"), 1_234_567_800);
  // A thousandfold of what was meant, perhaps.
  assert.equal(readMoney("1,234", "pt-BR"), null);
  assert.equal(readMoney("1.234", "en"), null);
});

test("anything else is no amount", () => {
  for (const typed of ["", "five", "-5", "+5", "5,", ".5", "1e3", "5,000,0", "1.2.3", "12,34,56", "0x10", "5 reais", "9".repeat(13)]) {
    assert.equal(readMoney(typed, "en"), null, typed);
    assert.equal(readMoney(typed, "pt-BR"), null, typed);
  }
});
