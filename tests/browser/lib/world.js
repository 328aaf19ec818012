// @ts-check
// A house in which something has happened: players with matches behind them and before them, and the staff.
import { newMatch, playOn } from "./api.js";

/** @typedef {import("./api.js").Account} Account */

/** Numbers that look like chance and are the same in every run. @param {number} seed */
export function dice(seed) {
  let state = seed;
  return (/** @type {number} */ count) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * count);
  };
}

/**
 * Plays a match to its end, or as far as is wanted, by moves that look like chance.
 * @param {{ id: string, first: Account, second: Account }} match
 * @param {number} plies
 * @param {number} seed
 */
export function playByChance(match, plies, seed) {
  const roll = dice(seed);
  return playOn(match, plies, (legal) => legal[roll(legal.length)]);
}

/** Everything that a picture should have in it. @param {import("./api.js").Api} api */
export async function furnished(api) {
  const ana = await api.register({ stem: "Ana", money: 100_000 });
  const rui = await api.register({ stem: "Rui", money: 100_000 });
  const lia = await api.register({ stem: "Lia", money: 100_000 });
  const ended = await newMatch(ana, rui, { game: "oware", stake: 1_000 });
  await playByChance(ended, 400, 7);
  const resigned = await newMatch(lia, ana, { game: "morris", stake: 500 });
  await playByChance(resigned, 12, 3);
  await resigned.second.api.post(`/v1/matches/${resigned.id}/resign`);
  await ana.api.post(`/v1/matches/${ended.id}/report`, { text: "O rival demorou em cada lance." });
  await rui.api.post("/v1/wallet/withdrawals", { amount: 25_000 });
  const live = await newMatch(ana, rui, { game: "oware", stake: 2_000 });
  await playByChance(live, 9, 5);
  await lia.api.post("/v1/lobby/seeks", { game: "oware", preset: "wari", stake: 500 });
  await lia.api.post("/v1/lobby/seeks", { game: "mu_torere", stake: 1_500 });
  return { ana, rui, lia, ended, resigned, live };
}

/** Signs a member of the staff in. @param {import("./api.js").Api} api @param {"admin" | "cashier" | "auditor"} role */
export const staff = (api, role) => api.login(`${role}@test.example`);
