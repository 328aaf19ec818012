// @ts-check
/** What is at stake, in words, beside every board. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { kindName, kindRule } from "../games.js";
import { money, t } from "../i18n.js";

/** @param {import("../types.d.ts").Terms} terms */
export function termsLine({ game, options, stake, payout, fee }) {
  return html`<div class="play-terms" data-testid="terms">
    <p><a href="/rules/${game}">${kindName(game, options)}</a></p>
    <p class="quiet small-text">${kindRule(game, options)}</p>
    ${stake === 0
      ? html`<p data-testid="no-stake">${t("terms.no_stake")}</p>`
      : html`<p>${t("terms.stake", { stake: money(stake), payout: money(payout), fee: money(fee) })}</p>
          <p class="quiet small-text">${t("terms.draw")} ${game === "mu_torere" ? t("terms.perfect_play") : nothing}</p>`}
  </div>`;
}
