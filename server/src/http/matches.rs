//! Matches: snapshots, lists, records, and the HTTP twins of the socket's acts.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::PgPool;
use stakeboard_engine::Seat;
use tokio::sync::oneshot;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    clock::Clock,
    code::Code,
    http::{
        caller::Caller,
        cursor::Question,
        extract::{Body, Named, Nothing, Params},
        lobby::game,
        page::{Page, limit, range},
        problem::{Problem, ProblemBody},
    },
    i18n::FieldRule,
    ids::{MatchId, PlayerId},
    matches::{
        self, Command, LoadError, MatchLine, MatchResult, MatchStatus, Matches, OwnFilter, Refusal, Snapshot,
        events::SeatName,
        view::{AttendanceView, MatchView},
    },
    realtime::DrawAction,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Clock: FromRef<S>,
    Matches: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(own_matches))
        .routes(routes!(snapshot))
        .routes(routes!(attendance))
        .routes(routes!(record))
        .routes(routes!(play))
        .routes(routes!(resign))
        .routes(routes!(draw))
}

/// Which matches are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct MatchesQuery {
    /// `live` or `ended`.
    status: Option<MatchStatus>,
    /// Only of this game.
    game: Option<String>,
    /// Only with this rival.
    opponent: Option<PlayerId>,
    /// Only those that the caller `won`, `drawn` (nobody won) or `lost`; a void is none of them.
    result: Option<MatchResult>,
    /// Only those for a stake (`true`), or only friendly ones (`false`).
    staked: Option<bool>,
    /// Only those that began then or later, as RFC 3339.
    #[param(format = DateTime)]
    from: Option<String>,
    /// Only those that began earlier, as RFC 3339.
    #[param(format = DateTime)]
    to: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// A match in the list of one of its players.
#[derive(Debug, Serialize, ToSchema)]
struct OwnMatch {
    #[serde(flatten)]
    line: MatchLine,
    /// The caller's seat.
    #[schema(value_type = SeatName)]
    seat: Seat,
}

/// The caller's own matches
///
/// Newest first.
#[utoipa::path(get, path = "/v1/matches", tag = "Matches", security(("bearer" = [])), params(MatchesQuery), responses(
    (status = 200, body = Page<OwnMatch>),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn own_matches(
    State(pool): State<PgPool>,
    caller: Caller,
    question: Question,
    Params(query): Params<MatchesQuery>,
) -> Result<Json<Page<OwnMatch>>, Problem> {
    let limit = limit(query.limit)?;
    let (from, to) = range(query.from.as_deref(), query.to.as_deref())?;
    let filter = OwnFilter {
        status: query.status,
        game: query.game.as_deref().map(|text| game("game", text)).transpose()?,
        opponent: query.opponent,
        result: query.result,
        staked: query.staked,
        from,
        to,
        before: question.place::<MatchId>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let own = |line: MatchLine| {
        let seat = if line.players.first.id == caller.player { Seat::First } else { Seat::Second };
        OwnMatch { line, seat }
    };
    let lines = matches::own_matches(&pool, caller.player, &filter).await?;
    let items = lines.into_iter().map(own).collect();
    Ok(Json(Page::cut(items, limit, |own: &OwnMatch| question.cursor(&own.line.id))))
}

/// A match at this moment
///
/// No token is needed.
#[utoipa::path(get, path = "/v1/matches/{id}", tag = "Matches", params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = MatchView),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn snapshot(State(matches): State<Matches>, Named(id): Named<MatchId>) -> Result<Json<Snapshot>, Problem> {
    Ok(Json(matches.snapshot(id).await?))
}

/// Who is there
///
/// Which of the players have a socket open, and how many sockets watch. Changes of the first are told on the socket
/// (`presence`). No token is needed.
#[utoipa::path(get, path = "/v1/matches/{id}/attendance", tag = "Matches", params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = AttendanceView),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn attendance(
    State(matches): State<Matches>,
    Named(id): Named<MatchId>,
) -> Result<Json<AttendanceView>, Problem> {
    Ok(Json(matches.attendance(id).await?))
}

/// The record of a match
///
/// The game record with players, stakes, who made each ply, the clocks after it and what it did (as in `moved`), and
/// what was paid. No token is needed.
#[utoipa::path(get, path = "/v1/matches/{id}/record", tag = "Matches", params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = Object),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn record(State(pool): State<PgPool>, Named(id): Named<MatchId>) -> Result<Json<Value>, Problem> {
    let record = matches::record(&pool, id).await?;
    record.map(Json).ok_or_else(|| Problem::new(Code::NotFound))
}

/// A move to play.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewMove {
    /// The number of the move: one more than moves have been made.
    ply: u32,
    /// The move in the game's text form.
    #[serde(rename = "move")]
    #[schema(example = "C")]
    text: String,
}

/// What to do about a draw.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct DrawRequest {
    /// What to do.
    action: DrawAction,
    /// The `seq` of the offer that is answered; required with `accept` and `decline`, refused with `offer`.
    offer: Option<u32>,
}

/// An act that has been taken note of.
#[derive(Debug, Serialize, ToSchema)]
pub struct Acknowledged {
    /// Where the act stands in its match.
    pub seq: u32,
}

/// Play a move
///
/// Answered once the move is durable. A repeat of the recorded move at that `ply` by the same player is answered with
/// its `seq`.
#[utoipa::path(post, path = "/v1/matches/{id}/moves", tag = "Matches", security(("bearer" = [])), request_body = NewMove,
    params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = Acknowledged),
    (status = 403, description = "`not_a_player`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`, `not_your_turn`, `stale_ply` (with `ply`)", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`illegal_move` (with `reason`), `invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn play(
    State(matches): State<Matches>,
    State(clock): State<Clock>,
    caller: Caller,
    Named(id): Named<MatchId>,
    Body(request): Body<NewMove>,
) -> Result<Json<Acknowledged>, Problem> {
    act(&matches, clock, caller.player, id, Command::Move { ply: request.ply, text: request.text }).await
}

/// Resign
#[utoipa::path(post, path = "/v1/matches/{id}/resign", tag = "Matches", security(("bearer" = [])),
    params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = Acknowledged),
    (status = 403, description = "`not_a_player`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`: there is nothing to be said with it", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn resign(
    State(matches): State<Matches>,
    State(clock): State<Clock>,
    caller: Caller,
    Named(id): Named<MatchId>,
    _: Option<Body<Nothing>>,
) -> Result<Json<Acknowledged>, Problem> {
    act(&matches, clock, caller.player, id, Command::Resign).await
}

/// Offer a draw, or answer an offer
///
/// An offer while the rival's is open accepts it.
#[utoipa::path(post, path = "/v1/matches/{id}/draw", tag = "Matches", security(("bearer" = [])), request_body = DrawRequest,
    params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = Acknowledged),
    (status = 403, description = "`not_a_player`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`, `no_open_offer`, `offer_gone`, `offer_open`, `offer_too_soon`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn draw(
    State(matches): State<Matches>,
    State(clock): State<Clock>,
    caller: Caller,
    Named(id): Named<MatchId>,
    Body(request): Body<DrawRequest>,
) -> Result<Json<Acknowledged>, Problem> {
    let rule = if request.offer.is_some() { FieldRule::Excludes("action: offer") } else { FieldRule::Missing };
    let draw = request.action.act(request.offer).map_err(|bad| Problem::field(bad.field, rule))?;
    act(&matches, clock, caller.player, id, Command::Draw(draw)).await
}

/// Hands an act to its match. The stamp is taken here, where the request has been read.
async fn act(
    matches: &Matches,
    clock: Clock,
    player: PlayerId,
    id: MatchId,
    command: Command,
) -> Result<Json<Acknowledged>, Problem> {
    let (reply, answer) = oneshot::channel();
    let reply = Box::new(move |result| drop(reply.send(result)));
    matches.act(player, id, command, clock.now(), reply);
    let seq = answer.await.map_err(|_| Problem::new(Code::Stopping))??;
    Ok(Json(Acknowledged { seq }))
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let plain = Self::new(refusal.code());
        match refusal {
            Refusal::StalePly { ply } => plain.with("ply", ply),
            Refusal::UnreadableMove(game, _) => plain.with_field("move", FieldRule::NoMove(game)),
            Refusal::Illegal(illegal) => plain.with("reason", illegal.code()),
            Refusal::NotFound
            | Refusal::NotAPlayer
            | Refusal::MatchOver
            | Refusal::NotYourTurn
            | Refusal::NoOpenOffer
            | Refusal::OfferGone
            | Refusal::OfferOpen
            | Refusal::OfferTooSoon
            | Refusal::PlayingForStakes
            | Refusal::Paused
            | Refusal::Stopping
            | Refusal::Overloaded => plain,
        }
    }
}

impl From<LoadError> for Problem {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Database(error) => error.into(),
            LoadError::Unreadable(_) => Self::internal(&error),
        }
    }
}
