// @ts-check
/** The audit log: who of the staff did what, when, to whom, and why. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { actor, playerLink } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { dateTime, hasText, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").AuditLine} AuditLine */

/** What changes something; looks come by the hundred. */
const ACTS = [
  "match.void", "player.freeze", "player.unfreeze", "player.roles", "player.identity", "player.second_factor_reset", "player.password_reset", "player.adjust",
  "player.adjust_asked", "player.adjust_approved", "player.adjust_rejected", "withdrawal.approve", "withdrawal.reject",
  "switches.set", "ledger.acknowledge", "admin.create", "account.delete",
];

/** @param {string} action */
const actionName = (action) => (hasText(`audit.${action}`) ? t(`audit.${action}`) : action);

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/audit",
    query,
    fields: () => [
      { name: "action", label: t("column.what"), options: ACTS.map((action) => [action, actionName(action)]) },
      { name: "actor", label: t("filter.actor") },
      { name: "player", label: t("filter.player") },
    ],
    search: () => void lines.restart(),
  });
  /** @type {import("../../resource.js").Listing<AuditLine>} */
  const lines = listing(() => filter.of("/v1/admin/audit"), redraw);
  const stop = whenAllowed("audit", () => void lines.restart());
  return {
    title: () => t("admin.audit"),
    leave: stop,
    render: () => staffPage("audit", () => html`${filter.render()} ${listed(lines, rows)}`),
  };
}

/** @param {readonly AuditLine[]} lines */
const rows = (lines) =>
  table({
    caption: t("admin.audit"),
    rows: lines,
    mark: ({ action }) => (ACTS.includes(action) ? "act" : "look"),
    columns: [
      { title: t("column.when"), cell: ({ at }) => moment(at, dateTime) },
      { title: t("column.by"), cell: ({ actor: who }) => actor(who) },
      { title: t("column.what"), cell: ({ action }) => actionName(action) },
      { title: t("column.about"), cell: ({ player, subject }) => html`${player ? playerLink(player) : nothing} ${subject ? html`<span class="sub code">${subject}</span>` : nothing}` },
      { title: t("column.reason"), cell: ({ reason, detail }) => html`${reason ? html`<span class="quote">${reason}</span>` : nothing} ${detail ? details(detail) : nothing}` },
    ],
  });

/** What was given with it; what was left open says nothing. @param {object} detail */
function details(detail) {
  const given = Object.entries(detail).filter(([, value]) => value !== null);
  return given.map(([name, value]) => html`<span class="sub code">${name}: ${typeof value === "object" ? JSON.stringify(value) : value}</span>`);
}
