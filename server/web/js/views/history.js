// @ts-check
/** One's own matches, by filters. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { choice, textField } from "../fields.js";
import { forPlayers, onceSignedIn } from "../gate.js";
import { kindName } from "../games.js";
import { dateTime, money, t } from "../i18n.js";
import { downloadReceipt } from "../receipt.js";
import { reportMatch } from "../report.js";
import { listed, listing, withQuery } from "../resource.js";
import { state } from "../store.js";
import { moment, table } from "../table.js";
import { range } from "../wallet/lines.js";

/** @typedef {import("../types.d.ts").MatchSummary} MatchSummary */

/** @typedef {{ game: string, show: string, staked: string, from: string, to: string }} Filter */

const GAMES = ["oware", "morris", "mu_torere"];
/** Live ones, ended ones, and those with a result. */
const SHOWN = ["live", "ended", "won", "lost", "drawn"];

/** @type {import("../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  /** @type {Filter} */
  const filter = {
    game: known(query.get("game"), GAMES),
    show: known(query.get("show"), SHOWN),
    staked: known(query.get("staked"), ["true", "false"]),
    from: query.get("from") ?? "",
    to: query.get("to") ?? "",
  };
  /** @type {import("../resource.js").Listing<MatchSummary>} */
  const matches = listing(() => withQuery("/v1/matches", asked(filter)), redraw);
  const stop = onceSignedIn(() => void matches.restart());

  /** @param {Partial<Filter>} change */
  function refine(change) {
    Object.assign(filter, change);
    // The address says what is shown, so that a reload and a link show the same.
    history.replaceState(null, "", withQuery("/history", { ...filter }));
    void matches.restart();
  }

  return {
    title: () => t("history.title"),
    render: () =>
      forPlayers(
        t("history.title"),
        () => html`
          <div class="page">
            <h1 tabindex="-1">${t("history.title")}</h1>
            ${filters(filter, refine)} ${listed(matches, rows, () => t("history.none"))}
          </div>
        `,
      ),
    leave: stop,
  };
}

/** @param {string | null} value @param {string[]} values */
const known = (value, values) => (value !== null && values.includes(value) ? value : "");

/** A filter as the service takes it: whole days here, from the first through the last. @param {Filter} filter */
function asked({ game, show, staked, from, to }) {
  const [first, last] = range({ period: "dates", from, to, kind: "" }, 0);
  const at = (/** @type {number} */ instant) => (Number.isFinite(instant) ? new Date(instant).toISOString() : "");
  const isResult = show !== "live" && show !== "ended";
  return { game, staked, status: isResult ? "" : show, result: isResult ? show : "", from: at(first), to: at(last) };
}

/** @param {Filter} filter @param {(change: Partial<Filter>) => void} refine */
const filters = (filter, refine) => html`
  <div class="filters" role="group" aria-label=${t("list.filters")}>
    ${choice({
      id: "history-game",
      label: t("column.game"),
      value: filter.game,
      options: [["", t("list.all")], .../** @type {[string, string][]} */ (GAMES.map((game) => [game, t(`game.${game}`)]))],
      change: (game) => refine({ game }),
    })}
    ${choice({
      id: "history-show",
      label: t("column.result"),
      value: filter.show,
      options: [["", t("list.all")], .../** @type {[string, string][]} */ (SHOWN.map((show) => [show, t(`history.show.${show}`)]))],
      change: (show) => refine({ show }),
    })}
    ${choice({
      id: "history-staked",
      label: t("column.stake"),
      value: filter.staked,
      options: [["", t("list.all")], ["true", t("history.staked")], ["false", t("stake.none")]],
      change: (staked) => refine({ staked }),
    })}
    ${textField({ id: "history-from", type: "date", label: t("list.from"), value: filter.from, change: (from) => refine({ from }) })}
    ${textField({ id: "history-to", type: "date", label: t("list.to"), value: filter.to, change: (to) => refine({ to }) })}
  </div>
`;

/** What a match was for its player. @param {MatchSummary} match */
export function result({ status, outcome, seat }) {
  if (status === "live" || !outcome) return "live";
  if (outcome.ending === "void") return "void";
  if (!outcome.winner) return "draw";
  return outcome.winner === seat ? "won" : "lost";
}

/** What it has brought or cost. @param {MatchSummary} match */
export function net(match) {
  const how = result(match);
  if (how === "won") return match.payout - match.stake;
  return how === "lost" ? -match.stake : 0;
}

/** @param {readonly MatchSummary[]} matches */
const rows = (matches) =>
  table({
    caption: t("history.title"),
    rows: matches,
    columns: [
      { title: t("column.when"), cell: ({ started_at }) => moment(started_at, dateTime) },
      { title: t("column.match"), cell: name },
      {
        title: t("column.result"),
        cell: (match) => html`
          <span class="tag ${result(match)}">${t(`match_result.${result(match)}`)}</span>
          ${match.outcome ? html`<span class="sub">${t(`ending.${match.outcome.ending}`)}</span>` : nothing}
        `,
      },
      { title: t("column.stake"), figure: true, cell: ({ stake }) => (stake === 0 ? t("stake.none") : money(stake)) },
      {
        title: t("column.net"),
        figure: true,
        cell: (match) => (match.stake === 0 || match.status === "live" ? "–" : money(net(match), { sign: true })),
      },
      { title: t("column.acts"), quiet: true, cell: acts },
    ],
  });

/** @param {MatchSummary} match */
function name(match) {
  const rival = match.seat === "first" ? match.players.second : match.players.first;
  return html`
    <a href="/match/${match.id}">${t("wallet.match_name", { game: kindName(match.game, match.options), rival: rival.display_name })}</a>
    <a class="sub" href="/player/${rival.id}">${t("history.rival_profile")}</a>
  `;
}

/** @param {MatchSummary} match */
const acts = (match) => html`
  <span class="row-acts">
    ${match.status === "ended" && match.stake > 0
      ? html`<button type="button" class="button small quiet-button" @click=${() => downloadReceipt(match.id)}>${t("receipt.download")}</button>`
      : nothing}
    ${state.me?.guest === false
      ? html`<button type="button" class="button small quiet-button" @click=${() => reportMatch(match.id)}>${t("report.match")}</button>`
      : nothing}
  </span>
`;
