//! Tables: invitations by link, for a stake or for nothing.

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
        extract::{Body, KeyedBody, Named},
        lobby::{Agreement, ruleset, stake},
        problem::{Problem, ProblemBody},
    },
    lobby::{Accepted, JoinError, Lobby, LobbySettings, OpenError, Table, TableCode},
    matches::Terms,
    money::Wager,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(open)).routes(routes!(table, close)).routes(routes!(join))
}

/// What a host wants to play.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewTable {
    /// The game, as `GET /v1/games` lists it.
    #[schema(example = "oware")]
    game: String,
    /// Its options; what is missing is as by default. Not together with `preset`.
    #[schema(value_type = Option<Object>)]
    options: Option<Value>,
    /// A set of options by name.
    #[schema(example = "wari")]
    preset: Option<String>,
    /// 0 for a friendly match; else minor units: a multiple of 5, within the bounds of `GET /v1/config`.
    #[schema(minimum = 0, multiple_of = 5)]
    stake: i64,
}

/// Reads game, options or preset, and stake.
fn terms(settings: &LobbySettings, request: &NewTable) -> Result<Terms, Problem> {
    let options = ruleset(&request.game, request.options.as_ref(), request.preset.as_deref())?;
    let wager = if request.stake == 0 { Wager::Friendly } else { Wager::Staked(stake(settings, request.stake)?) };
    Ok(Terms { options, wager })
}

/// Open a table
///
/// An invitation by link: whoever has the code can join, a guest too where the stake is 0. The terms never change. The
/// link is good for an hour. A stake must be available; nothing is moved before somebody joins.
#[utoipa::path(post, path = "/v1/tables", tag = "Lobby", security(("bearer" = [])), request_body = NewTable, responses(
    (status = 201, body = Table),
    (status = 403, description = "`account_needed`: a guest and a stake; `frozen`, `on_break`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`already_playing`, `insufficient_funds`, `stakes_closed`, `limit_reached` (with `limit`)", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 429, description = "`too_many_tables`, `rate_limited`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn open(
    State(lobby): State<Lobby>,
    caller: Caller,
    Body(request): Body<NewTable>,
) -> Result<(StatusCode, Json<Table>), Problem> {
    let terms = terms(lobby.settings(), &request)?;
    if caller.guest && terms.wager.stake().is_some() {
        return Err(Problem::new(Code::AccountNeeded));
    }
    Ok((StatusCode::CREATED, Json(lobby.open_table(caller.player, terms).await?)))
}

/// A table
///
/// Its terms and seats. Once it was joined it names the match, until its hour is over. No token is needed.
#[utoipa::path(get, path = "/v1/tables/{code}", tag = "Lobby",
    params(("code" = TableCode, Path, description = "The table, in any case")), responses(
    (status = 200, body = Table),
    (status = 404, description = "`not_found`: it has expired, was closed, or never was", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn table(State(lobby): State<Lobby>, Named(code): Named<TableCode>) -> Result<Json<Table>, Problem> {
    lobby.table(&code).await?.map(Json).ok_or_else(|| Problem::new(Code::NotFound))
}

/// Close an own table
///
/// The link leads nowhere from then on.
#[utoipa::path(delete, path = "/v1/tables/{code}", tag = "Lobby", security(("bearer" = [])),
    params(("code" = TableCode, Path, description = "The table, in any case")), responses(
    (status = 204, description = "It is no longer open."),
    (status = 404, description = "`not_found`: no open table of the caller's", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn close(
    State(lobby): State<Lobby>,
    caller: Caller,
    Named(code): Named<TableCode>,
) -> Result<StatusCode, Problem> {
    lobby.close_table(caller.player, &code).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Join a table
///
/// The match begins, with both stakes taken where there are any, or nothing happens. Who opens is drawn; `first`'s clock
/// runs from then on. For a stake the host has to be present and free.
#[utoipa::path(post, path = "/v1/tables/{code}/join", tag = "Lobby", security(("bearer" = [])), request_body = Agreement,
    params(
        ("code" = TableCode, Path, description = "The table, in any case"),
        ("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this act"),
    ), responses(
    (status = 201, body = Accepted),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`: a guest and a stake; `frozen`, `on_break`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`: no code of a table", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`stake_changed`, `table_gone`, `host_away`, `host_playing` (for a friendly match: in as many as allowed), `insufficient_funds`, `already_playing`, `stakes_closed`, `limit_reached` (with `limit`), `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`own_table`, `invalid_request`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 429, description = "`too_many_matches`: as many friendly ones as allowed; `rate_limited`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn join(
    State(lobby): State<Lobby>,
    caller: Caller,
    Named(code): Named<TableCode>,
    KeyedBody(key, request): KeyedBody<Agreement>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let accepted = lobby.join_table(caller.player, caller.guest, code, request.stake, key).await?;
    Ok((StatusCode::CREATED, Json(accepted)))
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Unready(unready) => unready.into(),
            OpenError::Barred(barred) => barred.into(),
            OpenError::TooMany => Self::new(Code::TooManyTables),
            OpenError::StakesClosed => Self::new(Code::StakesClosed),
            OpenError::Database(error) => error.into(),
            OpenError::Stopped(stopped) => stopped.into(),
        }
    }
}

impl From<JoinError> for Problem {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::StakeChanged => Self::new(Code::StakeChanged),
            JoinError::OwnTable => Self::new(Code::OwnTable),
            JoinError::AccountNeeded => Self::new(Code::AccountNeeded),
            JoinError::HostAway => Self::new(Code::HostAway),
            JoinError::HostPlaying => Self::new(Code::HostPlaying),
            JoinError::Gone => Self::new(Code::TableGone),
            JoinError::Unready(unready) => unready.into(),
            JoinError::Barred(barred) => barred.into(),
            JoinError::TooManyMatches => Self::new(Code::TooManyMatches),
            JoinError::StakesClosed => Self::new(Code::StakesClosed),
            JoinError::Key(error) => error.into(),
            JoinError::Start(error) => error.into(),
            JoinError::Database(error) => error.into(),
            JoinError::Stopped(stopped) => stopped.into(),
        }
    }
}
