// @ts-check
/** The queue of withdrawals: what is held, for how long and why, and the decision on it. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { actor } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { mayPay, staffPage, whenAllowed } from "../../admin/frame.js";
import { post } from "../../api.js";
import { askForWords } from "../../ask_for_words.js";
import { ask, tell } from "../../dialog.js";
import { explain } from "../../explain.js";
import { dateTime, duration, money, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { say } from "../../speech.js";
import { state } from "../../store.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").StaffWithdrawal} StaffWithdrawal */

const STATUSES = ["requested", "approved", "submitted", "paid", "rejected", "cancelled", "failed"];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/withdrawals",
    query,
    fields: () => [
      { name: "status", label: t("column.status"), options: STATUSES.map((status) => [status, t(`withdrawal.${status}`)]) },
      { name: "player", label: t("filter.player") },
    ],
    search: () => void queue.restart(),
  });
  /** @type {import("../../resource.js").Listing<StaffWithdrawal>} */
  const queue = listing(() => filter.of("/v1/admin/withdrawals"), redraw);
  const stop = whenAllowed("withdrawals", () => void queue.restart());
  const done = () => void queue.restart();

  return {
    title: () => t("admin.withdrawals"),
    leave: stop,
    render: () =>
      staffPage("withdrawals", () => html`${filter.render()} ${listed(queue, (items) => rows(items, done), () => t("admin.none_waiting"))}`),
  };
}

/** @param {readonly StaffWithdrawal[]} items @param {() => void} done */
const rows = (items, done) =>
  table({
    caption: t("admin.withdrawals"),
    rows: items,
    mark: ({ status }) => (status === "requested" ? "open" : ""),
    columns: [
      { title: t("column.player"), cell: ({ player }) => html`<a href="/admin/players/${player.id}">${player.display_name}</a>` },
      { title: t("column.amount"), figure: true, cell: ({ amount }) => money(amount) },
      { title: t("column.age"), figure: true, cell: ({ age_ms }) => duration(age_ms) },
      { title: t("column.when"), cell: ({ requested_at }) => moment(requested_at, dateTime) },
      { title: t("column.held_for"), cell: held },
      { title: t("column.acts"), quiet: true, cell: (withdrawal) => acts(withdrawal, done) },
    ],
  });

/** Why the money is held, or what became of it. @param {StaffWithdrawal} withdrawal */
const held = ({ status, reason, failure, decided_by, ended_at }) => html`
  <span class="tag ${status}">${t(`withdrawal.${status}`)}</span>
  <span class="sub">${t(`withdrawal.why.${status}`)}</span>
  ${reason ? html`<span class="sub quote">${reason}</span>` : nothing}
  ${failure ? html`<span class="sub quote">${failure}</span>` : nothing}
  ${decided_by ? html`<span class="sub">${t("admin.decided_by")} ${actor(decided_by)}${ended_at ? html`, ${dateTime(ended_at)}` : nothing}</span>` : nothing}
`;

/** @param {StaffWithdrawal} withdrawal @param {() => void} done */
function acts(withdrawal, done) {
  if (withdrawal.status !== "requested" || !mayPay()) return nothing;
  if (withdrawal.player.id === state.me?.id) return html`<span class="quiet">${t("admin.own_money")}</span>`;
  return html`
    <span class="row-acts">
      <button type="button" class="button small primary" @click=${() => approve(withdrawal, done)}>${t("admin.approve")}</button>
      <button type="button" class="button small" @click=${() => reject(withdrawal, done)}>${t("admin.reject")}</button>
    </span>
  `;
}

/** @param {StaffWithdrawal} withdrawal */
const words = ({ amount, player }) => ({ amount: money(amount), player: player.display_name });

/** @param {StaffWithdrawal} withdrawal @param {() => void} done */
async function approve(withdrawal, done) {
  const title = () => t("admin.approve_title");
  const sure = await ask({ title, text: () => t("admin.approve_text", words(withdrawal)), yes: () => t("admin.approve") });
  if (!sure) return;
  try {
    const made = await post(`/v1/admin/withdrawals/${withdrawal.id}/approve`);
    say(t(`withdrawal.${made.status}`));
  } catch (error) {
    await tell(title, () => explain(error));
  }
  done();
}

/** @param {StaffWithdrawal} withdrawal @param {() => void} done */
async function reject(withdrawal, done) {
  const made = await askForWords({
    title: () => t("admin.reject_title"),
    text: () => t("admin.reject_text", words(withdrawal)),
    label: () => t("admin.reason"),
    yes: () => t("admin.reject"),
    act: (reason) => post(`/v1/admin/withdrawals/${withdrawal.id}/reject`, { reason }),
  });
  if (made) say(t("withdrawal.rejected"));
  done();
}
