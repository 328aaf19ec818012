// @ts-check
/** The password of one's own account, changed by who knows it. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { ApiError, post } from "./api.js";
import { scheduleRedraw } from "./app.js";
import { explain, fieldError } from "./explain.js";
import { focusFirstError, textField } from "./fields.js";
import { t } from "./i18n.js";
import { alert, say } from "./speech.js";

/** The field that a refusal without fields speaks of. @type {Record<string, string>} */
const FIELD_OF_CODE = { bad_credentials: "password", bad_code: "code" };
const EMPTY = { password: "", new_password: "", code: "" };

export function passwordChange() {
  let values = { ...EMPTY };
  /** Whether the account has said that it has a second factor. */
  let coded = false;
  let done = false;
  let busy = false;
  /** @type {unknown} */
  let failure = null;

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    busy = true;
    done = false;
    failure = missing();
    scheduleRedraw();
    try {
      if (!failure) {
        const { code, ...passwords } = values;
        await post("/v1/auth/password", coded ? { ...passwords, code: code.trim() } : passwords);
        values = { ...EMPTY };
        done = true;
        say(t("password.changed"));
      }
    } catch (error) {
      failure = error;
    }
    busy = false;
    if (failure instanceof ApiError && failure.code === "code_needed") {
      coded = true;
      failure = null;
      scheduleRedraw(() => document.getElementById("password-code")?.focus());
      return;
    }
    if (failure) alert(formError() || t("sign_in.check"));
    scheduleRedraw(focusFirstError);
  }

  /** What has not been filled in. */
  function missing() {
    const empty = [values.password === "" && "password", values.new_password === "" && "new_password"].filter(Boolean);
    const errors = empty.map((field) => ({ field: String(field), code: "missing", detail: t("sign_in.missing") }));
    return errors.length > 0 ? new ApiError(422, "invalid_request", { errors }) : null;
  }

  /** @param {string} field */
  function errorOf(field) {
    if (failure instanceof ApiError && FIELD_OF_CODE[failure.code] === field) return explain(failure);
    return fieldError(failure, field);
  }

  /** What is wrong with no single field. */
  const formError = () => (failure && Object.keys(EMPTY).every((field) => errorOf(field) === "") ? explain(failure) : "");

  /** @param {keyof typeof EMPTY} name */
  const bound = (name) => ({
    id: `password-${name}`,
    value: values[name],
    required: true,
    wrong: errorOf(name),
    change: (/** @type {string} */ value) => {
      values[name] = value;
    },
  });

  return {
    render: () => html`
      <section aria-labelledby="password-title">
        <h2 id="password-title">${t("password.title")}</h2>
        <p class="quiet">${t("password.about")}</p>
        <form novalidate @submit=${submit}>
          ${formError() ? html`<p class="form-error">${formError()}</p>` : nothing}
          ${textField({ ...bound("password"), label: t("password.present"), type: "password", autocomplete: "current-password", maxlength: 200 })}
          ${textField({
            ...bound("new_password"),
            label: t("password.new"),
            help: t("sign_up.password_hint"),
            type: "password",
            autocomplete: "new-password",
            maxlength: 200,
          })}
          ${coded
            ? textField({ ...bound("code"), label: t("sign_in.code"), help: t("sign_in.code_hint"), autocomplete: "one-time-code", maxlength: 64 })
            : nothing}
          <button class="button" data-testid="change-password" aria-disabled=${busy ? "true" : nothing}>${t("password.change")}</button>
          ${done ? html`<p class="notice" data-testid="password-changed">${t("password.changed")}</p>` : nothing}
        </form>
      </section>
    `,
  };
}
