// @ts-check
/** What happens elsewhere and concerns whoever is here: a match begins, the session ends, another tab signs in. */

import { onSession } from "./api.js";
import { t } from "./i18n.js";
import { notify } from "./notify.js";
import { current, navigate, reloadView } from "./router.js";
import { loadLive } from "./session.js";
import { on } from "./socket.js";
import { alert } from "./speech.js";
import { state, update } from "./store.js";

/** Where somebody waits for a match, and is taken to it; anywhere else a notice says where it is. */
const WAITS = /^\/(lobby|table\/[^/]+)?$/;

export function startFollowing() {
  on("match_started", ({ match }) => begun(String(match)));
  on("paused", () => update({ paused: true }));
  on("resumed", () => update({ paused: false }));
  // Whatever held before the line broke is told anew.
  on("welcome", () => update({ paused: false }));
  // A stake that came back or was won is a match that has ended.
  on("wallet", loadLive);
  onSession((_, reason) => {
    // Signing in and out here goes somewhere by itself.
    if (reason !== "here") reloadView();
  });
}

/** @param {string} id */
function begun(id) {
  const path = `/match/${id}`;
  if (current.path === path) return;
  alert(t("match.begun"));
  // Nobody is torn from what they write, and a page in the background follows as well.
  if (WAITS.test(current.path) && !document.querySelector("dialog[open]")) navigate(path);
  else notify({ text: t("match.begun"), sticky: true, link: { path, label: t("match.go") } });
}

/** The player's live match that they are not looking at. */
export function matchElsewhere() {
  const match = state.live.find(({ stake }) => stake > 0) ?? state.live[0];
  return match && current.path !== `/match/${match.id}` ? match : null;
}
