// @ts-check
/** Styles that only some views need. */

/** Loads a style of the page once. @param {"admin"} name */
export function loadStyle(name) {
  const href = new URL(`../css/${name}.css`, import.meta.url).pathname;
  if (document.querySelector(`link[href="${href}"]`)) return;
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = href;
  document.head.append(link);
}
