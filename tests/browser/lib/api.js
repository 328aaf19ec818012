// @ts-check
// The interface beside the page, for what a script needs but does not show.
import { randomUUID } from "node:crypto";

export const PASSWORD = "seven seeds in a row";

let count = 0;

/** A name nobody has in this run. */
export function newName(stem = "Jogador") {
  count += 1;
  return `${stem} ${count}`;
}

/** @typedef {{ name: string, email: string, id: string, access: string, refresh: string, api: Api }} Account */

export class Api {
  /**
   * @param {string} origin
   * @param {string | null} [token]
   */
  constructor(origin, token = null) {
    this.origin = origin;
    this.token = token;
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<any>}
   */
  async call(method, path, body) {
    /** @type {Record<string, string>} */
    const headers = { "accept-language": "en" };
    if (this.token !== null) headers.authorization = `Bearer ${this.token}`;
    if (method === "POST") headers["idempotency-key"] = randomUUID();
    if (body !== undefined) headers["content-type"] = "application/json";
    const response = await fetch(this.origin + path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? null : JSON.parse(text);
  }

  /** @param {string} path */
  get(path) {
    return this.call("GET", path);
  }

  /**
   * @param {string} path
   * @param {unknown} [body]
   */
  post(path, body) {
    return this.call("POST", path, body);
  }

  /**
   * A new account, with money if wanted.
   * @param {{ stem?: string, money?: number }} [wishes]
   * @returns {Promise<Account>}
   */
  async register({ stem, money = 0 } = {}) {
    const name = newName(stem);
    const email = `${name.replace(/\W+/g, "-").toLowerCase()}@test.example`;
    const signedIn = await this.post("/v1/auth/register", {
      email,
      password: PASSWORD,
      display_name: name,
      birth_date: "1990-01-01",
    });
    return this.#account(signedIn, name, email, money);
  }

  /**
   * @param {string} email
   * @returns {Promise<Account>}
   */
  async login(email) {
    const signedIn = await this.post("/v1/auth/login", { email, password: PASSWORD });
    return this.#account(signedIn, signedIn.player.display_name, email, 0);
  }

  /**
   * @param {any} signedIn
   * @param {string} name
   * @param {string} email
   * @param {number} money
   */
  async #account(signedIn, name, email, money) {
    const api = new Api(this.origin, signedIn.access_token);
    if (money > 0) await api.post("/v1/wallet/deposits", { amount: money });
    const { access_token: access, refresh_token: refresh, player } = signedIn;
    return { name, email, id: player.id, access, refresh, api };
  }
}

/**
 * A live match between two accounts, with the one who opens first.
 * @param {Account} one
 * @param {Account} two
 * @param {{ game: string, preset?: string, options?: object, stake: number }} terms
 */
export async function newMatch(one, two, terms) {
  const seek = await one.api.post("/v1/lobby/seeks", terms);
  const { match_id: id } = await two.api.post(`/v1/lobby/seeks/${seek.id}/accept`, { stake: terms.stake });
  const match = await one.api.get(`/v1/matches/${id}`);
  const order = match.players.first.id === one.id ? [one, two] : [two, one];
  return { id: /** @type {string} */ (id), first: order[0], second: order[1] };
}

/**
 * Plays legal moves over HTTP until so many have been made, or the match has ended.
 * @param {{ id: string, first: Account, second: Account }} match
 * @param {number} plies
 * @param {(legal: string[], ply: number) => string} [choose]
 */
export async function playOn(match, plies, choose = (legal) => legal[0]) {
  for (;;) {
    const now = await match.first.api.get(`/v1/matches/${match.id}`);
    if (now.status === "ended" || now.ply >= plies) return now;
    const mover = now.to_move === "first" ? match.first : match.second;
    const move = choose(now.legal, now.ply);
    await mover.api.post(`/v1/matches/${match.id}/moves`, { ply: now.ply + 1, move });
  }
}
