// @ts-check
/** What a person has chosen for this browser. Kept in it, applied at once, the same in every tab. */

/** @typedef {import("./types.d.ts").Settings} Settings */

const KEY = "stakeboard.settings";

/** @type {Settings} */
const DEFAULTS = {
  language: "auto",
  theme: "auto",
  sounds: true,
  confirm_moves: "auto",
  reminder: 60,
  motion: "auto",
};

/** What each setting may be; anything else that is found in storage counts as not set. */
const ALLOWED = {
  language: ["auto", "pt-BR", "en"],
  theme: ["auto", "light", "dark"],
  sounds: [true, false],
  confirm_moves: ["auto", "always", "never"],
  reminder: [0, 15, 30, 60],
  motion: ["auto", "reduced"],
};

/** @type {Set<(settings: Settings) => void>} */
const listeners = new Set();

/** @type {Settings} */
let current = read();

/** @returns {Settings} */
function read() {
  /** @type {Record<string, unknown>} */
  let kept = {};
  try {
    const parsed = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (parsed !== null && typeof parsed === "object") kept = parsed;
  } catch {
    // Storage that can't be read is as good as none.
  }
  const valid = Object.entries(ALLOWED).filter(([name, values]) =>
    /** @type {unknown[]} */ (values).includes(kept[name]),
  );
  return { ...DEFAULTS, ...Object.fromEntries(valid.map(([name]) => [name, kept[name]])) };
}

/** @returns {Settings} */
export const settings = () => current;

/**
 * @template {keyof Settings} Name
 * @param {Name} name
 * @param {Settings[Name]} value
 */
export function setSetting(name, value) {
  current = { ...current, [name]: value };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // It holds for this page at least.
  }
  apply();
}

/** @param {(settings: Settings) => void} listener */
export function onSettings(listener) {
  listeners.add(listener);
}

/** Puts what concerns the whole document into effect, and follows other tabs. */
export function startSettings() {
  addEventListener("storage", (event) => {
    if (event.key !== KEY && event.key !== null) return;
    current = read();
    apply();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", applyTheme);
  apply();
}

function apply() {
  applyTheme();
  document.documentElement.toggleAttribute("data-still", reducedMotion());
  for (const listener of listeners) listener(current);
}

function applyTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const theme = current.theme === "auto" ? (dark ? "dark" : "light") : current.theme;
  document.documentElement.dataset.theme = theme;
}

/** Whether things should appear in place rather than move there. */
export function reducedMotion() {
  return current.motion === "reduced" || matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Whether a move is to be confirmed before it is sent.
 * @param {boolean} staked
 */
export function confirmsMoves(staked) {
  if (current.confirm_moves !== "auto") return current.confirm_moves === "always";
  return staked && matchMedia("(pointer: coarse)").matches;
}
