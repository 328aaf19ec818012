// @ts-check
/** The form for a new game: open to everybody, paired by the service, or by a link for a friend. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { post } from "../api.js";
import { once } from "../acts.js";
import { scheduleRedraw } from "../app.js";
import { explain } from "../explain.js";
import { choice, focusFirstError, moneyField, segments } from "../fields.js";
import { KINDS, kindByKey } from "../games.js";
import { money, plainMoney, readMoney, t } from "../i18n.js";
import { navigate } from "../router.js";
import { ensurePlayer, hasAccount } from "../session.js";
import { alert, say } from "../speech.js";
import { state } from "../store.js";
import { remaining, split, termsFacts } from "./terms.js";

/** @typedef {"open" | "pair" | "friend"} Way */

const KEY = "stakeboard.new_game";

/**
 * @param {object} options
 * @param {boolean} options.friend begin with the way of a friend
 * @param {() => void} options.queued called once a place in the queue is taken
 */
export function newGame({ friend, queued }) {
  const kept = readKept();
  const form = {
    kind: kept.kind,
    /** @type {Way} */
    way: friend ? "friend" : "open",
    stake: kept.stake,
    staked: false,
    busy: false,
    error: "",
    failure: "",
  };

  /** The way that is open to whoever this is. @returns {Way} */
  const way = () => (hasAccount() ? form.way : "friend");
  /** @returns {number | null} */
  const stake = () => (way() === "friend" && !(form.staked && hasAccount()) ? 0 : readMoney(form.stake));

  /** What is wrong with the stake, before anybody is asked. */
  function stakeError() {
    const cents = stake();
    const { config } = state;
    if (cents === null) return t("new_game.stake_unreadable");
    if (cents === 0 && way() === "friend") return "";
    if (!config) return "";
    const { stake_min: least, stake_max: most, stake_step: step } = config;
    const fits = cents >= least && cents <= most && cents % step === 0;
    return fits ? "" : t("new_game.stake_bounds", { least: money(least), most: money(most), step: money(step) });
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (form.busy) return;
    form.error = stakeError();
    form.failure = "";
    if (form.error) {
      alert(form.error);
      return scheduleRedraw(focusFirstError);
    }
    const kind = kindByKey(form.kind) ?? KINDS[0];
    const body = { game: kind.game, preset: kind.preset, stake: stake() ?? 0 };
    localStorage.setItem(KEY, JSON.stringify({ kind: form.kind, stake: form.stake }));
    form.busy = true;
    scheduleRedraw();
    try {
      await once(`${way()} ${kind.key} ${body.stake}`, (key) => carryOut(body, key));
    } catch (error) {
      form.failure = explain(error);
      alert(form.failure);
    }
    form.busy = false;
    scheduleRedraw();
  }

  /** @param {{ game: string, preset: string, stake: number }} body @param {string} key */
  async function carryOut(body, key) {
    if (way() === "open") {
      await post("/v1/lobby/seeks", body);
      say(t("new_game.posted"));
    } else if (way() === "pair") {
      const answer = await post("/v1/lobby/queue", body, { key });
      if (answer?.match_id) await navigate(`/match/${answer.match_id}`);
      else queued();
    } else {
      await ensurePlayer();
      const table = await post("/v1/tables", body);
      await navigate(`/table/${table.code}`);
    }
  }

  const terms = () => {
    const kind = kindByKey(form.kind) ?? KINDS[0];
    const cents = stake() ?? 0;
    return { game: kind.game, options: kind.options, stake: cents, ...split(cents) };
  };

  /** @param {Partial<typeof form>} changed */
  const change = (changed) => {
    Object.assign(form, changed, { error: "", failure: "" });
    scheduleRedraw();
  };

  return () => html`
    <form class="card new-game" novalidate @submit=${submit} data-testid="new-game">
      <h2>${t("new_game.title")}</h2>
      ${choice({
        id: "kind",
        label: t("lobby.game"),
        value: form.kind,
        options: KINDS.map(({ key }) => [key, t(`game.${key}`)]),
        change: (kind) => change({ kind }),
      })}
      <p class="hint-line small-text quiet">${t(`kind_rule.${form.kind}`)}</p>
      ${hasAccount()
        ? segments({
            id: "way",
            label: t("new_game.way"),
            value: form.way,
            options: [["open", t("new_game.open")], ["pair", t("new_game.pair")], ["friend", t("new_game.friend")]],
            change: (/** @type {Way} */ chosen) => change({ way: chosen }),
          })
        : nothing}
      ${way() === "friend" && hasAccount()
        ? segments({
            id: "staked",
            label: t("facts.stake"),
            value: form.staked,
            options: [[false, t("facts.none")], [true, t("new_game.with_stake")]],
            change: (staked) => change({ staked }),
          })
        : nothing}
      ${way() !== "friend" || (form.staked && hasAccount()) ? stakeField() : nothing} ${termsFacts(terms())}
      ${remaining(stake() ?? 0)} ${form.failure ? html`<p class="form-error">${form.failure}</p>` : nothing}
      <button class="button primary wide" data-testid="new-game-submit" aria-disabled=${form.busy ? "true" : nothing}>
        ${t(`new_game.submit_${way()}`)}
      </button>
      <p class="small-text quiet new-game-after">${t(`new_game.after_${way()}`)}</p>
    </form>
  `;

  function stakeField() {
    return moneyField({
      id: "stake",
      label: t("new_game.stake", { currency: state.config?.currency ?? "" }),
      value: form.stake,
      wrong: form.error,
      change: (/** @type {string} */ value) => change({ stake: value }),
    });
  }
}

/** The last choice, for the next time. */
function readKept() {
  const first = { kind: "oware", stake: plainMoney(500) };
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return {
      kind: kindByKey(kept.kind) ? kept.kind : first.kind,
      stake: typeof kept.stake === "string" && readMoney(kept.stake) !== null ? kept.stake : first.stake,
    };
  } catch {
    return first;
  }
}
