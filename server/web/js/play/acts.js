// @ts-check
/** Resigning, draws and rematches: each in two steps, from buttons that never move. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ask, openDialog } from "../dialog.js";
import { explain } from "../explain.js";
import { money, t } from "../i18n.js";
import { remaining, split, termsFacts, termsName } from "../parts/terms.js";
import { request } from "../socket.js";

/** @typedef {import("./play.js").Play} Play */
/** @typedef {import("../types.d.ts").SeatName} SeatName */
/** @typedef {import("../types.d.ts").Match} Match */
/** @typedef {{ play: Play, match: Match, names: Record<SeatName, string> }} Acting */

/** @param {Acting} acting @param {Record<string, unknown>} message */
async function act({ play, match }, message) {
  try {
    await request({ match: match.id, ...message });
  } catch (error) {
    play.refuse(explain(error));
  }
}

/** The two acts of a live match, for its players. @param {Acting} acting */
export function liveActs(acting) {
  const { play } = acting;
  const { model } = play;
  if (model.own === null) return nothing;
  const { offer } = model;
  const key = offer === null ? "draw.offer" : offer.by === model.own ? "draw.offered" : "draw.answer";
  return html`<button type="button" class="button small ${offer !== null && offer.by !== model.own ? "primary" : ""}" data-testid="draw"
      aria-disabled=${offer?.by === model.own ? "true" : "false"} @click=${() => draw(acting)}>${t(key)}</button>
    <button type="button" class="button small" data-testid="resign" @click=${() => resign(acting)}>${t("resign.button")}</button>`;
}

/** @param {Acting} acting */
async function resign(acting) {
  const { stake } = acting.match;
  const yes = await ask({
    title: () => t("resign.title"),
    text: () => (stake === 0 ? t("resign.text_free") : t("resign.text", { stake: money(stake) })),
    yes: () => t("resign.yes"),
    grave: true,
  });
  if (yes && !acting.play.model.over) await act(acting, { type: "resign" });
}

/** @param {Acting} acting */
async function draw(acting) {
  const { model } = acting.play;
  const { offer } = model;
  if (offer?.by === model.own) return;
  if (offer === null) {
    const yes = await ask({ title: () => t("draw.offer"), text: () => drawText(acting), yes: () => t("draw.offer_yes") });
    if (yes) await act(acting, { type: "draw", action: "offer" });
    return;
  }
  const answer = await openDialog({
    title: () => t("draw.answer_title", { name: acting.names[offer.by] }),
    body: (/** @type {(answer: "accept" | "decline") => void} */ close) => html`<p class="dialog-text">${drawText(acting)}</p>
      <div class="actions">
        <button type="button" class="button" data-testid="draw-decline" @click=${() => close("decline")}>${t("draw.decline")}</button>
        <button type="button" class="button primary" data-testid="draw-accept" @click=${() => close("accept")}>${t("draw.accept")}</button>
      </div>`,
  });
  // The offer that was seen is the one that is answered, whatever has been offered since.
  if (answer !== null) await act(acting, { type: "draw", action: answer, offer: offer.offer });
}

/** @param {Acting} acting */
function drawText({ match }) {
  return match.stake === 0 ? t("draw.text_free") : t("draw.text", { stake: money(match.stake) });
}

/** After the end: another match on the same terms, sides changed. @param {Acting} acting */
export function rematchActs(acting) {
  const { model } = acting.play;
  if (model.own === null || model.state.outcome?.ending === "void") return nothing;
  const { rematch, nextMatch } = model;
  if (nextMatch !== null) return html`<a class="button primary" data-testid="next-match" href="/match/${nextMatch}">${t("rematch.go")}</a>`;
  if (rematch.state === "proposed" && rematch.by !== model.own) {
    return html`<button type="button" class="button primary" data-testid="rematch-answer" @click=${() => answerRematch(acting)}>${t("rematch.answer")}</button>`;
  }
  const waits = rematch.state === "proposed";
  return html`<button type="button" class="button" data-testid="rematch" aria-disabled=${waits ? "true" : "false"}
      @click=${() => !waits && propose(acting)}>${t(waits ? "rematch.waiting" : "rematch.propose")}</button>
    ${rematch.state === "declined" || rematch.state === "expired"
      ? html`<p class="quiet" data-testid="rematch-over">${t(`rematch.${rematch.state}`)}</p>`
      : nothing}`;
}

/** @param {Acting} acting */
async function propose(acting) {
  const yes = await ask({ title: () => t("rematch.propose"), text: () => summary(acting.match), yes: () => t("rematch.propose_yes") });
  if (yes) await act(acting, { type: "rematch", action: "propose" });
}

/** @param {Acting} acting */
async function answerRematch(acting) {
  const answer = await openDialog({
    title: () => t("rematch.answer"),
    body: (/** @type {(answer: "accept" | "decline") => void} */ close) => html`<div class="dialog-text">${summary(acting.match)}</div>
      <div class="actions">
        <button type="button" class="button" data-testid="rematch-decline" @click=${() => close("decline")}>${t("rematch.decline")}</button>
        <button type="button" class="button primary" data-testid="rematch-accept" @click=${() => close("accept")}>${t("rematch.accept")}</button>
      </div>`,
  });
  if (answer !== null) await act(acting, { type: "rematch", action: answer });
}

/** The terms of the next match: those of this one, with the sides changed. @param {Match} match */
function summary(match) {
  const terms = { ...match, ...split(match.stake) };
  return html`<div data-testid="rematch-terms">${termsName(terms)} ${termsFacts(terms)}
    <p>${t("terms.sides_change")}</p> ${remaining(match.stake)}</div>`;
}
