//! What a settlement does to the ratings of both players.

use serde::Serialize;
use serde_json::Value;
use sqlx::PgExecutor;
use stakeboard_engine::Game;
use time::OffsetDateTime;

use crate::{
    clock::rfc3339_ms,
    ids::PlayerId,
    ratings::{Rating, glicko::Score},
};

/// A staked match that has been played to its end; a void is none.
#[derive(Clone, Copy, Debug)]
pub struct MatchResult {
    /// The game.
    pub game: Game,
    /// Both players.
    pub players: [PlayerId; 2],
    /// Who won, or nobody.
    pub winner: Option<PlayerId>,
    /// When it ended.
    pub at: OffsetDateTime,
}

/// What a match does to the rating of one player, as `change_ratings` of the database takes it.
#[derive(Clone, Debug, Serialize)]
struct Change {
    player_id: PlayerId,
    /// How many matches of the game the player has been rated for, this one included.
    number: i32,
    result: &'static str,
    rating_before: f64,
    deviation_before: f64,
    rating: f64,
    deviation: f64,
    volatility: f64,
    /// Until when the leaderboard has it, if nothing more is played.
    settled_until: Option<String>,
}

/// A rating as it is stored, before a match.
#[derive(Clone, Copy, Debug)]
struct Stored {
    rating: Rating,
    matches: i32,
    rated_at: OffsetDateTime,
}

/// What a match changes, from the ratings as they stand, for `change_ratings` of the database. Nothing is locked: the
/// changes of a player and game are numbered, so that what was overtaken meanwhile is refused and worked out anew.
pub async fn changes_by(executor: impl PgExecutor<'_>, result: MatchResult) -> Result<Value, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select player_id as "player: PlayerId", rating, deviation, volatility, won + drawn + lost as "matches!", rated_at
           from ratings where game = $1 and player_id = any($2)"#,
        result.game.code(),
        &result.players.map(|player| player.0)
    )
    .fetch_all(executor)
    .await?;
    let stored = |player: PlayerId| {
        rows.iter().find(|row| row.player == player).map(|row| Stored {
            rating: Rating { rating: row.rating, deviation: row.deviation, volatility: row.volatility },
            matches: row.matches,
            rated_at: row.rated_at,
        })
    };
    let mut changes = changes(result, result.players.map(stored));
    // The order in which the rows are locked.
    changes.sort_by_key(|change| change.player_id);
    serde_json::to_value(changes).map_err(|error| sqlx::Error::Encode(error.into()))
}

fn changes(result: MatchResult, stored: [Option<Stored>; 2]) -> [Change; 2] {
    let [one, two] = result.players;
    let [before_one, before_two] = stored
        .map(|stored| stored.map_or(Rating::NEW, |stored| stored.rating.after_idling(result.at - stored.rated_at)));
    let score = match result.winner {
        Some(winner) if winner == one => Score::Won,
        Some(_) => Score::Lost,
        None => Score::Drawn,
    };
    let (after_one, after_two) = before_one.after_match(before_two, score);
    let number = |stored: Option<Stored>| stored.map_or(0, |stored| stored.matches).saturating_add(1);
    let change = |player_id, stored, score: Score, before: Rating, after: Rating| Change {
        player_id,
        number: number(stored),
        result: score.name(),
        rating_before: before.rating,
        deviation_before: before.deviation,
        rating: after.rating,
        deviation: after.deviation,
        volatility: after.volatility,
        settled_until: after.settled_until(result.at).map(rfc3339_ms::text),
    };
    [
        change(one, stored[0], score, before_one, after_one),
        change(two, stored[1], score.reversed(), before_two, after_two),
    ]
}

impl Score {
    fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
        }
    }

    fn reversed(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::Drawn => Self::Drawn,
            Self::Lost => Self::Won,
        }
    }
}
