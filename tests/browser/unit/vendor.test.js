// @ts-check
// What the page carries of others is what the registry has, byte for byte.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import test from "node:test";

const copies = new URL("../../../server/web/vendor/lit-html/", import.meta.url).pathname;
const original = new URL("../node_modules/lit-html/", import.meta.url).pathname;

test("every vendored file of lit-html is that of the registry package", () => {
  const files = readdirSync(copies, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) => relative(copies, join(entry.parentPath, entry.name)));
  assert.ok(names.includes("lit-html.js") && names.includes("LICENSE"), `the library and its licence: ${names}`);
  for (const name of names) {
    assert.deepEqual(readFileSync(join(copies, name)), readFileSync(join(original, name)), name);
  }
});
