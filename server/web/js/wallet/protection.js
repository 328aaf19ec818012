// @ts-check
/** What players do to keep play in bounds: limits, breaks, self-exclusion. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { get, post, put } from "../api.js";
import { ask, openDialog, tell } from "../dialog.js";
import { explain } from "../explain.js";
import { choice, moneyField } from "../fields.js";
import { dateTime, money, plainMoney, readMoney, t } from "../i18n.js";
import { resource, shown } from "../resource.js";
import { say } from "../speech.js";
import { state, update } from "../store.js";

/** @typedef {import("../types.d.ts").Limits} Limits */
/** @typedef {"deposit_day" | "deposit_week" | "deposit_month" | "loss_day" | "stake_match"} LimitName */

/** @type {LimitName[]} */
const LIMITS = ["deposit_day", "deposit_week", "deposit_month", "loss_day", "stake_match"];
/** Lengths to choose from; the service takes any number of days up to 92, and of months from 6 to 60. */
const BREAK_DAYS = ["1", "7", "30", "90"];
const EXCLUSION_MONTHS = ["6", "12", "24", "60"];

/** @param {() => void} redraw */
export function protection(redraw) {
  /** @type {import("../resource.js").Resource<Limits>} */
  const limits = resource(() => get("/v1/me/limits"), redraw);

  /** @param {LimitName} name */
  async function change(name) {
    const wanted = await askForLimit(name, limits.value?.[name] ?? null, redraw);
    if (wanted === undefined) return;
    limits.value = wanted;
    if (state.me) update({ me: { ...state.me, limits: wanted } });
    const pending = wanted.pending.find(({ limit }) => limit === name);
    say(pending ? pendingWords(pending) : t("limits.set", { limit: t(`limit.${name}`) }));
    redraw();
  }

  return {
    refresh: limits.load,
    render: () => html`
      <section class="card" aria-labelledby="limits-title">
        <h2 id="limits-title">${t("limits.title")}</h2>
        <p class="quiet">${t("limits.help")}</p>
        ${shown(limits, (value) => html`<ul class="limits">${LIMITS.map((name) => limitRow(name, value, change))}</ul>`)}
      </section>
      <section class="card" aria-labelledby="pause-title">
        <h2 id="pause-title">${t("pause.title")}</h2>
        <p class="quiet">${t("pause.help")}</p>
        ${state.me?.pause
          ? html`<p class="notice">${t(`pause.now.${state.me.pause.kind}`, { until: dateTime(state.me.pause.until) })}</p>`
          : nothing}
        <div class="actions">
          <button type="button" class="button" @click=${() => pause("break")}>${t("pause.break")}</button>
          <button type="button" class="button" @click=${() => pause("exclusion")}>${t("pause.exclusion")}</button>
        </div>
      </section>
    `,
  };
}

/** @param {Limits["pending"][number]} pending */
const pendingWords = ({ amount, at }) =>
  amount === null || amount === undefined
    ? t("limits.pending_none", { at: dateTime(at) })
    : t("limits.pending", { amount: money(amount), at: dateTime(at) });

/** @param {LimitName} name @param {Limits} limits @param {(name: LimitName) => void} change */
function limitRow(name, limits, change) {
  const now = limits[name];
  const pending = limits.pending.find(({ limit }) => limit === name);
  return html`
    <li>
      <span class="limit-name">${t(`limit.${name}`)}</span>
      <span class="figure">${now === null || now === undefined ? t("limits.none") : money(now)}</span>
      <button type="button" class="button small" aria-label=${t("limits.change_this", { limit: t(`limit.${name}`) })} @click=${() => change(name)}>
        ${t("limits.change")}
      </button>
      ${pending ? html`<p class="sub">${pendingWords(pending)}</p>` : nothing}
    </li>
  `;
}

/**
 * @param {LimitName} name
 * @param {number | null} now
 * @param {() => void} redraw
 * @returns {Promise<Limits | undefined>} all limits as they are then; undefined where nothing was changed
 */
async function askForLimit(name, now, redraw) {
  let text = now === null ? "" : plainMoney(now);
  let wrong = "";
  /** @param {number | null} amount @param {(limits: Limits) => void} close */
  async function set(amount, close) {
    try {
      close(await put("/v1/me/limits", { [name]: amount }));
    } catch (error) {
      wrong = explain(error);
      redraw();
    }
  }
  /** @param {SubmitEvent} event @param {(limits: Limits) => void} close */
  function submit(event, close) {
    event.preventDefault();
    const amount = readMoney(text);
    if (amount !== null) {
      void set(amount, close);
      return;
    }
    wrong = t("wallet.no_amount");
    redraw();
  }
  /** @type {Promise<Limits | null>} */
  const closed = openDialog({
    title: () => t(`limit.${name}`),
    /** @param {(limits: Limits) => void} close */
    body: (close) => html`
      <form novalidate @submit=${(/** @type {SubmitEvent} */ event) => submit(event, close)}>
        <p>${t("limits.rule")}</p>
        ${moneyField({
          id: "limit-amount",
          label: t("wallet.amount", { currency: state.config?.currency ?? "" }),
          value: text,
          wrong,
          change(value) {
            text = value;
            wrong = "";
          },
        })}
        <div class="actions">
          ${now === null
            ? nothing
            : html`<button type="button" class="button" @click=${() => set(null, close)}>${t("limits.remove")}</button>`}
          <button type="submit" class="button primary">${t("limits.save")}</button>
        </div>
      </form>
    `,
  });
  return (await closed) ?? undefined;
}

/** A break or an exclusion: how long, and the yes to it. @param {"break" | "exclusion"} kind */
async function pause(kind) {
  const lengths = kind === "break" ? BREAK_DAYS : EXCLUSION_MONTHS;
  let length = lengths[0];
  const sure = await ask({
    title: () => t(`pause.${kind}`),
    text: () => html`
      <p>${t(`pause.${kind}.text`)}</p>
      ${choice({
        id: "pause-length",
        label: t("pause.length"),
        value: length,
        options: lengths.map((count) => [count, t(kind === "break" ? "time.days" : "time.months", { count: Number(count) })]),
        change: (value) => (length = value),
      })}
    `,
    yes: () => t(`pause.${kind}.yes`),
    grave: true,
  });
  if (!sure) return;
  const body = kind === "break" ? { days: Number(length) } : { months: Number(length) };
  try {
    const made = await post(`/v1/me/${kind}`, body);
    await tell(() => t("pause.begun"), () => t(`pause.now.${made.kind}`, { until: dateTime(made.until) }));
  } catch (error) {
    await tell(() => t(`pause.${kind}`), () => explain(error));
  }
}
