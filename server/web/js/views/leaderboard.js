// @ts-check
/** The best players of a game. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("leaderboard.title"),
    render: () => html`<h1>${t("leaderboard.title")}</h1>`,
  };
}
