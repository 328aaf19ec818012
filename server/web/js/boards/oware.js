// @ts-check
/** Oware: a carved board with two rows of six houses and two stores, and seeds like polished nickernuts. */
import { svg, html, nothing } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";
import { Board } from "./board.js";
import { HOUSES, oware, ownerOf } from "./positions.js";
import { dice, grain } from "./wood.js";

/** @typedef {import("./board.js").Place} Place */
/** @typedef {import("./board.js").Last} Last */
/** @typedef {import("./positions.js").Seat} Seat */
/** @typedef {{ houses: Map<string, number>, stores: Record<Seat, number> }} Seeds */

const SEED_MS = 70;
const CAPTURE_MS = 200;
const MOST_MS = 900;
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
const WIDE = {
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
const NARROW = {
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

export class OwareBoard extends Board {
  /** @param {import("./board.js").BoardHooks} hooks */
  constructor(hooks) {
    super(hooks);
    this.narrow = matchMedia("(max-width: 40rem)");
    this.narrow.addEventListener("change", () => hooks.redraw());
  }

  get layout() {
    return this.narrow.matches ? NARROW : WIDE;
  }

  /** @param {string} move @override */
  candidate(move) {
    return { text: move, steps: [move], target: move };
  }

  /** @param {string[]} _path @param {string} place @override */
  attempt(_path, place) {
    return place;
  }

  /** @override */
  places() {
    /** @type {Map<string, Place>} */
    const places = new Map();
    for (const row of /** @type {const} */ (["top", "bottom"])) {
      this.row(row).forEach((house, column) => {
        places.set(house, { x: this.layout.x(column), y: this.layout.y[row] });
      });
    }
    return places;
  }

  /** The houses of a row as they are seen, left to right. @param {"top" | "bottom"} row */
  row(row) {
    const own = this.view.seat === "first" ? HOUSES.slice(0, 6) : HOUSES.slice(6);
    const rival = this.view.seat === "first" ? HOUSES.slice(6) : HOUSES.slice(0, 6);
    return row === "bottom" ? own : [...rival].reverse();
  }

  /** @override */
  reach() {
    return this.layout.radius * 1.15;
  }

  /** @override */
  entry() {
    return this.row("bottom")[0] ?? "A";
  }

  /** Dragging the seeds towards where they are sown plays the house. @param {string} from @param {string} to @override */
  dropped(from, to) {
    return HOUSES[(HOUSES.indexOf(from) + 1) % HOUSES.length] === to ? [from] : [];
  }

  /** @param {string} place @param {import("./board.js").Direction} to @override */
  neighbour(place, to) {
    const inTop = this.row("top").includes(place);
    const row = this.row(inTop ? "top" : "bottom");
    const column = row.indexOf(place);
    const other = this.row(inTop ? "bottom" : "top");
    const found = {
      left: row[column - 1],
      right: row[column + 1],
      up: inTop ? undefined : other[column],
      down: inTop ? other[column] : undefined,
      home: row[0],
      end: row[5],
    }[to];
    return found ?? place;
  }

  /** @param {Last} last @override */
  duration(last) {
    const sown = (last.sown?.length ?? 0) * SEED_MS;
    return Math.min(MOST_MS, sown + (last.captured?.length ?? 0) * CAPTURE_MS);
  }

  /**
   * The seeds as they lie now: in the middle of an animation some are still in the hand.
   * @returns {Seeds & { hand: { house: string, seeds: number } | null, taken: string | null }}
   */
  seeds() {
    const now = oware(this.view.position);
    if (this.animation === null) return { ...now, hand: null, taken: null };
    const { last, before, lasts } = this.animation;
    const sown = last.sown ?? [];
    const captured = last.captured ?? [];
    const seeds = oware(before);
    const share = Math.min(1, lasts / (sown.length * SEED_MS + captured.length * CAPTURE_MS));
    const { ms } = this.elapsed();
    const down = Math.min(sown.length, Math.floor(ms / (SEED_MS * share)) + 1);
    seeds.houses.set(last.move, 0);
    for (const house of sown.slice(0, down)) seeds.houses.set(house, (seeds.houses.get(house) ?? 0) + 1);
    const at = sown[down - 1];
    if (down < sown.length) {
      return { ...seeds, hand: at === undefined ? null : { house: at, seeds: sown.length - down }, taken: null };
    }
    const since = ms - sown.length * SEED_MS * share;
    const gone = Math.floor(since / (CAPTURE_MS * share));
    for (const { house, seeds: count } of captured.slice(0, Math.max(0, gone))) {
      seeds.houses.set(house, 0);
      seeds.stores[last.by] += count;
    }
    return { ...seeds, hand: null, taken: captured[gone]?.house ?? null };
  }

  /** @param {string} house @param {number} count */
  label(house, count) {
    const parts = [t("board.oware.house", { house, seeds: t("board.seeds", { count }) })];
    parts.push(t(this.view.own === null ? `board.side.${ownerOf(house)}` : `board.side.${this.whose(ownerOf(house))}`));
    if (this.choice.proposed === house) parts.push(t("board.chosen"));
    else if (this.leads(house)) parts.push(t("board.playable"));
    if (this.view.last?.move === house) parts.push(t("board.last_from"));
    if (this.view.hint === house) parts.push(t("board.hinted"));
    return parts.join(", ");
  }

  render() {
    const { layout } = this;
    const seeds = this.seeds();
    const size = layout === NARROW ? "narrow" : "wide";
    return html`<svg class="board board-oware board-${size}" viewBox="0 0 ${layout.width} ${layout.height}"
      role="group" aria-label=${t("board.oware.board")}
      @pointerdown=${this.onDown} @pointermove=${this.onMove} @pointerup=${this.onUp} @pointercancel=${this.onCancel}
      @click=${this.onClick} @keydown=${this.onKey}>
      ${DEFINITIONS}${size === "wide" ? WIDE_WOOD : NARROW_WOOD}
      ${this.store("top", seeds)}${this.store("bottom", seeds)}
      <g role="grid" aria-label=${t("board.oware.grid")} aria-rowcount="2" aria-colcount="6">
        ${this.houses("top", seeds)}${this.houses("bottom", seeds)}
      </g>
      ${this.hand(seeds.hand)}
    </svg>`;
  }

  /** @param {"top" | "bottom"} row @param {ReturnType<OwareBoard["seeds"]>} seeds */
  houses(row, seeds) {
    return svg`<g role="row">${this.row(row).map((house, column) => this.house(house, row, column, seeds))}</g>`;
  }

  /** @param {string} house @param {"top" | "bottom"} row @param {number} column @param {ReturnType<OwareBoard["seeds"]>} seeds */
  house(house, row, column, seeds) {
    const { layout } = this;
    const at = { x: layout.x(column), y: layout.y[row] };
    const { radius } = layout;
    const count = seeds.houses.get(house) ?? 0;
    const dragging = this.drag?.moved === true && this.drag.from === house;
    const lifted = dragging || this.choice.proposed === house || this.view.pending === house;
    const marks = [
      "house",
      this.leads(house) ? "is-playable" : "",
      lifted ? "is-chosen" : "",
      this.view.pending === house ? "is-pending" : "",
      seeds.taken === house ? "is-taken" : "",
    ];
    const box = { x: at.x - layout.x(1) / 2 + layout.x(0) / 2, width: layout.x(1) - layout.x(0) };
    const plate = layout.plate[row];
    const upper = Math.min(plate - layout.text, at.y - radius);
    return svg`<g class=${marks.join(" ")} data-place=${house} role="gridcell" tabindex=${this.tabIndex(house)}
      aria-colindex=${column + 1} aria-label=${this.label(house, count)} aria-selected=${lifted ? "true" : "false"}>
      <rect class="hit" x=${box.x} y=${upper} width=${box.width}
        height=${Math.max(plate + layout.text, at.y + radius) - upper} />
      <circle class="hollow-rim" cx=${at.x} cy=${at.y} r=${radius + radius * 0.07} />
      <circle class="hollow" cx=${at.x} cy=${at.y} r=${radius} />
      <circle class="hollow-lip" cx=${at.x} cy=${at.y} r=${radius - radius * 0.02} />
      ${this.marks(house, at)}
      <g class="seeds" transform="translate(${at.x} ${at.y}) scale(${radius / 50})">
        ${heap(house, dragging ? 0 : count)}
      </g>
      <circle class="playable-ring" cx=${at.x} cy=${at.y} r=${radius + radius * 0.09} />
      ${this.plate(at.x, plate, count, row)}
      <text class="house-letter" x=${at.x} y=${layout.letter[row]} dy=${row === "top" ? -2 : 2}
        dominant-baseline=${row === "top" ? "auto" : "hanging"}>${house}</text>
      ${this.ring(at, radius * 1.16)}
    </g>`;
  }

  /** @param {number} x @param {number} y @param {number} count @param {"top" | "bottom"} row */
  plate(x, y, count, row) {
    const { text } = this.layout;
    const width = text * 2;
    const height = text * 1.3;
    const tip = row === "bottom" ? y + height / 2 + 1 : y - height / 2 - 1;
    const way = row === "bottom" ? 1 : -1;
    return svg`<g class="plate">
      <rect x=${x - width / 2} y=${y - height / 2} width=${width} height=${height} rx=${height / 2} />
      <text x=${x} y=${y} dy="0.36em">${count}</text>
      <path class="plate-notch" d="M${x - text * 0.36} ${tip}h${text * 0.72}l${-text * 0.36} ${way * text * 0.34}z" />
    </g>`;
  }

  /** The last move: its house is ringed by dashes, where it ended by a line with four ticks; they differ in grey too. @param {string} house @param {Place} at */
  marks(house, at) {
    const { last } = this.view;
    const { radius } = this.layout;
    if (!last || this.animation !== null) return nothing;
    if (last.move === house) return svg`<circle class="last-from" cx=${at.x} cy=${at.y} r=${radius * 0.93} />`;
    const taken = last.captured?.find((it) => it.house === house);
    if (taken !== undefined) {
      const { text } = this.layout;
      return svg`<g class="last-taken"><circle cx=${at.x} cy=${at.y} r=${radius * 0.5} />
        <text x=${at.x} y=${at.y} dy="0.36em" font-size=${text * 0.95}>−${taken.seeds}</text></g>`;
    }
    if (last.sown?.at(-1) !== house) return nothing;
    const inner = radius * 0.9;
    const tick = radius * 0.16;
    return svg`<path class="last-to" d="M${at.x} ${at.y - inner}v${tick}M${at.x} ${at.y + inner}v${-tick}
      M${at.x - inner} ${at.y}h${tick}M${at.x + inner} ${at.y}h${-tick}" />
      <circle class="last-to" cx=${at.x} cy=${at.y} r=${inner} />`;
  }

  /** @param {"top" | "bottom"} side @param {Seeds} seeds */
  store(side, seeds) {
    const { layout } = this;
    const box = layout.store[side];
    const seat = side === "bottom" ? this.view.seat : this.top();
    const count = seeds.stores[seat];
    const flat = box.width > box.height;
    const label = t("board.oware.store", {
      side: t(this.view.own === null ? `board.side.${seat}` : `board.side.${this.whose(seat)}`),
      seeds: t("board.seeds", { count }),
    });
    const at = flat
      ? { x: box.x + box.width - 26, y: box.y + box.height / 2 }
      : { x: box.x + box.width / 2, y: side === "bottom" ? box.y + box.height + 30 : box.y - 30 };
    return svg`<g class="store" role="img" aria-label=${label}>
      <rect class="hollow-rim" x=${box.x - 2} y=${box.y - 2} width=${box.width + 4} height=${box.height + 4} rx=${Math.min(box.width, box.height) / 2 + 2} />
      <rect class="hollow hollow-store" x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx=${Math.min(box.width, box.height) / 2} />
      <rect class="hollow-lip" x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx=${Math.min(box.width, box.height) / 2} />
      ${pile(box, flat, count)}
      ${this.plate(at.x, at.y, count, side)}
    </g>`;
  }

  /** The seeds in the hand, on their way or dragged. @param {{ house: string, seeds: number } | null} hand */
  hand(hand) {
    const scale = this.layout.radius / 50;
    if (this.drag?.moved) {
      const count = this.seeds().houses.get(this.drag.from) ?? 0;
      return svg`<g class="seeds hand" transform="translate(${this.drag.at.x} ${this.drag.at.y}) scale(${scale * 1.1})">
        ${heap(this.drag.from, count)}</g>`;
    }
    const at = hand === null ? undefined : this.places().get(hand.house);
    if (hand === null || at === undefined) return nothing;
    return svg`<g class="seeds hand" transform="translate(${at.x} ${at.y - this.layout.radius * 0.5}) scale(${scale})">
      ${heap("hand", hand.seeds)}</g>`;
  }
}

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

/** @param {string} house @param {number} count */
function heap(house, count) {
  return slots(house).slice(0, count).map(seed);
}

/** @param {Seed} it */
function seed(it) {
  return svg`<use href="#seed-${it.kind}" transform="translate(${it.x.toFixed(1)} ${it.y.toFixed(1)}) rotate(${it.turn})" />`;
}

/** Captured seeds in a store. @param {Box} box @param {boolean} flat @param {number} count */
function pile(box, flat, count) {
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

const DEFINITIONS = svg`<defs>
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

const WIDE_WOOD = wood(WIDE, GRAIN.wide, "wide");
const NARROW_WOOD = wood(NARROW, GRAIN.narrow, "narrow");
