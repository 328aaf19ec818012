//! The lobby: seeks.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Deserialize;
use serde_json::Value;
use stakeboard_engine::{Game, Options};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    code::Code,
    http::{
        caller::Account,
        cursor::Question,
        extract::{Body, KeyedBody, Named, Params},
        page::{Page, limit},
        problem::{Problem, ProblemBody},
    },
    i18n::FieldRule,
    ids::SeekId,
    lobby::{
        AcceptError, Accepted, Lobby, LobbySettings, PostError, Seek, SeekFilter, StakedTerms, Unready, WithdrawError,
    },
    money::Stake,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(seeks, post)).routes(routes!(withdraw)).routes(routes!(accept))
}

/// What somebody wants to play, and for how much.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedMatch {
    /// The game, as `GET /v1/games` lists it.
    #[schema(example = "oware")]
    game: String,
    /// Its options; what is missing is as by default. Not together with `preset`.
    #[schema(value_type = Option<Object>)]
    options: Option<Value>,
    /// A set of options by name.
    #[schema(example = "wari")]
    preset: Option<String>,
    /// Minor units: a multiple of 5, within the bounds of `GET /v1/config`.
    #[schema(minimum = 5, multiple_of = 5)]
    stake: i64,
}

/// Reads a game by its name.
pub fn game(field: &str, text: &str) -> Result<Game, Problem> {
    text.parse().map_err(|_| {
        let all = Game::ALL.iter().map(|game| game.code().to_owned()).collect();
        Problem::field(field, FieldRule::NotOneOf(all))
    })
}

/// Reads a game with its options, or with a preset of them.
pub fn ruleset(game_name: &str, options: Option<&Value>, preset: Option<&str>) -> Result<Options, Problem> {
    let game = game("game", game_name)?;
    match (options, preset) {
        (Some(_), Some(_)) => Err(Problem::field("preset", FieldRule::Excludes("options"))),
        (Some(options), None) => {
            Options::from_json(game, options).map_err(|_| Problem::field("options", FieldRule::NoOptions(game)))
        }
        (None, Some(preset)) => Options::preset(game, preset).ok_or_else(|| {
            let all = game.presets().iter().map(|(name, _)| (*name).to_owned()).collect();
            Problem::field("preset", FieldRule::NotOneOf(all))
        }),
        (None, None) => Ok(game.default_options()),
    }
}

/// Reads game, options or preset, and stake.
pub fn terms(settings: &LobbySettings, request: &WantedMatch) -> Result<StakedTerms, Problem> {
    let options = ruleset(&request.game, request.options.as_ref(), request.preset.as_deref());
    match (options, stake(settings, request.stake)) {
        (Ok(options), Ok(stake)) => Ok(StakedTerms { options, stake }),
        (Err(first), Err(second)) => Err(first.and(second)),
        (Err(problem), Ok(_)) | (Ok(_), Err(problem)) => Err(problem),
    }
}

/// Reads a stake.
pub fn stake(settings: &LobbySettings, cents: i64) -> Result<Stake, Problem> {
    let (least, most) = (settings.stake_min.cents().0, settings.stake_max.cents().0);
    if !(least..=most).contains(&cents) {
        return Err(Problem::field("stake", FieldRule::OutOfRange(least, most)));
    }
    Stake::new(cents).ok_or_else(|| Problem::field("stake", FieldRule::OffGrid(Stake::GRID)))
}

/// Post a seek
///
/// Needs the stake available and no live staked match. Nothing is moved yet.
#[utoipa::path(post, path = "/v1/lobby/seeks", tag = "Lobby", security(("bearer" = [])), request_body = WantedMatch, responses(
    (status = 201, body = Seek),
    (status = 403, description = "`account_needed`, `frozen`, `on_break`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`already_playing`, `insufficient_funds`, `stakes_closed`, `limit_reached` (with `limit`)", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 429, description = "`too_many_seeks`, `rate_limited`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn post(
    State(lobby): State<Lobby>,
    Account(caller): Account,
    Body(request): Body<WantedMatch>,
) -> Result<(StatusCode, Json<Seek>), Problem> {
    let terms = terms(lobby.settings(), &request)?;
    Ok((StatusCode::CREATED, Json(lobby.post(caller.player, terms).await?)))
}

/// Which seeks are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SeeksQuery {
    /// Only of this game.
    game: Option<String>,
    /// Only with at least this stake.
    stake_min: Option<i64>,
    /// Only with at most this stake.
    stake_max: Option<i64>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Open seeks
///
/// Newest first. No token is needed.
#[utoipa::path(get, path = "/v1/lobby/seeks", tag = "Lobby", params(SeeksQuery), responses(
    (status = 200, body = Page<Seek>),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn seeks(
    State(lobby): State<Lobby>,
    question: Question,
    Params(query): Params<SeeksQuery>,
) -> Result<Json<Page<Seek>>, Problem> {
    let limit = limit(query.limit)?;
    let filter = SeekFilter {
        game: query.game.as_deref().map(|text| game("game", text)).transpose()?,
        stake_min: query.stake_min,
        stake_max: query.stake_max,
        before: question.place::<SeekId>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let items = lobby.list(&filter).await?;
    Ok(Json(Page::cut(items, limit, |seek| question.cursor(&seek.id))))
}

/// Withdraw an own seek
#[utoipa::path(delete, path = "/v1/lobby/seeks/{id}", tag = "Lobby", security(("bearer" = [])),
    params(("id" = SeekId, Path, description = "The seek")), responses(
    (status = 204, description = "It is no longer open."),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`: no open seek of the caller's", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn withdraw(
    State(lobby): State<Lobby>,
    Account(caller): Account,
    Named(id): Named<SeekId>,
) -> Result<StatusCode, Problem> {
    lobby.withdraw(caller.player, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What the caller agrees to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    /// The stake that the caller saw.
    pub stake: i64,
}

/// Accept a seek
///
/// Both stakes are taken and the match begins, or nothing happens. `first`'s clock runs from then on.
#[utoipa::path(post, path = "/v1/lobby/seeks/{id}/accept", tag = "Lobby", security(("bearer" = [])), request_body = Agreement,
    params(
        ("id" = SeekId, Path, description = "The seek"),
        ("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this act"),
    ), responses(
    (status = 201, body = Accepted),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`, `frozen`, `on_break`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`: not an identifier", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`stake_changed`, `seek_gone`, `host_away`, `insufficient_funds`, `already_playing`, `stakes_closed`, `limit_reached` (with `limit`), `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`own_seek`, `invalid_request`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn accept(
    State(lobby): State<Lobby>,
    Account(caller): Account,
    Named(id): Named<SeekId>,
    KeyedBody(key, request): KeyedBody<Agreement>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let accepted = lobby.accept(caller.player, id, request.stake, key).await?;
    Ok((StatusCode::CREATED, Json(accepted)))
}

impl From<Unready> for Problem {
    fn from(unready: Unready) -> Self {
        match unready {
            Unready::Barred(barred) => barred.into(),
            Unready::AlreadyPlaying | Unready::InsufficientFunds => Self::new(unready.code()),
        }
    }
}

impl From<PostError> for Problem {
    fn from(error: PostError) -> Self {
        match error {
            PostError::Unready(unready) => unready.into(),
            PostError::TooMany => Self::new(Code::TooManySeeks),
            PostError::StakesClosed => Self::new(Code::StakesClosed),
            PostError::Database(error) => error.into(),
            PostError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}

impl From<WithdrawError> for Problem {
    fn from(error: WithdrawError) -> Self {
        match error {
            WithdrawError::NotFound => Self::new(Code::NotFound),
            WithdrawError::Database(error) => error.into(),
            WithdrawError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}

impl From<AcceptError> for Problem {
    fn from(error: AcceptError) -> Self {
        match error {
            AcceptError::StakeChanged => Self::new(Code::StakeChanged),
            AcceptError::OwnSeek => Self::new(Code::OwnSeek),
            AcceptError::HostAway => Self::new(Code::HostAway),
            AcceptError::SeekGone => Self::new(Code::SeekGone),
            AcceptError::Unready(unready) => unready.into(),
            AcceptError::StakesClosed => Self::new(Code::StakesClosed),
            AcceptError::Key(error) => error.into(),
            AcceptError::Start(error) => error.into(),
            AcceptError::Database(error) => error.into(),
            AcceptError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
