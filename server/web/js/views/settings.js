// @ts-check
/** What a person chooses for this browser. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("settings.title"),
    render: () => html`<h1>${t("settings.title")}</h1>`,
  };
}
