// @ts-check
/** Telling the staff about a match. */

import { post } from "./api.js";
import { askForWords } from "./ask_for_words.js";
import { tell } from "./dialog.js";
import { t } from "./i18n.js";

/** @param {string} match */
export async function reportMatch(match) {
  const sent = await askForWords({
    title: () => t("report.match"),
    text: () => t("report.help"),
    label: () => t("report.text"),
    yes: () => t("report.send"),
    act: (text) => post(`/v1/matches/${match}/report`, { text }),
  });
  if (sent) await tell(() => t("report.match"), () => t("report.sent"));
}
