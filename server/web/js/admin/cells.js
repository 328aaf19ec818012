// @ts-check
/** What tables of the staff show in the same way. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { get } from "../api.js";
import { scheduleRedraw } from "../app.js";
import { t } from "../i18n.js";

/** Names of players; null for who has none any more. @type {Map<string, string | null>} */
const names = new Map();
/** @type {string[]} */
const wanted = [];
let asking = 0;
/** How many names are asked for at once. */
const AT_ONCE = 4;

async function askOn() {
  if (asking >= AT_ONCE) return;
  asking += 1;
  for (let id = wanted.shift(); id !== undefined; id = wanted.shift()) {
    /** @type {{ display_name?: string } | null} */
    const player = await get(`/v1/players/${id}`).catch(() => null);
    names.set(id, player?.display_name ?? null);
    scheduleRedraw();
  }
  asking -= 1;
}

/** What a player is called, as soon as it is known. @param {string} id */
export function nameOf(id) {
  const name = names.get(id);
  if (name === undefined && !names.has(id)) {
    names.set(id, null);
    wanted.push(id);
    void askOn();
  }
  return name ?? short(id);
}

/** The end of an identifier, where those of one moment differ. @param {string} id */
export const short = (id) => `…${id.slice(-8)}`;

/** @param {string | null | undefined} id */
export const playerLink = (id) =>
  id ? html`<a href="/admin/players/${id}" title=${id}>${nameOf(id)}</a>` : html`<span class="quiet">${t("admin.nobody")}</span>`;

/** Who of the staff did it. @param {string | null | undefined} id */
export const actor = (id) => (id ? playerLink(id) : html`<span class="quiet">${t("admin.machine")}</span>`);

/** @param {string | null | undefined} id */
export const matchLink = (id) => (id ? html`<a class="code" href="/match/${id}" title=${id}>${short(id)}</a>` : nothing);

/** One end of a transfer. @param {import("../staff_types.d.ts").Side} side */
export const side = ({ account, kind, player_id }) => html`
  <a href="/admin/accounts/${account}" title=${account}>${t(`account.${kind}`)}</a>
  ${player_id ? html`<span class="sub">${nameOf(player_id)}</span>` : nothing}
`;
