// @ts-check
/** Fields of forms: each with its label, what helps to fill it in, and what is wrong with it. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live } from "../vendor/lit-html/directives/live.js";
import { t } from "./i18n.js";

/**
 * @typedef {object} Field
 * @property {string} id
 * @property {string} label
 * @property {string} value
 * @property {(value: string) => void} change
 * @property {string} [help]
 * @property {string} [wrong] what is wrong with what was filled in
 * @property {boolean} [disabled]
 */

/** @param {Field} field */
const described = ({ id, help, wrong }) =>
  [help ? `${id}-help` : "", wrong ? `${id}-wrong` : ""].filter(Boolean).join(" ") || nothing;

/** @param {Field} field @param {unknown} control */
const framed = ({ id, label, help, wrong }, control) => html`
  <div class="field ${wrong ? "invalid" : ""}">
    <label for=${id}>${label}</label>
    ${control} ${help ? html`<p class="hint" id="${id}-help">${help}</p>` : nothing}
    ${wrong ? html`<p class="field-error" id="${id}-wrong" role="alert">${wrong}</p>` : nothing}
  </div>
`;

/**
 * A line of text, a number, a date.
 * @param {Field & { type?: string, inputmode?: string, autocomplete?: string, required?: boolean, maxlength?: number, min?: string, max?: string, after?: unknown }} field
 *   `after` stands behind the control, such as a button
 */
export const textField = (field) =>
  framed(
    field,
    html`<div class="field-control"><input
      class="input"
      id=${field.id}
      type=${field.type ?? "text"}
      inputmode=${field.inputmode ?? nothing}
      autocomplete=${field.autocomplete ?? "off"}
      ?required=${field.required ?? false}
      ?disabled=${field.disabled ?? false}
      maxlength=${field.maxlength ?? nothing}
      min=${field.min ?? nothing}
      max=${field.max ?? nothing}
      aria-invalid=${field.wrong ? "true" : nothing}
      aria-describedby=${described(field)}
      .value=${live(field.value)}
      @input=${(/** @type {Event} */ event) => field.change(valueOf(event))}
    />${field.after ?? nothing}</div>`,
  );

/** An amount of money, typed as people do. @param {Field} field */
export const moneyField = (field) => textField({ ...field, inputmode: "decimal", maxlength: 20 });

/** Some sentences. @param {Field & { required?: boolean, maxlength?: number }} field */
export const textArea = (field) =>
  framed(
    field,
    html`<textarea
      class="input"
      id=${field.id}
      rows="3"
      ?required=${field.required ?? false}
      maxlength=${field.maxlength ?? nothing}
      aria-invalid=${field.wrong ? "true" : nothing}
      aria-describedby=${described(field)}
      .value=${live(field.value)}
      @input=${(/** @type {Event} */ event) => field.change(valueOf(event))}
    ></textarea>`,
  );

/** One of a few. @param {Field & { options: [value: string, label: string][] }} field */
export const choice = (field) =>
  framed(
    field,
    html`<select
      class="input"
      id=${field.id}
      ?disabled=${field.disabled ?? false}
      aria-describedby=${described(field)}
      @change=${(/** @type {Event} */ event) => field.change(valueOf(event))}
    >
      ${field.options.map(
        ([value, label]) => html`<option value=${value} .selected=${live(value === field.value)}>${label}</option>`,
      )}
    </select>`,
  );

/**
 * Choices that exclude each other, all in view.
 * @template {string | number | boolean} T
 * @param {object} field
 * @param {string} field.id
 * @param {string} field.label
 * @param {string} [field.help]
 * @param {T} field.value
 * @param {[value: T, label: string][]} field.options
 * @param {(value: T) => void} field.change
 */
export const segments = ({ id, label, help, value, options, change }) => html`
  <fieldset class="field" aria-describedby=${help ? `${id}-help` : nothing}>
    <legend>${label}</legend>
    ${help ? html`<p class="hint" id="${id}-help">${help}</p>` : nothing}
    <div class="segments">
      ${options.map(
        ([option, words]) => html`
          <label class="segment">
            <input
              type="radio"
              name=${id}
              value=${String(option)}
              .checked=${live(option === value)}
              @change=${() => change(option)}
            /><span>${words}</span>
          </label>
        `,
      )}
    </div>
  </fieldset>
`;

/** The first field with something wrong gets the focus, so that it is what is read next. */
export function focusFirstError() {
  const first = document.querySelector("[aria-invalid='true']");
  if (first instanceof HTMLElement) first.focus();
}

/**
 * The words for a number out of bounds.
 * @param {(cents: number) => string} money
 * @param {number} least
 * @param {number} most
 */
export const bounds = (money, least, most) => t("field.bounds", { least: money(least), most: money(most) });

/** @param {Event} event */
const valueOf = (event) => /** @type {HTMLInputElement} */ (event.target).value;
