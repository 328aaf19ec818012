// @ts-check
/** What is said to who does not see the page: one polite and one assertive region, which stand in the document. */

/** Said after a moment, so that the same words twice are two changes. */
const PAUSE_MS = 60;

/** @type {Map<string, { queue: string[], timer: number | null }>} */
const regions = new Map([
  ["polite", { queue: [], timer: null }],
  ["assertive", { queue: [], timer: null }],
]);

/** @param {"polite" | "assertive"} name @param {string} text */
function speak(name, text) {
  const region = regions.get(name);
  const element = document.getElementById(`speech-${name}`);
  if (!region || !element || text === "") return;
  region.queue.push(text);
  if (region.timer !== null) return;
  element.textContent = "";
  region.timer = window.setTimeout(() => {
    region.timer = null;
    element.textContent = region.queue.splice(0).join(" ");
  }, PAUSE_MS);
}

/** Something to know: moves, notices. @param {string} text */
export const say = (text) => speak("polite", text);

/** Something to know now: one's turn, low time, offers, results, a lost line. @param {string} text */
export const alert = (text) => speak("assertive", text);
