// @ts-check
// Pictures of screens, small enough to be kept with the documents.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const QUALITY = 0.8;

export class Album {
  /** @type {import("playwright-core").Page | null} */
  #workbench = null;

  /**
   * @param {import("playwright-core").Browser} browser
   * @param {string} folder
   */
  constructor(browser, folder) {
    this.browser = browser;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /**
   * Keeps what a page shows now, as WebP.
   * @param {import("playwright-core").Page} page
   * @param {string} name
   */
  async keep(page, name) {
    const png = await page.screenshot({ animations: "disabled" });
    if (process.env.STAKEBOARD_PNG) writeFileSync(join(this.folder, `${name}.png`), png);
    else writeFileSync(join(this.folder, `${name}.webp`), await this.#shrink(png));
  }

  /** The browser itself is the best converter there is. @param {Buffer} png */
  async #shrink(png) {
    this.#workbench ??= await this.browser.newPage();
    const base64 = await this.#workbench.evaluate(
      async ({ source, quality }) => {
        const image = new Image();
        image.src = `data:image/png;base64,${source}`;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        canvas.getContext("2d")?.drawImage(image, 0, 0);
        const blob = await canvas.convertToBlob({ type: "image/webp", quality });
        const bytes = new Uint8Array(await blob.arrayBuffer());
        return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
      },
      { source: png.toString("base64"), quality: QUALITY },
    );
    return Buffer.from(base64, "base64");
  }
}
