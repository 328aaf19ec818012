//! Other players: who they are, how strong, and who is best.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use stakeboard_engine::Game;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    clock::{Clock, rfc3339_ms},
    code::Code,
    http::{
        caller::Caller,
        cursor::Question,
        extract::{Named, Params},
        lobby::game,
        page::{Page, limit},
        problem::{Problem, ProblemBody},
    },
    ids::{MatchId, PlayerId},
    lobby::{Lobby, OnlinePlayer},
    players::profile,
    ratings::{self, ChangeFilter, ChangeLine, GameResults, LeaderLine, LeaderPlace},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Clock: FromRef<S>,
    Lobby: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(online))
        .routes(routes!(player))
        .routes(routes!(player_ratings))
        .routes(routes!(leaderboard))
}

/// Which part of those who are there is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct OnlineQuery {
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Who is there
///
/// Players with a socket open, each once, in the order in which they first came to the service. Whom they play and what
/// they wait for is not told.
#[utoipa::path(get, path = "/v1/lobby/players", tag = "Lobby", security(("bearer" = [])), params(OnlineQuery), responses(
    (status = 200, body = Page<OnlinePlayer>),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn online(
    State(lobby): State<Lobby>,
    _: Caller,
    question: Question,
    Params(query): Params<OnlineQuery>,
) -> Result<Json<Page<OnlinePlayer>>, Problem> {
    let limit = limit(query.limit)?;
    let after = question.place::<PlayerId>(query.cursor.as_deref())?;
    let items = lobby.online(after, usize::try_from(limit + 1).unwrap_or(0)).await?;
    Ok(Json(Page::cut(items, limit, |player| question.cursor(&player.id))))
}

/// A player as others see them.
#[derive(Debug, Serialize, ToSchema)]
struct PlayerView {
    /// Who.
    id: PlayerId,
    /// What they are called.
    display_name: String,
    /// Whether this is a guest: no account, no stakes, no rating.
    guest: bool,
    /// When they first came.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    since: OffsetDateTime,
    /// Their staked matches by game and the rating these led to; only games with at least one.
    games: Vec<GameResults>,
}

/// A player's profile
///
/// Results and rating by game, from staked matches played to their end. A void counts for nothing.
#[utoipa::path(get, path = "/v1/players/{id}", tag = "Players", security(("bearer" = [])),
    params(("id" = PlayerId, Path, description = "The player")), responses(
    (status = 200, body = PlayerView),
    (status = 404, description = "`not_found`: nobody, or somebody who has left for good", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn player(
    State(pool): State<PgPool>,
    State(clock): State<Clock>,
    _: Caller,
    Named(id): Named<PlayerId>,
) -> Result<Json<PlayerView>, Problem> {
    let known = profile::known(&pool, id).await?.ok_or_else(|| Problem::new(Code::NotFound))?;
    let games = ratings::results(&pool, id, clock.wall()).await?;
    Ok(Json(PlayerView { id, display_name: known.display_name, guest: known.guest, since: known.created_at, games }))
}

/// Which changes are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ChangesQuery {
    /// Only of this game.
    game: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// How a player's ratings changed
///
/// One line for each staked match played to its end, newest first.
#[utoipa::path(get, path = "/v1/players/{id}/ratings", tag = "Players", security(("bearer" = [])),
    params(("id" = PlayerId, Path, description = "The player"), ChangesQuery), responses(
    (status = 200, body = Page<ChangeLine>),
    (status = 404, description = "`not_found`: nobody, or somebody who has left for good", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn player_ratings(
    State(pool): State<PgPool>,
    _: Caller,
    Named(id): Named<PlayerId>,
    question: Question,
    Params(query): Params<ChangesQuery>,
) -> Result<Json<Page<ChangeLine>>, Problem> {
    let limit = limit(query.limit)?;
    let filter = ChangeFilter {
        player: id,
        game: query.game.as_deref().map(|text| game("game", text)).transpose()?,
        before: question.place::<MatchId>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    profile::known(&pool, id).await?.ok_or_else(|| Problem::new(Code::NotFound))?;
    let items = ratings::changes(&pool, filter).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.match_id))))
}

/// Which part of a leaderboard is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct LeadersQuery {
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// A place as a cursor carries it: the rank, the bits of the rating, the player.
type Place = (i64, u64, PlayerId);

/// The best players of a game
///
/// Best first. Only players whose rating has a deviation below 110, which takes about a dozen matches and lasts for a year
/// without any. No token is needed.
#[utoipa::path(get, path = "/v1/leaderboards/{game}", tag = "Players",
    params(("game" = String, Path, description = "The game, as `GET /v1/games` lists it"), LeadersQuery), responses(
    (status = 200, body = Page<LeaderLine>),
    (status = 404, description = "`not_found`: no game of that name", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn leaderboard(
    State(pool): State<PgPool>,
    State(clock): State<Clock>,
    Named(name): Named<String>,
    question: Question,
    Params(query): Params<LeadersQuery>,
) -> Result<Json<Page<LeaderLine>>, Problem> {
    let game: Game = name.parse().map_err(|_| Problem::new(Code::NotFound))?;
    let limit = limit(query.limit)?;
    let place: Option<Place> = question.place(query.cursor.as_deref())?;
    let after = place.map(|(rank, rating, player)| LeaderPlace { rank, rating: f64::from_bits(rating), player });
    let lines = ratings::leaders(&pool, game, after, limit + 1, clock.wall()).await?;
    let Page { items, next_cursor } =
        Page::cut(lines, limit, |(place, _)| question.cursor(&(place.rank, place.rating.to_bits(), place.player)));
    Ok(Json(Page { items: items.into_iter().map(|(_, line)| line).collect(), next_cursor }))
}
