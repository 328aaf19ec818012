// @ts-check
/** Looking for players. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { date, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").PlayerLine} PlayerLine */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/players",
    query,
    fields: () => [
      { name: "name", label: t("filter.name") },
      { name: "email", label: t("filter.email") },
      { name: "id", label: t("filter.player") },
    ],
    search: () => void players.restart(),
  });
  /** @type {import("../../resource.js").Listing<PlayerLine>} */
  const players = listing(() => filter.of("/v1/admin/players"), redraw);
  const stop = whenAllowed("players", () => void players.restart());
  return {
    title: () => t("admin.players"),
    leave: stop,
    render: () => staffPage("players", () => html`${filter.render()} ${listed(players, rows)}`),
  };
}

/** What stands out about a player. @param {PlayerLine} player */
export const standing = (player) => (isPlain(player) ? "–" : tags(player));

/** @param {PlayerLine} player */
const isPlain = ({ guest, frozen, break_until, roles, identity }) =>
  !guest && !frozen && !break_until && roles.length === 0 && identity === "none";

/** @param {PlayerLine} player */
const tags = ({ guest, frozen, break_until, roles, identity }) => html`
  ${guest ? html`<span class="tag">${t("nav.guest")}</span>` : nothing}
  ${frozen ? html`<span class="tag bad">${t("player.frozen")}</span>` : nothing}
  ${break_until ? html`<span class="tag">${t("player.on_break", { until: date(break_until) })}</span>` : nothing}
  ${roles.map((role) => html`<span class="tag staff-role">${t(`role.${role}`)}</span>`)}
  ${identity === "none" ? nothing : html`<span class="tag ${identity}">${t(`identity.${identity}`)}</span>`}
`;

/** @param {readonly PlayerLine[]} players */
const rows = (players) =>
  table({
    caption: t("admin.players"),
    rows: players,
    columns: [
      { title: t("column.player"), cell: ({ id, display_name }) => html`<a href="/admin/players/${id}">${display_name}</a>` },
      { title: t("column.email"), cell: ({ email }) => email ?? "–" },
      { title: t("column.standing"), cell: standing },
      { title: t("column.since"), cell: ({ created_at }) => moment(created_at, date) },
    ],
  });
