// @ts-check
/** The accounts of the ledger with their balances now. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { matchLink, playerLink } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { dateTime, money, number, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").Account} Account */

export const ACCOUNT_KINDS = ["player", "escrow", "withdrawal_hold", "house_fee", "external", "adjustment", "suspense"];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/accounts",
    query,
    fields: () => [
      { name: "kind", label: t("column.kind"), options: ACCOUNT_KINDS.map((kind) => [kind, t(`account.${kind}`)]) },
      { name: "player", label: t("filter.player") },
      { name: "match", label: t("filter.match") },
    ],
    search: () => void accounts.restart(),
  });
  /** @type {import("../../resource.js").Listing<Account>} */
  const accounts = listing(() => filter.of("/v1/admin/ledger/accounts"), redraw);
  const stop = whenAllowed("accounts", () => void accounts.restart());
  return {
    title: () => t("admin.accounts"),
    leave: stop,
    render: () => staffPage("accounts", () => html`${filter.render()} ${listed(accounts, rows)}`),
  };
}

/** Whose an account is. @param {Account} account */
export function owner({ player_id, match_id, stripe }) {
  if (player_id) return playerLink(player_id);
  if (match_id) return matchLink(match_id);
  return stripe === null || stripe === undefined ? t("account.house") : t("account.stripe", { number: stripe });
}

/** @param {readonly Account[]} accounts */
const rows = (accounts) =>
  table({
    caption: t("admin.accounts"),
    rows: accounts,
    columns: [
      { title: t("column.account"), cell: ({ id, kind }) => html`<a href="/admin/accounts/${id}" title=${id}>${t(`account.${kind}`)}</a>` },
      { title: t("column.of"), cell: owner },
      { title: t("column.since"), cell: ({ opened_at }) => moment(opened_at, dateTime) },
      { title: t("column.entries"), figure: true, cell: ({ version }) => number(version) },
      { title: t("column.balance"), figure: true, cell: ({ balance }) => money(balance) },
    ],
  });
