// @ts-check
/** Players, for the staff. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { t } from "../../i18n.js";

/**
 * @param {import("../../types.d.ts").ViewContext} context
 * @returns {import("../../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("admin.players.title"),
    render: () => html`<h1>${t("admin.players.title")}</h1>`,
  };
}
