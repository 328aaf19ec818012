// @ts-check
/** Oware: a carved board with two rows of six houses and two stores, and seeds like polished nickernuts. */
import { svg, html, nothing } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";
import { Board } from "./board.js";
import { HOUSES, oware, ownerOf } from "./positions.js";
import { DEFINITIONS, NARROW, NARROW_WOOD, WIDE, WIDE_WOOD, heap, pile } from "./oware_art.js";

/** @typedef {import("./board.js").Place} Place */
/** @typedef {import("./board.js").Last} Last */
/** @typedef {import("./positions.js").Seat} Seat */
/** @typedef {{ houses: Map<string, number>, stores: Record<Seat, number> }} Seeds */

const SEED_MS = 70;
const CAPTURE_MS = 200;
const MOST_MS = 900;
export class OwareBoard extends Board {
  /** @param {import("./board.js").BoardHooks} hooks */
  constructor(hooks) {
    super(hooks);
    this.narrow = matchMedia("(max-width: 40rem)");
    this.narrow.addEventListener("change", hooks.redraw);
  }

  /** @override */
  close() {
    super.close();
    this.narrow.removeEventListener("change", this.hooks.redraw);
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
      <g aria-hidden="true">${this.taken("top")}${this.taken("bottom")}</g>
      ${this.hand(seeds.hand)}
    </svg>`;
  }

  /** How much was taken last, over the houses and no part of what they are called. @param {"top" | "bottom"} row */
  taken(row) {
    const { layout } = this;
    const captured = this.animation === null ? (this.view.last?.captured ?? []) : [];
    return captured.map(({ house, seeds }) => {
      const column = this.row(row).indexOf(house);
      if (column < 0) return nothing;
      const at = { x: layout.x(column), y: layout.y[row] };
      return svg`<g class="last-taken"><circle cx=${at.x} cy=${at.y} r=${layout.radius * 0.5} />
        <text x=${at.x} y=${at.y} dy="0.36em" font-size=${layout.text * 0.95}>−${seeds}</text></g>`;
    });
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
      ${this.view.hint === house ? svg`<circle class="hinted" cx=${at.x} cy=${at.y} r=${radius * 1.17} />` : nothing}
      <circle class="playable-ring" cx=${at.x} cy=${at.y} r=${radius + radius * 0.09} />
      <text class="house-letter" x=${at.x} y=${layout.letter[row]} dy=${row === "top" ? -2 : 2}
        dominant-baseline=${row === "top" ? "auto" : "hanging"}>${house}</text>
      ${this.plate(at.x, plate, count, row)}
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
    if (last.captured?.some((it) => it.house === house)) return nothing;
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
