// @ts-check
/** Mū tōrere: an eight-pointed star carved in a disc of wood, eight kāwai around the pūtahi, and carved stones. */
import { svg, html, nothing } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";
import { Board } from "./board.js";
import { KAWAI, moveParts, muTorere } from "./positions.js";
import { grain } from "./wood.js";

/** @typedef {import("./board.js").Place} Place */
/** @typedef {import("./board.js").Last} Last */
/** @typedef {import("./positions.js").Seat} Seat */

const SLIDE_MS = 300;
const SIZE = 400;
const MIDDLE = SIZE / 2;
const RING = 136;
const NAMES = 181;
const HOLLOW = 31;
const CENTRE = 36;

export class MuTorereBoard extends Board {
  /** There is one empty point: the piece says it all. @param {string} move @override */
  candidate(move) {
    const { from, to } = moveParts(move);
    return { text: move, steps: [from ?? to], target: to };
  }

  /** @override */
  places() {
    return new Map(KAWAI.map((point) => [point, this.at(point)]));
  }

  /** The viewer's own four of the start are at the bottom. @param {string} point @param {number} [distance] @returns {Place} */
  at(point, distance = RING) {
    if (point === "c") return { x: MIDDLE, y: MIDDLE };
    const turned = this.view.seat === "second" ? 180 : 0;
    const angle = ((22.5 + 45 * (Number(point) - 1) + turned) * Math.PI) / 180;
    return { x: MIDDLE + Math.cos(angle) * distance, y: MIDDLE + Math.sin(angle) * distance };
  }

  /** @override */
  reach() {
    return HOLLOW * 1.35;
  }

  /** @override */
  entry() {
    return this.view.seat === "first" ? "1" : "5";
  }

  /** @param {string} from @param {string} to @override */
  dropped(from, to) {
    return to === muTorere(this.view.position).empty ? [from] : [];
  }

  /** @param {string[]} _path @param {string} place @override */
  attempt(_path, place) {
    return `${place}-${muTorere(this.view.position).empty}`;
  }

  /** Left and right go around the ring, up and down to the centre and from it. @param {string} place @param {import("./board.js").Direction} to @override */
  neighbour(place, to) {
    const turned = this.view.seat === "second";
    if (place === "c") {
      if (to === "up" || to === "home") return turned ? "3" : "7";
      if (to === "down" || to === "end") return turned ? "7" : "3";
      return to === "left" ? (turned ? "8" : "4") : turned ? "5" : "1";
    }
    if (to === "up" || to === "down") return "c";
    if (to === "home") return "1";
    if (to === "end") return "8";
    const step = to === "right" ? 1 : 7;
    return String(((Number(place) - 1 + step) % 8) + 1);
  }

  /** @param {Last} _last @override */
  duration(_last) {
    return SLIDE_MS;
  }

  /** @param {string} point @param {Seat | undefined} piece */
  label(point, piece) {
    const name = point === "c" ? t("board.mu_torere.centre") : t("board.mu_torere.point", { point });
    const side = (/** @type {Seat} */ seat) => t(`board.mu_torere.${this.view.own === null ? seat : this.whose(seat)}`);
    const parts = [name, piece === undefined ? t("board.empty") : side(piece)];
    if (this.choice.path.includes(point)) parts.push(t("board.chosen"));
    else if (this.leads(point)) parts.push(t("board.playable"));
    if (this.view.warned && moveParts(this.view.warned).from === point) parts.push(t("board.warned"));
    if (this.view.last && moveParts(this.view.last.move).to === point) parts.push(t("board.last_to"));
    if (this.view.hint && moveParts(this.view.hint).from === point) parts.push(t("board.hinted"));
    return parts.join(", ");
  }

  render() {
    const { pieces } = muTorere(this.view.position);
    return html`<svg class="board board-torere" viewBox="0 0 ${SIZE} ${SIZE}" role="group" aria-label=${t("board.mu_torere.board")}
      @pointerdown=${this.onDown} @pointermove=${this.onMove} @pointerup=${this.onUp} @pointercancel=${this.onCancel}
      @click=${this.onClick} @keydown=${this.onKey}>
      ${DEFINITIONS}${DISC}
      ${KAWAI.map((point) => this.point(point, pieces.get(point)))}
      ${this.moving(pieces)}
    </svg>`;
  }

  /** @param {string} point @param {Seat | undefined} piece */
  point(point, piece) {
    const at = this.at(point);
    const name = this.at(point, NAMES);
    const chosen = this.choice.path.includes(point);
    const warned = this.view.warned ? moveParts(this.view.warned).from === point : false;
    const pending = this.view.pending ? moveParts(this.view.pending).from === point : false;
    const hinted = this.view.hint ? moveParts(this.view.hint).from === point : false;
    const leads = this.leads(point);
    const hidden = this.inTheAir(point);
    const classes = ["kawai", leads ? "is-playable" : "", chosen || warned ? "is-chosen" : "", pending ? "is-pending" : ""];
    return svg`<g class=${classes.join(" ")} data-place=${point} role="button" tabindex=${this.tabIndex(point)}
      aria-label=${this.label(point, piece)}>
      <circle class="hit" cx=${at.x} cy=${at.y} r=${point === "c" ? 52 : 50} />
      ${this.lastMark(point, at)}
      ${piece === undefined || hidden ? nothing : svg`<use class="piece" href="#stone-${piece}" transform="translate(${at.x} ${at.y})" />`}
      ${leads ? svg`<path class="stone-lead" d=${chevron(at, this.target())} />
        <circle class="stone-ring" cx=${at.x} cy=${at.y} r=${HOLLOW + 2} />` : nothing}
      ${chosen ? svg`<circle class="chosen" cx=${at.x} cy=${at.y} r=${HOLLOW + 2} />` : nothing}
      ${hinted ? svg`<circle class="hinted" cx=${at.x} cy=${at.y} r=${HOLLOW + 5} />` : nothing}
      ${warned ? this.warning(at) : nothing}
      ${point === "c" ? (piece === undefined ? svg`<text class="star-name" x=${at.x} y=${at.y} dy="0.34em">c</text>` : nothing)
        : svg`<text class="star-name" x=${name.x} y=${name.y} dy="0.36em">${point}</text>`}
      ${this.ring(at, HOLLOW + 6)}
    </g>`;
  }

  /** Where any piece goes. */
  target() {
    return this.at(muTorere(this.view.position).empty);
  }

  /** @param {Place} at */
  warning(at) {
    return svg`<g class="warned" transform="translate(${at.x} ${at.y})">
      <path d="M0 -15L15 11H-15Z" /><text y="7">!</text></g>`;
  }

  /** Where the last piece came from is a hollow diamond, where it stands a frame of four arcs. @param {string} point @param {Place} at */
  lastMark(point, at) {
    const { last } = this.view;
    if (!last || this.animation !== null) return nothing;
    const { from, to } = moveParts(last.move);
    if (point === from) return svg`<path class="last-from" d="M${at.x} ${at.y - 13}l13 13l-13 13l-13 -13z" />`;
    if (point !== to) return nothing;
    const radius = HOLLOW + 2;
    return svg`<circle class="last-to last-arcs" cx=${at.x} cy=${at.y} r=${radius} pathLength="8" />`;
  }

  /** @param {string} point */
  inTheAir(point) {
    if (this.drag?.moved && this.drag.from === point) return true;
    return this.animation !== null && moveParts(this.animation.last.move).to === point;
  }

  /** @param {Map<string, Seat>} pieces */
  moving(pieces) {
    const { drag, animation } = this;
    if (drag?.moved) {
      const piece = pieces.get(drag.from);
      return piece === undefined ? nothing
        : svg`<use class="piece in-hand" href="#stone-${piece}" transform="translate(${drag.at.x} ${drag.at.y}) scale(1.1)" />`;
    }
    if (animation === null) return nothing;
    const { from, to } = moveParts(animation.last.move);
    const part = 1 - (1 - this.elapsed().part) ** 3;
    const [begin, end] = [this.at(from ?? to), this.at(to)];
    const at = { x: begin.x + (end.x - begin.x) * part, y: begin.y + (end.y - begin.y) * part };
    return svg`<use class="piece in-hand" href="#stone-${animation.last.by}" transform="translate(${at.x} ${at.y})" />`;
  }
}

/** A small arrow from a piece towards where it goes. @param {Place} from @param {Place} to */
function chevron(from, to) {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const at = (/** @type {number} */ away, /** @type {number} */ turn) =>
    `${(from.x + Math.cos(angle + turn) * away).toFixed(1)} ${(from.y + Math.sin(angle + turn) * away).toFixed(1)}`;
  return `M${at(HOLLOW + 6, 0.17)}L${at(HOLLOW + 13, 0)}L${at(HOLLOW + 6, -0.17)}Z`;
}

/** @param {number} degrees @param {number} distance */
function polar(degrees, distance) {
  const angle = (degrees * Math.PI) / 180;
  return `${(MIDDLE + Math.cos(angle) * distance).toFixed(1)} ${(MIDDLE + Math.sin(angle) * distance).toFixed(1)}`;
}

const ARMS = Array.from({ length: 8 }, (_, index) => 22.5 + index * 45);

/** The star: each arm has a bright and a shaded face. */
const STAR = ARMS.map(
  (angle) => svg`<path class="arm-light" d="M${MIDDLE} ${MIDDLE}L${polar(angle - 22.5, 74)}L${polar(angle, 172)}Z" />
  <path class="arm-shade" d="M${MIDDLE} ${MIDDLE}L${polar(angle + 22.5, 74)}L${polar(angle, 172)}Z" />`,
);

const EDGE = `M${ARMS.map((angle) => `${polar(angle, 172)}L${polar(angle + 22.5, 74)}`).join("L")}Z`;

/** Notches around the rim. */
const NOTCHES = Array.from({ length: 64 }, (_, index) => {
  const angle = index * 5.625;
  return `M${polar(angle, 190)}L${polar(angle + 1.6, 194.5)}L${polar(angle + 3.2, 190)}Z`;
}).join("");

const GRAIN = grain({ width: SIZE, height: SIZE, seed: 41, gap: 6, knots: [{ x: 92, y: 300, size: 12 }] });

const DEFINITIONS = svg`<defs>
  <linearGradient id="torere-wood" x1="0.1" y1="0" x2="0.7" y2="1">
    <stop offset="0" class="wood-light" /><stop offset="0.5" class="wood" /><stop offset="1" class="wood-deep" />
  </linearGradient>
  <radialGradient id="torere-hollow" cx="0.6" cy="0.66" r="0.75">
    <stop offset="0" class="hollow-light" /><stop offset="0.6" class="hollow-mid" /><stop offset="1" class="hollow-dark" />
  </radialGradient>
  <linearGradient id="torere-lip" x1="0.2" y1="0" x2="0.8" y2="1">
    <stop offset="0" class="lip-dark" /><stop offset="0.55" class="lip-none" /><stop offset="1" class="lip-light" />
  </linearGradient>
  <linearGradient id="torere-edge" x1="0.2" y1="0" x2="0.8" y2="1">
    <stop offset="0" class="edge-light" /><stop offset="0.5" class="edge-none" /><stop offset="1" class="edge-dark" />
  </linearGradient>
  <radialGradient id="stone-bone" cx="0.36" cy="0.3" r="0.85">
    <stop offset="0" class="bone-light" /><stop offset="0.55" class="bone" /><stop offset="1" class="bone-deep" />
  </radialGradient>
  <radialGradient id="stone-green" cx="0.34" cy="0.28" r="0.9">
    <stop offset="0" class="stone-light" /><stop offset="0.5" class="stone" /><stop offset="1" class="stone-deep" />
  </radialGradient>
  <g id="stone-first">
    <circle class="piece-shadow" cx="2" cy="3.4" r="25" />
    <circle class="bone-stone" r="25" />
    <circle class="bone-groove" r="17.5" />
    <circle class="bone-groove" r="7.5" />
    <path class="piece-shine" d="M-18 -8A20 20 0 0 1 5 -19" />
  </g>
  <g id="stone-second">
    <path class="piece-shadow" transform="translate(2 3.4)" d="M0 -28Q20 -20 28 0Q20 20 0 28Q-20 20 -28 0Q-20 -20 0 -28Z" />
    <path class="green-stone" d="M0 -28Q20 -20 28 0Q20 20 0 28Q-20 20 -28 0Q-20 -20 0 -28Z" />
    <path class="green-groove" d="M0 -18Q12 -12 18 0Q12 12 0 18Q-12 12 -18 0Q-12 -12 0 -18Z" />
    <path class="green-groove" d="M-18 0H18M0 -18V18" />
    <path class="piece-shine" d="M-17 -8Q-12 -17 -2 -20" />
  </g>
</defs>`;

const DISC = svg`<g aria-hidden="true">
  <clipPath id="torere-cut"><circle cx=${MIDDLE} cy=${MIDDLE} r="197" /></clipPath>
  <circle class="block-shadow" cx=${MIDDLE} cy=${MIDDLE + 2} r="198" />
  <g clip-path="url(#torere-cut)"><rect fill="url(#torere-wood)" width=${SIZE} height=${SIZE} />${GRAIN}</g>
  <circle class="torere-edge" cx=${MIDDLE} cy=${MIDDLE} r="196" />
  <path class="torere-notches" d=${NOTCHES} />
  <circle class="torere-channel" cx=${MIDDLE} cy=${MIDDLE} r="187" />
  <circle class="torere-path-light" cx=${MIDDLE} cy=${MIDDLE + 1.2} r=${RING} />
  <circle class="torere-path" cx=${MIDDLE} cy=${MIDDLE} r=${RING} />
  ${STAR}
  <path class="star-edge-light" d=${EDGE} transform="translate(0.8 1.2)" />
  <path class="star-edge" d=${EDGE} />
  <path class="torere-path" d=${ARMS.map((angle) => `M${MIDDLE} ${MIDDLE}L${polar(angle, RING)}`).join("")} />
  ${[...ARMS.map((angle) => polar(angle, RING)), `${MIDDLE} ${MIDDLE}`].map((place) => {
    const [x = 0, y = 0] = place.split(" ").map(Number);
    const radius = x === MIDDLE && y === MIDDLE ? CENTRE : HOLLOW;
    return svg`<circle class="hollow-rim" cx=${x} cy=${y} r=${radius + 2.5} />
      <circle class="torere-hollow" cx=${x} cy=${y} r=${radius} /><circle class="torere-lip" cx=${x} cy=${y} r=${radius - 0.5} />`;
  })}
</g>`;
