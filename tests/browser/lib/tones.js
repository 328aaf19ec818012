// @ts-check
// What a page hands to the browser's audio, tone by tone.

/** From now on, on every page of this browser. @param {import("playwright-core").BrowserContext} context */
export const noteTones = (context) =>
  context.addInitScript(() => {
    /** @type {number[]} */
    const pitches = [];
    Object.assign(window, { pitches });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
      pitches.push(this.frequency.value);
      return start.apply(this, when);
    };
  });

/** The pitches so far, in hertz. @param {import("playwright-core").Page} page @returns {Promise<number[]>} */
export const heard = (page) => page.evaluate(() => /** @type {any} */ (window).pitches);
