//! Practice against a bot, and streaks of Mū tōrere.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stakeboard_engine::{Game, Seat};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    code::Code,
    http::{
        caller::Caller,
        extract::{Body, Named, Params},
        lobby::ruleset,
        page::limit,
        problem::{Problem, ProblemBody},
    },
    i18n::FieldRule,
    ids::{PracticeId, StreakId},
    practice::{
        BestRun, GuardError, Level, NewPractice, Practice, PracticeError, PracticeView, StreakError, StreakMove,
        StreakView, Streaks,
    },
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Practice: FromRef<S>,
    Streaks: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(begin))
        .routes(routes!(look))
        .routes(routes!(play))
        .routes(routes!(hint))
        .routes(routes!(undo))
        .routes(routes!(begin_streak))
        .routes(routes!(best_streaks))
        .routes(routes!(look_streak))
        .routes(routes!(play_streak))
}

/// What somebody wants to practise.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewSession {
    /// The game, as `GET /v1/games` lists it.
    #[schema(example = "oware")]
    game: String,
    /// Its options; what is missing is as by default. Not together with `preset`.
    #[schema(value_type = Option<Object>)]
    options: Option<Value>,
    /// A set of options by name.
    preset: Option<String>,
    /// `easy`, `medium` or `hard`.
    #[schema(example = "medium")]
    level: String,
    /// `first` or `second`; drawn where it is missing.
    seat: Option<String>,
}

/// Reads how well a bot is to play.
pub(super) fn level(text: &str) -> Result<Level, Problem> {
    Level::ALL.iter().copied().find(|level| level.code() == text).ok_or_else(|| {
        let all = Level::ALL.iter().map(|level| level.code().to_owned()).collect();
        Problem::field("level", FieldRule::NotOneOf(all))
    })
}

/// Begin a practice session
///
/// In memory only. Where the bot opens it has moved already.
#[utoipa::path(post, path = "/v1/practice", tag = "Practice", security(("bearer" = [])), request_body = NewSession, responses(
    (status = 201, body = PracticeView),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`bots_busy`: too many of them think; `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn begin(
    State(practice): State<Practice>,
    caller: Caller,
    Body(request): Body<NewSession>,
) -> Result<(StatusCode, Json<PracticeView>), Problem> {
    let options = ruleset(&request.game, request.options.as_ref(), request.preset.as_deref())?;
    let level = level(&request.level)?;
    let seat = request.seat.as_deref().map(seat).transpose()?;
    let view = practice.begin(caller.player, NewPractice { options, level, seat }).await?;
    Ok((StatusCode::CREATED, Json(view)))
}

fn seat(text: &str) -> Result<Seat, Problem> {
    text.parse().map_err(|_| {
        let all = Seat::ALL.iter().map(|seat| seat.code().to_owned()).collect();
        Problem::field("seat", FieldRule::NotOneOf(all))
    })
}

/// A practice session as it stands
#[utoipa::path(get, path = "/v1/practice/{id}", tag = "Practice", security(("bearer" = [])),
    params(("id" = PracticeId, Path, description = "The session")), responses(
    (status = 200, body = PracticeView),
    (status = 404, description = "`not_found`: none of the caller's, or forgotten", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn look(
    State(practice): State<Practice>,
    caller: Caller,
    Named(id): Named<PracticeId>,
) -> Result<Json<PracticeView>, Problem> {
    Ok(Json(practice.look(caller.player, id).await?))
}

/// A move in practice.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct PracticeMove {
    /// The number of the move: one more than moves have been made.
    ply: u32,
    /// The move in the game's text form.
    #[serde(rename = "move")]
    text: String,
}

/// Play a move in practice
///
/// Answered with the state after the bot's answer, with both moves. A repeat of the recorded move changes nothing.
#[utoipa::path(post, path = "/v1/practice/{id}/moves", tag = "Practice", security(("bearer" = [])), request_body = PracticeMove,
    params(("id" = PracticeId, Path, description = "The session")), responses(
    (status = 200, body = PracticeView),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`, `stale_ply` (with `ply`), `playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`illegal_move` (with `reason`), `invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`bots_busy`: too many of them think; `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn play(
    State(practice): State<Practice>,
    caller: Caller,
    Named(id): Named<PracticeId>,
    Body(request): Body<PracticeMove>,
) -> Result<Json<PracticeView>, Problem> {
    Ok(Json(practice.play(caller.player, id, request.ply, &request.text).await?))
}

/// A move to consider.
#[derive(Debug, Serialize, ToSchema)]
struct Hint {
    /// The move in the game's text form.
    #[serde(rename = "move")]
    text: String,
}

/// Ask what a strong bot would play
#[utoipa::path(post, path = "/v1/practice/{id}/hint", tag = "Practice", security(("bearer" = [])),
    params(("id" = PracticeId, Path, description = "The session")), responses(
    (status = 200, body = Hint),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`, `playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`bots_busy`: too many of them think; `paused`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn hint(
    State(practice): State<Practice>,
    caller: Caller,
    Named(id): Named<PracticeId>,
) -> Result<Json<Hint>, Problem> {
    Ok(Json(Hint { text: practice.hint(caller.player, id).await? }))
}

/// Take back the last move and what the bot answered
#[utoipa::path(post, path = "/v1/practice/{id}/undo", tag = "Practice", security(("bearer" = [])),
    params(("id" = PracticeId, Path, description = "The session")), responses(
    (status = 200, body = PracticeView),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`nothing_to_undo`, `playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn undo(
    State(practice): State<Practice>,
    caller: Caller,
    Named(id): Named<PracticeId>,
) -> Result<Json<PracticeView>, Problem> {
    Ok(Json(practice.undo(caller.player, id).await?))
}

/// Begin a streak of Mū tōrere
///
/// A player has one run at a time: where one is under way it is given instead, with status 200. Guests too.
#[utoipa::path(post, path = "/v1/streaks", tag = "Practice", security(("bearer" = [])), responses(
    (status = 200, description = "The run that is under way.", body = StreakView),
    (status = 201, description = "A new run.", body = StreakView),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn begin_streak(
    State(streaks): State<Streaks>,
    caller: Caller,
) -> Result<(StatusCode, Json<StreakView>), Problem> {
    let (view, new) = streaks.begin(caller.player).await?;
    Ok((if new { StatusCode::CREATED } else { StatusCode::OK }, Json(view)))
}

/// A streak as it stands
#[utoipa::path(get, path = "/v1/streaks/{id}", tag = "Practice", security(("bearer" = [])),
    params(("id" = StreakId, Path, description = "The run")), responses(
    (status = 200, body = StreakView),
    (status = 404, description = "`not_found`: none of the caller's", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn look_streak(
    State(streaks): State<Streaks>,
    caller: Caller,
    Named(id): Named<StreakId>,
) -> Result<Json<StreakView>, Problem> {
    Ok(Json(streaks.look(caller.player, id).await?))
}

/// A move in a streak.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewStreakMove {
    /// The number of the move in the game under way.
    ply: u32,
    /// The move in the game's text form.
    #[serde(rename = "move")]
    #[schema(example = "4-c")]
    text: String,
    /// Whether the warning of this move has been seen.
    #[serde(default)]
    confirm: bool,
}

/// Play a move in a streak
///
/// At level 1 a move that would hand the computer a forced win is answered with `warning` and not played, unless
/// `confirm` is true.
#[utoipa::path(post, path = "/v1/streaks/{id}/moves", tag = "Practice", security(("bearer" = [])), request_body = NewStreakMove,
    params(("id" = StreakId, Path, description = "The run")), responses(
    (status = 200, body = StreakView),
    (status = 403, description = "`frozen`, `on_break`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`, `stale_ply` (with `ply`), `playing_for_stakes`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`illegal_move` (with `reason`), `invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn play_streak(
    State(streaks): State<Streaks>,
    caller: Caller,
    Named(id): Named<StreakId>,
    Body(request): Body<NewStreakMove>,
) -> Result<Json<StreakView>, Problem> {
    let request = StreakMove { ply: request.ply, text: request.text, confirmed: request.confirm };
    Ok(Json(streaks.play(caller.player, id, request).await?))
}

/// How many of the best runs are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct BestQuery {
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
}

/// The best runs.
#[derive(Debug, Serialize, ToSchema)]
struct BestRuns {
    /// The runs, best first.
    items: Vec<BestRun>,
    /// Always null: there is one page.
    next_cursor: Option<String>,
}

/// The best streaks
///
/// By wins, then by bonus. No token is needed.
#[utoipa::path(get, path = "/v1/streaks/best", tag = "Practice", params(BestQuery), responses(
    (status = 200, body = BestRuns),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn best_streaks(
    State(streaks): State<Streaks>,
    Params(query): Params<BestQuery>,
) -> Result<Json<BestRuns>, Problem> {
    let items = streaks.best(limit(query.limit)?).await?;
    Ok(Json(BestRuns { items, next_cursor: None }))
}

impl From<GuardError> for Problem {
    fn from(error: GuardError) -> Self {
        match error {
            GuardError::PlayingForStakes => Self::new(Code::PlayingForStakes),
            GuardError::Barred(barred) => barred.into(),
            GuardError::Database(error) => error.into(),
        }
    }
}

impl From<PracticeError> for Problem {
    fn from(error: PracticeError) -> Self {
        match error {
            PracticeError::NotFound => Self::new(Code::NotFound),
            PracticeError::Over => Self::new(Code::MatchOver),
            PracticeError::StalePly(ply) => Self::new(Code::StalePly).with("ply", ply),
            PracticeError::UnreadableMove(game) => Self::field("move", FieldRule::NoMove(game)),
            PracticeError::Illegal(illegal) => Self::new(Code::IllegalMove).with("reason", illegal.code()),
            PracticeError::NothingToUndo => Self::new(Code::NothingToUndo),
            PracticeError::Busy => Self::new(Code::BotsBusy),
            PracticeError::Guard(error) => error.into(),
        }
    }
}

impl From<StreakError> for Problem {
    fn from(error: StreakError) -> Self {
        match error {
            StreakError::NotFound => Self::new(Code::NotFound),
            StreakError::Over => Self::new(Code::MatchOver),
            StreakError::StalePly(ply) => Self::new(Code::StalePly).with("ply", ply),
            StreakError::UnreadableMove => Self::field("move", FieldRule::NoMove(Game::MuTorere)),
            StreakError::Illegal(illegal) => Self::new(Code::IllegalMove).with("reason", illegal.code()),
            StreakError::Guard(error) => error.into(),
            StreakError::Database(error) => error.into(),
        }
    }
}
