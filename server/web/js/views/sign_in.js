// @ts-check
/** Signing in and signing up. A guest who signs up keeps everything: it is the same player. */

import { html, nothing } from "../../vendor/lit-html/lit-html.js";
import { ApiError, session } from "../api.js";
import { explain, fieldError } from "../explain.js";
import { focusFirstError, textField } from "../fields.js";
import { t } from "../i18n.js";
import { navigate } from "../router.js";
import { register, signIn } from "../session.js";
import { alert } from "../speech.js";
import { state } from "../store.js";
import { scheduleRedraw } from "../app.js";

/** The field that a refusal without fields speaks of. @type {Record<string, string>} */
const FIELD_OF_CODE = {
  email_taken: "email",
  display_name_taken: "display_name",
  underage: "birth_date",
  weak_password: "password",
  bad_code: "code",
};

/** The further field that a refusal asks for. @type {Record<string, string>} */
const ASKED_BY_CODE = { code_needed: "code", new_password_needed: "new_password" };

/** Where to go afterwards: a path of this page and nothing else. @param {string | null} wanted */
const target = (wanted) => (wanted && /^\/(?![/\\])/.test(wanted) ? wanted : "/lobby");

/**
 * @param {import("../types.d.ts").ViewContext} context
 * @returns {import("../types.d.ts").View}
 */
export default function create({ query, redraw }) {
  const isNew = query.has("new");
  const then = target(query.get("then"));
  const values = { email: "", password: "", display_name: "", birth_date: "", code: "", new_password: "" };
  /** Whether the account has said that it has a second factor. */
  let coded = false;
  /** Whether the password was given by the house, so that another has to take its place. */
  let given = false;
  let seen = false;
  let busy = false;
  /** @type {unknown} */
  let failure = null;
  if (isNew && state.me?.guest) values.display_name = state.me.display_name;

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    busy = true;
    failure = missing();
    redraw();
    try {
      if (!failure) {
        const { email, password, display_name, birth_date, new_password } = values;
        const code = values.code.trim();
        await (isNew
          ? register({ email, password, display_name, birth_date })
          : signIn({ email, password, ...(code && { code }), ...(given && { new_password }) }));
        busy = false;
        await navigate(then, { replace: true });
        return;
      }
    } catch (error) {
      failure = error;
      const asked = error instanceof ApiError ? ASKED_BY_CODE[error.code] : undefined;
      if (asked) {
        coded ||= asked === "code";
        given ||= asked === "new_password";
        failure = null;
        busy = false;
        scheduleRedraw(() => document.getElementById(asked)?.focus());
        return;
      }
    }
    busy = false;
    if (failure) alert(formError() || t("sign_in.check"));
    scheduleRedraw(focusFirstError);
  }

  /** What has not been filled in, said in the words of the page before anything is sent. */
  function missing() {
    const known = given ? ["email", "password", "new_password"] : ["email", "password"];
    const needed = isNew ? ["display_name", "email", "password", "birth_date"] : known;
    const empty = needed.filter((name) => values[/** @type {keyof typeof values} */ (name)].trim() === "");
    const errors = empty.map((field) => ({ field, code: "missing", detail: t("sign_in.missing") }));
    return errors.length > 0 ? new ApiError(422, "invalid_request", { errors }) : null;
  }

  /** @param {string} field */
  function errorOf(field) {
    if (failure instanceof ApiError && FIELD_OF_CODE[failure.code] === field) return explain(failure);
    return fieldError(failure, field);
  }

  /** What is wrong with no single field. */
  function formError() {
    if (!failure) return "";
    const known = Object.keys(values).some((field) => errorOf(field) !== "");
    return known ? "" : explain(failure);
  }

  /** @param {keyof typeof values} name */
  const bound = (name) => ({
    id: name,
    value: values[name],
    required: true,
    wrong: errorOf(name),
    change: (/** @type {string} */ value) => {
      values[name] = value;
    },
  });

  const show = () => html`
    <button
      type="button"
      class="button"
      @click=${() => {
        seen = !seen;
        redraw();
      }}
    >
      ${t(seen ? "sign_in.hide" : "sign_in.show")}
    </button>
  `;

  const age = () => state.config?.minimum_age ?? 18;

  return {
    title: () => t(isNew ? "sign_up.title" : "sign_in.title"),
    render: () => html`
      <div class="column narrow">
        <h1>${t(isNew ? "sign_up.title" : "sign_in.title")}</h1>
        ${isNew ? html`<p class="quiet">${t(session() ? "sign_up.keep" : "sign_up.text", { age: age() })}</p>` : nothing}
        <form novalidate @submit=${submit}>
          ${formError() ? html`<p class="form-error">${formError()}</p>` : nothing}
          ${isNew
            ? textField({
                ...bound("display_name"),
                label: t("sign_up.name"),
                help: t("sign_up.name_hint"),
                autocomplete: "nickname",
                maxlength: 60,
              })
            : nothing}
          ${textField({
            ...bound("email"),
            label: t("sign_in.email"),
            type: "email",
            inputmode: "email",
            autocomplete: isNew ? "email" : "username",
          })}
          ${textField({
            ...bound("password"),
            label: t("sign_in.password"),
            help: isNew ? t("sign_up.password_hint") : undefined,
            type: seen ? "text" : "password",
            autocomplete: isNew ? "new-password" : "current-password",
            after: show(),
          })}
          ${isNew
            ? textField({
                ...bound("birth_date"),
                label: t("sign_up.birth_date"),
                help: t("sign_up.birth_date_hint", { age: age() }),
                type: "date",
                autocomplete: "bday",
              })
            : nothing}
          ${given
            ? html`<p class="notice">${t("code.new_password_needed")}</p>
                ${textField({
                  ...bound("new_password"),
                  label: t("password.new"),
                  help: t("sign_up.password_hint"),
                  type: seen ? "text" : "password",
                  autocomplete: "new-password",
                })}`
            : nothing}
          ${coded
            ? textField({
                ...bound("code"),
                label: t("sign_in.code"),
                help: t("sign_in.code_hint"),
                autocomplete: "one-time-code",
                maxlength: 64,
              })
            : nothing}
          <button class="button primary wide" data-testid="submit" aria-disabled=${busy ? "true" : nothing}>
            ${t(busy ? "sign_in.busy" : isNew ? "action.sign_up" : "action.sign_in")}
          </button>
        </form>
        <p class="form-other">
          ${t(isNew ? "sign_up.other" : "sign_in.other")}
          <a href=${isNew ? "/sign-in" : "/sign-in?new"}>${t(isNew ? "action.sign_in" : "action.sign_up")}</a>
        </p>
        ${isNew ? nothing : html`<p class="form-other">${t("sign_in.lost")}</p>`}
      </div>
    `,
  };
}
