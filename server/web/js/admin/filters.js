// @ts-check
/** Filters of the staff's lists: kept in the address, so that a link and a reload show the same. */

import { html } from "../../vendor/lit-html/lit-html.js";
import { choice, moneyField, textField } from "../fields.js";
import { plainMoney, readMoney, t } from "../i18n.js";
import { withQuery } from "../resource.js";

/**
 * @typedef {object} FilterField
 * @property {string} name as the service calls it
 * @property {string} label
 * @property {"text" | "instant" | "day" | "money"} [type]
 * @property {[value: string, label: string][]} [options] what there is to choose from
 */

/**
 * @param {object} made
 * @param {string} made.path of the page
 * @param {URLSearchParams} made.query
 * @param {() => FilterField[]} made.fields
 * @param {() => void} made.search called when there is something else to look for
 */
export function filters({ path, query, fields, search }) {
  /** As it is typed; the address has it as the service reads it. @type {Record<string, string>} */
  const values = {};
  for (const { name, type } of fields()) values[name] = typed(type, query.get(name) ?? "");

  /** @type {() => Record<string, string>} */
  const parameters = () =>
    Object.fromEntries(fields().map(({ name, type }) => [name, read(type, values[name])]).filter(([, value]) => value !== ""));

  function apply() {
    history.replaceState(null, "", withQuery(path, parameters()));
    search();
  }

  // On a phone the list comes first; what is filtered by is not hidden.
  const open = matchMedia("(min-width: 40rem)").matches || Object.keys(parameters()).length > 0;

  return {
    parameters,
    /** A path of the service with these filters. @param {string} service */
    of: (service) => withQuery(service, parameters()),
    render: () => html`
      <details class="filter-box" ?open=${open}>
        <summary>${t("list.filters")}</summary>
        ${form()}
      </details>
    `,
  };

  function form() {
    return html`
      <form
        class="filters"
        role="search"
        @submit=${(/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          apply();
        }}
      >
        ${fields().map((field) => control(field, values, apply))}
        <button type="submit" class="button">${t("list.search")}</button>
      </form>
    `;
  }
}

/** @param {FilterField} field @param {Record<string, string>} values @param {() => void} apply */
function control({ name, label, type, options }, values, apply) {
  /** @param {string} value */
  const change = (value) => (values[name] = value);
  const common = { id: `filter-${name}`, label, value: values[name], change };
  if (options) {
    const all = /** @type {[string, string]} */ (["", t("list.all")]);
    const changeNow = (/** @type {string} */ value) => {
      change(value);
      apply();
    };
    return choice({ ...common, options: [all, ...options], change: changeNow });
  }
  if (type === "money") return moneyField(common);
  return textField({ ...common, type: type === "instant" ? "datetime-local" : type === "day" ? "date" : "text" });
}

/** @param {FilterField["type"]} type @param {string} value */
function read(type, value) {
  const text = value.trim();
  if (text === "") return "";
  if (type === "instant") return new Date(text).toISOString();
  if (type === "money") return String(readMoney(text) ?? text);
  return text;
}

/** @param {FilterField["type"]} type @param {string} value */
function typed(type, value) {
  if (value === "") return "";
  if (type === "money") return Number.isFinite(Number(value)) ? plainMoney(Number(value)) : value;
  if (type !== "instant") return value;
  const instant = new Date(value);
  if (Number.isNaN(instant.getTime())) return "";
  // What such a field shows is the time here, without a zone.
  return new Date(instant.getTime() - instant.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
