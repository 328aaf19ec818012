//! O-4: losing on purpose is the only way to move money between players: who has won how much of whom.

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{ids::PlayerId, money::Cents};

/// Two players who have played each other for stakes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PairLine {
    /// One of them.
    pub one: PlayerId,
    /// The other.
    pub two: PlayerId,
    /// Staked matches that ended in the window.
    pub matches: i64,
    /// How many `one` won.
    pub won_by_one: i64,
    /// How many `two` won.
    pub won_by_two: i64,
    /// How many ended without a winner.
    pub undecided: i64,
    /// How many ended by resignation.
    pub resignations: i64,
    /// How many ended because a clock ran out.
    pub timeouts: i64,
    /// What each of them has staked in all.
    pub staked: Cents,
    /// What `two` has lost to `one` in all, the house's share included; below zero the other way round.
    pub flow: Cents,
    /// How long the matches took in all.
    pub played_ms: i64,
    /// How long the shortest took.
    pub shortest_ms: i64,
}

/// Which pairs are asked for.
#[derive(Clone, Copy, Debug)]
pub struct PairFilter {
    /// Matches that ended from this time on.
    pub from: OffsetDateTime,
    /// Up to, but without, this time.
    pub to: OffsetDateTime,
    /// Only pairs with this player.
    pub player: Option<PlayerId>,
    /// Only pairs with at least so many matches.
    pub matches_min: i64,
    /// Only pairs after this one: the size of its flow, and both players.
    pub after: Option<(i64, PlayerId, PlayerId)>,
    /// At most this many.
    pub limit: i64,
}

/// Pairs, those with the largest flow first, whichever way it goes.
pub async fn pairs(pool: &PgPool, filter: &PairFilter) -> Result<Vec<PairLine>, sqlx::Error> {
    sqlx::query_as!(
        PairLine,
        r#"select one as "one!: PlayerId", two as "two!: PlayerId", matches as "matches!", won_by_one as "won_by_one!",
                  won_by_two as "won_by_two!", undecided as "undecided!", resignations as "resignations!",
                  timeouts as "timeouts!", staked as "staked!: Cents", flow as "flow!: Cents",
                  played_ms as "played_ms!", shortest_ms as "shortest_ms!"
           from (
               select one, two, count(*) as matches, count(*) filter (where winner = one) as won_by_one,
                      count(*) filter (where winner = two) as won_by_two,
                      count(*) filter (where winner is null) as undecided,
                      count(*) filter (where ending = 'resignation') as resignations,
                      count(*) filter (where ending = 'timeout') as timeouts,
                      sum(stake)::bigint as staked,
                      sum(case when winner = one then stake when winner = two then -stake else 0 end)::bigint as flow,
                      sum(took_ms)::bigint as played_ms, min(took_ms) as shortest_ms
               from (
                   select least(m.first_player, m.second_player) as one,
                          greatest(m.first_player, m.second_player) as two,
                          s.winner, s.stake, m.ending,
                          (extract(epoch from m.ended_at - m.started_at) * 1000)::bigint as took_ms
                   from settlements s join matches m on m.id = s.match_id
                   where s.settled_at >= $1 and s.settled_at < $2
                       and ($3::uuid is null or m.first_player = $3 or m.second_player = $3)
               ) played
               group by one, two
               having count(*) >= $4
           ) pairs
           where $5::bigint is null or (abs(flow), one, two) < ($5, $6::uuid, $7::uuid)
           order by abs(flow) desc, one desc, two desc limit $8"#,
        filter.from,
        filter.to,
        filter.player.map(|player| player.0),
        filter.matches_min,
        filter.after.map(|(flow, ..)| flow),
        filter.after.map(|(_, one, _)| one.0),
        filter.after.map(|(.., two)| two.0),
        filter.limit
    )
    .fetch_all(pool)
    .await
}
