// @ts-check
/** What is at stake, in words, wherever a game is played. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { money, t } from "../i18n.js";
import { rulesetName } from "./frame.js";

/** @typedef {import("../types.d.ts").GameName} GameName */

/**
 * @param {{ game: GameName, options: import("../types.d.ts").Options, stake: number, payout: number, fee: number }} terms
 */
export function termsLine({ game, options, stake, payout, fee }) {
  const ruleset = rulesetName(game, options);
  return html`<div class="play-terms" data-testid="terms">
    <p><a href="/rules/${game}">${t(`game.${game}.plain`)}</a>${ruleset ? html` · ${ruleset}` : nothing}</p>
    ${stake === 0
      ? html`<p data-testid="no-stake">${t("terms.no_stake")}</p>`
      : html`<p>${t("terms.stake", { stake: money(stake), payout: money(payout), fee: money(fee) })}</p>
          <p class="quiet small-text">${t("terms.draw")}${game === "mu_torere" ? ` ${t("terms.perfect_play")}` : ""}</p>`}
  </div>`;
}
