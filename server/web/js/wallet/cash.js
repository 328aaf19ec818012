// @ts-check
/** Money in and out: one form each, one effect an act. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { once } from "../acts.js";
import { ApiError, get, post, remove } from "../api.js";
import { ask, tell } from "../dialog.js";
import { explain } from "../explain.js";
import { bounds, moneyField } from "../fields.js";
import { dateTime, money, readMoney, t } from "../i18n.js";
import { listed, listing } from "../resource.js";
import { say } from "../speech.js";
import { state, update } from "../store.js";
import { moment, table } from "../table.js";

/** @typedef {import("../types.d.ts").Withdrawal} Withdrawal */
/** @typedef {"deposit" | "withdraw"} Way */

/** Withdrawals that have not come to their end. */
const OPEN = ["requested", "approved", "submitted"];

/**
 * @param {() => void} redraw
 * @param {() => void} moved called when money has moved
 */
export function cash(redraw, moved) {
  const forms = { deposit: form("deposit", redraw, done), withdraw: form("withdraw", redraw, done) };
  /** @type {import("../resource.js").Listing<Withdrawal>} */
  const withdrawals = listing(() => "/v1/wallet/withdrawals", redraw, 10);

  async function refresh() {
    await Promise.all([withdrawals.restart(), refreshBalance()]);
  }
  function done() {
    moved();
    void refresh();
  }

  return {
    refresh,
    render: () => html`
      <section class="cash" aria-label=${t("wallet.cash")}>${forms.deposit()} ${forms.withdraw()}</section>
      ${withdrawals.items.length > 0 || withdrawals.error !== null ? listOf(withdrawals, done) : nothing}
    `,
  };
}

/** Asks what there is; the socket tells it too, where there is one. */
export async function refreshBalance() {
  try {
    const { available, in_play, pending_withdrawal } = await get("/v1/wallet");
    update({ wallet: { available, in_play, pending_withdrawal } });
  } catch {
    // What was known stays, and the line says that it is down.
  }
}

/**
 * @param {Way} way
 * @param {() => void} redraw
 * @param {() => void} done
 */
function form(way, redraw, done) {
  let text = "";
  let wrong = "";
  let result = "";
  let busy = false;

  /** What is wrong with an amount, before anybody is asked. @param {number | null} cents */
  function objection(cents) {
    const most = way === "deposit" ? (state.config?.deposit_max ?? Infinity) : (state.wallet?.available ?? 0);
    if (cents === null) return t("wallet.no_amount");
    if (way === "withdraw" && cents > most) return t("wallet.more_than_available", { available: money(most) });
    return cents < 1 || cents > most ? bounds(money, 1, most) : "";
  }

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    const cents = readMoney(text);
    wrong = objection(cents);
    result = "";
    if (wrong !== "" || cents === null) {
      redraw();
      document.getElementById(`${way}-amount`)?.focus();
      return;
    }
    busy = true;
    redraw();
    try {
      const path = way === "deposit" ? "/v1/wallet/deposits" : "/v1/wallet/withdrawals";
      const made = await once(`${way} ${cents}`, (key) => post(path, { amount: cents }, { key }));
      // A key held down finds an empty field.
      text = "";
      result = t(`wallet.${way}.${made.status}`, { amount: money(cents) });
      say(result);
      done();
    } catch (error) {
      wrong = error instanceof ApiError && error.isOpen ? t("wallet.open", { why: explain(error) }) : explain(error);
    }
    busy = false;
    redraw();
  }

  return () => html`
    <form class="card" novalidate @submit=${submit}>
      <h2>${t(`wallet.${way}`)}</h2>
      ${moneyField({
        id: `${way}-amount`,
        label: t("wallet.amount", { currency: state.config?.currency ?? "" }),
        value: text,
        wrong,
        help: t(`wallet.${way}.help`),
        change(value) {
          text = value;
          wrong = "";
          redraw();
        },
      })}
      <button type="submit" class="button ${way === "deposit" ? "primary" : ""}" ?disabled=${busy}>
        ${busy ? t("wallet.under_way") : t(`wallet.${way}`)}
      </button>
      ${result === "" ? nothing : html`<p class="done">${result}</p>`}
    </form>
  `;
}

/**
 * @param {import("../resource.js").Listing<Withdrawal>} withdrawals
 * @param {() => void} done
 */
const listOf = (withdrawals, done) => html`
  <section class="card wide" aria-labelledby="withdrawals-title">
    <h2 id="withdrawals-title">${t("wallet.withdrawals")}</h2>
    ${listed(withdrawals, (items) =>
      table({
        caption: t("wallet.withdrawals"),
        rows: items,
        columns: [
          { title: t("column.when"), cell: ({ requested_at }) => moment(requested_at, dateTime) },
          { title: t("column.status"), cell: ({ status }) => html`<span class="tag ${status}">${t(`withdrawal.${status}`)}</span>` },
          { title: t("column.amount"), figure: true, cell: ({ amount }) => money(amount) },
          {
            title: t("column.acts"),
            quiet: true,
            cell: (withdrawal) =>
              withdrawal.status === "requested" && state.config?.withdrawal_cancellation
                ? html`<button type="button" class="button small" @click=${() => cancel(withdrawal, done)}>
                    ${t("wallet.cancel")}
                  </button>`
                : nothing,
          },
        ],
        mark: ({ status }) => (OPEN.includes(status) ? "open" : ""),
      }),
    )}
  </section>
`;

/** @param {Withdrawal} withdrawal @param {() => void} done */
async function cancel({ id, amount }, done) {
  const sure = await ask({
    title: () => t("wallet.cancel_title"),
    text: () => t("wallet.cancel_text", { amount: money(amount) }),
    yes: () => t("wallet.cancel"),
    no: () => t("action.back"),
  });
  if (!sure) return;
  try {
    await remove(`/v1/wallet/withdrawals/${id}`);
    say(t("withdrawal.cancelled"));
  } catch (error) {
    await tell(() => t("wallet.cancel_title"), () => explain(error));
  }
  done();
}
