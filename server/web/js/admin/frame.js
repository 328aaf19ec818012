// @ts-check
/** The frame of the staff's pages: where to go, by role. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ref } from "../../vendor/lit-html/directives/ref.js";
import { forStaff, onceSignedIn } from "../gate.js";
import { t } from "../i18n.js";
import { state } from "../store.js";
import { loadStyle } from "../styles.js";

/** @typedef {import("../staff_types.d.ts").Role} Role */
/** @typedef {import("../../vendor/lit-html/lit-html.js").TemplateResult} TemplateResult */

loadStyle("admin");

/** @type {Role[]} */
export const READERS = ["admin", "auditor"];
/** @type {Role[]} */
export const EVERYBODY = ["admin", "auditor", "cashier"];

/** @type {{ path: string, key: string, roles: Role[] }[]} */
export const SECTIONS = [
  { path: "/admin", key: "overview", roles: EVERYBODY },
  { path: "/admin/withdrawals", key: "withdrawals", roles: EVERYBODY },
  { path: "/admin/players", key: "players", roles: READERS },
  { path: "/admin/matches", key: "matches", roles: READERS },
  { path: "/admin/complaints", key: "complaints", roles: READERS },
  { path: "/admin/adjustments", key: "adjustments", roles: READERS },
  { path: "/admin/switches", key: "switches", roles: READERS },
  { path: "/admin/ledger", key: "ledger", roles: READERS },
  { path: "/admin/accounts", key: "accounts", roles: READERS },
  { path: "/admin/balance", key: "balance", roles: READERS },
  { path: "/admin/reports", key: "daily", roles: READERS },
  { path: "/admin/fair-play", key: "fair_play", roles: READERS },
  { path: "/admin/pairs", key: "pairs", roles: READERS },
  { path: "/admin/payments", key: "payments", roles: READERS },
  { path: "/admin/audit", key: "audit", roles: READERS },
];

/** Whether the one who looks may act, and not just read. */
export const mayAct = () => Boolean(state.me?.roles.includes("admin"));

/** Whether the one who looks decides on withdrawals. */
export const mayPay = () => Boolean(state.me?.roles.some((role) => role === "admin" || role === "cashier"));

/**
 * Calls back once it is known that the one who looks may see a section; never where they may not.
 * @param {string} key
 * @param {() => void} then
 */
export const whenAllowed = (key, then) =>
  onceSignedIn((me) => {
    if (SECTIONS.some((one) => one.key === key && one.roles.some((role) => me.roles.includes(role)))) then();
  });

/** On a phone the places are a row that is wider than the screen. @param {Element | undefined} link */
const inView = (link) => void link?.scrollIntoView({ block: "nearest", inline: "center" });

/**
 * @param {string} key of the section that it is in
 * @param {() => TemplateResult} body
 * @param {string} [title] of the page, where it is not the section's own
 */
export function staffPage(key, body, title = t(`admin.${key}`)) {
  const section = SECTIONS.find((one) => one.key === key);
  return forStaff(
    title,
    section?.roles ?? [],
    (me) => html`
      <div class="staff">
        <nav class="staff-nav" aria-label=${t("admin.nav")}>
          ${SECTIONS.filter(({ roles }) => roles.some((role) => me.roles.includes(role))).map(
            ({ path, key: name }) =>
              html`<a href=${path} aria-current=${name === key ? "page" : nothing} ${name === key ? ref(inView) : nothing}>${t(`admin.${name}`)}</a>`,
          )}
        </nav>
        <div class="staff-body">
          <h1 tabindex="-1">${title}</h1>
          ${body()}
        </div>
      </div>
    `,
  );
}
