// @ts-check
/**
 * A move in the making: the touches that lead to one of the legal moves. It knows no rules, only the list.
 *
 * A move is a list of steps, the places touched one after the other: a house; a piece; a piece, a point and the pieces
 * taken. Where a legal move is complete it is sent, or proposed first where the player wants to confirm.
 */

/**
 * @typedef {{ text: string, steps: string[], target: string }} Candidate a legal move as touches, and where it ends
 * @typedef {{ kind: "send", move: string }
 *   | { kind: "changed" }
 *   | { kind: "refused", path: string[], place: string }} Touch what a touch led to
 */

export class Choice {
  constructor() {
    /** @type {Candidate[]} */
    this.candidates = [];
    /** The steps so far. @type {string[]} */
    this.path = [];
    /** A complete move that waits to be confirmed. @type {string | null} */
    this.proposed = null;
    this.confirms = false;
  }

  /**
   * Takes over what is legal now. A choice in the making stays as far as it still leads somewhere.
   * @param {Candidate[]} candidates @param {boolean} confirms
   */
  offer(candidates, confirms) {
    this.candidates = candidates;
    this.confirms = confirms;
    while (this.path.length > 0 && !candidates.some((it) => starts(it.steps, this.path))) this.path.pop();
    if (this.proposed !== null && !candidates.some((it) => it.text === this.proposed)) this.proposed = null;
  }

  /** Where a touch leads on. @returns {Set<string>} */
  next() {
    return this.after(this.path);
  }

  /** Where a move can begin. @returns {Set<string>} */
  first() {
    return this.after([]);
  }

  /** @param {string[]} path @returns {Set<string>} */
  after(path) {
    /** @type {Set<string>} */
    const places = new Set();
    for (const { steps } of this.candidates) {
      const place = steps[path.length];
      if (place !== undefined && starts(steps, path)) places.add(place);
    }
    return places;
  }

  /** A touch on a place. @param {string} place @returns {Touch} */
  touch(place) {
    if (this.proposed !== null) {
      const { path, proposed } = this;
      const target = this.candidates.find((it) => it.text === proposed)?.target;
      this.clear();
      if (path.includes(place) || place === target) return { kind: "send", move: proposed };
      return this.first().has(place) ? this.touch(place) : { kind: "changed" };
    }
    if (this.next().has(place)) return this.step(place);
    if (this.path.at(-1) === place) {
      this.path.pop();
      return { kind: "changed" };
    }
    // Another piece of one's own is a new beginning. What would be a whole move at once is none: a touch that was meant
    // for a piece to be taken must not play something else.
    if (this.path.length <= 1 && this.first().has(place) && this.after([place]).size > 0) {
      this.path = [];
      return this.step(place);
    }
    return { kind: "refused", path: [...this.path], place };
  }

  /** @param {string} place @returns {Touch} */
  step(place) {
    this.path.push(place);
    const whole = this.candidates.find((it) => it.steps.length === this.path.length && starts(it.steps, this.path));
    if (whole === undefined) return { kind: "changed" };
    return this.propose(whole.text);
  }

  /**
   * A whole move, however it was found: typed, picked from the list, or touched.
   * @param {string} move @returns {Touch}
   */
  propose(move) {
    if (!this.confirms) {
      this.clear();
      return { kind: "send", move };
    }
    this.path = [...(this.candidates.find((it) => it.text === move)?.steps ?? [])];
    this.proposed = move;
    return { kind: "changed" };
  }

  /** Steps back once. Says whether there was anything to step back from. */
  back() {
    if (this.path.length === 0) return false;
    this.path.pop();
    this.proposed = null;
    return true;
  }

  clear() {
    this.path = [];
    this.proposed = null;
  }
}

/** @param {string[]} steps @param {string[]} path */
function starts(steps, path) {
  return path.every((place, index) => steps[index] === place);
}
