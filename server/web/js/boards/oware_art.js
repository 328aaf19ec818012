// @ts-check
/** How the Oware board is made: where everything is, the carved wood, and how seeds lie. */
import { svg } from "../../vendor/lit-html/lit-html.js";
import { dice, grain } from "./wood.js";

/** As many seeds lie side by side in a house; more lie on top of them, and beyond these the number speaks alone. */
const SIDE_BY_SIDE = 12;
const ON_TOP = 7;

/**
 * Where everything is: stores at the ends on a wide screen, above and below on a narrow one.
 * @typedef {object} Layout
 * @property {number} width
 * @property {number} height
 * @property {number} radius
 * @property {(column: number) => number} x
 * @property {{ top: number, bottom: number }} y
 * @property {{ top: number, bottom: number }} plate
 * @property {{ top: number, bottom: number }} letter
 * @property {{ x: number, y: number, width: number, height: number }} rim
 * @property {{ top: Box, bottom: Box }} store
 * @property {number} text
 */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

/** @type {Layout} */
export const WIDE = {
  width: 960,
  height: 392,
  radius: 51,
  x: (column) => 189 + column * 116.4,
  y: { top: 118, bottom: 274 },
  plate: { top: 42, bottom: 350 },
  letter: { top: 190, bottom: 202 },
  rim: { x: 8, y: 6, width: 944, height: 380 },
  store: { top: { x: 32, y: 72, width: 86, height: 248 }, bottom: { x: 842, y: 72, width: 86, height: 248 } },
  text: 22,
};

/** @type {Layout} */
export const NARROW = {
  width: 360,
  height: 300,
  radius: 26,
  x: (column) => 36 + column * 57.6,
  y: { top: 108, bottom: 192 },
  plate: { top: 65, bottom: 235 },
  letter: { top: 146, bottom: 154 },
  rim: { x: 2, y: 2, width: 356, height: 296 },
  store: { top: { x: 14, y: 12, width: 332, height: 36 }, bottom: { x: 14, y: 252, width: 332, height: 36 } },
  text: 15,
};

const GRAIN = {
  wide: grain({ width: 960, height: 392, seed: 11, gap: 7, knots: [{ x: 305, y: 196, size: 14 }, { x: 770, y: 40, size: 20 }] }),
  narrow: grain({ width: 360, height: 300, seed: 23, gap: 4.6, knots: [{ x: 238, y: 150, size: 9 }] }),
};

/** Where seeds lie in a house of radius 50, in the order in which they fall: the same for ever. @type {Map<string, Seed[]>} */
const SLOTS = new Map();
/** @typedef {{ x: number, y: number, turn: number, kind: number }} Seed */

/** @param {string} house @returns {Seed[]} */
function slots(house) {
  const known = SLOTS.get(house);
  if (known !== undefined) return known;
  const roll = dice(house.charCodeAt(0) * 2654435761);
  const turn = roll() * 360;
  const slot = (/** @type {number} */ index) => {
    const above = index >= SIDE_BY_SIDE;
    const place = above ? index - SIDE_BY_SIDE : index;
    const distance = 35 * Math.sqrt((place + 0.85) / (above ? 16 : 12.2));
    const angle = ((turn + place * 137.5 + (above ? 70 : 0)) * Math.PI) / 180;
    return {
      x: Math.cos(angle) * distance + (roll() - 0.5) * 3,
      y: Math.sin(angle) * distance + (roll() - 0.5) * 3 - (above ? 5 : 0),
      turn: Math.round(roll() * 180),
      kind: Math.floor(roll() * 3),
    };
  };
  const made = Array.from({ length: SIDE_BY_SIDE + ON_TOP }, (_, index) => slot(index));
  SLOTS.set(house, made);
  return made;
}

/** The seeds of a house. @param {string} house @param {number} count */
export function heap(house, count) {
  return slots(house).slice(0, count).map(seed);
}

/** @param {Seed} it */
function seed(it) {
  return svg`<use href="#seed-${it.kind}" transform="translate(${it.x.toFixed(1)} ${it.y.toFixed(1)}) rotate(${it.turn})" />`;
}

/** Captured seeds in a store. @param {Box} box @param {boolean} flat @param {number} count */
export function pile(box, flat, count) {
  const shown = Math.min(count, 25);
  const scale = flat ? 0.5 : 0.84;
  const roll = dice(flat ? 5 : 7);
  const across = flat ? 2 : 4;
  const step = (flat ? box.width - 82 : box.height - 52) / Math.ceil(25 / across);
  const lane = (flat ? box.height - 18 : box.width - 34) / (across - 1);
  const seeds = Array.from({ length: shown }, (_, index) => {
    const along = Math.floor(index / across) * step + (roll() - 0.5) * step * 0.3;
    const aside = (index % across) * lane + (roll() - 0.5) * lane * 0.24;
    const at = flat
      ? { x: box.x + 18 + along, y: box.y + 9 + aside }
      : { x: box.x + 17 + aside, y: box.y + box.height - 28 - along };
    return svg`<use href="#seed-${index % 3}" transform="translate(${at.x.toFixed(1)} ${at.y.toFixed(1)}) scale(${scale}) rotate(${Math.round(roll() * 180)})" />`;
  });
  return svg`<g class="seeds">${seeds}</g>`;
}

const NUTS = [0, 1, 2].map(
  (kind) => svg`<g id="seed-${kind}">
    <ellipse class="seed-shadow" cx="2.4" cy="3.2" rx="11.8" ry="10" />
    <ellipse class="seed" fill="url(#seed-skin-${kind})" rx="11.8" ry=${10 - kind * 0.5} />
    <path class="seed-line" d="M-9 -3.5Q0 -8.4 9 -3.5M-10.6 0.6Q0 -4.4 10.6 0.6" />
    <ellipse class="seed-shine" cx="-3.4" cy="-4" rx="3.4" ry="1.9" transform="rotate(-24 -3.4 -4)" />
  </g>
  <radialGradient id="seed-skin-${kind}" cx="0.42" cy="0.36" r="0.72">
    <stop offset="0" class="seed-light" /><stop offset="0.55" class="seed-mid-${kind}" />
    <stop offset="1" class="seed-dark" />
  </radialGradient>`,
);

export const DEFINITIONS = svg`<defs>
  ${NUTS}
  <linearGradient id="oware-wood" x1="0" y1="0" x2="0.25" y2="1">
    <stop offset="0" class="wood-light" /><stop offset="0.5" class="wood" /><stop offset="1" class="wood-deep" />
  </linearGradient>
  <linearGradient id="oware-edge" x1="0" y1="0" x2="0" y2="1">
    <stop offset="0" class="edge-light" /><stop offset="0.45" class="edge-none" /><stop offset="1" class="edge-dark" />
  </linearGradient>
  <radialGradient id="oware-hollow" cx="0.58" cy="0.66" r="0.72">
    <stop offset="0" class="hollow-light" /><stop offset="0.62" class="hollow-mid" /><stop offset="1" class="hollow-dark" />
  </radialGradient>
  <linearGradient id="oware-store" x1="0" y1="0" x2="0.7" y2="1">
    <stop offset="0" class="hollow-dark" /><stop offset="0.55" class="hollow-mid" /><stop offset="1" class="hollow-light" />
  </linearGradient>
  <linearGradient id="oware-lip" x1="0.2" y1="0" x2="0.8" y2="1">
    <stop offset="0" class="lip-dark" /><stop offset="0.55" class="lip-none" /><stop offset="1" class="lip-light" />
  </linearGradient>
</defs>`;

/** The board itself: it never changes. @param {Layout} layout @param {unknown} lines @param {"wide" | "narrow"} size */
function wood(layout, lines, size) {
  const { rim } = layout;
  const round = size === "wide" ? 92 : 26;
  const channel = (layout.y.top + layout.y.bottom) / 2;
  const from = layout.x(0) - layout.radius * 0.2;
  const to = layout.x(5) + layout.radius * 0.2;
  return svg`<g class="wood-block" aria-hidden="true">
    <clipPath id="oware-${size}-cut"><rect x=${rim.x} y=${rim.y} width=${rim.width} height=${rim.height} rx=${round} /></clipPath>
    <rect class="block-shadow" x=${rim.x} y=${rim.y + 3} width=${rim.width} height=${rim.height} rx=${round} />
    <g clip-path="url(#oware-${size}-cut)">
      <rect fill="url(#oware-wood)" x=${rim.x} y=${rim.y} width=${rim.width} height=${rim.height} />
      ${lines}
    </g>
    <rect class="block-edge" x=${rim.x + 1} y=${rim.y + 1} width=${rim.width - 2} height=${rim.height - 2} rx=${round - 1} />
    <path class="block-groove" d="M${from} ${channel}H${to}" />
    <path class="block-groove-light" d="M${from} ${channel + 1.2}H${to}" />
  </g>`;
}

export const WIDE_WOOD = wood(WIDE, GRAIN.wide, "wide");
export const NARROW_WOOD = wood(NARROW, GRAIN.narrow, "narrow");
