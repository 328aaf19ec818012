// @ts-check
/** Small drawings of the boards, for choosing. They are pictures and know nothing of a position. */

import { svg, html } from "../../vendor/lit-html/lit-html.js";

/** Where seeds lie in a house, by their number; the order is that in which they are seen. */
const SCATTER = [[0, 0], [-4, -3], [4, 2], [-1, 5], [4, -5], [-6, 3]];

/** @param {number} x @param {number} y @param {number} seeds */
const house = (x, y, seeds) => svg`
  <g transform="translate(${x} ${y})">
    <circle class="art-house" r="12.5" />
    ${SCATTER.slice(0, seeds).map(([dx, dy]) => svg`<circle class="art-seed" cx=${dx} cy=${dy} r="3.1" />`)}
  </g>
`;

/** @param {number[]} upper @param {number[]} lower */
const mancala = (upper, lower) => svg`
  <rect class="art-board" x="8" y="30" width="224" height="100" rx="44" />
  <path class="art-grain" d="M30 52c50-9 120 8 180-3M22 96c60 10 130-7 196 3M40 118c50-6 110 6 160-1" />
  <line class="art-edge" x1="36" x2="204" y1="80" y2="80" />
  ${upper.map((seeds, index) => house(42.5 + index * 31, 58, seeds))}
  ${lower.map((seeds, index) => house(42.5 + index * 31, 102, seeds))}
`;

/** @param {number} x @param {number} y @param {"first" | "second"} side */
const stone = (x, y, side) => svg`
  <g transform="translate(${x} ${y})">
    <ellipse class="art-shade" cx="1" cy="2.5" rx="10" ry="9.6" />
    <circle class="art-stone" data-side=${side} r="9.5" />
    <circle class="art-rim" data-side=${side} r="6" />
  </g>
`;

const morris = svg`
  <rect class="art-board" x="42" y="2" width="156" height="156" rx="12" />
  <path class="art-grain" d="M52 30c40-7 90 7 136-2M50 84c50 8 90-6 140 2M54 136c40-6 90 6 132-1" />
  <g class="art-lines">
    <rect x="60" y="20" width="120" height="120" /><rect x="80" y="40" width="80" height="80" />
    <rect x="100" y="60" width="40" height="40" />
    <path d="M120 20v40M120 100v40M60 80h40M140 80h40" />
  </g>
  ${stone(60, 20, "first")} ${stone(120, 20, "first")} ${stone(180, 20, "first")} ${stone(80, 80, "second")}
  ${stone(140, 60, "second")} ${stone(120, 120, "first")} ${stone(160, 120, "second")}
`;

/** The eight points of the star, from the top and clockwise. */
const RAYS = Array.from({ length: 8 }, (_, index) => {
  const angle = ((index - 2) * Math.PI) / 4;
  return [120 + 62 * Math.cos(angle), 80 + 62 * Math.sin(angle)];
});
const STAR = Array.from({ length: 16 }, (_, index) => {
  const angle = ((index - 4) * Math.PI) / 8;
  const radius = index % 2 === 0 ? 62 : 27;
  return `${120 + radius * Math.cos(angle)},${80 + radius * Math.sin(angle)}`;
}).join(" ");

const muTorere = svg`
  <circle class="art-board" cx="120" cy="80" r="78" />
  <path class="art-grain" d="M62 44c40-8 80 8 116-2M48 88c50 9 96-7 144 2M66 126c40-7 76 7 110-1" />
  <polygon class="art-star" points=${STAR} />
  <circle class="art-house" cx="120" cy="80" r="11" />
  ${RAYS.map(([x, y], index) => (index === 6 ? svg`<circle class="art-house" cx=${x} cy=${y} r="9" />` : stone(x, y, index > 1 && index < 6 ? "first" : "second")))}
  ${stone(120, 80, "second")}
`;

/** @type {Record<string, unknown>} */
const DRAWINGS = {
  oware: mancala([4, 4, 4, 4, 4, 4], [4, 4, 4, 4, 4, 4]),
  wari: mancala([0, 2, 6, 1, 5, 3], [5, 0, 1, 6, 2, 4]),
  caribbean: mancala([1, 1, 0, 2, 1, 0], [6, 5, 0, 4, 2, 6]),
  morris,
  no_flying: morris,
  double_mill: morris,
  mu_torere: muTorere,
};

/** @param {string} key of a kind of play */
export const art = (key) => html`
  <svg class="art" data-kind=${key} viewBox="0 0 240 160" aria-hidden="true" focusable="false">${DRAWINGS[key]}</svg>
`;
