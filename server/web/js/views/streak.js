// @ts-check
/** A run of Mū tōrere. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("streak.title"),
    render: () => html`<h1>${t("streak.title")}</h1>`,
  };
}
