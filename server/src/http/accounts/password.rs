//! Another password for one's own account.

use axum::{
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Deserialize;
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Auth, Password, PasswordChange},
    db::uncut,
    http::{
        caller::Account,
        extract::Body,
        limits::Peer,
        problem::{Problem, ProblemBody},
    },
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    TaskTracker: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(change))
}

/// Another password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ChangedPassword {
    /// The present one.
    password: Password,
    /// The one to take its place: 10 to 200 characters, not easy to guess.
    new_password: Password,
    /// Where the account has a second factor: a code of its authenticator, or one to fall back on.
    #[schema(max_length = 64)]
    code: Option<String>,
}

/// Change one's password
///
/// Every other session of the player ends; this one goes on. Wrong passwords and codes count as failed log-ins. Who has
/// forgotten the password asks the operator for one that is good for a single log-in.
#[utoipa::path(post, path = "/v1/auth/password", tag = "Accounts", security(("bearer" = [])), request_body = ChangedPassword, responses(
    (status = 204, description = "The new password is the one to log in with"),
    (status = 401, description = "`bad_credentials`: the present password is another; `code_needed`: the account has a second factor; `bad_code`; `unauthenticated`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`; `weak_password`: the new one", body = ProblemBody, content_type = "application/problem+json"),
    (status = 429, description = "`rate_limited`: too many have failed", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`overloaded`, `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn change(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Peer(peer): Peer,
    Account(caller): Account,
    Body(request): Body<ChangedPassword>,
) -> Result<StatusCode, Problem> {
    let ChangedPassword { password, new_password, code } = request;
    let asked = PasswordChange { password, new_password, code };
    uncut(&tasks, async move { Ok::<_, Problem>(auth.change_password(&caller, asked, peer).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}
