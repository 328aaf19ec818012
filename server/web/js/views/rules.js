// @ts-check
/** How the games are played, in our own words, with the numbers as the service has them. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { KINDS } from "../games.js";
import { duration, hasText, t } from "../i18n.js";
import { constants } from "../play/frame.js";
import { token } from "../play/token.js";
import { state } from "../store.js";
import notFound from "./not_found.js";

/** @typedef {import("../types.d.ts").GameName} GameName */

/** The parts of each page, in their order; each part has a title and numbered paragraphs. @type {Record<GameName | "match", string[]>} */
const PARTS = {
  oware: ["aim", "move", "capture", "feed", "slam", "end", "tips"],
  morris: ["aim", "move", "mill", "fly", "end", "tips"],
  mu_torere: ["aim", "move", "end", "safe", "risky", "tips"],
  match: ["money", "clock", "lag", "outage", "acts", "draws"],
};
/** @type {GameName[]} */
const GAMES = ["oware", "morris", "mu_torere"];

/** What the texts may name. @param {string} game @returns {Record<string, string | number>} */
function values(game) {
  const { config } = state;
  return {
    ...constants(game),
    half_no_mill: (constants("morris").no_mill_limit ?? 100) / 2,
    fee: config?.fee_percent ?? 10,
    rest: 100 - (config?.fee_percent ?? 10),
    step: config?.stake_step ?? 5,
    clock: duration(config?.clock_ms ?? 600_000),
  };
}

/** @param {string} page @param {string} part */
function section(page, part) {
  const paragraphs = [];
  for (let at = 1; hasText(`rules.${page}.${part}.${at}`); at += 1) paragraphs.push(t(`rules.${page}.${part}.${at}`, values(page)));
  const many = part === "tips" || paragraphs.length > 3;
  return html`<section class="section" id=${part}>
    <h2>${t(`rules.${page}.${part}`)}</h2>
    ${many ? html`<ul>${paragraphs.map((text) => html`<li>${text}</li>`)}</ul>` : paragraphs.map((text) => html`<p>${text}</p>`)}
  </section>`;
}

/** What a ruleset changes. @param {GameName} game */
function rulesets(game) {
  if (game === "mu_torere") return nothing;
  const kinds = KINDS.filter((kind) => kind.game === game);
  return html`<section class="section" id="rulesets"><h2>${t("rules.rulesets")}</h2>
    <dl>${kinds.map(({ key }) => html`<dt><strong>${t(`game.${key}`)}</strong></dt><dd>${t(`ruleset.${key}`)}</dd>`)}</dl></section>`;
}

const overview = () => html`<div class="column">
  <h1 tabindex="-1">${t("rules.title")}</h1>
  ${GAMES.map((game) => html`<section class="section rules-game">
    <h2><a href="/rules/${game}">${t(`game.${game}.plain`)}</a></h2>
    <div class="rules-signs">${token(game, "first")}${token(game, "second")}</div>
    <p>${t(`rules.${game}.aim.1`, values(game))}</p>
  </section>`)}
  <section class="section"><h2>${t("rules.match")}</h2><p>${t("rules.match.lead")}</p></section>
  ${PARTS.match.map((part) => section("match", part))}
</div>`;

/** @param {GameName} game */
const page = (game) => html`<div class="column">
  <h1 tabindex="-1">${t("rules.of", { game: t(`game.${game}.plain`) })}</h1>
  ${game === "mu_torere" ? html`<p class="lead" data-testid="perfect-play">${t("terms.perfect_play")}</p>` : nothing}
  ${PARTS[game].map((part) => section(game, part))}
  ${rulesets(game)}
  <p class="section"><a class="button primary" href="/practice?game=${game}">${t("rules.practise")}</a>
    <a class="button" href="/rules">${t("rules.match")}</a></p>
</div>`;

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create({ params }) {
  const game = GAMES.find((it) => it === params.game);
  if (params.game && !game) return notFound();
  return {
    title: () => (game ? t("rules.of", { game: t(`game.${game}.plain`) }) : t("rules.title")),
    render: () => (game ? page(game) : overview()),
  };
}
