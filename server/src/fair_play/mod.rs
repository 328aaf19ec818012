//! How players played in staked matches that have ended: how often they chose a best move, and how evenly they used
//! their time. For people to look at; nothing here acts on anybody.

mod judge;
mod reports;

use std::time::Duration;

use sqlx::PgPool;
use stakeboard_engine::{BySeat, Seat};

pub use judge::Played;
pub use reports::{By, FairPlayMatch, FairPlaySum, MatchFilter, Place, SumFilter, matches_behind, sums};

use crate::{
    clock::Clock,
    db, ledger,
    matches::{self, LoadError, state::State},
};

/// How many matches are looked for at once.
const AT_ONCE: i64 = 50;
/// For each stretch of work so many of rest: a match in a long row of them takes a quarter of one core.
const REST: u32 = 3;
/// The shortest rest.
const SHORTEST_REST: Duration = Duration::from_millis(20);

/// Judges matches as they end, one after the other on a thread of its own, until the process ends. `every` is how often
/// it looks for new ones.
pub async fn keep_judging(pool: PgPool, clock: Clock, every: Duration) {
    let mut ticks = tokio::time::interval(every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut judging = db::Lasting::new("ended matches can't be judged", "ended matches are judged again");
    loop {
        ticks.tick().await;
        judging.tried(&judge_waiting(&pool, clock).await);
    }
}

/// Judges every match that waits for it.
async fn judge_waiting(pool: &PgPool, clock: Clock) -> Result<(), sqlx::Error> {
    loop {
        let waiting = ledger::settled_unjudged(pool, AT_ONCE).await?;
        if waiting.is_empty() {
            return Ok(());
        }
        for (id, settled_at) in waiting {
            let began = clock.now();
            let played = match matches::load(pool, id).await {
                Ok(Some(state)) => look(state).await,
                Err(LoadError::Database(error)) => return Err(error),
                // Written all the same: a record that can't be read is not tried for ever.
                Ok(None) | Err(LoadError::Unreadable(_)) => {
                    tracing::warn!(match_id = %id, "the record of a settled match can't be judged");
                    BySeat::new(Played::default(), Played::default())
                }
            };
            keep(pool, id, settled_at, &played).await?;
            let took = clock.now().saturating_duration_since(began);
            tokio::time::sleep((took * REST).max(SHORTEST_REST)).await;
        }
    }
}

async fn look(state: State) -> BySeat<Played> {
    let judged = tokio::task::spawn_blocking(move || judge::judge(&state)).await;
    judged.unwrap_or_else(|_| BySeat::new(Played::default(), Played::default()))
}

/// Writes both sides at once. Another node may have been faster.
async fn keep(
    pool: &PgPool,
    id: crate::ids::MatchId,
    settled_at: time::OffsetDateTime,
    played: &BySeat<Played>,
) -> Result<(), sqlx::Error> {
    db::in_transaction(pool, |tx| {
        let rows = [(Seat::First, played[Seat::First]), (Seat::Second, played[Seat::Second])];
        Box::pin(async move {
            for (seat, side) in rows {
                sqlx::query!(
                    "insert into fair_play
                         (match_id, seat, player_id, rival_id, game, settled_at, moves, choices, best, used_ms, used_squares)
                     select id, $2, case $2 when 'first' then first_player else second_player end,
                            case $2 when 'first' then second_player else first_player end,
                            game, $3, $4, $5, $6, $7, $8::text::numeric
                     from matches where id = $1
                     on conflict do nothing",
                    id.0,
                    seat.code(),
                    settled_at,
                    side.moves,
                    side.choices,
                    side.best,
                    side.used_ms,
                    side.used_squares.to_string()
                )
                .execute(&mut **tx)
                .await?;
            }
            Ok(())
        })
    })
    .await
}
