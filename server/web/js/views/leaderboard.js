// @ts-check
/** The best players of a game. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { number, t } from "../i18n.js";
import { listed, listing } from "../resource.js";
import { state } from "../store.js";
import { table } from "../table.js";
import notFound from "./not_found.js";

/** @typedef {import("../types.d.ts").Leader} Leader */

const GAMES = ["oware", "morris", "mu_torere"];

/** @type {import("../types.d.ts").ViewModule["default"]} */
export default function create({ params, redraw }) {
  const { game } = params;
  if (!GAMES.includes(game)) return notFound();
  /** @type {import("../resource.js").Listing<Leader>} */
  const leaders = listing(() => `/v1/leaderboards/${game}`, redraw);
  void leaders.restart();
  return {
    title: () => t("leaderboard.title", { game: t(`game.${game}`) }),
    render: () => html`
      <div class="column">
        <h1 tabindex="-1">${t("leaderboard.title", { game: t(`game.${game}`) })}</h1>
        <p class="quiet">${t("leaderboard.help")}</p>
        <nav class="tabs" aria-label=${t("column.game")}>
          ${GAMES.map(
            (name) =>
              html`<a href="/leaderboard/${name}" aria-current=${name === game ? "page" : nothing}>${t(`game.${name}`)}</a>`,
          )}
        </nav>
        ${listed(leaders, rows, () => t("leaderboard.none"))}
      </div>
    `,
  };
}

/** @param {readonly Leader[]} leaders */
const rows = (leaders) =>
  table({
    caption: t("leaderboard.table"),
    rows: leaders,
    mark: ({ player }) => (player.id === state.me?.id ? "own" : ""),
    columns: [
      { title: t("column.rank"), figure: true, cell: ({ rank }) => number(rank) },
      { title: t("column.player"), cell: ({ player }) => html`<a href="/player/${player.id}">${player.display_name}</a>` },
      {
        title: t("column.rating"),
        figure: true,
        cell: ({ player }) => html`${number(player.rating ?? 0)} <span class="sub-inline">± ${number(2 * (player.deviation ?? 0))}</span>`,
      },
      { title: t("column.matches"), figure: true, cell: ({ matches }) => number(matches) },
    ],
  });
