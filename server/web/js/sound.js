// @ts-check
/** Sounds, made on the spot: wood on wood, a rattle of seeds, a bell. Silent until somebody has touched the page. */
import { settings } from "./settings.js";

/** @typedef {"move" | "capture" | "low" | "start" | "end"} Sound */

/** @type {AudioContext | null} */
let context = null;
/** Whether this tab is the one that plays. */
let speaking = false;
/** How long a tab that plays keeps the others silent. */
const ALONE_MS = 400;
/** How long the browser may take to begin with sound after the first touch; what is later than that is not heard. */
const WAKING_MS = 1_000;
/** A tab that nobody looks at lets one that is seen go first. */
const YIELD_MS = 80;

/** Browsers allow sound only after a gesture; before one there is nothing to be heard and nothing is made. */
export function startSound() {
  const wake = () => {
    context ??= new AudioContext();
    if (context.state === "suspended") void context.resume();
  };
  addEventListener("pointerdown", wake, { passive: true });
  addEventListener("keydown", wake, { passive: true });
}

/** @param {Sound} sound */
export async function play(sound) {
  if (!settings().sounds || context === null || !(await isAwake(context))) return;
  if (document.hidden) await pause(YIELD_MS);
  if (!navigator.locks || speaking) return make(context, sound);
  const playing = context;
  await navigator.locks.request("stakeboard.sound", { ifAvailable: true }, async (lock) => {
    // Another tab plays it already.
    if (lock === null) return;
    speaking = true;
    make(playing, sound);
    await pause(ALONE_MS);
    speaking = false;
  });
}

/** @param {AudioContext} audio */
async function isAwake(audio) {
  if (audio.state !== "running") await Promise.race([audio.resume(), pause(WAKING_MS)]);
  return audio.state === "running";
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @param {AudioContext} audio @param {Sound} sound */
function make(audio, sound) {
  const at = audio.currentTime + 0.01;
  if (sound === "move") knock(audio, at, 190, 0.5);
  if (sound === "capture") {
    for (let index = 0; index < 4; index += 1) knock(audio, at + index * 0.055, 300 + index * 45, 0.3);
  }
  if (sound === "low") for (const later of [0, 0.22]) bell(audio, at + later, 740, 0.22, 0.18);
  if (sound === "start") [392, 523].forEach((pitch, index) => bell(audio, at + index * 0.14, pitch, 0.5, 0.16));
  if (sound === "end") [523, 392, 330].forEach((pitch, index) => bell(audio, at + index * 0.16, pitch, 0.6, 0.16));
}

/** Wood on wood: a short burst of noise over a dull tone. @param {AudioContext} audio @param {number} at @param {number} pitch @param {number} loud */
function knock(audio, at, pitch, loud) {
  const noise = audio.createBufferSource();
  noise.buffer = burst(audio);
  const body = audio.createBiquadFilter();
  body.type = "bandpass";
  body.frequency.value = pitch * 4;
  body.Q.value = 1.4;
  noise.connect(body).connect(fading(audio, at, loud, 0.06));
  noise.start(at);
  tone(audio, at, pitch, "triangle", loud * 0.6, 0.09);
}

/** @param {AudioContext} audio @param {number} at @param {number} pitch @param {number} lasts @param {number} loud */
function bell(audio, at, pitch, lasts, loud) {
  tone(audio, at, pitch, "sine", loud, lasts);
  tone(audio, at, pitch * 2.76, "sine", loud * 0.25, lasts * 0.5);
}

/** @param {AudioContext} audio @param {number} at @param {number} pitch @param {OscillatorType} type @param {number} loud @param {number} lasts */
function tone(audio, at, pitch, type, loud, lasts) {
  const oscillator = audio.createOscillator();
  oscillator.type = type;
  oscillator.frequency.value = pitch;
  oscillator.connect(fading(audio, at, loud, lasts));
  oscillator.start(at);
  oscillator.stop(at + lasts + 0.05);
}

/** @param {AudioContext} audio @param {number} at @param {number} loud @param {number} lasts */
function fading(audio, at, loud, lasts) {
  const gain = audio.createGain();
  gain.gain.setValueAtTime(loud, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + lasts);
  gain.connect(audio.destination);
  return gain;
}

/** @type {AudioBuffer | null} */
let kept = null;

/** @param {AudioContext} audio */
function burst(audio) {
  if (kept !== null) return kept;
  kept = audio.createBuffer(1, Math.floor(audio.sampleRate * 0.06), audio.sampleRate);
  const samples = kept.getChannelData(0);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = (Math.random() * 2 - 1) * (1 - index / samples.length) ** 3;
  }
  return kept;
}
