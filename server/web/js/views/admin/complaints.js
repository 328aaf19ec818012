// @ts-check
/** What players have reported. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { matchLink, playerLink } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { dateTime, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").Complaint} Complaint */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/complaints",
    query,
    fields: () => [
      { name: "player", label: t("filter.player") },
      { name: "match", label: t("filter.match") },
    ],
    search: () => void complaints.restart(),
  });
  /** @type {import("../../resource.js").Listing<Complaint>} */
  const complaints = listing(() => filter.of("/v1/admin/reports/complaints"), redraw);
  const stop = whenAllowed("complaints", () => void complaints.restart());
  return {
    title: () => t("admin.complaints"),
    leave: stop,
    render: () => staffPage("complaints", () => html`${filter.render()} ${listed(complaints, rows)}`),
  };
}

/** @param {readonly Complaint[]} complaints */
const rows = (complaints) =>
  table({
    caption: t("admin.complaints"),
    rows: complaints,
    columns: [
      { title: t("column.when"), cell: ({ at }) => moment(at, dateTime) },
      { title: t("column.match"), cell: ({ match_id }) => matchLink(match_id) },
      { title: t("column.by"), cell: ({ player }) => playerLink(player) },
      { title: t("column.about"), cell: ({ rival }) => playerLink(rival) },
      { title: t("column.text"), cell: ({ text }) => html`<span class="quote">${text}</span>` },
    ],
  });
