//! The queue: leaving it to the server whom one plays.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    code::Code,
    http::{
        caller::Account,
        extract::KeyedBody,
        lobby::{WantedMatch, terms},
        problem::{Problem, ProblemBody},
    },
    lobby::{Accepted, Joined, Lobby, QueueEntry, QueueError, QueueStatus},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(place, join, leave))
}

/// The caller's place in the queue.
#[derive(Debug, Serialize, ToSchema)]
struct QueueView {
    /// Whether the caller waits.
    status: QueueStatus,
    /// What for; null where they do not.
    #[schema(required)]
    entry: Option<QueueEntry>,
}

/// Where the caller waits
///
/// `idle` once paired, left, or away for 15 s, and where the stake can no longer be made.
#[utoipa::path(get, path = "/v1/lobby/queue", tag = "Lobby", security(("bearer" = [])), responses(
    (status = 200, body = QueueView),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn place(State(lobby): State<Lobby>, Account(caller): Account) -> Result<Json<QueueView>, Problem> {
    let entry = lobby.queue_entry(caller.player).await?;
    let status = if entry.is_some() { QueueStatus::Waiting } else { QueueStatus::Idle };
    Ok(Json(QueueView { status, entry }))
}

/// Join the queue
///
/// Pairs with the nearest rating on the same game, options and stake: at first within 100 points, and twice as many with
/// each second that either has waited. Where somebody is there, both stakes are taken and the match begins; else the
/// caller waits and is told by `match_started`. A player waits once: joining again keeps the place, on other terms it begins
/// anew. Both must be there to be paired; who is away for 15 s leaves the queue.
#[utoipa::path(post, path = "/v1/lobby/queue", tag = "Lobby", security(("bearer" = [])), request_body = WantedMatch,
    params(("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this act")), responses(
    (status = 200, body = Joined, description = "`{\"status\":\"waiting\"}`: the caller waits"),
    (status = 201, body = Accepted, description = "The match has begun"),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`, `frozen`, `on_break`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`already_playing`, `insufficient_funds`, `stakes_closed`, `limit_reached` (with `limit`), `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn join(
    State(lobby): State<Lobby>,
    Account(caller): Account,
    KeyedBody(key, request): KeyedBody<WantedMatch>,
) -> Result<(StatusCode, Json<Joined>), Problem> {
    let terms = terms(lobby.settings(), &request)?;
    let joined = lobby.join_queue(caller.player, terms, key).await?;
    let status = match joined {
        Joined::Paired(_) => StatusCode::CREATED,
        Joined::Waits { .. } => StatusCode::OK,
    };
    Ok((status, Json(joined)))
}

/// Leave the queue
#[utoipa::path(delete, path = "/v1/lobby/queue", tag = "Lobby", security(("bearer" = [])), responses(
    (status = 204),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`: the caller does not wait, perhaps for having just been paired", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn leave(State(lobby): State<Lobby>, Account(caller): Account) -> Result<StatusCode, Problem> {
    if lobby.leave_queue(caller.player).await? { Ok(StatusCode::NO_CONTENT) } else { Err(Problem::new(Code::NotFound)) }
}

impl From<QueueError> for Problem {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Unready(unready) => unready.into(),
            QueueError::StakesClosed => Self::new(Code::StakesClosed),
            QueueError::RivalGone => Self::new(Code::Overloaded),
            QueueError::Key(error) => error.into(),
            QueueError::Start(error) => error.into(),
            QueueError::Database(error) => error.into(),
            QueueError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
