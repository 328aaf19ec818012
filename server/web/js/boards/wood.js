// @ts-check
/** Grain of a board, drawn once from fixed numbers: the same board always, no images to load. */
import { svg } from "../../vendor/lit-html/lit-html.js";

/** Numbers that look like chance and are always the same. @param {number} seed */
export function dice(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
}

/** @typedef {{ x: number, y: number, size: number }} Knot */

/**
 * Lines of grain that flow along a board and around its knots.
 * @param {{ width: number, height: number, seed: number, gap?: number, knots?: Knot[] }} wood
 */
export function grain({ width, height, seed, gap = 6, knots = [] }) {
  const roll = dice(seed);
  const step = width / 14;
  /** @type {string[][]} */
  const tones = [[], [], []];
  let index = 0;
  for (let base = -gap; base < height + gap; base += gap * (0.45 + roll() * 1.1)) {
    const wave = 1 + roll() * 2.5;
    const phase = roll() * 6.3;
    const points = [];
    for (let x = -step; x <= width + step * 2; x += step) {
      let y = base + Math.sin(x / (width / 5) + phase) * wave + Math.sin(base / 37 + x / 210) * gap;
      for (const knot of knots) {
        const across = (x - knot.x) / (knot.size * 2.6);
        const beside = (base - knot.y) / knot.size;
        const push = Math.exp(-across * across) * Math.exp(-Math.abs(beside) * 0.75) * knot.size * 0.8;
        y += beside < 0 ? -push : push;
      }
      points.push(`${x.toFixed(1)} ${y.toFixed(1)}`);
    }
    tones[index % 3]?.push(smooth(points));
    index += 1 + Math.floor(roll() * 2);
  }
  const rings = knots.map((knot) => {
    const ring = (/** @type {number} */ part) =>
      svg`<ellipse cx=${knot.x} cy=${knot.y} rx=${knot.size * part * 1.25} ry=${knot.size * part * 0.62} />`;
    return svg`<g class="grain-knot">${[0.75, 0.5, 0.28].map(ring)}</g>`;
  });
  return svg`<g aria-hidden="true">
    <path class="grain grain-fine" d=${(tones[0] ?? []).join("")} />
    <path class="grain grain-wide" d=${(tones[1] ?? []).join("")} />
    <path class="grain grain-light" d=${(tones[2] ?? []).join("")} />
    ${rings}
  </g>`;
}

/** A smooth line through points. @param {string[]} points */
function smooth(points) {
  const [first = "0 0", ...rest] = points;
  let path = `M${first}`;
  for (let at = 0; at + 1 < rest.length; at += 1) {
    const [x = 0, y = 0] = (rest[at] ?? "").split(" ").map(Number);
    const [nextX = 0, nextY = 0] = (rest[at + 1] ?? "").split(" ").map(Number);
    path += `Q${x} ${y} ${((x + nextX) / 2).toFixed(1)} ${((y + nextY) / 2).toFixed(1)}`;
  }
  return path;
}
