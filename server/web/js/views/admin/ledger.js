// @ts-check
/** The ledger: transfers by any filters, with the running balance of an account, as a list or as a file. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { matchLink, short, side } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { runningBalances } from "../../admin/running.js";
import { get } from "../../api.js";
import { download } from "../../csv.js";
import { tell } from "../../dialog.js";
import { explain } from "../../explain.js";
import { dateTime, money, t } from "../../i18n.js";
import { listed, listing, withQuery } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").Transfer} Transfer */
/** @typedef {import("../../staff_types.d.ts").Account} Account */

export const KINDS = [
  "deposit", "stake", "payout", "fee", "refund", "hold", "release", "withdrawal", "suspense", "adjustment", "reversal",
];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/ledger",
    query,
    fields: () => [
      { name: "player", label: t("filter.player") },
      { name: "match", label: t("filter.match") },
      { name: "account", label: t("filter.account") },
      { name: "kind", label: t("column.kind"), options: KINDS.map((kind) => [kind, t(`transfer.${kind}`)]) },
      { name: "min_amount", label: t("filter.min_amount"), type: "money" },
      { name: "from", label: t("list.from"), type: "instant" },
      { name: "to", label: t("list.to"), type: "instant" },
    ],
    search: () => void search(),
  });
  /** @type {import("../../resource.js").Listing<Transfer>} */
  const transfers = listing(() => filter.of("/v1/admin/ledger/transfers"), redraw);
  /** The balance of the account after the first line. @type {{ account: string, balance: number } | null} */
  let top = null;

  async function search() {
    top = null;
    await transfers.restart();
    const { account, match, kind, min_amount, player } = filter.parameters();
    // Balances run only through the lines of one account without a gap.
    if (!account || match || kind || min_amount || player || transfers.items.length === 0) return;
    const path = withQuery(`/v1/admin/ledger/accounts/${account}`, { at: transfers.items[0].created_at });
    /** @type {Account | null} */
    const found = await get(path).catch(() => null);
    if (found) top = { account, balance: found.balance };
    redraw();
  }
  const stop = whenAllowed("ledger", () => void search());

  async function save() {
    try {
      const file = await get(withQuery(filter.of("/v1/admin/ledger/transfers"), { format: "csv" }), { plain: true });
      download("transfers.csv", "text/csv;charset=utf-8", file);
    } catch (error) {
      await tell(() => t("wallet.export"), () => explain(error));
    }
  }

  return {
    title: () => t("admin.ledger"),
    leave: stop,
    render: () =>
      staffPage(
        "ledger",
        () => html`
          ${filter.render()}
          <p class="actions">
            <button type="button" class="button small" @click=${save}>${t("wallet.export")}</button>
            <a class="button small" href="/admin/balance">${t("admin.balance")}</a>
          </p>
          ${top === null ? html`<p class="quiet">${t("ledger.running_help")}</p>` : nothing}
          ${listed(transfers, (items) => rows(items, top))}
        `,
      ),
  };
}

/** @param {readonly Transfer[]} items @param {{ account: string, balance: number } | null} top */
function rows(items, top) {
  const balances = top === null ? null : runningBalances(items, top.account, top.balance);
  /** @type {import("../../table.js").Column<Transfer>[]} */
  const columns = [
    { title: t("column.when"), cell: ({ created_at }) => moment(created_at, dateTime) },
    { title: t("column.kind"), cell: ({ kind, reference }) => html`${t(`transfer.${kind}`)} <span class="sub code">${reference}</span>` },
    { title: t("column.debit"), cell: ({ debit }) => side(debit) },
    { title: t("column.credit"), cell: ({ credit }) => side(credit) },
    { title: t("column.amount"), figure: true, cell: ({ amount }) => money(amount) },
  ];
  if (balances !== null) columns.push({ title: t("column.balance"), figure: true, cell: ({ id }) => money(balances.get(id) ?? 0) });
  columns.push({
    title: t("column.match"),
    cell: ({ match_id, reverses }) => html`${matchLink(match_id)} ${reverses ? html`<span class="sub">${t("ledger.reverses", { id: short(reverses) })}</span>` : nothing}`,
  });
  return table({ caption: t("admin.ledger"), rows: items, columns });
}
