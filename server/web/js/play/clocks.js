// @ts-check
/** The bars of the two players above and below the board: who, whose turn, how much time. */
import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { clock, duration, t } from "../i18n.js";
import { play as sound } from "../sound.js";
import { alert } from "../speech.js";
import { state } from "../store.js";
import { serverNow } from "../time.js";
import { token } from "./token.js";
import { side } from "./words.js";

/** @typedef {import("../match.js").GameModel} GameModel */
/** @typedef {import("../types.d.ts").SeatName} SeatName */

const LOW_MS = 60_000;
const TICK_MS = 100;

/**
 * @param {GameModel} model @param {SeatName} seat
 * @param {{ name: string, note?: string, rating?: string }} player
 */
export function bar(model, seat, player) {
  const { game } = model.state;
  const turn = !model.over && model.state.to_move === seat;
  // Whether one is there oneself is the line's to say: what was asked before it was up says otherwise.
  const away = seat !== model.own && model.online[seat] === false && !model.over;
  return html`<div class="bar" data-turn=${turn ? "yes" : "no"} data-testid="bar-${seat}">
    ${token(game, seat)}
    <p class="bar-who">
      <span class="bar-name">${player.name}</span>
      <span class="bar-note">${[side(game, seat), model.own === seat ? t("bar.you") : "", player.note ?? ""].filter(Boolean).join(" · ")}</span>
    </p>
    <p class="bar-turn">${away ? html`<span class="bar-away" data-testid="away">${t("bar.away")}</span>` : turn ? html`<span aria-hidden="true">▶</span> ${t("bar.to_move")}` : nothing}</p>
    ${model.clocks === null ? nothing : face(model, seat, player.name)}
  </div>`;
}

/** @param {GameModel} model @param {SeatName} seat @param {string} name */
function face(model, seat, name) {
  const left = model.left(seat, serverNow());
  const stale = !state.line.up && !model.over;
  const low = left < LOW_MS && !model.over;
  return html`<p class="clock" role="timer" aria-label=${t("clock.of", { name })} data-testid="clock-${seat}"
    data-runs=${model.runs(seat) ? "yes" : "no"} data-low=${low ? "yes" : "no"} data-stale=${stale ? "yes" : "no"}>
    <span class="clock-time">${clock(left)}</span>
    ${stale ? html`<span class="clock-stale">${t("clock.last_known")}</span>` : nothing}
  </p>`;
}

/** Both clocks in words. @param {GameModel} model @param {Record<SeatName, string>} names */
export function clocksInWords(model, names) {
  if (model.clocks === null) return t("clock.none");
  const now = serverNow();
  return t("clock.both", {
    first: names.first,
    first_time: duration(model.left("first", now)),
    second: names.second,
    second_time: duration(model.left("second", now)),
  });
}

/**
 * Redraws while a clock runs, whenever what it shows changes; says and sounds low time once, to its owner only.
 * @param {() => GameModel | null} model @param {() => void} redraw
 */
export function startClocks(model, redraw) {
  let shown = "";
  let warned = false;
  const tick = () => {
    const current = model();
    if (current === null || current.clocks === null) return;
    const now = serverNow();
    const faces = `${clock(current.left("first", now))} ${clock(current.left("second", now))}`;
    if (faces !== shown) redraw();
    shown = faces;
    if (current.own === null || current.over) return;
    const left = current.left(current.own, now);
    if (left >= LOW_MS) warned = false;
    else if (!warned && current.runs(current.own)) {
      warned = true;
      void sound("low");
      alert(t("clock.low", { time: duration(left) }));
    }
  };
  const timer = setInterval(tick, TICK_MS);
  return () => clearInterval(timer);
}
