// @ts-check
/** What a finished game came to, in one sentence first, and the ways to keep it. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { copyText } from "../clipboard.js";
import { money, t } from "../i18n.js";
import { notify } from "../notify.js";
import { state } from "../store.js";
import { rematchActs } from "./acts.js";
import { result } from "./words.js";

/** @typedef {import("./acts.js").Acting} Acting */

/** @param {Acting} acting */
export function resultBox(acting) {
  const { play, match, names } = acting;
  const { model } = play;
  const { outcome } = model.state;
  if (!outcome) return nothing;
  return html`<section class="result card" aria-labelledby="result-heading" data-testid="result">
    <h2 id="result-heading" tabindex="-1">${result(match.game, outcome, model.own, names)}</h2>
    ${moneyOf(acting)}
    <div class="actions">${rematchActs(acting)}</div>
  </section>`;
}

/** Stake, fee, payout and the balance after it. @param {Acting} acting */
function moneyOf({ play, match }) {
  const { model } = play;
  const { outcome } = model.state;
  if (match.stake === 0) return html`<p>${t("terms.no_stake")}</p>`;
  const own = model.own !== null && state.wallet !== null;
  return html`<dl class="result-money">
    <div><dt>${t("result.stake")}</dt><dd>${money(match.stake)}</dd></div>
    ${outcome?.winner
      ? html`<div><dt>${t("result.payout")}</dt><dd>${money(model.payout)}</dd></div><div><dt>${t("result.fee")}</dt><dd>${money(model.fee)}</dd></div>`
      : html`<div><dt>${t("result.returned")}</dt><dd>${money(match.stake)}</dd></div>`}
    ${own && state.wallet ? html`<div><dt>${t("result.balance")}</dt><dd>${money(state.wallet.available)}</dd></div>` : nothing}
  </dl>`;
}

/** Record, link and position, to keep or to pass on. @param {Acting} acting @param {unknown} record */
export function keepActs({ play, match }, record) {
  const position = play.model.positionAt(play.at) ?? "";
  return html`<section class="keep" aria-label=${t("keep.label")}>
    <button type="button" class="button small" data-testid="copy-position" @click=${() => copied(position)}>${t("keep.position")}</button>
    <button type="button" class="button small" data-testid="copy-link" @click=${() => copied(`${location.origin}/match/${match.id}`)}>${t("keep.link")}</button>
    ${record ? html`<button type="button" class="button small" data-testid="copy-record" @click=${() => copied(JSON.stringify(record))}>${t("keep.record")}</button>
      <button type="button" class="button small" data-testid="download-record" @click=${() => download(`${match.game}-${match.id}.json`, record)}>${t("keep.download")}</button>` : nothing}
    ${record && match.stake > 0
      ? html`<button type="button" class="button small" data-testid="receipt" @click=${() => receipt(match.id)}>${t("receipt.download")}</button>`
      : nothing}
    ${play.model.own !== null
      ? html`<button type="button" class="button small" data-testid="report" @click=${() => report(match.id)}>${t("report.match")}</button>`
      : nothing}
  </section>`;
}

// What few need is loaded when somebody does.

/** @param {string} match */
const receipt = async (match) => (await import("../receipt.js")).downloadReceipt(match);

/** @param {string} match */
const report = async (match) => (await import("../report.js")).reportMatch(match);

/** @param {string} text */
async function copied(text) {
  notify({ text: t((await copyText(text)) ? "keep.copied" : "keep.not_copied") });
}

/** @param {string} name @param {unknown} record */
function download(name, record) {
  const url = URL.createObjectURL(new Blob([`${JSON.stringify(record)}\n`], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
