// @ts-check
/** The lobby: open seeks, the queue, one's own. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create(context) {
  return {
    title: () => t("lobby.title"),
    render: () => html`<h1>${t("lobby.title")}</h1>`,
  };
}
