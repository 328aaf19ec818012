// @ts-check
// A line to the server that can be cut: nothing goes through any more, and nobody is told, as when a phone goes into
// a tunnel.
import { connect, createServer } from "node:net";

export class CuttableLine {
  #cut = false;
  /** @type {Set<import('node:net').Socket>} */
  #ends = new Set();
  /** @type {import('node:net').Server} */
  #server;

  /** @param {URL} server */
  constructor(server) {
    this.#server = createServer((near) => this.#join(near, Number(server.port)));
  }

  /** @param {string} server */
  static async to(server) {
    const line = new CuttableLine(new URL(server));
    await new Promise((ready) => line.#server.listen(0, "127.0.0.1", () => ready(null)));
    return line;
  }

  get origin() {
    const address = /** @type {import('node:net').AddressInfo} */ (this.#server.address());
    return `http://127.0.0.1:${address.port}`;
  }

  /**
   * @param {import('node:net').Socket} near
   * @param {number} port
   */
  #join(near, port) {
    const far = connect(port, "127.0.0.1");
    for (const [from, to] of [[near, far], [far, near]]) {
      this.#ends.add(from);
      from.on("data", (bytes) => {
        // What is lost stays lost: a cut line is only ever replaced by a new one.
        if (!this.#cut) to.write(bytes);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        this.#ends.delete(from);
        to.destroy();
      });
    }
  }

  /** Nothing goes through any more; open connections hang. */
  cut() {
    this.#cut = true;
  }

  /** Connections from before are gone for good; new ones work. */
  mend() {
    for (const end of this.#ends) end.destroy();
    this.#cut = false;
  }

  close() {
    for (const end of this.#ends) end.destroy();
    this.#server.close();
  }
}
