// @ts-check
/** The report of a day: what each player began with, what moved, and what they ended with. */

import { html } from "../../../vendor/lit-html/lit-html.js";
import { playerLink } from "../../admin/cells.js";
import { staffPage, whenAllowed } from "../../admin/frame.js";
import { get } from "../../api.js";
import { csv, download } from "../../csv.js";
import { textField } from "../../fields.js";
import { dateTime, money, number, t } from "../../i18n.js";
import { resource, shown, withQuery } from "../../resource.js";
import { table } from "../../table.js";
import { decimal } from "../../wallet/lines.js";

/** @typedef {import("../../staff_types.d.ts").DailyReport} DailyReport */
/** @typedef {import("../../staff_types.d.ts").DailyFigures} DailyFigures */

/** @type {(keyof DailyFigures)[]} */
const FIGURES = ["opening", "deposits", "staked", "won", "refunded", "withdrawn", "adjusted", "closing"];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ query, redraw }) {
  let day = query.get("date") ?? "";
  /** @type {import("../../resource.js").Resource<DailyReport>} */
  const report = resource(() => whole(day), redraw);
  const stop = whenAllowed("daily", () => void report.load());

  /** @param {string} value */
  function change(value) {
    day = value;
    history.replaceState(null, "", withQuery("/admin/reports", { date: day }));
    void report.load();
  }
  /** @param {DailyReport} value */
  function save(value) {
    const rows = value.items.map((line) => [line.player, ...FIGURES.map((name) => decimal(line[name]))]);
    download(`daily-${value.date}.csv`, "text/csv;charset=utf-8", csv(["player", ...FIGURES], rows));
  }

  return {
    title: () => t("admin.daily"),
    leave: stop,
    render: () =>
      staffPage(
        "daily",
        () => html`
          <div class="filters">
            ${textField({ id: "report-date", type: "date", label: t("daily.day"), value: day, change })}
          </div>
          ${shown(
            report,
            (value) => html`
              <p class="quiet">${t("daily.range", { from: dateTime(value.from), to: dateTime(value.to) })}</p>
              <div class="verdict ${value.totals.difference === 0 ? "good" : "bad"}">
                <p>${t("daily.ties", { difference: money(value.totals.difference), players: number(value.totals.players) })}</p>
              </div>
              <p class="actions"><button type="button" class="button small" @click=${() => save(value)}>${t("wallet.export")}</button></p>
              ${lines(value)}
            `,
          )}
        `,
      ),
  };
}

/** Every page of a day's report, as one. @param {string} day @returns {Promise<DailyReport>} */
async function whole(day) {
  /** @type {DailyReport} */
  const report = await get(withQuery("/v1/admin/reports/daily", { date: day, limit: "200" }));
  let cursor = report.next_cursor;
  while (cursor) {
    /** @type {DailyReport} */
    const next = await get(withQuery("/v1/admin/reports/daily", { date: report.date, limit: "200", cursor }));
    report.items.push(...next.items);
    cursor = next.next_cursor;
  }
  return report;
}

/** @param {DailyReport} report */
const lines = ({ items, totals }) =>
  table({
    caption: t("admin.daily"),
    rows: [...items, { ...totals, player: "" }],
    mark: ({ player }) => (player === "" ? "total" : ""),
    columns: [
      { title: t("column.player"), cell: ({ player }) => (player === "" ? t("daily.totals") : playerLink(player)) },
      ...FIGURES.map((name) => ({
        title: t(`daily.${name}`),
        figure: true,
        cell: (/** @type {DailyFigures} */ line) => (line[name] === 0 ? "–" : money(line[name])),
      })),
    ],
  });
