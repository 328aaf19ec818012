// @ts-check
/** Views that are for somebody only: what others see instead. */

import { html } from "../vendor/lit-html/lit-html.js";
import { session } from "./api.js";
import { t } from "./i18n.js";
import { waiting } from "./resource.js";
import { state, subscribe } from "./store.js";

/** @typedef {import("../vendor/lit-html/lit-html.js").TemplateResult} TemplateResult */
/** @typedef {import("./types.d.ts").Me} Me */

/** @param {string} title @param {string} text @param {{ path: string, label: string }} way @returns {TemplateResult} */
const turnedAway = (title, text, way) => html`
  <div class="column narrow">
    <h1 tabindex="-1">${title}</h1>
    <p>${text}</p>
    <p><a class="button primary" href=${way.path}>${way.label}</a></p>
  </div>
`;

/**
 * For who is signed in, as a guest too.
 * @param {string} title
 * @param {(me: Me) => TemplateResult} show
 */
export function forPlayers(title, show) {
  if (state.me) return show(state.me);
  if (session()) return html`<div class="column"><h1 tabindex="-1">${title}</h1>${waiting()}</div>`;
  return turnedAway(title, t("gate.sign_in"), { path: "/sign-in", label: t("action.sign_in") });
}

/**
 * For accounts: guests have no money.
 * @param {string} title
 * @param {(me: Me) => TemplateResult} show
 */
export const forAccounts = (title, show) =>
  forPlayers(title, (me) =>
    me.guest ? turnedAway(title, t("gate.account"), { path: "/sign-in?new", label: t("action.sign_up") }) : show(me),
  );

/**
 * For the staff with one of these roles.
 * @param {string} title
 * @param {Me["roles"]} roles
 * @param {(me: Me) => TemplateResult} show
 */
export const forStaff = (title, roles, show) =>
  forPlayers(title, (me) =>
    roles.some((role) => me.roles.includes(role))
      ? show(me)
      : turnedAway(title, t("gate.staff"), { path: "/", label: t("nav.home") }),
  );

/**
 * Calls back once it is known who is signed in: at once, or when the answer is there.
 * @param {(me: Me) => void} then
 * @returns {() => void} does not wait any longer
 */
export function onceSignedIn(then) {
  if (state.me) {
    then(state.me);
    return () => {};
  }
  const stop = subscribe(() => {
    if (!state.me) return;
    stop();
    then(state.me);
  });
  return stop;
}
