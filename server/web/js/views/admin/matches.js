// @ts-check
/** Looking for matches, and cancelling one. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { filters } from "../../admin/filters.js";
import { mayAct, staffPage, whenAllowed } from "../../admin/frame.js";
import { short } from "../../admin/cells.js";
import { get, post } from "../../api.js";
import { askForWords } from "../../ask_for_words.js";
import { tell } from "../../dialog.js";
import { explain } from "../../explain.js";
import { dateTime, money, t } from "../../i18n.js";
import { listed, listing } from "../../resource.js";
import { say } from "../../speech.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").MatchLine} MatchLine */

const GAMES = ["oware", "morris", "mu_torere"];
const ENDINGS = [
  "majority", "forced_grand_slam", "cannot_feed", "no_move", "repetition", "no_capture_limit", "reduced", "blocked",
  "threefold_repetition", "fifty_moves", "resignation", "timeout", "agreement", "void",
];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  const filter = filters({
    path: "/admin/matches",
    query,
    fields: () => [
      { name: "status", label: t("column.status"), options: [["live", t("status.live")], ["ended", t("status.ended")]] },
      { name: "game", label: t("column.game"), options: GAMES.map((game) => [game, t(`game.${game}`)]) },
      { name: "ending", label: t("column.ending"), options: ENDINGS.map((ending) => [ending, t(`ending.${ending}`)]) },
      { name: "player", label: t("filter.player") },
      { name: "stake_min", label: t("filter.stake_min"), type: "money" },
      { name: "from", label: t("list.from"), type: "instant" },
      { name: "to", label: t("list.to"), type: "instant" },
    ],
    search: () => void matches.restart(),
  });
  /** @type {import("../../resource.js").Listing<MatchLine>} */
  const matches = listing(() => filter.of("/v1/admin/matches"), redraw);
  const stop = whenAllowed("matches", () => void matches.restart());
  const done = () => void matches.restart();

  return {
    title: () => t("admin.matches"),
    leave: stop,
    render: () => staffPage("matches", () => html`${filter.render()} ${listed(matches, (items) => rows(items, done))}`),
  };
}

/** @param {readonly MatchLine[]} items @param {() => void} done */
const rows = (items, done) =>
  table({
    caption: t("admin.matches"),
    rows: items,
    columns: [
      { title: t("column.when"), cell: ({ started_at }) => moment(started_at, dateTime) },
      { title: t("column.match"), cell: ({ id, game }) => html`<a href="/match/${id}" title=${id}>${t(`game.${game}`)} <span class="code">${short(id)}</span></a>` },
      {
        title: t("column.players"),
        cell: ({ players: { first, second } }) =>
          html`<a href="/admin/players/${first.id}">${first.display_name}</a> – <a href="/admin/players/${second.id}">${second.display_name}</a>`,
      },
      { title: t("column.stake"), figure: true, cell: ({ stake }) => (stake === 0 ? t("stake.none") : money(stake)) },
      { title: t("column.result"), cell: outcome },
      {
        title: t("column.acts"),
        quiet: true,
        cell: (match) =>
          match.status === "live" && mayAct()
            ? html`<button type="button" class="button small grave" @click=${() => cancel(match.id, done)}>${t("admin.void")}</button>`
            : nothing,
      },
    ],
  });

/** @param {MatchLine} match */
function outcome({ status, outcome: what, players, payout }) {
  if (status === "live" || !what) return html`<span class="tag live">${t("status.live")}</span>`;
  const winner = what.winner ? players[what.winner].display_name : t("match_result.nobody");
  return html`${winner} ${payout > 0 ? html`<span class="sub-inline">${money(payout)}</span>` : nothing}
    <span class="sub">${t(`ending.${what.ending}`)}</span>`;
}

/** Says who gets what back, asks why, and cancels. @param {string} id @param {() => void} done */
async function cancel(id, done) {
  /** @type {import("../../types.d.ts").Match} */
  let match;
  try {
    match = await get(`/v1/matches/${id}`);
  } catch (error) {
    return tell(() => t("admin.void_title"), () => explain(error));
  }
  const voided = await askForWords({
    title: () => t("admin.void_title"),
    text: () => html`
      <p>${t("admin.void_text", { game: t(`game.${match.game}`) })}</p>
      <dl class="sums">
        ${[match.players.first, match.players.second].map(
          ({ display_name }) =>
            html`<div><dt>${display_name}</dt><dd>${match.stake === 0 ? t("stake.none") : t("admin.void_back", { amount: money(match.stake) })}</dd></div>`,
        )}
        <div><dt>${t("admin.void_house")}</dt><dd>${money(0)}</dd></div>
      </dl>
    `,
    label: () => t("admin.reason"),
    yes: () => t("admin.void_yes"),
    grave: true,
    act: (reason) => post(`/v1/admin/matches/${id}/void`, { reason }),
  });
  if (voided) say(t("admin.voided"));
  done();
}
