// @ts-check
/** The wallet: what there is, money in and out, what moved it, and the bounds a player sets. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { forAccounts, onceSignedIn } from "../gate.js";
import { money, t } from "../i18n.js";
import { state, subscribe } from "../store.js";
import { cash, refreshBalance } from "../wallet/cash.js";
import { history } from "../wallet/history.js";
import { protection } from "../wallet/protection.js";

/** @type {import("../types.d.ts").ViewModule["default"]} */
export default function create({ redraw }) {
  const lines = history(redraw);
  const inAndOut = cash(redraw, () => void lines.refresh());
  const bounds = protection(redraw);
  const stop = onceSignedIn((me) => {
    if (me.guest) return;
    void refreshBalance();
    void inAndOut.refresh();
    void lines.refresh();
    void bounds.refresh();
  });
  // A match that begins or ends moves money too.
  let known = JSON.stringify(state.wallet);
  const stopNews = subscribe(() => {
    const now = JSON.stringify(state.wallet);
    if (now === known) return;
    known = now;
    if (state.me && !state.me.guest) void lines.refresh();
  });
  return {
    title: () => t("wallet.title"),
    render: () =>
      forAccounts(
        t("wallet.title"),
        () => html`
          <div class="wallet">
            <h1 tabindex="-1">${t("wallet.title")}</h1>
            ${holdings()} ${inAndOut.render()} ${bounds.render()} ${lines.render()}
          </div>
        `,
      ),
    leave() {
      stop();
      stopNews();
    },
  };
}

/** What there is, in play, and on its way out. */
function holdings() {
  const wallet = state.wallet;
  /** @param {keyof import("../types.d.ts").Wallet} name */
  const part = (name) => html`
    <div class="holding ${name}">
      <dt>${t(`wallet.${name}`)}</dt>
      <dd>${wallet ? money(wallet[name]) : "…"}</dd>
    </div>
  `;
  return html`<dl class="holdings">${part("available")} ${part("in_play")} ${part("pending_withdrawal")}</dl>`;
}
