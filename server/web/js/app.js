// @ts-check
/** The frame around every view, drawn at most once for each frame of the screen. */

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { redrawDialogs } from "./dialog.js";
import { header } from "./header.js";
import { t } from "./i18n.js";
import { dismiss } from "./notify.js";
import { current, reloadView } from "./router.js";
import { strip } from "./strip.js";
import { state } from "./store.js";

const SITE = "Stakeboard";

/** @type {number | null} */
let frame = null;
/** @type {(() => void)[]} */
const afterwards = [];

/** Asks for a rendering in the next frame, and for something to be done after it. @param {() => void} [then] */
export function scheduleRedraw(then) {
  if (then) afterwards.push(then);
  // A page in the background has no frames, but titles and live regions go on.
  if (frame === null) frame = document.hidden ? window.setTimeout(draw, 0) : requestAnimationFrame(draw);
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden || frame === null) return;
  // The frame that was waited for will not come.
  cancelAnimationFrame(frame);
  frame = window.setTimeout(draw, 0);
});

function draw() {
  frame = null;
  const root = document.getElementById("app");
  if (root) render(page(), root);
  redrawDialogs();
  document.title = title();
  for (const then of afterwards.splice(0)) then();
}

function title() {
  const own = current.view?.title();
  return own ? `${own} · ${SITE}` : SITE;
}

const page = () => html`
  <a class="skip-link" href="#main">${t("skip.to_content")}</a>
  <header class="head">${header()} ${strip()}</header>
  <main id="main" tabindex="-1" class=${current.view?.compact ? "main compact" : "main"}>
    ${current.failed ? failedView() : (current.view?.render() ?? nothing)}
  </main>
  ${footer()} ${notifications()}
`;

const failedView = () => html`
  <div class="column narrow">
    <h1 tabindex="-1">${t("load_failed.title")}</h1>
    <p>${t("load_failed.text")}</p>
    <button type="button" class="button primary" @click=${() => reloadView()}>${t("action.try_again")}</button>
  </div>
`;

const footer = () => html`
  <footer class="footer" ?hidden=${Boolean(current.view?.compact)}>
    <nav aria-label=${t("footer.label")}>
      <a href="/rules">${t("nav.rules")}</a>
      <a href="/settings">${t("nav.settings")}</a>
      <a href="/docs">${t("footer.docs")}</a>
    </nav>
    <p>${t("footer.age", { age: state.config?.minimum_age ?? 18 })}</p>
  </footer>
`;

const notifications = () => html`
  <section class="notifications" aria-label=${t("notifications.label")}>
    <ul>${repeat(
      state.notifications,
      (one) => one.id,
      (one) => html`
        <li class="notification" data-tone=${one.tone ?? "plain"}>
          <p>${one.text}</p>
          ${one.link ? html`<a class="button small" href=${one.link.path}>${one.link.label}</a>` : nothing}
          <button type="button" class="icon-button" aria-label=${t("action.dismiss")} @click=${() => dismiss(one.id)}>
            <span aria-hidden="true">×</span>
          </button>
        </li>
      `,
    )}</ul>
  </section>
`;
