// @ts-check
/** Modal dialogs. The browser's own element keeps the focus inside, closes on Escape and gives the focus back. */

import { html, render } from "../vendor/lit-html/lit-html.js";
import { t } from "./i18n.js";

/** @typedef {import("../vendor/lit-html/lit-html.js").TemplateResult} TemplateResult */

/** @type {Set<() => void>} */
const open = new Set();

/** Renders open dialogs again, as part of the one redraw of the page. */
export function redrawDialogs() {
  for (const draw of open) draw();
}

/** Closes every dialog, as when the page goes elsewhere. */
export function closeDialogs() {
  for (const element of document.querySelectorAll("dialog[open]")) /** @type {HTMLDialogElement} */ (element).close();
}

/**
 * Shows a dialog until it is closed. The heading gets the focus, so that its words are read first.
 * @template T
 * @param {object} options
 * @param {() => string} options.title
 * @param {(close: (result: T) => void) => TemplateResult} options.body
 * @returns {Promise<T | null>} what it was closed with; null for Escape or going elsewhere
 */
export function openDialog({ title, body }) {
  const before = document.activeElement;
  const element = document.createElement("dialog");
  element.className = "dialog";
  element.setAttribute("aria-labelledby", "dialog-title");
  document.body.append(element);
  return new Promise((resolve) => {
    /** @type {T | null} */
    let result = null;
    /** @param {T} value */
    const close = (value) => {
      result = value;
      element.close();
    };
    const draw = () =>
      render(
        html`<div class="dialog-inner"><h2 id="dialog-title" tabindex="-1">${title()}</h2>${body(close)}</div>`,
        element,
      );
    element.addEventListener("close", () => {
      open.delete(draw);
      element.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else document.querySelector("h1")?.focus();
      resolve(result);
    });
    element.addEventListener("click", (event) => {
      if (event.target === element) element.close();
    });
    open.add(draw);
    draw();
    element.showModal();
    /** @type {HTMLElement | null} */ (element.querySelector("#dialog-title"))?.focus();
  });
}

/**
 * A question with two answers; the safe one comes first.
 * @param {object} question
 * @param {() => string} question.title
 * @param {() => TemplateResult | string} question.text
 * @param {() => string} question.yes
 * @param {() => string} [question.no]
 * @param {boolean} [question.grave] the yes can't be taken back
 * @returns {Promise<boolean>}
 */
export async function ask({ title, text, yes, no = () => t("action.cancel"), grave = false }) {
  const answer = await openDialog({
    title,
    /** @param {(result: boolean) => void} close */
    body: (close) => html`
      <div class="dialog-text">${text()}</div>
      <div class="actions">
        <button type="button" class="button" @click=${() => close(false)}>${no()}</button>
        <button type="button" class="button ${grave ? "grave" : "primary"}" @click=${() => close(true)}>${yes()}</button>
      </div>
    `,
  });
  return answer === true;
}

/**
 * Something to be read, and closed.
 * @param {() => string} title
 * @param {() => TemplateResult | string} text
 */
export async function tell(title, text) {
  await openDialog({
    title,
    /** @param {(result: true) => void} close */
    body: (close) => html`
      <div class="dialog-text">${text()}</div>
      <div class="actions">
        <button type="button" class="button primary" @click=${() => close(true)}>${t("action.close")}</button>
      </div>
    `,
  });
}
