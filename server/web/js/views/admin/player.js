// @ts-check
/** One player, as the staff sees them. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { mayAct, staffPage, whenAllowed } from "../../admin/frame.js";
import { buttons } from "../../admin/player_acts.js";
import { get } from "../../api.js";
import { dateTime, money, t } from "../../i18n.js";
import { resource, shown, withQuery } from "../../resource.js";
import { table } from "../../table.js";
import { standing } from "./players.js";

/** @typedef {import("../../staff_types.d.ts").PlayerLine} PlayerLine */
/** @typedef {import("../../staff_types.d.ts").Account} Account */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ params, redraw }) {
  const id = params.id;
  /** @type {import("../../resource.js").Resource<PlayerLine | undefined>} */
  const player = resource(async () => (await get(withQuery("/v1/admin/players", { id }))).items[0], redraw);
  /** @type {import("../../resource.js").Resource<Account[]>} */
  const accounts = resource(async () => (await get(withQuery("/v1/admin/ledger/accounts", { player: id }))).items, redraw);
  async function refresh() {
    await Promise.all([player.load(), accounts.load()]);
  }
  const stop = whenAllowed("players", () => void refresh());

  return {
    title: () => player.value?.display_name ?? t("admin.player"),
    leave: stop,
    render: () =>
      staffPage(
        "players",
        () => html`
          ${shown(player, (value) =>
            value
              ? html`${about(value)} ${mayAct() ? buttons(value, refresh) : ""}`
              : html`<p class="empty">${t("code.not_found")}</p>`,
          )}
          ${shown(accounts, moneyOf)} ${links(id)}
        `,
        player.value?.display_name ?? t("admin.player"),
      ),
  };
}

/** @param {PlayerLine} player */
const about = (player) => html`
  <dl class="facts">
    <dt>${t("column.email")}</dt>
    <dd>${player.email ?? "–"}</dd>
    <dt>${t("column.since")}</dt>
    <dd>${dateTime(player.created_at)}</dd>
    <dt>${t("column.identity")}</dt>
    <dd>${t(`identity.${player.identity}`)}</dd>
    <dt>${t("column.standing")}</dt>
    <dd>${standing(player)}</dd>
    <dt>${t("column.id")}</dt>
    <dd class="code">${player.id}</dd>
  </dl>
`;

/** @param {readonly Account[]} accounts */
const moneyOf = (accounts) => html`
  <h2>${t("admin.accounts")}</h2>
  ${accounts.length === 0
    ? html`<p class="empty">${t("list.empty")}</p>`
    : table({
        caption: t("admin.accounts"),
        rows: accounts,
        columns: [
          { title: t("column.account"), cell: ({ id, kind }) => html`<a href="/admin/accounts/${id}">${t(`account.${kind}`)}</a>` },
          { title: t("column.balance"), figure: true, cell: ({ balance }) => money(balance) },
        ],
      })}
`;

/** Where else this player comes up. @param {string} id */
const links = (id) => html`
  <ul class="links">
    <li><a href=${withQuery("/admin/ledger", { player: id })}>${t("admin.ledger")}</a></li>
    <li><a href=${withQuery("/admin/matches", { player: id })}>${t("admin.matches")}</a></li>
    <li><a href=${withQuery("/admin/withdrawals", { player: id })}>${t("admin.withdrawals")}</a></li>
    <li><a href=${withQuery("/admin/fair-play", { player: id })}>${t("admin.fair_play")}</a></li>
    <li><a href=${withQuery("/admin/pairs", { player: id })}>${t("admin.pairs")}</a></li>
    <li><a href=${withQuery("/admin/complaints", { player: id })}>${t("admin.complaints")}</a></li>
    <li><a href=${withQuery("/admin/audit", { player: id })}>${t("admin.audit")}</a></li>
    <li><a href="/player/${id}">${t("admin.public_profile")}</a></li>
  </ul>
`;
