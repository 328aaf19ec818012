// @ts-check
/** A player, with results and ratings. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("profile.title"),
    render: () => html`<h1>${t("profile.title")}</h1>`,
  };
}
