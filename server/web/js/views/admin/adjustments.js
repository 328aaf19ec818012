// @ts-check
/** Adjustments: those that wait for a second administrator, and what became of the others. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { actor, playerLink } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { mayAct, staffPage, whenAllowed } from "../../admin/frame.js";
import { post } from "../../api.js";
import { askForWords } from "../../ask_for_words.js";
import { dateTime, money, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { say } from "../../speech.js";
import { state } from "../../store.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").Adjustment} Adjustment */

const STATUSES = ["waiting", "done", "rejected", "undone"];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/adjustments",
    query,
    fields: () => [{ name: "status", label: t("column.status"), options: STATUSES.map((status) => [status, t(`adjustment.${status}`)]) }],
    search: () => void adjustments.restart(),
  });
  /** @type {import("../../resource.js").Listing<Adjustment>} */
  const adjustments = listing(() => filter.of("/v1/admin/adjustments"), redraw);
  const stop = whenAllowed("adjustments", () => void adjustments.restart());
  const done = () => void adjustments.restart();
  return {
    title: () => t("admin.adjustments"),
    leave: stop,
    render: () =>
      staffPage(
        "adjustments",
        () => html`
          <p class="quiet">${t("adjustment.help")}</p>
          ${filter.render()} ${listed(adjustments, (items) => rows(items, done))}
        `,
      ),
  };
}

/** @param {readonly Adjustment[]} items @param {() => void} done */
const rows = (items, done) =>
  table({
    caption: t("admin.adjustments"),
    rows: items,
    mark: ({ status }) => (status === "waiting" ? "open" : ""),
    columns: [
      { title: t("column.when"), cell: ({ asked_at }) => moment(asked_at, dateTime) },
      { title: t("column.player"), cell: ({ player }) => playerLink(player) },
      { title: t("column.amount"), figure: true, cell: ({ amount }) => money(amount, { sign: true }) },
      { title: t("column.reason"), cell: ({ reason }) => html`<span class="quote">${reason}</span>` },
      { title: t("column.asked_by"), cell: ({ asked_by }) => actor(asked_by) },
      {
        title: t("column.status"),
        cell: ({ status, decided_by }) => html`
          <span class="tag ${status}">${t(`adjustment.${status}`)}</span>
          ${decided_by ? html`<span class="sub">${t("admin.decided_by")} ${actor(decided_by)}</span>` : nothing}
        `,
      },
      { title: t("column.acts"), quiet: true, cell: (adjustment) => acts(adjustment, done) },
    ],
  });

/** @param {Adjustment} adjustment @param {() => void} done */
function acts(adjustment, done) {
  if (adjustment.status !== "waiting" || !mayAct()) return nothing;
  if (adjustment.asked_by === state.me?.id) return html`<span class="quiet">${t("adjustment.second")}</span>`;
  return html`
    <span class="row-acts">
      <button type="button" class="button small primary" @click=${() => decide(adjustment, "approve", done)}>${t("admin.approve")}</button>
      <button type="button" class="button small" @click=${() => decide(adjustment, "reject", done)}>${t("admin.reject")}</button>
    </span>
  `;
}

/** @param {Adjustment} adjustment @param {"approve" | "reject"} how @param {() => void} done */
async function decide(adjustment, how, done) {
  const made = await askForWords({
    title: () => t(`adjustment.${how}_title`),
    text: () => html`<p>${t(`adjustment.${how}_text`, { amount: money(adjustment.amount, { sign: true }) })}</p><p class="quote">${adjustment.reason}</p>`,
    label: () => t("admin.reason"),
    yes: () => t(`admin.${how}`),
    act: (reason) => post(`/v1/admin/adjustments/${adjustment.id}/${how}`, { reason }),
  });
  if (made) say(t(`adjustment.${made.answer.status}`));
  done();
}
