// @ts-check
/** What somebody without an account is told where there is a stake. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { session } from "../api.js";
import { t } from "../i18n.js";
import { hasAccount } from "../session.js";
import { state } from "../store.js";

/** Where somebody gets an account, or into theirs: a guest has none yet. @param {string} then where to go on from there */
export const accountPath = (then) => `/sign-in?${session() ? "new&" : ""}then=${then}`;

/** @param {string} then where to go on once signed in */
export function accountNote(then) {
  if (hasAccount() || (session() && !state.me)) return nothing;
  return html`
    <p class="note">
      ${t("lobby.account_needed")}
      <a href=${accountPath(then)}>${t(session() ? "action.sign_up" : "action.sign_in")}</a>
    </p>
  `;
}
