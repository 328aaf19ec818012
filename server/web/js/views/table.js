// @ts-check
/** A table by link: two seats that face each other. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("table.title"),
    render: () => html`<h1>${t("table.title")}</h1>`,
  };
}
