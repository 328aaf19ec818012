// @ts-check
/** Stopping new staked matches: all, of a game, of a player. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { actor, playerLink } from "../../admin/cells.js";
import { mayAct, staffPage, whenAllowed } from "../../admin/frame.js";
import { get, put } from "../../api.js";
import { askForWords } from "../../ask_for_words.js";
import { textField } from "../../fields.js";
import { dateTime, t } from "../../i18n.js";
import { resource, shown } from "../../resource.js";
import { say } from "../../speech.js";
import { moment, table } from "../../table.js";

/** @typedef {import("../../staff_types.d.ts").Switches} Switches */
/** @typedef {Switches["stopped"]} Stopped */

const GAMES = ["oware", "morris", "mu_torere"];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ redraw }) {
  let player = "";
  /** @type {import("../../resource.js").Resource<Switches>} */
  const switches = resource(() => get("/v1/admin/switches"), redraw);
  const stop = whenAllowed("switches", () => void switches.load());

  /** @param {Stopped} stopped @param {string} title */
  async function set(stopped, title) {
    const made = await askForWords({
      title: () => title,
      text: () => t("switches.text"),
      label: () => t("admin.reason"),
      yes: () => title,
      act: (reason) => put("/v1/admin/switches", { ...stopped, reason }),
    });
    if (!made) return;
    player = "";
    switches.value = made.answer;
    say(t("switches.set"));
    redraw();
  }

  return {
    title: () => t("admin.switches"),
    leave: stop,
    render: () =>
      staffPage(
        "switches",
        () => html`
          <p class="quiet">${t("switches.about")}</p>
          ${shown(switches, (value) => html`
            <ul class="switches">
              ${allSwitch(value.stopped, set)} ${GAMES.map((game) => gameSwitch(game, value.stopped, set))}
            </ul>
            ${mayAct() ? playerForm(value.stopped) : nothing} ${stops(value, set)}
          `)}
        `,
      ),
  };

  /** @param {Stopped} stopped */
  function playerForm(stopped) {
    /** @param {SubmitEvent} event */
    const submit = (event) => {
      event.preventDefault();
      const id = player.trim();
      if (id !== "") void set({ ...stopped, players: [...new Set([...stopped.players, id])] }, t("switches.stop_player"));
    };
    return html`
      <form class="filters" @submit=${submit}>
        ${textField({ id: "switch-player", label: t("filter.player"), value: player, change: (value) => (player = value) })}
        <button type="submit" class="button">${t("switches.stop_player")}</button>
      </form>
    `;
  }
}

/**
 * @param {string} name
 * @param {boolean} isStopped
 * @param {() => void} turn
 */
const row = (name, isStopped, turn) => html`
  <li>
    <span>${name}</span>
    <span class="tag ${isStopped ? "bad" : "good"}">${t(isStopped ? "switches.stopped" : "switches.running")}</span>
    ${mayAct()
      ? html`<button type="button" class="button small" aria-label="${t(isStopped ? "switches.start" : "switches.stop")}: ${name}" @click=${turn}>
          ${t(isStopped ? "switches.start" : "switches.stop")}
        </button>`
      : nothing}
  </li>
`;

/** @param {Stopped} stopped @param {(stopped: Stopped, title: string) => void} set */
const allSwitch = (stopped, set) =>
  row(t("switches.all"), stopped.all, () =>
    set({ ...stopped, all: !stopped.all }, t(stopped.all ? "switches.start_all" : "switches.stop_all")),
  );

/** @param {string} game @param {Stopped} stopped @param {(stopped: Stopped, title: string) => void} set */
function gameSwitch(game, stopped, set) {
  const isStopped = stopped.games.includes(game);
  const games = isStopped ? stopped.games.filter((one) => one !== game) : [...stopped.games, game];
  const name = t(`game.${game}`);
  return row(name, isStopped, () => set({ ...stopped, games }, t(isStopped ? "switches.start_game" : "switches.stop_game", { game: name })));
}

/** @param {Switches} switches @param {(stopped: Stopped, title: string) => void} set */
const stops = ({ stopped, stops: list }, set) =>
  list.length === 0
    ? html`<p class="empty">${t("switches.none")}</p>`
    : table({
        caption: t("switches.list"),
        rows: list,
        columns: [
          {
            title: t("column.what"),
            cell: ({ game, player }) => (player ? playerLink(player) : game ? t(`game.${game}`) : t("switches.all")),
          },
          { title: t("column.when"), cell: ({ stopped_at }) => moment(stopped_at, dateTime) },
          { title: t("column.by"), cell: ({ stopped_by }) => actor(stopped_by) },
          { title: t("column.reason"), cell: ({ reason }) => html`<span class="quote">${reason}</span>` },
          {
            title: t("column.acts"),
            quiet: true,
            cell: ({ player }) =>
              player && mayAct()
                ? html`<button
                    type="button"
                    class="button small"
                    @click=${() => set({ ...stopped, players: stopped.players.filter((one) => one !== player) }, t("switches.start_player"))}
                  >
                    ${t("switches.start")}
                  </button>`
                : nothing,
          },
        ],
      });
