// @ts-check
/** Tables that are read on a desk and on a phone, where each row becomes a card with its labels. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";

/**
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: T) => unknown} cell
 * @property {boolean} [figure] a number, set to the right with figures of one width
 * @property {boolean} [quiet] no title of its own, such as a column of buttons
 */

/**
 * @template T
 * @param {object} table
 * @param {string} table.caption what it is, for who hears it
 * @param {Column<T>[]} table.columns
 * @param {readonly T[]} table.rows
 * @param {(row: T) => string} [table.mark] a class of its row
 */
export function table({ caption, columns, rows, mark = () => "" }) {
  return html`
    <div class="table-frame">
      <table class="table">
        <caption class="visually-hidden">
          ${caption}
        </caption>
        <thead>
          <tr>
            ${columns.map(
              ({ title, figure, quiet }) =>
                html`<th scope="col" class=${figure ? "figure" : ""}>
                  ${quiet ? html`<span class="visually-hidden">${title}</span>` : title}
                </th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr class=${mark(row)}>
                ${columns.map(
                  ({ title, cell, figure, quiet }) =>
                    html`<td class=${figure ? "figure" : ""} data-label=${quiet ? nothing : title}>${cell(row)}</td>`,
                )}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/**
 * A time, on one line.
 * @param {string} at
 * @param {(at: string) => string} words
 */
export const moment = (at, words) => html`<time class="when" datetime=${at}>${words(at)}</time>`;
