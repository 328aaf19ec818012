// @ts-check
/** How players of staked matches played: for people to look at, and nothing follows by itself. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { matchLink, playerLink } from "../../admin/cells.js";
import { filters } from "../../admin/filters.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { dateTime, duration, number, t } from "../../i18n.js";
import { listed, listing, withQuery } from "../../resource.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").FairPlaySum} FairPlaySum */
/** @typedef {import("../../staff_types.d.ts").FairPlayMatch} FairPlayMatch */

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/fair-play",
    query,
    fields: () => [
      { name: "by", label: t("fair_play.by"), options: [["player", t("fair_play.by.player")], ["pair", t("fair_play.by.pair")]] },
      { name: "player", label: t("filter.player") },
      { name: "game", label: t("column.game"), options: ["oware", "morris", "mu_torere"].map((game) => [game, t(`game.${game}`)]) },
      { name: "choices_min", label: t("fair_play.choices_min") },
      { name: "from", label: t("list.from"), type: "instant" },
      { name: "to", label: t("list.to"), type: "instant" },
    ],
    search: restart,
  });
  /** @type {import("../../resource.js").Listing<FairPlaySum>} */
  const sums = listing(() => filter.of("/v1/admin/reports/fair-play"), redraw);
  /** The matches behind the figures of one player. @type {import("../../resource.js").Listing<FairPlayMatch>} */
  const matches = listing(() => {
    const { player, game, from, to } = filter.parameters();
    return withQuery("/v1/admin/reports/fair-play/matches", { player, game, from, to });
  }, redraw);

  function restart() {
    void sums.restart();
    if (filter.parameters().player) void matches.restart();
  }

  const stop = whenAllowed("fair_play", restart);
  return {
    title: () => t("admin.fair_play"),
    leave: stop,
    render: () =>
      staffPage(
        "fair_play",
        () => html`
          <p class="quiet">${t("fair_play.about")}</p>
          ${filter.render()} ${listed(sums, rows)}
          ${filter.parameters().player ? html`<h2>${t("fair_play.matches")}</h2> ${listed(matches, played)}` : ""}
        `,
      ),
  };
}

/** @param {{ best: number, choices: number }} line */
const share = ({ best, choices }) => (choices > 0 ? `${number(Math.round((best * 100) / choices))} %` : "–");

/** @param {string} player */
const behind = (player) => withQuery("/admin/fair-play", { player });

/** @param {readonly FairPlaySum[]} sums */
const rows = (sums) =>
  table({
    caption: t("admin.fair_play"),
    rows: sums,
    columns: [
      { title: t("column.player"), cell: ({ player }) => playerLink(player) },
      { title: t("fair_play.rival"), cell: ({ rival }) => (rival ? playerLink(rival) : "–") },
      { title: t("column.game"), cell: ({ game }) => t(`game.${game}`) },
      { title: t("fair_play.share"), figure: true, cell: share },
      { title: t("fair_play.choices"), figure: true, cell: ({ choices }) => number(choices) },
      { title: t("fair_play.mean"), figure: true, cell: ({ mean_ms }) => duration(mean_ms) },
      { title: t("fair_play.spread"), figure: true, cell: ({ spread_ms }) => duration(spread_ms) },
      { title: t("column.matches"), figure: true, cell: ({ player, matches }) => html`<a href=${behind(player)}>${number(matches)}</a>` },
    ],
  });

/** @param {readonly FairPlayMatch[]} matches */
const played = (matches) =>
  table({
    caption: t("fair_play.matches"),
    rows: matches,
    columns: [
      { title: t("column.when"), cell: ({ settled_at }) => moment(settled_at, dateTime) },
      { title: t("column.match"), cell: ({ match_id }) => matchLink(match_id) },
      { title: t("fair_play.rival"), cell: ({ rival }) => playerLink(rival) },
      { title: t("fair_play.share"), figure: true, cell: share },
      { title: t("fair_play.choices"), figure: true, cell: ({ choices }) => number(choices) },
      { title: t("fair_play.mean"), figure: true, cell: ({ mean_ms }) => duration(mean_ms) },
      { title: t("fair_play.spread"), figure: true, cell: ({ spread_ms }) => duration(spread_ms) },
    ],
  });
