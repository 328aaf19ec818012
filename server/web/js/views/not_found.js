// @ts-check
/** What is at no path of the page. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";

/** @returns {import("../types.d.ts").View} */
export default function create() {
  return {
    title: () => t("not_found.title"),
    render: () => html`
      <div class="column narrow">
        <h1>${t("not_found.title")}</h1>
        <p>${t("not_found.text")}</p>
        <p><a class="button primary" href="/">${t("nav.home")}</a></p>
      </div>
    `,
  };
}
