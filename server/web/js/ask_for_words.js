// @ts-check
/** A dialog that asks for some words, such as the reason of an act. */

import { html } from "../vendor/lit-html/lit-html.js";
import { scheduleRedraw } from "./app.js";
import { openDialog } from "./dialog.js";
import { explain } from "./explain.js";
import { textArea } from "./fields.js";
import { t } from "./i18n.js";

/** The longest that the service takes. */
const LONGEST = 1_000;

/**
 * Asks for some words and does with them what they are for. What goes wrong is said where they were written.
 * @template T
 * @param {object} question
 * @param {() => string} question.title
 * @param {() => unknown} question.text
 * @param {() => string} question.label
 * @param {() => string} question.yes
 * @param {(words: string) => Promise<T | null>} question.act null where something else in the dialog is wrong
 * @param {boolean} [question.grave] the act can't be taken back
 * @returns {Promise<{ answer: T } | null>} null where it was not done
 */
export function askForWords({ title, text, label, yes, act, grave = false }) {
  let words = "";
  let wrong = "";
  let busy = false;
  /** @param {SubmitEvent} event @param {(result: { answer: T }) => void} close */
  async function submit(event, close) {
    event.preventDefault();
    if (busy) return;
    if (words.trim() === "") {
      wrong = t("field.words_needed");
      scheduleRedraw(() => document.getElementById("dialog-words")?.focus());
      return;
    }
    busy = true;
    scheduleRedraw();
    try {
      const answer = await act(words.trim());
      if (answer !== null) close({ answer });
    } catch (error) {
      wrong = explain(error);
    }
    busy = false;
    scheduleRedraw();
  }
  return openDialog({
    title,
    /** @param {(result: { answer: T }) => void} close */
    body: (close) => html`
      <form novalidate @submit=${(/** @type {SubmitEvent} */ event) => submit(event, close)}>
        <div class="dialog-text">${text()}</div>
        ${textArea({
          id: "dialog-words",
          label: label(),
          value: words,
          wrong,
          maxlength: LONGEST,
          required: true,
          change(value) {
            words = value;
            wrong = "";
          },
        })}
        <div class="actions">
          <button type="submit" class="button ${grave ? "grave" : "primary"}" ?disabled=${busy}>${yes()}</button>
        </div>
      </form>
    `,
  });
}
