// @ts-check
/** The trial balance: totals by kind that sum to zero, and each check with its figure. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { mayAct, staffPage, whenAllowed } from "../../admin/frame.js";
import { ApiError, get, post } from "../../api.js";
import { askForWords } from "../../ask_for_words.js";
import { textField } from "../../fields.js";
import { dateTime, hasText, money, number, t } from "../../i18n.js";
import { resource, shown, withQuery } from "../../resource.js";
import { say } from "../../speech.js";
import { table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").TrialBalance} TrialBalance */
/** @typedef {import("../../staff_types.d.ts").Seal} Seal */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ redraw }) {
  let at = "";
  /** @type {import("../../resource.js").Resource<TrialBalance>} */
  const balance = resource(
    () => get(withQuery("/v1/admin/ledger/trial-balance", { at: at === "" ? "" : new Date(at).toISOString() })),
    redraw,
  );
  /** @type {import("../../resource.js").Resource<Seal | "none">} */
  const seal = resource(() => get("/v1/admin/ledger/seal").catch(noneYet), redraw);
  const stop = whenAllowed("balance", () => void balance.load());

  /** @param {string} value */
  function change(value) {
    at = value;
    void balance.load();
  }
  async function acknowledge() {
    const made = await askForWords({
      title: () => t("ledger.acknowledge"),
      text: () => t("ledger.acknowledge.text"),
      label: () => t("admin.reason"),
      yes: () => t("ledger.acknowledge"),
      grave: true,
      act: (reason) => post("/v1/admin/ledger/trial-balance/acknowledge", { reason }),
    });
    if (!made) return;
    say(t("ledger.acknowledged"));
    await balance.load();
  }

  return {
    title: () => t("admin.balance"),
    leave: stop,
    render: () =>
      staffPage(
        "balance",
        () => html`
          <div class="filters">
            ${textField({ id: "balance-at", type: "datetime-local", label: t("ledger.at"), value: at, change })}
            <button type="button" class="button" ?disabled=${balance.loading} @click=${balance.load}>${t("ledger.take")}</button>
          </div>
          ${shown(balance, (value) => html`${verdict(value, acknowledge)} ${totals(value)} ${checks(value)}`)}
          <h2>${t("ledger.seal")}</h2>
          <p class="quiet">${t("ledger.seal.about")}</p>
          ${seal.value === null
            ? html`<p><button type="button" class="button" ?disabled=${seal.loading} @click=${seal.load}>${t("ledger.seal.show")}</button></p>`
            : nothing}
          ${shown(seal, sealed)}
        `,
      ),
  };
}

/** @param {unknown} error @returns {"none"} */
function noneYet(error) {
  if (error instanceof ApiError && error.code === "not_found") return "none";
  throw error;
}

/** @param {TrialBalance} balance @param {() => void} acknowledge */
const verdict = ({ passed, at, stakes_closed }, acknowledge) => html`
  <div class="verdict ${passed ? "good" : "bad"}">
    <p><strong>${t(passed ? "ledger.passed" : "ledger.failed")}</strong> <span class="quiet">${t("ledger.as_of", { at: dateTime(at) })}</span></p>
    ${stakes_closed ? html`<p>${t("ledger.closed")}</p>` : nothing}
    ${stakes_closed && mayAct()
      ? html`<button type="button" class="button grave" @click=${acknowledge}>${t("ledger.acknowledge")}</button>`
      : nothing}
  </div>
`;

/** @param {TrialBalance} balance */
const totals = ({ accounts, sum }) => html`
  <h2>${t("ledger.totals")}</h2>
  ${table({
    caption: t("ledger.totals"),
    rows: [...accounts, { kind: "sum", currency: "", accounts: accounts.reduce((all, one) => all + one.accounts, 0), balance: sum }],
    mark: ({ kind }) => (kind === "sum" ? "total" : ""),
    columns: [
      { title: t("column.account"), cell: ({ kind }) => (kind === "sum" ? t("ledger.sum") : t(`account.${kind}`)) },
      { title: t("column.count"), figure: true, cell: ({ accounts: count }) => number(count) },
      { title: t("column.balance"), figure: true, cell: ({ balance }) => money(balance) },
    ],
  })}
`;

/** @param {TrialBalance} balance */
const checks = ({ checks: list }) => html`
  <h2>${t("ledger.checks")}</h2>
  ${table({
    caption: t("ledger.checks"),
    rows: list,
    mark: ({ passed }) => (passed ? "" : "failed"),
    columns: [
      { title: t("column.check"), cell: ({ name }) => checkName(name) },
      { title: t("column.figure"), figure: true, cell: ({ figure }) => html`<span class="code">${figure}</span>` },
      {
        title: t("column.result"),
        cell: ({ passed }) => html`<span class="tag ${passed ? "good" : "bad"}">${t(passed ? "ledger.check_passed" : "ledger.check_failed")}</span>`,
      },
    ],
  })}
`;

/** The words for a check, else the ledger's own. @param {string} name */
function checkName(name) {
  const key = `check.${name.replaceAll(/\W+/g, "_")}`;
  return hasText(key) ? t(key) : name;
}

/** @param {Seal | "none"} seal */
const sealed = (seal) =>
  seal === "none"
    ? html`<p class="empty">${t("ledger.no_seal")}</p>`
    : html`<dl class="facts">
        <dt>${t("ledger.seal.number")}</dt>
        <dd>${number(seal.number)}</dd>
        <dt>${t("ledger.seal.entries")}</dt>
        <dd>${number(seal.first_entry)}–${number(seal.last_entry)}</dd>
        <dt>${t("column.when")}</dt>
        <dd>${dateTime(seal.sealed_at)}</dd>
        <dt>${t("ledger.seal.value")}</dt>
        <dd class="code">${seal.seal}</dd>
      </dl>`;
