//! The player's second factor.

use axum::{
    Json,
    extract::{FromRef, State},
    http::{HeaderName, StatusCode, header},
};
use serde::{Deserialize, Serialize};
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{
        Auth, Password,
        second_factor::{FactorError, FactorStatus, NewFactor},
    },
    code::Code,
    db::uncut,
    http::{
        caller::{Account, Caller},
        extract::Body,
        limits::{Peer, rate_limited},
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
    OpenApiRouter::new().routes(routes!(status, begin)).routes(routes!(confirm)).routes(routes!(remove))
}

/// The password, once more.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct OnceMore {
    /// The password of the account.
    password: Password,
}

/// A code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FactorCode {
    /// Six digits of the authenticator; where something is removed also a code to fall back on.
    #[schema(max_length = 64, example = "123456")]
    code: String,
}

/// Codes to fall back on.
#[derive(Debug, Serialize, ToSchema)]
struct RecoveryCodes {
    /// Each is good for one log-in without the authenticator. They are shown this once.
    recovery_codes: Vec<String>,
}

/// Nobody between us and the client is to keep a secret.
const NOT_KEPT: [(HeaderName, &str); 1] = [(header::CACHE_CONTROL, "no-store")];

/// How one stands with the second factor
#[utoipa::path(get, path = "/v1/me/second-factor", tag = "Accounts", security(("bearer" = [])), responses(
    (status = 200, body = FactorStatus),
))]
async fn status(State(auth): State<Auth>, caller: Caller) -> Result<Json<FactorStatus>, Problem> {
    Ok(Json(auth.factor_status(&caller).await?))
}

/// Begin a second factor
///
/// Gives a secret for an authenticator (TOTP: SHA-1, six digits, thirty seconds). Nothing changes before a code of it is
/// sent to `confirm`; begun again, the secret is another.
#[utoipa::path(post, path = "/v1/me/second-factor", tag = "Accounts", security(("bearer" = [])), request_body = OnceMore, responses(
    (status = 201, body = NewFactor),
    (status = 401, description = "`bad_credentials`; `unauthenticated`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`second_factor_settled`: it is on", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`overloaded`, `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn begin(
    State(auth): State<Auth>,
    Peer(peer): Peer,
    Account(caller): Account,
    Body(request): Body<OnceMore>,
) -> Result<(StatusCode, [(HeaderName, &'static str); 1], Json<NewFactor>), Problem> {
    let factor = auth.begin_factor(caller.player, request.password, peer).await?;
    Ok((StatusCode::CREATED, NOT_KEPT, Json(factor)))
}

/// Confirm a second factor
///
/// With the first code of the authenticator. From then on a log-in needs a code. Every other session of the player ends;
/// this one counts as begun with a code.
#[utoipa::path(post, path = "/v1/me/second-factor/confirm", tag = "Accounts", security(("bearer" = [])), request_body = FactorCode, responses(
    (status = 200, body = RecoveryCodes),
    (status = 401, description = "`bad_code`; `unauthenticated`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`second_factor_settled`: it is on, or was not begun", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn confirm(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Account(caller): Account,
    Body(request): Body<FactorCode>,
) -> Result<([(HeaderName, &'static str); 1], Json<RecoveryCodes>), Problem> {
    let codes = uncut(&tasks, async move { Ok::<_, Problem>(auth.confirm_factor(&caller, &request.code).await?) });
    Ok((NOT_KEPT, Json(RecoveryCodes { recovery_codes: codes.await? })))
}

/// Remove the second factor
///
/// With a code of it, or one to fall back on. Where the work of the staff needs it, that work stops with it.
#[utoipa::path(post, path = "/v1/me/second-factor/remove", tag = "Accounts", security(("bearer" = [])), request_body = FactorCode, responses(
    (status = 204, description = "Log-ins need no code."),
    (status = 401, description = "`bad_code`; `unauthenticated`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`second_factor_settled`: there is none", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn remove(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Account(caller): Account,
    Body(request): Body<FactorCode>,
) -> Result<StatusCode, Problem> {
    uncut(&tasks, async move { Ok::<_, Problem>(auth.remove_factor(caller.player, &request.code).await?) }).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<FactorError> for Problem {
    fn from(error: FactorError) -> Self {
        match error {
            FactorError::BadCredentials => Self::new(Code::BadCredentials),
            FactorError::BadCode => Self::new(Code::BadCode),
            FactorError::Guest => Self::new(Code::AccountNeeded),
            FactorError::Settled => Self::new(Code::SecondFactorSettled),
            FactorError::RateLimited(wait) => rate_limited(wait),
            FactorError::Hash(error) => error.into(),
            FactorError::Totp(_) => Self::internal(&error),
            FactorError::Database(error) => error.into(),
        }
    }
}
