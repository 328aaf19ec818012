//! Friendly matches against a bot, for the developers of clients.

use std::time::Duration;

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    code::Code,
    http::{
        caller::Caller,
        extract::Body,
        lobby::ruleset,
        practice::level,
        problem::{Problem, ProblemBody},
    },
    lobby::Accepted,
    practice::{Sandbox, SandboxError},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Sandbox: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(begin))
}

/// What is to be played against a bot.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewBotMatch {
    /// The game, as `GET /v1/games` lists it.
    #[schema(example = "oware")]
    game: String,
    /// Its options; what is missing is as by default. Not together with `preset`.
    #[schema(value_type = Option<Object>)]
    options: Option<Value>,
    /// A set of options by name.
    preset: Option<String>,
    /// How well the bot plays: `easy`, `medium` or `hard`.
    #[schema(example = "easy")]
    level: String,
}

/// When a bot that is in as many matches as allowed may well have ended one.
const A_MATCH_ENDS: Duration = Duration::from_secs(10);

/// Begin a friendly match against a bot
///
/// For trying a client out: the match is one like every other, over the same calls and the socket, with its clocks, its
/// record, and its end; only that the rival is a bot. It is played for nothing and changes no rating. The bot declines
/// draws and answers no rematch. Guests too. While the caller has a live staked match of the game, this is
/// `playing_for_stakes`, and so is every act but giving up in such a match that runs already.
#[utoipa::path(post, path = "/v1/practice/matches", tag = "Practice", security(("bearer" = [])), request_body = NewBotMatch, responses(
    (status = 201, body = Accepted),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 429, description = "`too_many_matches`: as many friendly ones as allowed; `rate_limited`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`bots_busy`: the bot is in as many matches as allowed; `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn begin(
    State(sandbox): State<Sandbox>,
    caller: Caller,
    Body(request): Body<NewBotMatch>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let options = ruleset(&request.game, request.options.as_ref(), request.preset.as_deref())?;
    let match_id = sandbox.begin(caller.player, options, level(&request.level)?).await?;
    Ok((StatusCode::CREATED, Json(Accepted { match_id })))
}

impl From<SandboxError> for Problem {
    fn from(error: SandboxError) -> Self {
        match error {
            SandboxError::Guard(error) => error.into(),
            SandboxError::Barred(barred) => barred.into(),
            SandboxError::TooManyMatches => Self::new(Code::TooManyMatches),
            SandboxError::BotBusy => Self::new(Code::BotsBusy).retry_after(A_MATCH_ENDS),
            SandboxError::Start(error) => error.into(),
            SandboxError::Database(error) => error.into(),
            SandboxError::Stopped(stopped) => stopped.into(),
        }
    }
}
