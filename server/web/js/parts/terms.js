// @ts-check
/** What a match is played for, in words, and the two steps of agreeing to it. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { scheduleRedraw } from "../app.js";
import { ApiError } from "../api.js";
import { openDialog } from "../dialog.js";
import { explain } from "../explain.js";
import { kindName, kindRule } from "../games.js";
import { duration, money, t } from "../i18n.js";
import { hasAccount } from "../session.js";
import { alert } from "../speech.js";
import { state } from "../store.js";

/** @typedef {import("../types.d.ts").Terms} Terms */

/**
 * What a winner receives and the house takes, before the service has said so.
 * @param {number} stake
 */
export function split(stake) {
  const pot = 2 * stake;
  const fee = Math.round((pot * (state.config?.fee_percent ?? 10)) / 100);
  return { fee, payout: pot - fee };
}

/** Stake, payout, fee, what a draw gives, and the time: everything that a yes is a yes to. @param {Terms} terms */
export function termsFacts({ game, stake, payout, fee }) {
  const clock = duration(state.config?.clock_ms ?? 600_000);
  if (stake === 0) {
    return html`
      <dl class="facts">
        <dt>${t("facts.stake")}</dt>
        <dd data-testid="terms-stake">${t("facts.none")}</dd>
        <dt>${t("facts.clock")}</dt>
        <dd>${t("facts.clock_each", { time: clock })}</dd>
      </dl>
    `;
  }
  return html`
    <dl class="facts">
      <dt>${t("facts.stake")}</dt>
      <dd data-testid="terms-stake">${t("facts.each", { amount: money(stake) })}</dd>
      <dt>${t("facts.payout")}</dt>
      <dd data-testid="terms-payout"><strong>${money(payout)}</strong></dd>
      <dt>${t("facts.fee")}</dt>
      <dd data-testid="terms-fee">${money(fee)}</dd>
      <dt>${t("facts.draw")}</dt>
      <dd>${t("facts.draw_returns", { amount: money(stake) })}</dd>
      <dt>${t("facts.clock")}</dt>
      <dd>${t("facts.clock_each", { time: clock })}</dd>
    </dl>
    ${game === "mu_torere" ? html`<p class="small-text quiet">${t("facts.mu_torere")}</p>` : nothing}
  `;
}

/** Game and ruleset. @param {Terms} terms */
export const termsName = ({ game, options }) => html`
  <p class="terms-name"><strong>${kindName(game, options)}</strong> <span class="quiet">${kindRule(game, options)}</span></p>
`;

/** After these there is nothing left to agree to. */
const FINAL = new Set(["seek_gone", "stake_changed", "table_gone", "rematch_gone", "own_seek", "own_table", "not_found"]);

/**
 * The second step: shows the whole of the terms with the focus on the heading, and carries the act out on one more yes.
 * A refusal is said in the dialog; no money has moved then, and that is said too.
 * @template T
 * @param {object} options
 * @param {() => string} options.title
 * @param {Terms} options.terms
 * @param {() => string} [options.note] what else there is to know, such as that sides change
 * @param {() => string} [options.yes]
 * @param {() => Promise<T>} options.act
 * @returns {Promise<T | null>} what the act gave; null where it was left
 */
export function agree({ title, terms, note, yes = () => t("facts.yes"), act }) {
  let busy = false;
  /** @type {unknown} */
  let failure = null;
  const isFinal = () => failure instanceof ApiError && FINAL.has(failure.code);

  /** @param {(result: T) => void} close */
  async function carryOut(close) {
    if (busy) return;
    busy = true;
    failure = null;
    scheduleRedraw();
    try {
      close(await act());
    } catch (error) {
      failure = error;
      alert(refusal());
    }
    busy = false;
    scheduleRedraw();
  }

  function refusal() {
    const open = failure instanceof ApiError && failure.isOpen;
    return `${explain(failure)} ${t(open ? "facts.unknown" : terms.stake > 0 ? "facts.nothing_moved" : "facts.not_begun")}`;
  }

  return openDialog({
    title,
    body: (close) => html`
      ${termsName(terms)} ${termsFacts(terms)}
      ${note ? html`<p>${note()}</p>` : nothing}
      <p class="small-text">${t("facts.clock_at_once")}</p>
      ${remaining(terms.stake)}
      ${failure ? html`<p class="form-error" data-testid="refusal">${refusal()}</p>` : nothing}
      <div class="actions">
        <button type="button" class="button" @click=${() => close(/** @type {any} */ (null))}>
          ${t(isFinal() ? "action.close" : "action.cancel")}
        </button>
        ${isFinal()
          ? nothing
          : html`
              <button
                type="button"
                class="button primary"
                data-testid="agree"
                aria-disabled=${busy ? "true" : nothing}
                @click=${() => carryOut(close)}
              >
                ${busy ? t("sign_in.busy") : yes()}
              </button>
            `}
      </div>
    `,
  });
}

/** What is left of the balance, or what is missing; a line of its own while the balance is still to come, so that
 * nothing below it moves when it does. @param {number} stake */
export function remaining(stake) {
  if (stake === 0 || !hasAccount()) return nothing;
  if (!state.wallet) return html`<p class="small-text quiet">\u00a0</p>`;
  const left = state.wallet.available - stake;
  if (left >= 0) return html`<p class="small-text quiet">${t("facts.left", { amount: money(left) })}</p>`;
  return html`
    <p class="small-text">
      ${t("facts.short", { amount: money(-left) })} <a href="/wallet">${t("facts.to_wallet")}</a>
    </p>
  `;
}
