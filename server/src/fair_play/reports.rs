//! The figures, summed up for whoever looks, and the matches behind them.

use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{MatchId, PlayerId},
};

/// What is summed up into one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// All matches of a player in a game.
    #[default]
    Player,
    /// Those of a player against one rival.
    Pair,
}

/// How a player played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FairPlaySum {
    /// The player.
    pub player: PlayerId,
    /// Against whom; null where all rivals are summed up.
    #[schema(required)]
    pub rival: Option<PlayerId>,
    /// The game.
    pub game: String,
    /// Staked matches that ended in the window.
    pub matches: i64,
    /// The player's moves in them.
    pub moves: i64,
    /// Of them those with a choice: some legal move was worse than the best.
    pub choices: i64,
    /// Of those the ones that were best: by the solver in Mū tōrere, else by a search of bounded depth.
    pub best: i64,
    /// How many of a thousand choices were best.
    pub best_permille: i64,
    /// Mean time for a move, in milliseconds.
    pub mean_ms: i64,
    /// How far times lie from their mean (standard deviation), in milliseconds. Who thinks the same time about every
    /// move, easy or hard, may not be the one who thinks.
    pub spread_ms: i64,
}

/// Where a page of [`FairPlaySum`]s ended: the share, and who.
pub type Place = (i64, PlayerId, Option<PlayerId>, String);

/// Which sums are asked for.
#[derive(Clone, Debug)]
pub struct SumFilter {
    /// Matches that ended from this time on.
    pub from: OffsetDateTime,
    /// Up to, but without, this time.
    pub to: OffsetDateTime,
    /// What is one line.
    pub by: By,
    /// Only of this player.
    pub player: Option<PlayerId>,
    /// Only of this game.
    pub game: Option<&'static str>,
    /// Only lines with at least so many choices.
    pub choices_min: i64,
    /// Only after this line.
    pub after: Option<Place>,
    /// At most this many.
    pub limit: i64,
}

/// Sums, those with the largest share of best moves first.
pub async fn sums(pool: &PgPool, filter: &SumFilter) -> Result<Vec<FairPlaySum>, sqlx::Error> {
    let after = filter.after.as_ref();
    sqlx::query_as!(
        FairPlaySum,
        r#"select player_id as "player!: PlayerId", rival_id as "rival: PlayerId", game as "game!", matches as "matches!",
                  moves as "moves!", choices as "choices!", best as "best!", best_permille as "best_permille!",
                  mean_ms as "mean_ms!", spread_ms as "spread_ms!"
           from (
               select player_id, case when $3 then rival_id end as rival_id, game, count(*) as matches,
                      sum(moves)::bigint as moves, sum(choices)::bigint as choices, sum(best)::bigint as best,
                      sum(best)::bigint * 1000 / greatest(sum(choices)::bigint, 1) as best_permille,
                      (sum(used_ms) / greatest(sum(moves), 1))::bigint as mean_ms,
                      sqrt(greatest(
                          sum(used_squares) / greatest(sum(moves), 1) - (sum(used_ms) / greatest(sum(moves), 1)) ^ 2, 0
                      ))::bigint as spread_ms
               from fair_play
               where settled_at >= $1 and settled_at < $2
                   and ($4::uuid is null or player_id = $4) and ($5::text is null or game = $5)
               group by 1, 2, 3
               having sum(choices) >= $6
           ) sums
           where $7::bigint is null
               or (best_permille, player_id, coalesce(rival_id, player_id), game)
                   < ($7, $8::uuid, coalesce($9::uuid, $8::uuid), $10::text)
           order by best_permille desc, player_id desc, coalesce(rival_id, player_id) desc, game desc limit $11"#,
        filter.from,
        filter.to,
        filter.by == By::Pair,
        filter.player.map(|player| player.0),
        filter.game,
        filter.choices_min,
        after.map(|(permille, ..)| *permille),
        after.map(|(_, player, ..)| player.0),
        after.and_then(|(_, _, rival, _)| rival.map(|rival| rival.0)),
        after.map(|(.., game)| game.clone()),
        filter.limit
    )
    .fetch_all(pool)
    .await
}

/// How a player played one match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FairPlayMatch {
    /// The match, whose record anybody can replay.
    pub match_id: MatchId,
    /// The player.
    pub player: PlayerId,
    /// The rival.
    pub rival: PlayerId,
    /// The game.
    pub game: String,
    /// When it ended.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub settled_at: OffsetDateTime,
    /// The player's moves.
    pub moves: i32,
    /// Those with a choice.
    pub choices: i32,
    /// Those of them that were best.
    pub best: i32,
    /// Mean time for a move, in milliseconds.
    pub mean_ms: i64,
    /// How far times lie from their mean, in milliseconds.
    pub spread_ms: i64,
}

impl FairPlayMatch {
    /// Where a page ends that has this line last.
    pub fn place(&self) -> (i64, MatchId) {
        let microseconds = self.settled_at.unix_timestamp_nanos() / 1_000;
        (i64::try_from(microseconds).unwrap_or(i64::MAX), self.match_id)
    }
}

/// Which matches are asked for.
#[derive(Clone, Debug)]
pub struct MatchFilter {
    /// Of this player.
    pub player: PlayerId,
    /// Only against this rival.
    pub rival: Option<PlayerId>,
    /// Only of this game.
    pub game: Option<&'static str>,
    /// Matches that ended from this time on.
    pub from: OffsetDateTime,
    /// Up to, but without, this time.
    pub to: OffsetDateTime,
    /// Only those that ended before this one: its time, in microseconds since 1970, and itself.
    pub before: Option<(i64, MatchId)>,
    /// At most this many.
    pub limit: i64,
}

/// The matches behind a sum, the newest first.
pub async fn matches_behind(pool: &PgPool, filter: &MatchFilter) -> Result<Vec<FairPlayMatch>, sqlx::Error> {
    let before = filter.before.map(|(microseconds, id)| {
        // Only a cursor that somebody made up is out of range: nothing is before it.
        let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds) * 1_000);
        (at.unwrap_or(OffsetDateTime::UNIX_EPOCH), id.0)
    });
    sqlx::query_as!(
        FairPlayMatch,
        r#"select match_id as "match_id: MatchId", player_id as "player: PlayerId", rival_id as "rival: PlayerId", game,
                  settled_at, moves, choices, best,
                  (used_ms / greatest(moves, 1))::bigint as "mean_ms!",
                  sqrt(greatest(used_squares / greatest(moves, 1) - (used_ms::numeric / greatest(moves, 1)) ^ 2, 0))::bigint
                      as "spread_ms!"
           from fair_play
           where player_id = $1 and ($2::uuid is null or rival_id = $2) and ($3::text is null or game = $3)
               and settled_at >= $4 and settled_at < $5
               and ($6::timestamptz is null or (settled_at, match_id) < ($6, $7::uuid))
           order by settled_at desc, match_id desc limit $8"#,
        filter.player.0,
        filter.rival.map(|rival| rival.0),
        filter.game,
        filter.from,
        filter.to,
        before.map(|(at, _)| at),
        before.map(|(_, id)| id),
        filter.limit
    )
    .fetch_all(pool)
    .await
}
