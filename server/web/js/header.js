// @ts-check
/** The head of the page: where to go, who plays, and what they have. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { session } from "./api.js";
import { money, t } from "./i18n.js";
import { current } from "./router.js";
import { state } from "./store.js";

/** Set from outside, since drawing and leaving are other modules' business. */
export const menu = { open: false, toggle: () => {}, signOut: () => {} };

/** @returns {[path: string, key: string][]} */
const places = () => [
  ["/lobby", "nav.lobby"],
  ["/practice", "nav.practice"],
  ["/streak", "nav.streak"],
  ["/rules", "nav.rules"],
];

/** @returns {[path: string, key: string][]} */
function ownPlaces() {
  if (!state.me) return [["/leaderboard/oware", "nav.leaderboard"], ["/settings", "nav.settings"]];
  /** @type {[string, string][]} */
  const list = [
    [`/player/${state.me.id}`, "nav.profile"],
    ["/history", "nav.history"],
    ["/leaderboard/oware", "nav.leaderboard"],
    ["/settings", "nav.settings"],
  ];
  if (!state.me.guest) list.unshift(["/wallet", "nav.wallet"]);
  if (state.me.roles.length > 0) list.push(["/admin", "nav.admin"]);
  return list;
}

/** @param {string} path */
const isCurrent = (path) => current.path === path || current.path.startsWith(`${path}/`);

/** @param {[string, string]} place */
const link = ([path, key]) =>
  html`<a href=${path} aria-current=${isCurrent(path) ? "page" : nothing}>${t(key)}</a>`;

export const header = () => html`
  <div class="header">
    <a class="brand" href="/" aria-label="Stakeboard: ${t("nav.home")}" aria-current=${current.path === "/" ? "page" : nothing}>
      <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
        <rect x="1" y="9" width="30" height="14" rx="7" />
        <circle cx="10" cy="16" r="4.6" /><circle cx="22" cy="16" r="4.6" />
        <circle class="seed" cx="9" cy="15" r="1.5" /><circle class="seed" cx="11.4" cy="17.2" r="1.5" />
        <circle class="seed" cx="22" cy="16" r="1.5" />
      </svg>
      <span class="brand-name">Stakeboard</span>
    </a>
    <nav class="places" aria-label=${t("nav.label")}>${places().map(link)}</nav>
    <div class="header-end">${balance()} ${signInLink()} ${menuButton()}</div>
  </div>
`;

/** What the player has, and what lies in a match: on every page. */
function balance() {
  if (!state.wallet) return nothing;
  const { available, in_play } = state.wallet;
  return html`
    <a class="balance" href="/wallet" data-testid="balance">
      <span class="visually-hidden">${t("balance.label")}</span>
      <span class="balance-available">${money(available)}</span>
      <span class="balance-in-play" data-testid="in-play">${t("balance.in_play", { amount: money(in_play) })}</span>
    </a>
  `;
}

function signInLink() {
  if (session() && !state.me?.guest) return nothing;
  const key = session() ? "action.sign_up" : "action.sign_in";
  return html`<a class="button small sign-in-link" href=${session() ? "/sign-in?new" : "/sign-in"}>${t(key)}</a>`;
}

const menuButton = () => html`
  <div class="menu">
    <button
      type="button"
      class="icon-button menu-button"
      id="menu-button"
      aria-expanded=${menu.open ? "true" : "false"}
      aria-controls="menu-panel"
      aria-label=${t("nav.menu")}
      @click=${menu.toggle}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h16" /></svg>
    </button>
    <div class="menu-panel" id="menu-panel" ?hidden=${!menu.open}>
      ${state.me
        ? html`<p class="menu-name">${state.me.display_name}${state.me.guest ? html` <span class="tag">${t("nav.guest")}</span>` : nothing}</p>`
        : nothing}
      <nav aria-label=${t("nav.menu")}>
        <div class="menu-places">${places().map(link)}</div>
        ${ownPlaces().map(link)}
      </nav>
      ${session()
        ? html`<button type="button" class="menu-item" data-testid="sign-out" @click=${menu.signOut}>${t("action.sign_out")}</button>`
        : html`<a class="menu-item" href="/sign-in">${t("action.sign_in")}</a>`}
    </div>
  </div>
`;
