// @ts-check
/** Fields of forms: label, hint, control, and what is wrong, each tied to the control. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { live } from "../../vendor/lit-html/directives/live.js";

/**
 * @typedef {object} TextField
 * @property {string} id
 * @property {string} label
 * @property {string} [hint]
 * @property {string} [error]
 * @property {string} value
 * @property {(value: string) => void} change
 * @property {string} [type]
 * @property {string} [autocomplete]
 * @property {"text" | "decimal" | "email" | "search"} [inputmode]
 * @property {boolean} [required]
 * @property {number} [most] characters
 * @property {unknown} [after] what stands behind the control, such as a button
 */

/** @param {TextField} field */
export function textField({ id, label, hint, error, value, change, type, autocomplete, inputmode, required, most, after }) {
  const described = [hint ? `${id}-hint` : "", error ? `${id}-error` : ""].filter(Boolean).join(" ");
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : nothing}
      <div class="field-control">
        <input
          class="input"
          id=${id}
          name=${id}
          type=${type ?? "text"}
          inputmode=${inputmode ?? nothing}
          autocomplete=${autocomplete ?? "off"}
          maxlength=${most ?? nothing}
          aria-describedby=${described || nothing}
          aria-invalid=${error ? "true" : nothing}
          ?required=${required ?? false}
          .value=${live(value)}
          @input=${(/** @type {InputEvent} */ event) => change(/** @type {HTMLInputElement} */ (event.target).value)}
        />
        ${after ?? nothing}
      </div>
      ${error ? html`<p class="field-error" id="${id}-error">${error}</p>` : nothing}
    </div>
  `;
}

/**
 * Choices that exclude each other.
 * @template {string | number | boolean} T
 * @param {object} field
 * @param {string} field.id
 * @param {string} field.label
 * @param {string} [field.hint]
 * @param {T} field.value
 * @param {[value: T, label: string][]} field.choices
 * @param {(value: T) => void} field.change
 */
export const choiceField = ({ id, label, hint, value, choices, change }) => html`
  <fieldset class="field" aria-describedby=${hint ? `${id}-hint` : nothing}>
    <legend>${label}</legend>
    ${hint ? html`<p class="hint" id="${id}-hint">${hint}</p>` : nothing}
    <div class="segments">
      ${choices.map(
        ([choice, words]) => html`
          <label class="segment">
            <input
              type="radio"
              name=${id}
              value=${String(choice)}
              .checked=${live(choice === value)}
              @change=${() => change(choice)}
            /><span>${words}</span>
          </label>
        `,
      )}
    </div>
  </fieldset>
`;

/**
 * One of a longer list.
 * @param {object} field
 * @param {string} field.id
 * @param {string} field.label
 * @param {string} field.value
 * @param {[value: string, label: string][]} field.choices
 * @param {(value: string) => void} field.change
 */
export const selectField = ({ id, label, value, choices, change }) => html`
  <div class="field">
    <label for=${id}>${label}</label>
    <select
      class="input"
      id=${id}
      name=${id}
      @change=${(/** @type {Event} */ event) => change(/** @type {HTMLSelectElement} */ (event.target).value)}
    >
      ${choices.map(
        ([choice, words]) => html`<option value=${choice} .selected=${live(choice === value)}>${words}</option>`,
      )}
    </select>
  </div>
`;

/** The first field with something wrong gets the focus, so that it is what is read next. */
export function focusFirstError() {
  const first = document.querySelector("[aria-invalid='true']");
  if (first instanceof HTMLElement) first.focus();
}
