// @ts-check
/** What went wrong, in words. */

import { ApiError } from "./api.js";
import { dateTime, hasText, t } from "./i18n.js";

/**
 * One sentence for any failure.
 * @param {unknown} error
 * @returns {string}
 */
export function explain(error) {
  if (!(error instanceof ApiError)) {
    console.error(error);
    return t("code.internal");
  }
  const { code, body, detail } = error;
  if (code === "illegal_move" && hasText(`reason.${body.reason}`)) return t(`reason.${body.reason}`);
  if (code === "limit_reached" && hasText(`limit.${body.limit}`)) {
    return t("limit.reached", { limit: t(`limit.${body.limit}`) });
  }
  if (code === "on_break" && body.until) return t("code.on_break_until", { until: dateTime(body.until) });
  if (code === "invalid_request" && error.errors.length > 0) return error.errors.map((one) => one.detail).join(" ");
  return hasText(`code.${code}`) ? t(`code.${code}`) : detail || t("code.internal");
}

/**
 * One sentence for why a move was refused. The service says that a text is no move; how moves are written, the page knows.
 * @param {unknown} error
 * @param {import("./types.d.ts").GameName} game
 */
export function explainMove(error, game) {
  const isMove = error instanceof ApiError && error.code === "invalid_request" &&
    (error.body.field === "move" || error.errors.some(({ field }) => field === "move"));
  return isMove ? t(`field.no_move.${game}`) : explain(error);
}

/**
 * The sentence for one field of a form.
 * @param {unknown} error
 * @param {string} field
 * @returns {string} empty where nothing is wrong with it
 */
export function fieldError(error, field) {
  if (!(error instanceof ApiError)) return "";
  return error.errors.find((one) => one.field === field)?.detail ?? "";
}
