// @ts-check
/** One account: its balance, now or at a time. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { get } from "../../api.js";
import { textField } from "../../fields.js";
import { dateTime, money, number, t } from "../../i18n.js";
import { resource, shown, withQuery } from "../../resource.js";
import { owner } from "./accounts.js";

/** @typedef {import("../../staff_types.d.ts").Account} Account */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ params, redraw }) {
  let at = "";
  /** @type {import("../../resource.js").Resource<Account>} */
  const account = resource(() => {
    const instant = at === "" ? "" : new Date(at).toISOString();
    return get(withQuery(`/v1/admin/ledger/accounts/${encodeURIComponent(params.id)}`, { at: instant }));
  }, redraw);
  const stop = whenAllowed("accounts", () => void account.load());

  /** @param {string} value */
  function change(value) {
    at = value;
    void account.load();
  }

  return {
    title: () => t("admin.account"),
    leave: stop,
    render: () =>
      staffPage(
        "accounts",
        () => html`
          <div class="filters">
            ${textField({ id: "account-at", type: "datetime-local", label: t("ledger.at"), value: at, change })}
          </div>
          ${shown(account, (value) => figures(value, at))}
        `,
        t("admin.account"),
      ),
  };
}

/** @param {Account} account @param {string} at */
const figures = (account, at) => html`
  <dl class="facts">
    <dt>${t("column.kind")}</dt>
    <dd>${t(`account.${account.kind}`)}</dd>
    <dt>${t("column.of")}</dt>
    <dd>${owner(account)}</dd>
    <dt>${at === "" ? t("column.balance") : t("ledger.balance_at", { at: dateTime(at) })}</dt>
    <dd><strong>${money(account.balance)}</strong></dd>
    <dt>${t("column.entries")}</dt>
    <dd>${number(account.version)}</dd>
    <dt>${t("column.since")}</dt>
    <dd>${dateTime(account.opened_at)}</dd>
    <dt>${t("column.id")}</dt>
    <dd class="code">${account.id}</dd>
  </dl>
  <p class="actions"><a class="button small" href=${withQuery("/admin/ledger", { account: account.id })}>${t("ledger.lines")}</a></p>
`;
