//! Rematches: the HTTP twin of the socket's act.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    http::{
        caller::Caller,
        extract::{Body, Named},
        matches::Acknowledged,
        problem::{Problem, ProblemBody},
    },
    ids::MatchId,
    lobby::{Lobby, RematchError},
    realtime::RematchAction,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(rematch))
}

/// What to do about a rematch.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RematchRequest {
    /// What to do.
    action: RematchAction,
}

/// Propose a rematch, or answer a proposal
///
/// After the end, for the two players. A proposal while the rival's is open agrees to it. It stays open for a minute, and
/// goes before that where either begins another staked match or the proposer has been away for 15 s. The next match has
/// the same terms, with stakes held anew; whoever did not open the last one opens. Once it has begun, proposing and
/// accepting again are answered with the place of `rematch_started`, and `next_match` of the snapshot names it.
#[utoipa::path(post, path = "/v1/matches/{id}/rematch", tag = "Matches", security(("bearer" = [])), request_body = RematchRequest,
    params(("id" = MatchId, Path, description = "The match that has ended")), responses(
    (status = 200, body = Acknowledged),
    (status = 403, description = "`not_a_player`; `frozen`, `on_break`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_not_over`, `rematch_gone`, `host_away`, `insufficient_funds`, `already_playing`, `stakes_closed`, `limit_reached` (with `limit`)", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 429, description = "`too_many_matches`: as many friendly ones as allowed; `rate_limited`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn rematch(
    State(lobby): State<Lobby>,
    caller: Caller,
    Named(id): Named<MatchId>,
    Body(request): Body<RematchRequest>,
) -> Result<Json<Acknowledged>, Problem> {
    let seq = lobby.rematch(caller.player, id, request.action.into()).await?;
    Ok(Json(Acknowledged { seq }))
}

impl From<RematchError> for Problem {
    fn from(error: RematchError) -> Self {
        match error {
            RematchError::Unready(unready) => unready.into(),
            RematchError::Start(error) => error.into(),
            RematchError::Database(error) => error.into(),
            RematchError::Stopped(stopped) => stopped.into(),
            RematchError::NotFound
            | RematchError::NotAPlayer
            | RematchError::NotOver
            | RematchError::Gone
            | RematchError::HostAway
            | RematchError::TooManyMatches
            | RematchError::StakesClosed => Self::new(error.code()),
        }
    }
}
