// @ts-check
/** The staff's first page: what waits, and where to go. */

import { html, nothing } from "../../../vendor/lit-html/lit-html.js";
import { EVERYBODY, READERS, SECTIONS, staffPage } from "../../admin/frame.js";
import { get } from "../../api.js";
import { onceSignedIn } from "../../gate.js";
import { number, t } from "../../i18n.js";
import { state } from "../../store.js";

/** What can wait for somebody: where it is asked, and where it is dealt with. */
const WAITING = [
  { key: "withdrawals", path: "/admin/withdrawals?status=requested", ask: "/v1/admin/withdrawals?status=requested&limit=100", roles: EVERYBODY },
  { key: "adjustments", path: "/admin/adjustments?status=waiting", ask: "/v1/admin/adjustments?status=waiting&limit=100", roles: READERS },
  { key: "payments", path: "/admin/payments", ask: "/v1/admin/payments/suspense?limit=100", roles: READERS },
];

/** @type {import("../../types.d.ts").ViewModule["default"]} */
export default function create({ redraw }) {
  /** @type {Map<string, string>} */
  const counts = new Map();
  const stop = onceSignedIn((me) => {
    for (const { key, ask, roles } of WAITING) {
      if (!roles.some((role) => me.roles.includes(role))) continue;
      get(ask)
        .then((page) => {
          const count = number(page.items.length);
          counts.set(key, page.next_cursor ? t("admin.or_more", { count }) : count);
          redraw();
        })
        .catch(() => {});
    }
  });
  return {
    title: () => t("admin.overview"),
    leave: stop,
    render: () =>
      staffPage(
        "overview",
        () => html`
          <ul class="waiting">
            ${WAITING.filter(({ key }) => counts.has(key)).map(
              ({ key, path }) =>
                html`<li>
                  <a href=${path}><strong>${counts.get(key)}</strong> <span>${t(`admin.waiting.${key}`)}</span></a>
                </li>`,
            )}
          </ul>
          <ul class="sections">
            ${SECTIONS.filter(({ key, roles }) => key !== "overview" && roles.some((role) => state.me?.roles.includes(role))).map(
              ({ path, key }) =>
                html`<li>
                  <a href=${path}>${t(`admin.${key}`)}</a>
                  <p class="quiet">${t(`admin.${key}.about`)}</p>
                </li>`,
            )}
          </ul>
          ${state.me?.roles.includes("admin") ? nothing : html`<p class="notice">${t("admin.reading")}</p>`}
        `,
      ),
  };
}
