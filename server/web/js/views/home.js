// @ts-check
/** The first page: a stranger plays within one click, as a guest. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { post, session } from "../api.js";
import { once } from "../acts.js";
import { explain } from "../explain.js";
import { MAIN_KINDS, kindByKey } from "../games.js";
import { t } from "../i18n.js";
import { art } from "../parts/art.js";
import { fetchView, navigate } from "../router.js";
import { ensurePlayer, hasAccount } from "../session.js";
import { alert } from "../speech.js";
import { state } from "../store.js";

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create({ redraw }) {
  /** The kind that is being opened. */
  let opening = "";
  let failure = "";

  /** @param {string} key */
  async function practise(key) {
    const kind = kindByKey(key);
    if (!kind || opening) return;
    opening = key;
    failure = "";
    redraw();
    fetchView("/practice");
    try {
      const begun = await once(`practise ${key}`, async () => {
        await ensurePlayer();
        return post("/v1/practice", { game: kind.game, preset: kind.preset, level: "easy" });
      });
      await navigate(`/practice/${begun.id}`);
    } catch (error) {
      failure = explain(error);
      alert(failure);
    }
    opening = "";
    redraw();
  }

  /** @param {string} key */
  const card = (key) => html`
    <li>
      <button
        type="button"
        class="kind"
        data-testid="practise-${key}"
        aria-disabled=${opening ? "true" : nothing}
        @click=${() => practise(key)}
      >
        ${art(key)}
        <span class="kind-words">
          <span class="kind-name">${t(`game.${key}`)}</span>
          <span class="kind-line">${t(`home.line.${key}`)}</span>
          <span class="kind-act">${t(opening === key ? "home.opening" : "home.practise")}</span>
        </span>
      </button>
    </li>
  `;

  const account = () => html`
    <section class="way" aria-labelledby="way-account">
      <h2 id="way-account">${t(session() ? "home.account.keep" : "home.account.title")}</h2>
      <p class="quiet">${t("home.account.text", { age: state.config?.minimum_age ?? 18 })}</p>
      <a class="button" href="/sign-in?new">${t("action.sign_up")}</a>
    </section>
  `;

  const streak = () => html`
    <section class="way" aria-labelledby="way-streak">
      <h2 id="way-streak">${t("home.streak.title")}</h2>
      <p class="quiet">${t("home.streak.text")}</p>
      <a class="button" href="/streak">${t("home.streak.act")}</a>
    </section>
  `;

  return {
    title: () => t("home.title"),
    render: () => html`
      <div class="hero">
        <h1>${t("home.heading")}</h1>
        <p class="lead">${t("home.lead")}</p>
      </div>
      ${failure ? html`<p class="form-error">${failure}</p>` : nothing}
      <ul class="kinds" aria-label=${t("home.kinds")}>${MAIN_KINDS.map(card)}</ul>
      <div class="ways">
        <section class="way" aria-labelledby="way-lobby">
          <h2 id="way-lobby">${t("home.lobby.title")}</h2>
          <p class="quiet">${t("home.lobby.text", { fee: state.config?.fee_percent ?? 10 })}</p>
          <a class="button" href="/lobby">${t("home.lobby.act")}</a>
        </section>
        <section class="way" aria-labelledby="way-friend">
          <h2 id="way-friend">${t("home.friend.title")}</h2>
          <p class="quiet">${t("home.friend.text")}</p>
          <a class="button" href="/lobby?with=friend">${t("home.friend.act")}</a>
        </section>
        ${hasAccount() ? streak() : account()}
      </div>
    `,
  };
}
