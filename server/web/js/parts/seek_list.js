// @ts-check
/** The open seeks, one row each, with filters that outlive a reload. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { repeat } from "../../vendor/lit-html/directives/repeat.js";
import { choice, moneyField } from "../fields.js";
import { KINDS, kindName, kindOf, kindRule } from "../games.js";
import { money, number, readMoney, t } from "../i18n.js";
import { state } from "../store.js";
import { art } from "./art.js";

/** @typedef {import("../types.d.ts").Seek} Seek */
/** @typedef {{ kind: string, min: string, max: string }} Filters */

const KEY = "stakeboard.filters";

/** @returns {Filters} */
export function keptFilters() {
  const none = { kind: "", min: "", max: "" };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    const text = (/** @type {unknown} */ value) => (typeof value === "string" ? value : "");
    const kind = KINDS.some(({ key }) => key === kept.kind) ? kept.kind : "";
    return { kind, min: text(kept.min), max: text(kept.max) };
  } catch {
    return none;
  }
}

/** @param {Filters} filters */
export const keepFilters = (filters) => localStorage.setItem(KEY, JSON.stringify(filters));

/** @param {Seek} seek @param {Filters} filters */
export function passes(seek, { kind, min, max }) {
  const [least, most] = [readMoney(min), readMoney(max)];
  return (
    (kind === "" || kindOf(seek.game, seek.options)?.key === kind) &&
    (least === null || seek.stake >= least) &&
    (most === null || seek.stake <= most)
  );
}

/** A change is of one field: the others may have changed since they were shown. @param {Filters} filters @param {(part: Partial<Filters>) => void} change */
export const filterFields = (filters, change) => html`
  <div class="seek-filters" role="group" aria-label=${t("lobby.filters")}>
    ${choice({
      id: "filter-kind",
      label: t("lobby.game"),
      value: filters.kind,
      options: [["", t("lobby.all_games")], ...KINDS.map(({ key }) => /** @type {[string, string]} */ ([key, t(`game.${key}`)]))],
      change: (kind) => change({ kind }),
    })}
    ${moneyField({
      id: "filter-min",
      label: t("lobby.stake_from"),
      value: filters.min,
      change: (min) => change({ min }),
    })}
    ${moneyField({
      id: "filter-max",
      label: t("lobby.stake_to"),
      value: filters.max,
      change: (max) => change({ max }),
    })}
  </div>
`;

/**
 * @param {Seek[]} seeks
 * @param {{ accept: (seek: Seek) => void, withdraw: (seek: Seek) => void }} acts
 */
export const seekRows = (seeks, acts) => html`
  <ul class="seeks" data-testid="seeks">
    ${repeat(
      seeks,
      (seek) => seek.id,
      (seek) => row(seek, acts),
    )}
  </ul>
`;

/**
 * @param {Seek} seek
 * @param {{ accept: (seek: Seek) => void, withdraw: (seek: Seek) => void }} acts
 */
function row(seek, { accept, withdraw }) {
  const own = seek.player.id === state.me?.id;
  const name = kindName(seek.game, seek.options);
  const act = own
    ? html`<button type="button" class="button small" @click=${() => withdraw(seek)}>${t("lobby.withdraw")}</button>`
    : html`
        <button
          type="button"
          class="button primary"
          data-testid="accept"
          aria-label=${t("lobby.accept_label", { name: seek.player.display_name, game: name, stake: money(seek.stake) })}
          @click=${() => accept(seek)}
        >
          ${t("lobby.accept")}
        </button>
      `;
  return html`
    <li class="seek" data-own=${own ? "true" : nothing} data-seek=${seek.id}>
      <div class="seek-art">${art(kindOf(seek.game, seek.options)?.key ?? seek.game)}</div>
      <div class="seek-who">
        <p class="seek-game"><strong>${name}</strong> <span class="quiet">${kindRule(seek.game, seek.options)}</span></p>
        <p class="quiet">
          ${own
            ? t("lobby.own")
            : html`<a href="/player/${seek.player.id}">${seek.player.display_name}</a>${rating(seek.player.rating)}`}
        </p>
      </div>
      <dl class="seek-money">
        <div><dt>${t("facts.stake")}</dt><dd>${money(seek.stake)}</dd></div>
        <div><dt>${t("facts.payout")}</dt><dd>${money(seek.payout)}</dd></div>
        <div><dt>${t("facts.fee")}</dt><dd>${money(seek.fee)}</dd></div>
      </dl>
      <div class="seek-act">${act}</div>
    </li>
  `;
}

/** @param {number | null | undefined} value */
const rating = (value) =>
  typeof value === "number" ? html` · <span class="figures">${t("lobby.rating", { rating: number(value) })}</span>` : nothing;
