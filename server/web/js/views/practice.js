// @ts-check
/** Practice against a bot. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("practice.title"),
    render: () => html`<h1>${t("practice.title")}</h1>`,
  };
}
