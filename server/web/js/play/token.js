// @ts-check
/** The sign of a side beside its player's name: a small piece of its form. */
import { html, svg } from "../../vendor/lit-html/lit-html.js";

/** @param {import("../types.d.ts").GameName} game @param {import("../types.d.ts").SeatName} seat */
export function token(game, seat) {
  return html`<svg class="token token-${game}" viewBox="-16 -16 32 32" aria-hidden="true">${shape(game, seat === "first")}</svg>`;
}

/** @param {import("../types.d.ts").GameName} game @param {boolean} first */
function shape(game, first) {
  if (game === "oware") {
    // The half of the board that is theirs: below for South, above for North.
    return svg`<rect class="token-board" x="-14" y="-9" width="28" height="18" rx="7" />
      ${[-8, 0, 8].map((x) => svg`<circle class="token-house" cx=${x} cy=${first ? 4 : -4} r="3" />`)}`;
  }
  if (game === "morris") {
    return first
      ? svg`<circle class="token-pale" r="12.5" /><circle class="token-pale-line" r="7.5" />`
      : svg`<circle class="token-dark" r="12.5" /><path class="token-dark-mark" d="M0 -6.5L6.5 0L0 6.5L-6.5 0Z" />`;
  }
  return first
    ? svg`<circle class="token-pale" r="12" /><circle class="token-pale-line" r="5" />`
    : svg`<path class="token-green" d="M0 -14Q10 -10 14 0Q10 10 0 14Q-10 10 -14 0Q-10 -10 0 -14Z" />`;
}
