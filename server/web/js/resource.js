// @ts-check
/** What is fetched to be shown: under way, there, or failed with a way to try again. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { get } from "./api.js";
import { explain } from "./explain.js";
import { t } from "./i18n.js";

/** @typedef {import("../vendor/lit-html/lit-html.js").TemplateResult} TemplateResult */

/**
 * @template T
 * @typedef {object} Resource
 * @property {T | null} value what was fetched last
 * @property {unknown} error what went wrong last, null where nothing did
 * @property {boolean} loading
 * @property {() => Promise<void>} load fetches it again; what is there stays until then
 */

/**
 * Something that is fetched as a whole.
 * @template T
 * @param {() => Promise<T>} fetchIt
 * @param {() => void} redraw
 * @returns {Resource<T>}
 */
export function resource(fetchIt, redraw) {
  let turn = 0;
  /** @type {Resource<T>} */
  const made = {
    value: null,
    error: null,
    loading: false,
    async load() {
      turn += 1;
      const mine = turn;
      made.loading = true;
      redraw();
      try {
        const value = await fetchIt();
        // A slower answer to an earlier question must not replace this one.
        if (mine === turn) Object.assign(made, { value, error: null });
      } catch (error) {
        if (mine === turn) made.error = error;
      }
      if (mine !== turn) return;
      made.loading = false;
      redraw();
    },
  };
  return made;
}

/**
 * @template T
 * @typedef {object} Listing
 * @property {T[]} items what has been fetched so far
 * @property {boolean} whole whether that is all
 * @property {unknown} error
 * @property {boolean} loading
 * @property {() => Promise<void>} restart fetches the first page anew
 * @property {() => Promise<void>} more fetches the next page
 */

/**
 * A list that comes in pages.
 * @template T
 * @param {() => string} path the path with its filters, asked for at each restart
 * @param {() => void} redraw
 * @param {number} [limit] how many items a page has
 * @returns {Listing<T>}
 */
export function listing(path, redraw, limit = 50) {
  let turn = 0;
  let asked = "";
  /** @type {string | null} */
  let cursor = null;
  /** @param {boolean} anew */
  async function fetchPage(anew) {
    if (anew) turn += 1;
    const mine = turn;
    if (anew) asked = path();
    list.loading = true;
    redraw();
    try {
      const next = anew || cursor === null ? {} : { cursor };
      const page = await get(withQuery(asked, { limit: String(limit), ...next }));
      if (mine !== turn) return;
      cursor = page.next_cursor ?? null;
      Object.assign(list, { items: anew ? page.items : [...list.items, ...page.items], whole: cursor === null, error: null });
    } catch (error) {
      if (mine !== turn) return;
      list.error = error;
    }
    list.loading = false;
    redraw();
  }
  /** @type {Listing<T>} */
  const list = {
    items: [],
    whole: false,
    error: null,
    loading: false,
    restart: () => fetchPage(true),
    more: () => fetchPage(false),
  };
  return list;
}

/**
 * A path with further parameters; empty ones are left out.
 * @param {string} path
 * @param {Record<string, string | null | undefined>} parameters
 */
export function withQuery(path, parameters) {
  const query = new URLSearchParams(path.split("?")[1] ?? "");
  for (const [name, value] of Object.entries(parameters)) {
    if (value) query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? path.split("?")[0] : `${path.split("?")[0]}?${text}`;
}

/**
 * What is there, or what is in its way.
 * @template T
 * @param {Resource<T>} made
 * @param {(value: T) => unknown} show
 */
export function shown(made, show) {
  return html`
    ${made.error === null ? nothing : failure(made.error, made.load)}
    ${made.value === null ? (made.loading ? waiting() : nothing) : show(made.value)}
  `;
}

/** @param {unknown} error @param {() => void} again @returns {TemplateResult} */
export const failure = (error, again) => html`
  <div class="problem" role="alert">
    <p>${explain(error)}</p>
    <button type="button" class="button" @click=${again}>${t("action.try_again")}</button>
  </div>
`;

export const waiting = () => html`<p class="quiet" role="status">${t("list.loading")}</p>`;

/**
 * A list: its rows, what is in its way, and a button for more.
 * @template T
 * @param {Listing<T>} list
 * @param {(items: T[]) => unknown} show
 * @param {() => string} [none] what is said where there is nothing
 */
export function listed(list, show, none = () => t("list.empty")) {
  return html`
    ${list.error === null ? nothing : failure(list.error, list.items.length > 0 ? list.more : list.restart)}
    ${list.items.length > 0 ? show(list.items) : nothing}
    ${list.items.length === 0 && list.whole && !list.loading ? html`<p class="empty">${none()}</p>` : nothing}
    ${list.loading ? waiting() : nothing}
    ${list.whole || list.loading || list.error !== null
      ? nothing
      : html`<p><button type="button" class="button" @click=${list.more}>${t("list.more")}</button></p>`}
  `;
}
