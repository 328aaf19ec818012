// @ts-check
// Run from the root of the repository, so that it reaches the page.
import js from "@eslint/js";
import globals from "globals";
import { defineConfig } from "eslint/config";

/** @type {import("eslint").Linter.RulesRecord} */
const rules = {
  ...js.configs.recommended.rules,
  "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
  eqeqeq: "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-new-func": "error",
  "no-var": "error",
  "prefer-const": "error",
  "no-console": ["error", { allow: ["warn", "error"] }],
  "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
  quotes: ["error", "double", { avoidEscape: true }],
};

/** What would get around the content policy, or make markup of a text. */
const markup = [
  { selector: "Identifier[name='unsafeHTML']", message: "Texts are text, never markup." },
  { selector: "Identifier[name='styleMap']", message: "The content policy forbids style attributes: use a class, or setProperty." },
  { selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]", message: "Texts are text, never markup." },
  { selector: "MemberExpression[object.name='document'][property.name='write']", message: "Texts are text, never markup." },
];

export default defineConfig([
  { ignores: ["**/node_modules/", "server/web/vendor/"] },
  {
    files: ["server/web/js/**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.browser },
    rules: {
      ...rules,
      "no-restricted-syntax": ["error", ...markup],
      "no-restricted-globals": ["error", { name: "event", message: "Take the event as an argument." }],
    },
  },
  {
    files: ["tests/browser/**/*.js"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: { ...globals.node, ...globals.browser } },
    rules: { ...rules, "no-console": "off" },
  },
]);
