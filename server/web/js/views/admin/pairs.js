// @ts-check
/** Who has lost how much to whom: losing on purpose is the one way to hand money over. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { playerLink } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { duration, money, number, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").PairLine} PairLine */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/pairs",
    query,
    fields: () => [
      { name: "player", label: t("filter.player") },
      { name: "matches_min", label: t("filter.matches_min") },
      { name: "from", label: t("list.from"), type: "instant" },
      { name: "to", label: t("list.to"), type: "instant" },
    ],
    search: () => void pairs.restart(),
  });
  /** @type {import("../../resource.js").Listing<PairLine>} */
  const pairs = listing(() => filter.of("/v1/admin/reports/pairs"), redraw);
  const stop = whenAllowed("pairs", () => void pairs.restart());
  return {
    title: () => t("admin.pairs"),
    leave: stop,
    render: () =>
      staffPage("pairs", () => html`<p class="quiet">${t("pairs.about")}</p> ${filter.render()} ${listed(pairs, rows)}`),
  };
}

/** The one who gained stands first. @param {PairLine} pair */
const gainedFirst = ({ one, two, flow }) =>
  flow >= 0 ? html`${playerLink(one)} ← ${playerLink(two)}` : html`${playerLink(two)} ← ${playerLink(one)}`;

/** @param {readonly PairLine[]} pairs */
const rows = (pairs) =>
  table({
    caption: t("admin.pairs"),
    rows: pairs,
    columns: [
      { title: t("pairs.who"), cell: gainedFirst },
      { title: t("pairs.flow"), figure: true, cell: ({ flow }) => money(Math.abs(flow)) },
      { title: t("column.stake"), figure: true, cell: ({ staked }) => money(staked) },
      { title: t("column.matches"), figure: true, cell: ({ matches }) => number(matches) },
      { title: t("pairs.resignations"), figure: true, cell: ({ resignations }) => number(resignations) },
      { title: t("pairs.timeouts"), figure: true, cell: ({ timeouts }) => number(timeouts) },
      { title: t("pairs.shortest"), figure: true, cell: ({ shortest_ms }) => duration(shortest_ms) },
      { title: t("pairs.played"), figure: true, cell: ({ played_ms }) => duration(played_ms) },
    ],
  });
