//! Ratings as they are shown: of a player, one by one as they changed, and of the best.

use serde::Serialize;
use sqlx::{PgExecutor, PgPool};
use stakeboard_engine::Game;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{MatchId, PlayerId},
    ratings::{Rating, RatingView},
};

/// A player as others see them, with how strong they are in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RatedPlayer {
    /// Who.
    pub id: PlayerId,
    /// What they are called.
    pub display_name: String,
    /// Their rating in this game; null while they have none.
    pub rating: Option<i32>,
    /// Its deviation: with 95 % the strength is within twice this.
    pub deviation: Option<i32>,
}

impl RatedPlayer {
    /// Puts a player together with what is known of their strength.
    pub fn new(id: PlayerId, display_name: String, rating: Option<Rating>) -> Self {
        let view = rating.map(Rating::view);
        Self { id, display_name, rating: view.map(|view| view.rating), deviation: view.map(|view| view.deviation) }
    }
}

/// How strong a player is in a game now; as a newcomer, where nothing is known.
pub async fn of(
    executor: impl PgExecutor<'_>,
    player: PlayerId,
    game: Game,
    now: OffsetDateTime,
) -> Result<Rating, sqlx::Error> {
    let row = sqlx::query!(
        "select rating, deviation, volatility, rated_at from ratings where player_id = $1 and game = $2",
        player.0,
        game.code()
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map_or(Rating::NEW, |row| {
        let rating = Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility };
        rating.after_idling(now - row.rated_at)
    }))
}

/// How strong somebody is in a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct GameRating {
    /// The game.
    pub game: String,
    /// As of now: the deviation grows with idle time.
    #[serde(flatten)]
    pub rating: RatingView,
}

/// The ratings of several players, by player and game.
pub async fn of_all(
    pool: &PgPool,
    players: &[PlayerId],
    now: OffsetDateTime,
) -> Result<Vec<(PlayerId, GameRating)>, sqlx::Error> {
    let ids: Vec<_> = players.iter().map(|player| player.0).collect();
    let rows = sqlx::query!(
        r#"select player_id as "player: PlayerId", game, rating, deviation, volatility, rated_at from ratings
           where player_id = any($1) order by player_id, game"#,
        &ids
    )
    .fetch_all(pool)
    .await?;
    let ratings = rows.into_iter().map(|row| {
        let rating = Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility };
        (row.player, GameRating { game: row.game, rating: rating.after_idling(now - row.rated_at).view() })
    });
    Ok(ratings.collect())
}

/// What became of a player's staked matches of a game, and the rating they led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct GameResults {
    /// The game.
    pub game: String,
    /// How strong the player is in it, as of now: the deviation grows with idle time.
    #[serde(flatten)]
    pub rating: RatingView,
    /// Staked matches played to their end.
    pub matches: i32,
    /// How many of them were won.
    pub won: i32,
    /// How many were drawn.
    pub drawn: i32,
    /// How many were lost.
    pub lost: i32,
    /// When the last of them ended.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub rated_at: OffsetDateTime,
}

/// A player's results by game.
pub async fn results(pool: &PgPool, player: PlayerId, now: OffsetDateTime) -> Result<Vec<GameResults>, sqlx::Error> {
    let rows = sqlx::query!(
        "select game, rating, deviation, volatility, won, drawn, lost, rated_at from ratings
         where player_id = $1 order by game",
        player.0
    )
    .fetch_all(pool)
    .await?;
    let results = rows.into_iter().map(|row| {
        let rating = Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility };
        GameResults {
            game: row.game,
            rating: rating.after_idling(now - row.rated_at).view(),
            matches: row.won + row.drawn + row.lost,
            won: row.won,
            drawn: row.drawn,
            lost: row.lost,
            rated_at: row.rated_at,
        }
    });
    Ok(results.collect())
}

/// Which changes of a player's ratings are asked for.
#[derive(Clone, Copy, Debug)]
pub struct ChangeFilter {
    /// Whose.
    pub player: PlayerId,
    /// Only of this game.
    pub game: Option<Game>,
    /// Only those by matches that began before this one.
    pub before: Option<MatchId>,
    /// At most this many.
    pub limit: i64,
}

/// What a match did to a rating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ChangeLine {
    /// The match.
    pub match_id: MatchId,
    /// The game.
    pub game: String,
    /// Whom it was played with, as strong as they were before it.
    pub opponent: RatedPlayer,
    /// `won`, `drawn` or `lost`.
    pub result: String,
    /// The rating that it was played with.
    pub before: RatingView,
    /// The rating that it led to.
    pub after: RatingView,
    /// When the match ended.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub rated_at: OffsetDateTime,
}

/// How a player's ratings changed, newest first.
pub async fn changes(pool: &PgPool, filter: ChangeFilter) -> Result<Vec<ChangeLine>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select c.match_id as "match_id: MatchId", c.game, c.result, c.rating, c.deviation, c.volatility,
                  c.rating_before, c.deviation_before, c.rated_at,
                  o.player_id as "opponent: PlayerId", p.display_name,
                  o.rating_before as opponent_rating, o.deviation_before as opponent_deviation
           from rating_changes c
           join rating_changes o on o.match_id = c.match_id and o.player_id <> c.player_id
           join players p on p.id = o.player_id
           where c.player_id = $1 and ($2::text is null or c.game = $2) and ($3::uuid is null or c.match_id < $3)
           order by c.match_id desc limit $4"#,
        filter.player.0,
        filter.game.map(Game::code),
        filter.before.map(|id| id.0),
        filter.limit
    )
    .fetch_all(pool)
    .await?;
    let lines = rows.into_iter().map(|row| {
        let rating = |rating, deviation| Rating { rating, deviation, volatility: row.volatility };
        ChangeLine {
            match_id: row.match_id,
            game: row.game,
            opponent: RatedPlayer::new(
                row.opponent,
                row.display_name,
                Some(rating(row.opponent_rating, row.opponent_deviation)),
            ),
            result: row.result,
            before: rating(row.rating_before, row.deviation_before).view(),
            after: rating(row.rating, row.deviation).view(),
            rated_at: row.rated_at,
        }
    });
    Ok(lines.collect())
}

/// A place in a leaderboard, from which the next page goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaderPlace {
    /// How many are before it, it included.
    pub rank: i64,
    /// The rating there.
    pub rating: f64,
    /// Whose it is.
    pub player: PlayerId,
}

/// One of the best players of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct LeaderLine {
    /// 1 is the best.
    pub rank: i64,
    /// Who, and how strong as of now.
    pub player: RatedPlayer,
    /// Staked matches played to their end.
    pub matches: i32,
    /// How many of them were won.
    pub won: i32,
    /// How many were drawn.
    pub drawn: i32,
    /// How many were lost.
    pub lost: i32,
}

/// The best players of a game, best first, each with the place it takes. Only those are here whose rating is known well
/// enough, and who have not left for good.
pub async fn leaders(
    pool: &PgPool,
    game: Game,
    after: Option<LeaderPlace>,
    limit: i64,
    now: OffsetDateTime,
) -> Result<Vec<(LeaderPlace, LeaderLine)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select r.player_id as "player: PlayerId", p.display_name, r.rating, r.deviation, r.volatility,
                  r.won, r.drawn, r.lost, r.rated_at
           from ratings r join players p on p.id = r.player_id
           where r.game = $1 and r.settled_until > $2 and p.deleted_at is null
               and ($3::double precision is null or r.rating < $3 or (r.rating = $3 and r.player_id > $4::uuid))
           order by r.rating desc, r.player_id limit $5"#,
        game.code(),
        now,
        after.map(|place| place.rating),
        after.map(|place| place.player.0),
        limit
    )
    .fetch_all(pool)
    .await?;
    let first = after.map_or(1, |place| place.rank.saturating_add(1));
    let lines = (first..).zip(rows).map(|(rank, row)| {
        let rating = Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility };
        let player = RatedPlayer::new(row.player, row.display_name, Some(rating.after_idling(now - row.rated_at)));
        let line = LeaderLine {
            rank,
            player,
            matches: row.won + row.drawn + row.lost,
            won: row.won,
            drawn: row.drawn,
            lost: row.lost,
        };
        (LeaderPlace { rank, rating: row.rating, player: row.player }, line)
    });
    Ok(lines.collect())
}
