// @ts-check
/** One player, for the staff. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { t } from "../../i18n.js";

/**
 * @param {import("../../types.d.ts").ViewContext} context
 * @returns {import("../../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("admin.player.title"),
    render: () => html`<h1>${t("admin.player.title")}</h1>`,
  };
}
