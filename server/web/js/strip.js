// @ts-check
/**
 * One line under the head that is always there: the time and the result of this sitting, or what everybody must know
 * now. What changes is what it says and never where anything stands.
 */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { matchElsewhere } from "./follow.js";
import { hoursMinutes, money, t, time } from "./i18n.js";
import { state } from "./store.js";

export function strip() {
  const banner = news();
  const match = banner ? null : matchElsewhere();
  return html`
    <div class="strip" data-tone=${banner ? banner.tone : "plain"}>
      ${banner
        ? html`<p class="strip-news" data-testid="banner">${banner.text}</p>`
        : match
          ? html`<p class="strip-news"><a href="/match/${match.id}" data-testid="live-match">${t("banner.match")}</a></p>`
          : sitting()}
    </div>
  `;
}

/** @returns {{ text: string, tone: string } | null} */
export function news() {
  if (!state.line.up) return { text: t("banner.line_lost", { time: time(state.line.since ?? Date.now()) }), tone: "bad" };
  if (state.paused) return { text: t("banner.paused"), tone: "warn" };
  if (state.me?.frozen) return { text: t("banner.frozen"), tone: "warn" };
  if (state.me?.pause) return { text: t("banner.break"), tone: "plain" };
  return null;
}

/** While somebody can play for a stake, how long they have been at it and what it has come to. */
function sitting() {
  if (!state.sitting || !state.wallet) return nothing;
  const { since, net } = state.sitting;
  return html`
    <p class="strip-sitting" data-testid="sitting">
      <span>${t("sitting.time", { time: hoursMinutes(Date.now() - since) })}</span>
      <span>${t("sitting.net", { amount: money(net, { sign: true }) })}</span>
    </p>
  `;
}
