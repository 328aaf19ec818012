// @ts-check
/** How the morris board is made: slate in a wooden frame, lines of inlaid maple, and turned pieces of two forms. */
import { svg } from "../../vendor/lit-html/lit-html.js";
import { POINTS } from "./positions.js";
import { dice, grain } from "./wood.js";

export const SIZE = 362;
export const EDGE = 31;
export const STEP = 50;
/** Room above and below the board for the pieces that are not on it. */
export const TRAY = 38;
export const HEIGHT = SIZE + 2 * TRAY;
export const RADIUS = 18.5;

/** The sixteen lines that are drawn: four sides of three squares, and four that join them. */
const LINES = [
  "a1a7g7g1z",
  "b2b6f6f2z",
  "c3c5e5e3z",
  "a4c4",
  "e4g4",
  "d1d3",
  "d5d7",
];

const FRAME = grain({ width: SIZE, height: SIZE, seed: 5, gap: 4, knots: [{ x: 6, y: 120, size: 5 }] });

/** Specks in the stone. */
function specks() {
  const roll = dice(77);
  let pale = "";
  let dim = "";
  for (let index = 0; index < 150; index += 1) {
    const spot = `M${(14 + roll() * 334).toFixed(1)} ${(14 + roll() * 334).toFixed(1)}h${(0.4 + roll() * 1.4).toFixed(1)}`;
    if (index % 3 === 0) pale += spot;
    else dim += spot;
  }
  const vein = "M14 96Q90 82 150 120T300 150 348 138M60 348Q96 290 190 270T348 300";
  return svg`<path class="slate-vein" d=${vein} /><path class="slate-pale" d=${pale} /><path class="slate-dim" d=${dim} />`;
}

/** @param {string} corner */
function spot(corner) {
  return `${EDGE + STEP * (corner.charCodeAt(0) - 97)} ${EDGE + STEP * (7 - Number(corner[1]))}`;
}

const INLAY = LINES.map((line) => {
  const closed = line.endsWith("z");
  const points = (closed ? line.slice(0, -1) : line).match(/../g) ?? [];
  return `M${points.map(spot).join("L")}${closed ? "Z" : ""}`;
}).join("");

const TURNED = ["first", "second"].map((seat) => {
  const first = seat === "first";
  const edge = first
    ? svg`<circle class="turned-first" r=${RADIUS} />`
    : svg`<path class="turned-second" d=${scalloped(RADIUS, 12)} />`;
  const inside = first
    ? svg`<circle class="groove-first" r="13.4" /><circle class="groove-first" r="8.6" /><circle class="boss-first" r="3.6" />`
    : svg`<circle class="groove-second" r="13" /><path class="inlay-second" d="M0 -8.6L8.6 0L0 8.6L-8.6 0Z" /><path class="inlay-core" d="M0 -4L4 0L0 4L-4 0Z" />`;
  return svg`<g id="morris-${seat}">
    <ellipse class="piece-shadow" cx="1.6" cy="3" rx=${RADIUS} ry=${RADIUS * 0.97} />
    ${edge}${inside}
    <path class="piece-shine" d="M${-RADIUS * 0.72} ${-RADIUS * 0.3}A${RADIUS * 0.8} ${RADIUS * 0.8} 0 0 1 ${RADIUS * 0.2} ${-RADIUS * 0.76}" />
  </g>`;
});

/** A disc with a scalloped edge. @param {number} radius @param {number} lobes */
function scalloped(radius, lobes) {
  let path = "";
  for (let index = 0; index < lobes; index += 1) {
    const at = (/** @type {number} */ part) => ((index + part) / lobes) * 2 * Math.PI;
    const point = (/** @type {number} */ angle, /** @type {number} */ size) => `${(Math.cos(angle) * size).toFixed(2)} ${(Math.sin(angle) * size).toFixed(2)}`;
    path += `${index === 0 ? "M" : "L"}${point(at(0), radius * 0.9)}Q${point(at(0.5), radius * 1.14)} ${point(at(1), radius * 0.9)}`;
  }
  return `${path}Z`;
}

export const DEFINITIONS = svg`<defs>
  ${TURNED}
  <linearGradient id="morris-frame" x1="0" y1="0" x2="1" y2="1">
    <stop offset="0" class="frame-light" /><stop offset="0.5" class="frame" /><stop offset="1" class="frame-deep" />
  </linearGradient>
  <radialGradient id="morris-slate" cx="0.36" cy="0.3" r="0.9">
    <stop offset="0" class="slate-light" /><stop offset="0.6" class="slate" /><stop offset="1" class="slate-deep" />
  </radialGradient>
  <radialGradient id="morris-pale" cx="0.36" cy="0.3" r="0.85">
    <stop offset="0" class="pale-light" /><stop offset="0.55" class="pale" /><stop offset="1" class="pale-deep" />
  </radialGradient>
  <radialGradient id="morris-dark" cx="0.36" cy="0.3" r="0.85">
    <stop offset="0" class="dark-light" /><stop offset="0.5" class="dark" /><stop offset="1" class="dark-deep" />
  </radialGradient>
</defs>`;

export const SLATE = svg`<g aria-hidden="true" transform="translate(0 ${TRAY})">
  <clipPath id="morris-cut"><rect x="0" y="0" width=${SIZE} height=${SIZE} rx="9" /></clipPath>
  <g clip-path="url(#morris-cut)"><rect fill="url(#morris-frame)" width=${SIZE} height=${SIZE} />${FRAME}
    <path class="mitre" d="M0 0L14 14M${SIZE} 0L${SIZE - 14} 14M0 ${SIZE}L14 ${SIZE - 14}M${SIZE} ${SIZE}L${SIZE - 14} ${SIZE - 14}" /></g>
  <rect class="frame-edge" x="0.75" y="0.75" width=${SIZE - 1.5} height=${SIZE - 1.5} rx="8.5" />
  <rect fill="url(#morris-slate)" x="13" y="13" width=${SIZE - 26} height=${SIZE - 26} rx="2" />
  ${specks()}
  <rect class="slate-edge" x="13.5" y="13.5" width=${SIZE - 27} height=${SIZE - 27} rx="2" />
  <path class="inlay-shade" d=${INLAY} transform="translate(0.9 1.1)" />
  <path class="inlay" d=${INLAY} />
  ${POINTS.map((point) => svg`<circle class="stud" cx=${spot(point).split(" ")[0] ?? 0} cy=${spot(point).split(" ")[1] ?? 0} r="4.6" />`)}
</g>`;
