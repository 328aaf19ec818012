// @ts-check
// What axe-core finds on a page: nothing serious or critical may be left.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** @typedef {{ id: string, impact: string, help: string, nodes: { target: string[], failureSummary: string }[] }} Violation */

/**
 * @param {import("playwright-core").Page} page
 * @param {string} where
 * @returns {Promise<string[]>} one line a finding
 */
export async function findings(page, where) {
  // Through the debugger, which the page's content policy does not stop.
  await page.evaluate(source);
  /** @type {Violation[]} */
  const violations = await page.evaluate(async () => {
    const { axe } = /** @type {any} */ (window);
    return (await axe.run(document, { resultTypes: ["violations"] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, impact, help, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${where}: ${impact} ${id}: ${help}: ${target.join(" ")}: ${failureSummary.replace(/\s+/g, " ")}`),
    );
}
