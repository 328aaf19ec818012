// @ts-check
/** A player as everybody sees them: results and rating by game, and the matches that were rated. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { get } from "../api.js";
import { choice } from "../fields.js";
import { forPlayers, onceSignedIn } from "../gate.js";
import { date, dateTime, number, t } from "../i18n.js";
import { listed, listing, resource, shown, withQuery } from "../resource.js";
import { state } from "../store.js";
import { moment, table } from "../table.js";

/** @typedef {import("../types.d.ts").Profile} Profile */
/** @typedef {import("../types.d.ts").GameResults} GameResults */
/** @typedef {import("../types.d.ts").RatingChange} RatingChange */

/** @type {import("../types.d.ts").ViewModule["default"]} */
export default function create({ params, redraw }) {
  let game = "";
  /** @type {import("../resource.js").Resource<Profile>} */
  const profile = resource(() => get(`/v1/players/${encodeURIComponent(params.id)}`), redraw);
  /** @type {import("../resource.js").Listing<RatingChange>} */
  const changes = listing(() => withQuery(`/v1/players/${encodeURIComponent(params.id)}/ratings`, { game }), redraw, 20);
  const stop = onceSignedIn(() => {
    void profile.load();
    void changes.restart();
  });

  /** @param {string} value */
  function refine(value) {
    game = value;
    void changes.restart();
  }

  return {
    title: () => profile.value?.display_name ?? t("profile.title"),
    render: () =>
      forPlayers(
        t("profile.title"),
        () => html`
          <div class="page">
            <h1 tabindex="-1">${profile.value?.display_name ?? t("profile.title")}</h1>
            ${shown(profile, (value) => html`${about(value)} ${byGame(value)} ${ratingChanges(changes, game, refine)}`)}
          </div>
        `,
      ),
    leave: stop,
  };
}

/** @param {Profile} profile */
const about = ({ id, since, guest }) => html`
  <p class="quiet">${guest ? t("profile.guest") : t("profile.since", { date: date(since) })}</p>
  ${state.me?.id === id
    ? html`<p class="actions"><a class="button small" href="/history">${t("nav.history")}</a> <a class="button small" href="/settings">${t("nav.settings")}</a></p>`
    : nothing}
`;

/** A rating and how well it is known. @param {{ rating: number, deviation: number, provisional: boolean }} view */
export const ratingWords = ({ rating, deviation, provisional }) => html`
  ${number(rating)} <span class="sub-inline">± ${number(2 * deviation)}</span>
  ${provisional ? html`<span class="tag">${t("rating.provisional")}</span>` : nothing}
`;

/** @param {Profile} profile */
const byGame = ({ games }) =>
  games.length === 0
    ? html`<p class="empty">${t("profile.no_games")}</p>`
    : html`<section class="card" aria-labelledby="games-title">
        <h2 id="games-title">${t("profile.by_game")}</h2>
        ${table({
          caption: t("profile.by_game"),
          rows: games,
          columns: [
            { title: t("column.game"), cell: (/** @type {GameResults} */ one) => html`<a href="/leaderboard/${one.game}">${t(`game.${one.game}`)}</a>` },
            { title: t("column.rating"), figure: true, cell: ratingWords },
            { title: t("column.matches"), figure: true, cell: ({ matches }) => number(matches) },
            { title: t("column.won"), figure: true, cell: ({ won }) => number(won) },
            { title: t("column.drawn"), figure: true, cell: ({ drawn }) => number(drawn) },
            { title: t("column.lost"), figure: true, cell: ({ lost }) => number(lost) },
          ],
        })}
      </section>`;

/**
 * @param {import("../resource.js").Listing<RatingChange>} changes
 * @param {string} game
 * @param {(game: string) => void} refine
 */
const ratingChanges = (changes, game, refine) => html`
  <section class="card" aria-labelledby="changes-title">
    <h2 id="changes-title">${t("profile.changes")}</h2>
    <div class="filters" role="group" aria-label=${t("list.filters")}>
      ${choice({
        id: "changes-game",
        label: t("column.game"),
        value: game,
        options: [["", t("list.all")], ["oware", t("game.oware")], ["morris", t("game.morris")], ["mu_torere", t("game.mu_torere")]],
        change: refine,
      })}
    </div>
    ${listed(
      changes,
      (rows) =>
        table({
          caption: t("profile.changes"),
          rows,
          columns: [
            { title: t("column.when"), cell: ({ rated_at }) => moment(rated_at, dateTime) },
            {
              title: t("column.match"),
              cell: (one) => html`
                <a href="/match/${one.match_id}">${t("wallet.match_name", { game: t(`game.${one.game}`), rival: one.opponent.display_name })}</a>
              `,
            },
            { title: t("column.result"), cell: ({ result }) => html`<span class="tag ${result}">${t(`match_result.${result}`)}</span>` },
            { title: t("column.rating"), figure: true, cell: ({ after }) => number(after.rating) },
            { title: t("column.change"), figure: true, cell: ({ before, after }) => signed(after.rating - before.rating) },
          ],
        }),
      () => t("profile.no_changes"),
    )}
  </section>
`;

/** @param {number} points */
const signed = (points) => (points > 0 ? `+${number(points)}` : points < 0 ? `−${number(-points)}` : "0");
