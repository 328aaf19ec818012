// @ts-check
/** What an administrator does about a player. Each act asks for its reason. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { once } from "../acts.js";
import { post } from "../api.js";
import { scheduleRedraw } from "../app.js";
import { askForWords } from "../ask_for_words.js";
import { tell } from "../dialog.js";
import { bounds, choice, moneyField } from "../fields.js";
import { dateTime, money, readMoney, t } from "../i18n.js";
import { state } from "../store.js";
import { matchLink } from "./cells.js";

/** @typedef {import("../staff_types.d.ts").PlayerLine} PlayerLine */
/** @typedef {import("../staff_types.d.ts").Role} Role */

/** @type {Role[]} */
const ROLES = ["admin", "cashier", "auditor"];
const IDENTITIES = ["none", "pending", "verified", "refused"];
/** Beyond it nobody means an adjustment. */
const LARGEST = 1_000_000_000_000;

/** @param {PlayerLine} player @returns {Promise<boolean>} whether it was done */
export async function freeze(player) {
  let running = "play_on";
  const made = await askForWords({
    title: () => t("act.freeze"),
    text: () => html`
      <p>${t("act.freeze.text", { player: player.display_name })}</p>
      ${choice({
        id: "freeze-running",
        label: t("act.freeze.running"),
        value: running,
        options: [["play_on", t("act.freeze.play_on")], ["void", t("act.freeze.void")]],
        change: (value) => (running = value),
      })}
    `,
    label: () => t("admin.reason"),
    yes: () => t("act.freeze"),
    grave: true,
    act: (reason) => post(`/v1/admin/players/${player.id}/freeze`, { reason, running }),
  });
  if (made?.answer.voided) await tell(() => t("act.freeze"), () => html`${t("act.freeze.voided")} ${matchLink(made.answer.voided)}`);
  return made !== null;
}

/** @param {PlayerLine} player */
export const unfreeze = async (player) =>
  (await askForWords({
    title: () => t("act.unfreeze"),
    text: () => t("act.unfreeze.text", { player: player.display_name }),
    label: () => t("admin.reason"),
    yes: () => t("act.unfreeze"),
    act: (reason) => post(`/v1/admin/players/${player.id}/unfreeze`, { reason }),
  })) !== null;

/** @param {PlayerLine} player */
export async function setRoles(player) {
  const chosen = new Set(player.roles);
  /** @param {Role} role */
  const toggle = (role) => (chosen.has(role) ? chosen.delete(role) : chosen.add(role));
  const made = await askForWords({
    title: () => t("act.roles"),
    text: () => html`
      <fieldset class="field">
        <legend>${t("act.roles.text", { player: player.display_name })}</legend>
        ${ROLES.map(
          (role) => html`
            <label class="check">
              <input type="checkbox" ?checked=${player.roles.includes(role)} @change=${() => toggle(role)} />
              <span>${t(`role.${role}`)} <span class="hint">${t(`role.${role}.about`)}</span></span>
            </label>
          `,
        )}
      </fieldset>
    `,
    label: () => t("admin.reason"),
    yes: () => t("action.save"),
    act: (reason) => post(`/v1/admin/players/${player.id}/roles`, { roles: ROLES.filter((role) => chosen.has(role)), reason }),
  });
  return made !== null;
}

/** @param {PlayerLine} player */
export async function setIdentity(player) {
  /** @type {string} */
  let identity = player.identity;
  const made = await askForWords({
    title: () => t("act.identity"),
    text: () =>
      choice({
        id: "identity-state",
        label: t("act.identity.text", { player: player.display_name }),
        value: identity,
        options: IDENTITIES.map((name) => [name, t(`identity.${name}`)]),
        change: (value) => (identity = value),
      }),
    label: () => t("admin.reason"),
    yes: () => t("action.save"),
    act: (reason) => post(`/v1/admin/players/${player.id}/identity`, { state: identity, reason }),
  });
  return made !== null;
}

/** @param {PlayerLine} player */
export async function takeSecondFactor(player) {
  const made = await askForWords({
    title: () => t("act.second_factor"),
    text: () => t("act.second_factor.text", { player: player.display_name }),
    label: () => t("admin.reason"),
    yes: () => t("act.second_factor"),
    grave: true,
    act: async (reason) => {
      await post(`/v1/admin/players/${player.id}/second-factor/reset`, { reason });
      return true;
    },
  });
  if (made) await tell(() => t("act.second_factor"), () => t("act.second_factor.done", { player: player.display_name }));
  return made !== null;
}

/** @param {PlayerLine} player */
export async function givePassword(player) {
  const made = await askForWords({
    title: () => t("act.password"),
    text: () => t("act.password.text", { player: player.display_name }),
    label: () => t("admin.reason"),
    yes: () => t("act.password"),
    grave: true,
    act: (reason) => post(`/v1/admin/players/${player.id}/password/reset`, { reason }),
  });
  if (made) {
    const { password, expires_at } = made.answer;
    await tell(
      () => t("act.password"),
      () => html`
        <p>${t("act.password.done", { player: player.display_name, until: dateTime(expires_at) })}</p>
        <p class="code" data-testid="given-password">${password}</p>
      `,
    );
  }
  return made !== null;
}

/** @param {PlayerLine} player */
export async function adjust(player) {
  let amount = "";
  let direction = "up";
  let wrong = "";
  /** @param {string} reason */
  async function act(reason) {
    const cents = readMoney(amount);
    if (cents === null || cents < 1 || cents > LARGEST) {
      wrong = cents === null ? t("wallet.no_amount") : bounds(money, 1, LARGEST);
      scheduleRedraw(() => document.getElementById("adjust-amount")?.focus());
      return null;
    }
    const signed = direction === "up" ? cents : -cents;
    return once(`adjust ${player.id} ${signed} ${reason}`, (key) =>
      post(`/v1/admin/players/${player.id}/adjust`, { amount: signed, reason }, { key }),
    );
  }
  const made = await askForWords({
    title: () => t("act.adjust"),
    text: () => html`
      <p>${t("act.adjust.text", { player: player.display_name })}</p>
      ${choice({
        id: "adjust-direction",
        label: t("act.adjust.direction"),
        value: direction,
        options: [["up", t("act.adjust.up")], ["down", t("act.adjust.down")]],
        change: (value) => (direction = value),
      })}
      ${moneyField({
        id: "adjust-amount",
        label: t("wallet.amount", { currency: state.config?.currency ?? "" }),
        value: amount,
        wrong,
        change(value) {
          amount = value;
          wrong = "";
        },
      })}
    `,
    label: () => t("admin.reason"),
    yes: () => t("act.adjust"),
    act,
  });
  if (made === null) return false;
  await tell(() => t("act.adjust"), () => t(`adjustment.made.${made.answer.status}`, { amount: money(made.answer.amount, { sign: true }) }));
  return true;
}

/** The acts that there are for a player, as buttons. @param {PlayerLine} player @param {() => void} done */
export function buttons(player, done) {
  if (player.id === state.me?.id) return html`<p class="quiet">${t("act.own")}</p>`;
  if (player.guest) return html`<p class="quiet">${t("act.guest")}</p>`;
  /** @param {(player: PlayerLine) => Promise<boolean>} act */
  const run = (act) => async () => (await act(player)) && done();
  return html`
    <div class="actions">
      ${player.frozen
        ? html`<button type="button" class="button" @click=${run(unfreeze)}>${t("act.unfreeze")}</button>`
        : html`<button type="button" class="button grave" @click=${run(freeze)}>${t("act.freeze")}</button>`}
      <button type="button" class="button" @click=${run(adjust)}>${t("act.adjust")}</button>
      <button type="button" class="button" @click=${run(setIdentity)}>${t("act.identity")}</button>
      <button type="button" class="button" @click=${run(setRoles)}>${t("act.roles")}</button>
      ${player.roles.length > 0
        ? nothing
        : html`<button type="button" class="button grave" @click=${run(givePassword)}>${t("act.password")}</button>`}
      <button type="button" class="button grave" @click=${run(takeSecondFactor)}>${t("act.second_factor")}</button>
    </div>
    ${player.frozen ? html`<p class="notice">${t("player.frozen.about")}</p>` : nothing}
  `;
}
