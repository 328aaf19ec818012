// @ts-check
/** Money: what is there, what came and went, limits. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("wallet.title"),
    render: () => html`<h1>${t("wallet.title")}</h1>`,
  };
}
