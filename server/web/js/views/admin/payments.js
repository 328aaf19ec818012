// @ts-check
/** Money that came in and fits nothing: it lies in suspense until somebody has looked at it. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { dateTime, hasText, money, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").SuspensePayment} SuspensePayment */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ redraw }) {
  /** @type {import("../../resource.js").Listing<SuspensePayment>} */
  const payments = listing(() => "/v1/admin/payments/suspense", redraw);
  const stop = whenAllowed("payments", () => void payments.restart());
  return {
    title: () => t("admin.payments"),
    leave: stop,
    render: () =>
      staffPage(
        "payments",
        () => html`<p class="quiet">${t("admin.payments.about")}</p> ${listed(payments, rows, () => t("payments.none"))}`,
      ),
  };
}

/** @param {string} why */
const reason = (why) => (hasText(`suspense.${why}`) ? t(`suspense.${why}`) : why);

/** @param {readonly SuspensePayment[]} payments */
const rows = (payments) =>
  table({
    caption: t("admin.payments"),
    rows: payments,
    columns: [
      { title: t("column.when"), cell: ({ received_at }) => moment(received_at, dateTime) },
      { title: t("column.direction"), cell: ({ direction }) => (hasText(`direction.${direction}`) ? t(`direction.${direction}`) : direction) },
      { title: t("column.amount"), figure: true, cell: ({ amount, currency }) => `${money(amount)} (${currency})` },
      { title: t("column.reason"), cell: ({ why }) => reason(why) },
      { title: t("column.reference"), cell: ({ payment, reference }) => html`<span class="code">${payment}</span> <span class="sub code">${reference}</span>` },
    ],
  });
