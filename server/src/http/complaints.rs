//! Reporting a match.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Deserialize;
use sqlx::PgPool;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::{ComplainError, Complaint, complain},
    auth::Auth,
    code::Code,
    http::{
        admin::words,
        caller::Caller,
        extract::{Body, Named},
        problem::{Problem, ProblemBody},
    },
    ids::MatchId,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(report))
}

/// What there is to say.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewComplaint {
    /// 1 to 1000 characters.
    #[schema(min_length = 1, max_length = 1_000)]
    text: String,
}

/// Report a match
///
/// For its two players, once each, while it is played or after. The staff reads it.
#[utoipa::path(post, path = "/v1/matches/{id}/report", tag = "Matches", security(("bearer" = [])), request_body = NewComplaint,
    params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 201, body = Complaint),
    (status = 403, description = "`not_a_player`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`already_reported`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn report(
    State(pool): State<PgPool>,
    caller: Caller,
    Named(id): Named<MatchId>,
    Body(request): Body<NewComplaint>,
) -> Result<(StatusCode, Json<Complaint>), Problem> {
    let text = words("text", &request.text)?;
    let complaint = complain(&pool, caller.player, id, &text).await?;
    Ok((StatusCode::CREATED, Json(complaint)))
}

impl From<ComplainError> for Problem {
    fn from(error: ComplainError) -> Self {
        match error {
            ComplainError::NotFound => Self::new(Code::NotFound),
            ComplainError::NotAPlayer => Self::new(Code::NotAPlayer),
            ComplainError::Again => Self::new(Code::AlreadyReported),
            ComplainError::Database(error) => error.into(),
        }
    }
}
