// @ts-check
/** The start: settings, language, session, line, views. */

import { leave, onSession } from "./api.js";
import { scheduleRedraw } from "./app.js";
import { startFollowing } from "./follow.js";
import { menu } from "./header.js";
import { loadTexts } from "./i18n.js";
import { dismissLeadingTo } from "./notify.js";
import { fetchView, navigate, startRouter } from "./router.js";
import { loadService, startSession } from "./session.js";
import { onSettings, startSettings } from "./settings.js";
import { startSitting } from "./sitting.js";
import { startSocket } from "./socket.js";
import { startSound } from "./sound.js";
import { alert } from "./speech.js";
import { subscribe } from "./store.js";
import { news } from "./strip.js";

async function start() {
  fetchView(location.pathname);
  startSettings();
  await textsOrPatience();
  subscribe(() => scheduleRedraw());
  startSession();
  startSocket();
  startSound();
  startSitting();
  startFollowing();
  startMenu();
  speakNews();
  onSettings(changeLanguage);
  onSession(() => scheduleRedraw());
  await startRouter({ redraw: () => scheduleRedraw(), arrived });
}

/** Without texts there is nothing to show: tries until they are there. */
async function textsOrPatience() {
  for (;;) {
    try {
      return await loadTexts();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  }
}

async function changeLanguage() {
  const before = document.documentElement.lang;
  await loadTexts().catch(() => {});
  if (document.documentElement.lang !== before) loadService();
  scheduleRedraw();
}

let first = true;

/** A view is in place: its heading gets the focus, so that it is what is read first. */
function arrived(/** @type {string} */ path) {
  menu.open = false;
  dismissLeadingTo(path);
  const isFirst = first;
  first = false;
  scheduleRedraw(() => {
    scrollTo(0, 0);
    // On the first page the focus stays where the browser has it, before the link that skips the head.
    if (isFirst) return;
    const heading = document.querySelector("main h1");
    if (!(heading instanceof HTMLElement)) return;
    if (!heading.hasAttribute("tabindex")) heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
}

/** Banners are said once, when they come and when they go. */
function speakNews() {
  let before = "";
  subscribe(() => {
    const now = news()?.text ?? "";
    if (now !== before && now !== "") alert(now);
    before = now;
  });
}

function startMenu() {
  menu.toggle = () => {
    menu.open = !menu.open;
    scheduleRedraw();
  };
  menu.signOut = async () => {
    menu.open = false;
    await leave();
    await navigate("/");
  };
  const close = (/** @type {boolean} */ focus) => {
    if (!menu.open) return;
    menu.open = false;
    scheduleRedraw(() => focus && document.getElementById("menu-button")?.focus());
  };
  document.addEventListener("keydown", (event) => event.key === "Escape" && close(true));
  document.addEventListener("pointerdown", (event) => {
    if (!(/** @type {Element} */ (event.target).closest?.(".menu"))) close(false);
  });
  document.addEventListener("focusin", (event) => {
    if (!(/** @type {Element} */ (event.target).closest?.(".menu"))) close(false);
  });
}

start();
