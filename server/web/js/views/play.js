// @ts-check
/** A match: live, watched, or ended. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("play.title"),
    render: () => html`<h1>${t("play.title")}</h1>`,
  };
}
