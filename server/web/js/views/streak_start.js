// @ts-check
/** Before a run: what it is, and the best there have been. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { get } from "../api.js";
import { explain } from "../explain.js";
import { date, number, t } from "../i18n.js";

/** @typedef {{ id: string, player: import("../types.d.ts").PlayerRef, wins: number, bonus: number, score: number, ended_at: string }} BestRun */

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @param {() => Promise<void>} begin
 * @returns {import("../types.d.ts").View}
 */
export function bestRuns({ redraw }, begin) {
  /** @type {BestRun[] | null} */
  let best = null;
  let failure = "";
  let busy = false;
  get("/v1/streaks/best?limit=20")
    .then((page) => {
      best = page.items;
    })
    .catch((error) => {
      failure = explain(error);
    })
    .finally(redraw);

  async function start() {
    if (busy) return;
    busy = true;
    failure = "";
    try {
      await begin();
    } catch (error) {
      failure = explain(error);
    }
    busy = false;
    redraw();
  }

  /** @param {BestRun} run @param {number} index */
  const row = (run, index) => html`<tr><td class="figures">${index + 1}</td><td><a href="/player/${run.player.id}">${run.player.display_name}</a></td>
    <td class="figures">${run.wins}</td><td class="figures">${number(run.score)}</td><td>${date(run.ended_at)}</td></tr>`;

  return {
    title: () => t("streak.title"),
    render: () => html`<div class="column">
      <h1 tabindex="-1">${t("streak.title")}</h1>
      <p class="lead">${t("streak.lead")}</p>
      <ul><li>${t("streak.rule_level")}</li><li>${t("streak.rule_end")}</li><li>${t("streak.rule_score")}</li><li>${t("terms.no_stake")}</li></ul>
      ${failure ? html`<p class="field-error" role="alert" data-testid="failure">${failure}</p>` : nothing}
      <p><button type="button" class="button primary" data-testid="begin" aria-disabled=${busy ? "true" : "false"} @click=${start}>${t("streak.begin")}</button>
        <a class="button quiet-button" href="/rules/mu_torere">${t("practice.to_rules")}</a></p>
      <section class="section">
        <h2>${t("streak.best")}</h2>
        ${best === null ? nothing : best.length === 0 ? html`<p class="quiet">${t("streak.no_best")}</p>`
          : html`<div class="runs-scroll"><table class="runs" data-testid="best-runs">
              <thead><tr><th scope="col">#</th><th scope="col">${t("streak.player")}</th><th scope="col">${t("streak.wins")}</th><th scope="col">${t("streak.score")}</th><th scope="col">${t("streak.date")}</th></tr></thead>
              <tbody>${best.map(row)}</tbody></table></div>`}
      </section>
    </div>`,
  };
}
