// @ts-check
/** Files that a spreadsheet opens. */

/**
 * One cell. What a spreadsheet would take for a formula is made a text; a number stays one.
 * @param {string | null | undefined} value
 */
function cell(value) {
  const text = value ?? "";
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  const harmless = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * Rows as CSV after RFC 4180.
 * @param {string[]} header
 * @param {(string | null | undefined)[][]} rows
 */
export const csv = (header, rows) => [header, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");

/**
 * Gives a file to who sits in front of the page.
 * @param {string} name
 * @param {string} type
 * @param {string | Blob} content
 */
export function download(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The browser has begun to save it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
