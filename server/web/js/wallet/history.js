// @ts-check
/** The player's own lines of the ledger: filtered, added up, with the balance after each. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { get } from "../api.js";
import { download } from "../csv.js";
import { choice, textField } from "../fields.js";
import { kindName } from "../games.js";
import { dateTime, money, t } from "../i18n.js";
import { failure, listing, waiting, withQuery } from "../resource.js";
import { state } from "../store.js";
import { moment, table } from "../table.js";
import { NO_FILTER, PERIODS, chosen, linesCsv, range, totals } from "./lines.js";

/** @typedef {import("../types.d.ts").OwnTransfer} OwnTransfer */
/** @typedef {import("../types.d.ts").MatchSummary} MatchSummary */

const KINDS = ["deposit", "stake", "payout", "refund", "hold", "release", "withdrawal", "adjustment", "reversal"];
/** How many are fetched at once, and how many at most: beyond that a file is the better reader. */
const PAGE = 200;
const MOST = 20_000;
/** How many rows are put on the page at first. */
const SHOWN = 50;

/** @param {() => void} redraw */
export function history(redraw) {
  let filter = NO_FILTER;
  let shown = SHOWN;
  /** @type {import("../resource.js").Listing<OwnTransfer>} */
  const lines = listing(() => "/v1/wallet/transfers", redraw, PAGE);
  const names = matchNames(redraw);

  /** Fetches on until everything that the filter is about is there. */
  async function fill() {
    for (;;) {
      const [from] = range(filter, Date.now());
      const last = lines.items.at(-1);
      const reached = last !== undefined && Date.parse(last.created_at) < from;
      if (lines.whole || lines.error !== null || reached || lines.items.length >= MOST) break;
      await (lines.items.length === 0 ? lines.restart() : lines.more());
    }
    await names.learn(chosen(lines.items, filter, Date.now()).slice(0, shown));
  }
  async function refresh() {
    await lines.restart();
    await fill();
  }
  /** @param {Partial<typeof filter>} change */
  function refine(change) {
    filter = { ...filter, ...change };
    shown = SHOWN;
    redraw();
    void fill();
  }
  function more() {
    shown += SHOWN;
    redraw();
    void fill();
  }

  return {
    refresh,
    render() {
      const found = chosen(lines.items, filter, Date.now());
      return html`
        <section class="card wide" aria-labelledby="lines-title">
          <div class="card-head">
            <h2 id="lines-title">${t("wallet.lines")}</h2>
            <button type="button" class="button small" ?disabled=${found.length === 0} @click=${() => save(found)}>
              ${t("wallet.export")}
            </button>
          </div>
          ${filters(filter, refine)} ${lines.error === null ? nothing : failure(lines.error, refresh)}
          ${lines.loading && found.length === 0 ? waiting() : nothing}
          ${found.length > 0 ? html`${sums(found)} ${rows(found.slice(0, shown), names.of)}` : nothing}
          ${found.length === 0 && !lines.loading && lines.error === null
            ? html`<p class="empty">${t("wallet.no_lines")}</p>`
            : nothing}
          ${found.length > shown
            ? html`<p><button type="button" class="button" @click=${more}>${t("list.more")}</button></p>`
            : nothing}
        </section>
      `;
    },
  };
}

/** @param {readonly OwnTransfer[]} found */
function save(found) {
  download("stakeboard-wallet.csv", "text/csv;charset=utf-8", linesCsv(found, state.config?.currency ?? ""));
}

/**
 * @param {import("./lines.js").Filter} filter
 * @param {(change: Partial<import("./lines.js").Filter>) => void} refine
 */
const filters = (filter, refine) => html`
  <div class="filters" role="group" aria-label=${t("list.filters")}>
    ${choice({
      id: "lines-period",
      label: t("wallet.period"),
      value: filter.period,
      options: PERIODS.map((period) => [period, t(`wallet.period.${period}`)]),
      change: (period) => refine({ period }),
    })}
    ${filter.period === "dates"
      ? html`
          ${textField({ id: "lines-from", type: "date", label: t("list.from"), value: filter.from, change: (from) => refine({ from }) })}
          ${textField({ id: "lines-to", type: "date", label: t("list.to"), value: filter.to, change: (to) => refine({ to }) })}
        `
      : nothing}
    ${choice({
      id: "lines-kind",
      label: t("column.kind"),
      value: filter.kind,
      options: [["", t("list.all")], .../** @type {[string, string][]} */ (KINDS.map((kind) => [kind, t(`transfer.${kind}`)]))],
      change: (kind) => refine({ kind }),
    })}
  </div>
`;

/** @param {readonly OwnTransfer[]} found */
function sums(found) {
  const { kinds, sum, play } = totals(found);
  return html`
    <dl class="sums">
      ${kinds.map(([kind, amount]) => html`<div><dt>${t(`transfer.${kind}`)}</dt><dd>${money(amount, { sign: true })}</dd></div>`)}
      <div class="strong"><dt>${t("wallet.play_result")}</dt><dd>${money(play, { sign: true })}</dd></div>
      <div class="strong"><dt>${t("wallet.sum")}</dt><dd>${money(sum, { sign: true })}</dd></div>
    </dl>
  `;
}

/**
 * @param {readonly OwnTransfer[]} lines
 * @param {(match: string) => string} nameOf
 */
const rows = (lines, nameOf) =>
  table({
    caption: t("wallet.lines"),
    rows: lines,
    columns: [
      { title: t("column.when"), cell: ({ created_at }) => moment(created_at, dateTime) },
      {
        title: t("column.kind"),
        cell: ({ kind, match_id }) =>
          html`${t(`transfer.${kind}`)}
          ${match_id ? html`<a class="sub" href="/match/${match_id}">${nameOf(match_id)}</a>` : nothing}`,
      },
      {
        title: t("column.amount"),
        figure: true,
        cell: ({ amount }) => html`<span class=${amount > 0 ? "in" : "out"}>${money(amount, { sign: true })}</span>`,
      },
      { title: t("column.balance"), figure: true, cell: ({ balance_after }) => money(balance_after) },
    ],
  });

/** What matches are called: their game and the rival's name. @param {() => void} redraw */
function matchNames(redraw) {
  /** @type {Map<string, MatchSummary>} */
  const known = new Map();
  /** @type {string | null} */
  let cursor = "";
  return {
    /** @param {readonly OwnTransfer[]} lines */
    async learn(lines) {
      const wanted = lines.flatMap(({ match_id }) => match_id ?? []);
      while (cursor !== null && wanted.some((id) => !known.has(id))) {
        /** @type {import("../types.d.ts").Page<MatchSummary>} */
        const page = await get(withQuery("/v1/matches", { limit: "200", cursor })).catch(() => ({ items: [], next_cursor: null }));
        for (const summary of page.items) known.set(summary.id, summary);
        cursor = page.next_cursor ?? null;
        redraw();
      }
      // Matches that begin later are on the first page.
      cursor = "";
    },
    /** @param {string} id */
    of(id) {
      const match = known.get(id);
      if (!match) return t("wallet.a_match");
      const rival = match.seat === "first" ? match.players.second : match.players.first;
      return t("wallet.match_name", { game: kindName(match.game, match.options), rival: rival.display_name });
    },
  };
}
