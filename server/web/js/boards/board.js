// @ts-check
/**
 * What all boards have in common: which touches lead to a move (tap-tap, drag, keyboard), the one tab stop, and the
 * animation of what happened. A board knows no rules: it offers what is `legal`, and what is not is asked of the
 * server, which answers with the reason.
 */
import { svg } from "../../vendor/lit-html/lit-html.js";
import { t } from "../i18n.js";
import { Choice } from "./choice.js";
import { rivalOf } from "./positions.js";

/** @typedef {import("./positions.js").Seat} Seat */

/**
 * What happened last, as `moved` tells it.
 * @typedef {object} Last
 * @property {string} move
 * @property {Seat} by
 * @property {string[] | null} [sown]
 * @property {{ house: string, seeds: number }[] | null} [captured]
 * @property {string[] | null} [mill]
 * @property {string[] | null} [taken]
 */

/**
 * What a board shows.
 * @typedef {object} BoardView
 * @property {string} position
 * @property {string[]} legal the player's legal moves; none on the rival's turn
 * @property {Seat} seat whose side is at the bottom
 * @property {Seat | null} own the player's own side; null for who watches
 * @property {boolean} playable whether the player may move now
 * @property {string | null} [pending] a move that waits for the server's `ok`
 * @property {Last | null} [last]
 * @property {string | null} [hint]
 * @property {string | null} [warned] a move that was warned of: touched again it is played
 * @property {boolean} [confirms] whether a move is confirmed by a second touch
 * @property {boolean} [still] no animation: reduced motion, a replay that is stepped through
 */

/**
 * @typedef {object} BoardHooks
 * @property {() => void} redraw
 * @property {(move: string) => void} send
 * @property {() => void} [settle] jumps to how things stand, before a touch is judged
 */

/** @typedef {{ x: number, y: number }} Place */
/** @typedef {"left" | "right" | "up" | "down" | "home" | "end"} Direction */
/** @typedef {{ began: number, lasts: number }} Timed */

/** How far a finger may tremble before a touch becomes a drag, in pixels of the screen. */
const DRAG_FROM = 8;

/** @type {Record<string, Direction>} */
const KEYS = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
  Home: "home",
  End: "end",
};

/** @abstract */
export class Board {
  /** @param {BoardHooks} hooks */
  constructor(hooks) {
    this.hooks = hooks;
    this.choice = new Choice();
    /** @type {BoardView} */
    this.view = { position: "", legal: [], seat: "first", own: null, playable: false };
    /** The place that has the tab stop. @type {string | null} */
    this.stop = null;
    /** @type {{ from: string, at: Place, moved: boolean, pointer: number } | null} */
    this.drag = null;
    this.swallowsClick = false;
    /** @type {(Timed & { before: string, last: Last }) | null} */
    this.animation = null;
    this.onDown = this.pressed.bind(this);
    this.onMove = this.dragged.bind(this);
    this.onUp = this.released.bind(this);
    this.onCancel = this.letGo.bind(this);
    this.onClick = this.clicked.bind(this);
    this.onKey = this.keyed.bind(this);
  }

  // What each board says of itself.

  /** @param {string} _move @returns {import("./choice.js").Candidate} @abstract */
  candidate(_move) {
    throw new Error("each board has its own");
  }
  /** Every place with where it is drawn. @returns {Map<string, Place>} @abstract */
  places() {
    throw new Error("each board has its own");
  }
  /** How near a pointer must be to a place, in the board's own units. @returns {number} @abstract */
  reach() {
    throw new Error("each board has its own");
  }
  /** The place that an arrow leads to. @param {string} place @param {Direction} _to @returns {string} @abstract */
  neighbour(place, _to) {
    return place;
  }
  /** The text of a move that is not legal, to be told why. @param {string[]} _path @param {string} _place @returns {string | null} */
  attempt(_path, _place) {
    return null;
  }
  /** How long what happened is shown, in milliseconds. @param {Last} _last @returns {number} */
  duration(_last) {
    return 0;
  }
  /** What a drag from one place to another touches. @param {string} from @param {string} to @returns {string[]} */
  dropped(from, to) {
    return [from, to];
  }
  /** Whether something lies here that can be taken up. @param {string} place */
  draggable(place) {
    return this.choice.first().has(place);
  }

  // What the page asks of a board.

  /** @param {BoardView} view */
  show(view) {
    if (view.position !== this.view.position) this.drag = null;
    this.view = view;
    this.choice.offer(view.legal.map((move) => this.candidate(move)), view.confirms ?? false);
  }

  /** Shows what happened, from the position before it. @param {string} before @param {Last} last */
  animate(before, last) {
    this.finish();
    const lasts = this.duration(last);
    if (lasts === 0 || this.view.still || document.hidden) return;
    this.animation = { began: performance.now(), lasts, before, last };
    requestAnimationFrame(() => this.tick());
  }

  tick() {
    if (this.animation === null) return;
    if (performance.now() - this.animation.began >= this.animation.lasts) this.animation = null;
    else requestAnimationFrame(() => this.tick());
    this.hooks.redraw();
  }

  /** Nothing is shown any more. */
  close() {
    this.finish();
  }

  /** Jumps to the end of what is being shown. */
  finish() {
    this.animation = null;
  }

  /** How much of the animation has gone by: 0 to 1, and its milliseconds. */
  elapsed() {
    if (this.animation === null) return { part: 1, ms: Infinity };
    const ms = performance.now() - this.animation.began;
    return { part: Math.min(1, ms / this.animation.lasts), ms };
  }

  /** Steps back from a half-made move. Says whether there was one. */
  back() {
    const stepped = this.choice.back();
    if (stepped) this.hooks.redraw();
    return stepped;
  }

  /** What the player is asked for next, in words; empty where there is nothing to say. @returns {string} */
  wanted() {
    if (!this.view.playable) return "";
    return this.choice.proposed === null ? "" : t("board.confirm", { move: this.choice.proposed });
  }

  // Touches.

  /** @param {string} place */
  touch(place) {
    this.finish();
    this.hooks.settle?.();
    if (!this.view.playable || this.view.pending) return;
    const touch = this.choice.touch(place);
    if (touch.kind === "send") this.hooks.send(touch.move);
    if (touch.kind === "refused") {
      const move = this.attempt(touch.path, touch.place);
      if (move !== null) this.hooks.send(move);
    }
    this.hooks.redraw();
  }

  /** A whole move from the move field or the list. @param {string} move */
  propose(move) {
    this.finish();
    const touch = this.choice.propose(move);
    if (touch.kind === "send") this.hooks.send(touch.move);
    this.hooks.redraw();
  }

  /** @param {PointerEvent} event */
  pressed(event) {
    const place = placeOf(event.target);
    this.swallowsClick = false;
    if (place === null || !event.isPrimary || event.button !== 0) return;
    if (!this.view.playable || this.view.pending || !this.draggable(place)) return;
    this.drag = { from: place, at: { x: event.clientX, y: event.clientY }, moved: false, pointer: event.pointerId };
  }

  /** @param {PointerEvent} event */
  dragged(event) {
    const drag = this.drag;
    if (drag === null || event.pointerId !== drag.pointer) return;
    if (!drag.moved) {
      if (Math.hypot(event.clientX - drag.at.x, event.clientY - drag.at.y) < DRAG_FROM) return;
      drag.moved = true;
      this.finish();
      boardOf(event)?.setPointerCapture(drag.pointer);
      this.choice.clear();
      // Where the way goes on from here, it is shown while the piece is in the air.
      if (this.choice.after([drag.from]).size > 0) this.choice.path = [drag.from];
    }
    drag.at = toBoard(event);
    this.hooks.redraw();
  }

  /** @param {PointerEvent} event */
  released(event) {
    const drag = this.drag;
    this.drag = null;
    if (drag === null || !drag.moved || event.pointerId !== drag.pointer) return;
    // The browser follows with a click on the board: it is not a touch of its own.
    this.swallowsClick = true;
    this.choice.clear();
    const to = this.nearest(toBoard(event));
    if (to !== null && to !== drag.from) {
      for (const place of this.dropped(drag.from, to)) this.touch(place);
      // Not where it could go: the piece is back, and nothing is chosen.
      if (this.choice.path.at(-1) === drag.from && this.choice.proposed === null) this.choice.clear();
    }
    this.hooks.redraw();
  }

  letGo() {
    this.drag = null;
    this.hooks.redraw();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (this.swallowsClick) {
      this.swallowsClick = false;
      return;
    }
    const place = placeOf(event.target);
    // The second click of a double click is no second touch.
    if (event.detail > 1) return;
    if (place === null) {
      this.finish();
      return;
    }
    this.stop = place;
    this.touch(place);
  }

  /** @param {KeyboardEvent} event */
  keyed(event) {
    const place = placeOf(event.target);
    if (place === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = KEYS[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.focus(this.neighbour(place, to), event.currentTarget);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) this.touch(place);
    } else if (event.key === "Escape" && this.back()) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  /** @param {string} place @param {EventTarget | null} root */
  focus(place, root) {
    this.stop = place;
    this.hooks.redraw();
    if (root instanceof Element) {
      const target = root.querySelector(`[data-place="${place}"]`);
      if (target instanceof SVGElement) target.focus();
    }
  }

  /** @param {Place} at @returns {string | null} */
  nearest(at) {
    let found = null;
    let least = this.reach();
    for (const [name, place] of this.places()) {
      const away = Math.hypot(place.x - at.x, place.y - at.y);
      if (away <= least) {
        least = away;
        found = name;
      }
    }
    return found;
  }

  // Drawing.

  /** Whether a place can be touched to go on. @param {string} place */
  leads(place) {
    return this.view.playable && !this.view.pending && this.choice.next().has(place);
  }

  /** The one place with the tab stop: where the focus was, or else where something can be done. */
  tabStop() {
    const names = [...this.places().keys()];
    if (this.stop !== null && names.includes(this.stop)) return this.stop;
    const [own] = this.choice.first();
    return own ?? this.entry();
  }

  /** Where the focus goes at first. @returns {string} */
  entry() {
    return [...this.places().keys()][0] ?? "";
  }

  /** @param {string} place */
  tabIndex(place) {
    return this.tabStop() === place ? 0 : -1;
  }

  /** A focus ring that shows on any ground: dark around light. @param {Place} at @param {number} radius */
  ring(at, radius) {
    return svg`<g class="focus-ring" aria-hidden="true">
      <circle cx=${at.x} cy=${at.y} r=${radius} /><circle cx=${at.x} cy=${at.y} r=${radius} />
    </g>`;
  }

  /** @param {Seat} by */
  whose(by) {
    if (this.view.own === null) return by;
    return by === this.view.own ? "own" : "rival";
  }

  top() {
    return rivalOf(this.view.seat);
  }
}

/** @param {EventTarget | null} target @returns {string | null} */
function placeOf(target) {
  if (!(target instanceof Element)) return null;
  const place = target.closest("[data-place]");
  return place?.getAttribute("data-place") ?? null;
}

/** @param {Event} event @returns {SVGSVGElement | null} */
function boardOf(event) {
  return event.currentTarget instanceof SVGSVGElement ? event.currentTarget : null;
}

/** Where a pointer is, in the board's own units. @param {PointerEvent} event @returns {Place} */
function toBoard(event) {
  const matrix = boardOf(event)?.getScreenCTM()?.inverse();
  if (!matrix) return { x: 0, y: 0 };
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  return { x: point.x, y: point.y };
}
