// @ts-check
/** The signed receipt of a match, as a file that anybody can check. */

import { get } from "./api.js";
import { download } from "./csv.js";
import { tell } from "./dialog.js";
import { explain } from "./explain.js";
import { t } from "./i18n.js";

/** @param {string} match */
export async function downloadReceipt(match) {
  try {
    const receipt = await get(`/v1/matches/${match}/receipt`);
    download(`receipt-${match}.json`, "application/json", JSON.stringify(receipt, null, 2));
  } catch (error) {
    await tell(() => t("receipt.download"), () => explain(error));
  }
}
