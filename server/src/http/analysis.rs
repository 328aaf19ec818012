//! What the moves of a finished game of Mū tōrere were worth.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Serialize;
use sqlx::PgPool;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    code::Code,
    http::{
        caller::Caller,
        extract::Named,
        problem::{Problem, ProblemBody},
    },
    ids::{MatchId, PracticeId},
    practice::{AnalysisError, PlyAnalysis, Practice, analyse_match},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
    Practice: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(of_match)).routes(routes!(of_practice))
}

/// A finished game, move by move.
#[derive(Debug, Serialize, ToSchema)]
struct Analysis {
    /// The moves with what each was worth, in order.
    plies: Vec<PlyAnalysis>,
}

/// What each move of an ended match was worth
///
/// Of Mū tōrere, which is solved. A move that turned a draw into a loss has `before: drawn` and `after: lost`.
#[utoipa::path(get, path = "/v1/matches/{id}/analysis", tag = "Matches", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = Analysis),
    (status = 404, description = "`not_found`, also a match of another game", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_not_over`, `playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn of_match(
    State(pool): State<PgPool>,
    caller: Caller,
    Named(id): Named<MatchId>,
) -> Result<Json<Analysis>, Problem> {
    Ok(Json(Analysis { plies: analyse_match(&pool, caller.player, id).await? }))
}

/// What each move of an ended practice session was worth
///
/// Of Mū tōrere, as for a match.
#[utoipa::path(get, path = "/v1/practice/{id}/analysis", tag = "Practice", security(("bearer" = [])),
    params(("id" = PracticeId, Path, description = "The session")), responses(
    (status = 200, body = Analysis),
    (status = 404, description = "`not_found`, also a session of another game", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_not_over`, `playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn of_practice(
    State(practice): State<Practice>,
    caller: Caller,
    Named(id): Named<PracticeId>,
) -> Result<Json<Analysis>, Problem> {
    Ok(Json(Analysis { plies: practice.analysis(caller.player, id).await? }))
}

impl From<AnalysisError> for Problem {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::NotFound => Self::new(Code::NotFound),
            AnalysisError::StillLive => Self::new(Code::MatchNotOver),
            AnalysisError::Guard(error) => error.into(),
            AnalysisError::Load(error) => error.into(),
        }
    }
}
