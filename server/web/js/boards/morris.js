// @ts-check
/** Nine Men's Morris: slate in a wooden frame, lines of inlaid maple, turned pieces. */
import { svg, html, nothing } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";
import { Board } from "./board.js";
import { POINTS, morris, moveParts } from "./positions.js";
import { DEFINITIONS, EDGE, HEIGHT, RADIUS, SIZE, SLATE, STEP, TRAY } from "./morris_art.js";

/** @typedef {import("./board.js").Place} Place */
/** @typedef {import("./board.js").Last} Last */
/** @typedef {import("./positions.js").Seat} Seat */

const SLIDE_MS = 260;
const TAKE_MS = 280;
export class MorrisBoard extends Board {
  /** @param {string} move @override */
  candidate(move) {
    const { from, to, takes } = moveParts(move);
    return { text: move, steps: [...(from === null ? [] : [from]), to, ...takes], target: takes.at(-1) ?? to };
  }

  /** @override */
  places() {
    return new Map([...POINTS, "hand"].map((point) => [point, this.at(point)]));
  }

  /** @param {string} point @returns {Place} */
  at(point) {
    if (point === "hand") return { x: EDGE, y: HEIGHT - TRAY / 2 };
    const file = point.charCodeAt(0) - 97;
    const rank = Number(point[1]) - 1;
    const turned = this.view.seat === "second";
    return {
      x: EDGE + STEP * (turned ? 6 - file : file),
      y: TRAY + EDGE + STEP * (turned ? rank : 6 - rank),
    };
  }

  /** @override */
  reach() {
    return STEP / 2;
  }

  /** @override */
  entry() {
    return this.view.seat === "first" ? "d1" : "d7";
  }

  /** @override */
  tabStop() {
    const stop = super.tabStop();
    return stop === "hand" ? this.entry() : stop;
  }

  /** @param {string} place @override */
  draggable(place) {
    const { pieces, hand } = morris(this.view.position);
    const own = this.view.own;
    if (own === null) return false;
    if (place === "hand") return hand[own] > 0;
    return pieces.get(place) === own && this.choice.first().has(place);
  }

  /** @param {string} from @param {string} to @override */
  dropped(from, to) {
    if (to === "hand") return [];
    return from === "hand" ? [to] : [from, to];
  }

  /** A half-made move to a place where it can't go, told as the move it would be. @param {string[]} path @param {string} place @override */
  attempt(path, place) {
    const { pieces, hand } = morris(this.view.position);
    const own = this.view.own;
    if (own === null || place === "hand") return null;
    if (path.length === 0) {
      if (hand[own] > 0) return place;
      // The reason for a piece of one's own that can't move shows with any point beside it.
      const beside = this.beside(place);
      return pieces.has(place) && beside !== null ? `${place}-${beside}` : null;
    }
    const [one = "", other, ...more] = path;
    if (other === undefined && pieces.get(one) === own) return `${one}-${place}`;
    const way = pieces.get(one) === own ? `${one}-${other}` : one;
    const taken = pieces.get(one) === own ? more : path.slice(1);
    return [way, ...taken, place].join("x");
  }

  /** The next point in one of the four directions. @param {string} place */
  beside(place) {
    for (const way of /** @type {const} */ (["up", "right", "down", "left"])) {
      const found = this.neighbour(place, way);
      if (found !== place) return found;
    }
    return null;
  }

  /** Along a line to the next point; where no line leads, the nearest point on that side. @param {string} place @param {import("./board.js").Direction} to @override */
  neighbour(place, to) {
    const from = this.at(place);
    const row = POINTS.filter((point) => this.at(point).y === from.y);
    row.sort((one, other) => this.at(one).x - this.at(other).x);
    if (to === "home") return row[0] ?? place;
    if (to === "end") return row.at(-1) ?? place;
    const [across, down] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[to] ?? [0, 0];
    let found = place;
    let least = Infinity;
    for (const point of POINTS) {
      const at = this.at(point);
      const forward = (at.x - from.x) * across + (at.y - from.y) * down;
      const aside = Math.abs((at.x - from.x) * down) + Math.abs((at.y - from.y) * across);
      if (forward > 0 && aside === 0 && forward < least && !crossesCentre(from, at)) {
        least = forward;
        found = point;
      }
    }
    return found;
  }

  /** @param {Last} last @override */
  duration(last) {
    return SLIDE_MS + (last.taken?.length ?? 0) * TAKE_MS;
  }

  /** @override */
  wanted() {
    if (!this.view.playable || this.view.pending) return "";
    const { path, proposed } = this.choice;
    if (proposed !== null) return t("board.confirm", { move: proposed });
    const next = [...this.choice.next()];
    const { pieces, hand } = morris(this.view.position);
    const own = this.view.own ?? this.view.seat;
    if (path.length === 0) return hand[own] > 0 ? t("board.morris.place") : t("board.morris.move");
    if (next.some((point) => pieces.has(point))) {
      const left = Math.max(...this.choice.candidates.map((it) => it.steps.length)) - path.length;
      return left > 1 ? t("board.morris.take_two") : t("board.morris.take");
    }
    return t("board.morris.to", { from: path[0] ?? "" });
  }

  /** The board as it looks with the steps made so far. */
  pieces() {
    const { pieces } = morris(this.view.position);
    const own = this.view.own;
    const taken = new Set();
    const pending = this.view.pending ?? this.choice.proposed;
    const steps = pending ? this.candidate(pending).steps : this.choice.path;
    const [one, other] = steps;
    if (own !== null && one !== undefined) {
      const placed = pieces.get(one) !== own;
      const to = placed ? one : other;
      if (to !== undefined) {
        if (!placed) pieces.delete(one);
        pieces.set(to, own);
        for (const point of steps.slice(placed ? 1 : 2)) taken.add(point);
      }
    }
    return { pieces, taken };
  }

  /** @param {string} point @param {Seat | undefined} piece */
  label(point, piece) {
    const side = (/** @type {Seat} */ seat) => t(`board.morris.${this.view.own === null ? seat : this.whose(seat)}`);
    const parts = [point, piece === undefined ? t("board.empty") : side(piece)];
    const next = this.choice.next();
    if (this.view.playable && next.has(point)) {
      const path = this.choice.path.length;
      const takes = path > 0 && piece !== undefined && piece !== this.view.own;
      parts.push(t(takes ? "board.takeable" : path > 0 || piece === undefined ? "board.target" : "board.movable"));
    }
    if (this.choice.path.includes(point)) parts.push(t("board.chosen"));
    if (this.view.last?.mill?.includes(point)) parts.push(t("board.in_mill"));
    const hint = this.view.hint ? this.candidate(this.view.hint).steps : [];
    if (hint.includes(point)) parts.push(t("board.hinted"));
    return parts.join(", ");
  }

  render() {
    const { pieces, taken } = this.pieces();
    const rows = [0, 1, 2, 3, 4, 5, 6].map((row) => {
      const points = POINTS.filter((point) => this.at(point).y === TRAY + EDGE + STEP * row);
      return points.sort((one, other) => this.at(one).x - this.at(other).x);
    });
    return html`<svg class="board board-morris" viewBox="0 0 ${SIZE} ${HEIGHT}" role="group" aria-label=${t("board.morris.board")}
      @pointerdown=${this.onDown} @pointermove=${this.onMove} @pointerup=${this.onUp} @pointercancel=${this.onCancel}
      @click=${this.onClick} @keydown=${this.onKey}>
      ${DEFINITIONS}${SLATE}${this.names()}
      ${this.tray("top")}${this.tray("bottom")}${this.mill()}
      <g role="grid" aria-label=${t("board.morris.grid")} aria-rowcount="7" aria-colcount="7">
        ${rows.map((points, row) => svg`<g role="row" aria-rowindex=${row + 1}>
          ${points.map((point) => this.point(point, pieces.get(point), taken.has(point)))}
        </g>`)}
      </g>
      ${this.moving()}
    </svg>`;
  }

  /** @param {string} point @param {Seat | undefined} piece @param {boolean} leaves */
  point(point, piece, leaves) {
    const at = this.at(point);
    const { path } = this.choice;
    const leads = this.leads(point);
    const own = piece !== undefined && piece === this.view.own;
    const takes = leads && path.length > 0 && piece !== undefined && !own;
    const target = leads && piece === undefined && path.length > 0;
    const classes = ["point", leads ? "is-playable" : "", path.includes(point) ? "is-chosen" : "", this.view.pending ? "is-waiting" : ""];
    const hidden = this.inTheAir(point);
    return svg`<g class=${classes.join(" ")} data-place=${point} role="gridcell" tabindex=${this.tabIndex(point)}
      aria-colindex=${Math.round((at.x - EDGE) / STEP) + 1} aria-label=${this.label(point, piece)}
      aria-selected=${path.includes(point) ? "true" : "false"}>
      <rect class="hit" x=${at.x - STEP / 2} y=${at.y - STEP / 2} width=${STEP} height=${STEP} />
      ${leads && piece === undefined && path.length === 0 ? svg`<circle class="open-point" cx=${at.x} cy=${at.y} r="4.5" />` : nothing}
      ${target ? svg`<circle class="target" cx=${at.x} cy=${at.y} r="9.5" />` : nothing}
      ${this.lastMark(point, at)}
      ${piece === undefined || hidden ? nothing : this.piece(piece, at, leaves ? "leaves" : "")}
      ${leads && own && path.length === 0 ? svg`<path class="movable" d=${corners(at, RADIUS + 2.5)} />` : nothing}
      ${takes ? svg`<g class="takeable"><circle cx=${at.x} cy=${at.y} r=${RADIUS + 3} />
        <path d="M${at.x - 7} ${at.y - 7}l14 14m0 -14l-14 14" /></g>` : nothing}
      ${path.at(0) === point && own ? svg`<circle class="chosen" cx=${at.x} cy=${at.y} r=${RADIUS + 3} />` : nothing}
      ${this.hinted(point) ? svg`<circle class="hinted" cx=${at.x} cy=${at.y} r=${RADIUS + 4} />` : nothing}
      ${this.ring(at, RADIUS + 5)}
    </g>`;
  }

  /** @param {string} point */
  hinted(point) {
    return this.view.hint ? this.candidate(this.view.hint).steps.includes(point) : false;
  }

  /** @param {Seat} piece @param {Place} at @param {string} [more] */
  piece(piece, at, more = "") {
    const waits = this.view.pending && moveParts(this.view.pending).to === this.pointAt(at) ? "is-pending" : "";
    return svg`<use class="piece ${more} ${waits}" href="#morris-${piece}" transform="translate(${at.x} ${at.y})" />`;
  }

  /** @param {Place} at */
  pointAt(at) {
    return POINTS.find((point) => this.at(point).x === at.x && this.at(point).y === at.y);
  }

  /** Where the last piece came from is a hollow square, where it went a frame with corners; what was taken a cross. @param {string} point @param {Place} at */
  lastMark(point, at) {
    const { last } = this.view;
    if (!last || this.animation !== null) return nothing;
    const { from, to } = moveParts(last.move);
    if (from === point) return svg`<rect class="last-from" x=${at.x - 8} y=${at.y - 8} width="16" height="16" />`;
    if (last.taken?.includes(point)) {
      return svg`<path class="last-gone" d="M${at.x - 8} ${at.y - 8}l16 16m0 -16l-16 16" />`;
    }
    return to === point ? svg`<path class="last-to" d=${corners(at, RADIUS + 3.5)} />` : nothing;
  }

  /** The lines that the last move closed. */
  mill() {
    const points = this.view.last?.mill ?? [];
    if (points.length === 0 || this.animation !== null) return nothing;
    const lines = [];
    for (const axis of /** @type {const} */ (["x", "y"])) {
      for (const value of new Set(points.map((point) => this.at(point)[axis]))) {
        const on = points.map((point) => this.at(point)).filter((at) => at[axis] === value);
        if (on.length < 3) continue;
        on.sort((one, other) => one.x - other.x || one.y - other.y);
        const [from, to] = [on[0], on.at(-1)];
        if (from && to) lines.push(svg`<path class="mill-line" d="M${from.x} ${from.y}L${to.x} ${to.y}" />`);
      }
    }
    return svg`<g aria-hidden="true">${lines}</g>`;
  }

  /** A point whose piece is drawn elsewhere: dragged, or on its way. @param {string} point */
  inTheAir(point) {
    if (this.drag?.moved && this.drag.from === point) return true;
    return this.animation !== null && moveParts(this.animation.last.move).to === point;
  }

  /** Pieces on their way: the one that is dragged, the one that slides, those that are taken. */
  moving() {
    const { drag, animation } = this;
    if (drag?.moved && this.view.own) {
      return svg`<use class="piece in-hand" href="#morris-${this.view.own}" transform="translate(${drag.at.x} ${drag.at.y}) scale(1.12)" />`;
    }
    if (animation === null) return nothing;
    const { last } = animation;
    const { from, to } = moveParts(last.move);
    const { ms } = this.elapsed();
    const part = ease(Math.min(1, ms / SLIDE_MS));
    const end = this.at(to);
    const begin = from === null ? { x: end.x, y: end.y - 26 } : this.at(from);
    const at = { x: begin.x + (end.x - begin.x) * part, y: begin.y + (end.y - begin.y) * part };
    const rival = last.by === "first" ? "second" : "first";
    const gone = (last.taken ?? []).map((point, index) => {
      const left = 1 - Math.min(1, Math.max(0, (ms - SLIDE_MS - index * TAKE_MS) / TAKE_MS));
      const place = this.at(point);
      return svg`<use class="piece" href="#morris-${rival}" opacity=${left} transform="translate(${place.x} ${place.y}) scale(${0.6 + left * 0.4})" />`;
    });
    return svg`<g aria-hidden="true">${gone}<use class="piece in-hand" href="#morris-${last.by}"
      transform="translate(${at.x} ${at.y}) scale(${from === null ? 1.25 - part * 0.25 : 1})" /></g>`;
  }

  /** The pieces of a side that are still in the hand, and those it has taken. @param {"top" | "bottom"} row */
  tray(row) {
    const seat = row === "bottom" ? this.view.seat : this.top();
    const rival = seat === "first" ? "second" : "first";
    const { pieces, hand } = morris(this.view.position);
    const onBoard = [...pieces.values()].filter((piece) => piece === rival).length;
    const taken = 9 - hand[rival] - onBoard;
    const y = row === "bottom" ? HEIGHT - TRAY / 2 + 2 : TRAY / 2 - 2;
    const dragged = row === "bottom" && this.drag?.moved && this.drag.from === "hand" ? 1 : 0;
    const own = row === "bottom" && this.view.own === seat && this.view.playable && hand[seat] > 0;
    const label = t("board.morris.tray", {
      side: t(`board.side.${this.view.own === null ? seat : this.whose(seat)}`),
      hand: hand[seat],
      taken,
    });
    const stack = Array.from({ length: hand[seat] - dragged }, (_, index) => index);
    const lost = Array.from({ length: taken }, (_, index) => index);
    return svg`<g class="tray ${own ? "is-playable" : ""}" role="img" aria-label=${label} data-place=${own ? "hand" : nothing}>
      ${own ? svg`<rect class="hit" x="0" y=${y - TRAY / 2} width="200" height=${TRAY} />` : nothing}
      ${stack.map((index) => svg`<use class="piece" href="#morris-${seat}" transform="translate(${18 + index * 15} ${y}) scale(0.62)" />`)}
      ${hand[seat] > 0 ? svg`<text class="tray-count" x=${18 + stack.length * 15 + 10} y=${y} dy="0.36em">${hand[seat]}</text>` : nothing}
      <g class="tray-taken">${lost.map((index) => svg`<use class="piece" href="#morris-${rival}" transform="translate(${SIZE - 16 - index * 12} ${y}) scale(0.5)" />`)}
      ${taken > 0 ? svg`<text class="tray-count" x=${SIZE - 18 - taken * 12 - 12} y=${y} dy="0.36em">×${taken}</text>` : nothing}</g>
    </g>`;
  }

  /** Files and ranks, on the frame: readable from either side. */
  names() {
    const files = "abcdefg".split("");
    return svg`<g class="frame-names" aria-hidden="true">
      ${files.map((file) => svg`<text x=${this.at(`${file}1`).x} y=${TRAY + SIZE - 6.6} dy="0.34em">${file}</text>`)}
      ${files.map((_, rank) => svg`<text x="6.8" y=${this.at(`a${rank + 1}`).y} dy="0.36em">${rank + 1}</text>`)}
    </g>`;
  }
}

/** No line goes through the middle of the board. @param {Place} from @param {Place} to */
function crossesCentre(from, to) {
  const middle = { x: EDGE + 3 * STEP, y: TRAY + EDGE + 3 * STEP };
  const along = (/** @type {"x" | "y"} */ axis) => (from[axis] - middle[axis]) * (to[axis] - middle[axis]) < 0;
  const [x, y] = [from.x === middle.x && to.x === middle.x, from.y === middle.y && to.y === middle.y];
  return (x && along("y")) || (y && along("x"));
}

/** Four corners around a place. @param {Place} at @param {number} size */
function corners(at, size) {
  const arm = size * 0.42;
  const near = size * 0.84;
  const [left, right, up, down] = [at.x - near, at.x + near, at.y - near, at.y + near];
  return `M${left} ${up + arm}V${up}H${left + arm}M${right - arm} ${up}H${right}V${up + arm}
    M${right} ${down - arm}V${down}H${right - arm}M${left + arm} ${down}H${left}V${down - arm}`;
}

/** @param {number} part */
function ease(part) {
  return 1 - (1 - part) ** 3;
}
