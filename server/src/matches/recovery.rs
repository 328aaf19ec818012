//! After a start: every match that was live goes on from its last committed entry (MA-5).

use std::sync::Arc;

use sqlx::PgPool;
use stakeboard_engine::{BySeat, Seat};
use time::OffsetDateTime;

use crate::{
    ids::{MatchId, NodeId},
    matches::{
        Matches, Setup,
        clocks::after_outage,
        journal,
        queries::{self, LoadError},
        state::State,
    },
};

/// A live match of an earlier process.
struct Orphan {
    id: MatchId,
    epoch: i32,
    /// The last sign of life of whoever served it. An owner that died before it wrote anything never served it.
    alive_until: Option<OffsetDateTime>,
}

/// Takes over every live match and serves it. Returns how many once all of them are served.
pub async fn recover(matches: &Matches, pool: &PgPool, node: NodeId) -> Result<usize, LoadError> {
    let orphans = take_over(pool, node).await?;
    let count = orphans.len();
    let mut rebuilt = Vec::with_capacity(count);
    for orphan in orphans {
        let setup = queries::setup(pool, orphan.id).await?.ok_or(sqlx::Error::RowNotFound)?;
        rebuilt.push((rebuild(pool, setup, orphan.alive_until).await?, orphan.epoch));
    }
    // Only now, and all at once: no clock runs while other matches are still being read.
    let ready: Vec<_> = rebuilt.into_iter().map(|(state, epoch)| matches.take_over(state, epoch)).collect();
    for served in ready {
        // An actor that could not be served goes on trying by itself; the others do not wait for it.
        drop(served.await);
    }
    Ok(count)
}

async fn take_over(pool: &PgPool, node: NodeId) -> Result<Vec<Orphan>, sqlx::Error> {
    sqlx::query_as!(
        Orphan,
        r#"with previous as (
               select m.id, case
                   when last.epoch is null and m.epoch = 1 or last.epoch = m.epoch then n.heartbeat_at
                   else m.alive_until
               end as heartbeat_at
               from matches m
               left join nodes n on n.id = m.owner
               left join lateral (
                   select epoch from match_events where match_id = m.id order by seq desc limit 1
               ) last on true
               where m.status = 'live'
           )
           update matches m set owner = $1, epoch = m.epoch + 1, alive_until = p.heartbeat_at
           from previous p
           where m.id = p.id
           returning m.id as "id: MatchId", m.epoch, p.heartbeat_at as alive_until"#,
        node.0
    )
    .fetch_all(pool)
    .await
}

/// Replays the journal of a match; its running clock is charged up to the last sign of life and stands.
async fn rebuild(pool: &PgPool, setup: Setup, alive_until: Option<OffsetDateTime>) -> Result<State, LoadError> {
    let entries = journal::read(pool, setup.terms.options.game(), setup.id, 0).await?;
    let (recorded, at) = entries
        .last()
        .map_or((BySeat::new(setup.clock_ms, setup.clock_ms), setup.started_at), |entry| (entry.clocks, entry.at));
    let mut state = State::new(Arc::new(setup));
    for entry in entries {
        state.apply(entry);
    }
    let turn = state.clocks().turn();
    let left = |seat: Seat| {
        if turn == Some(seat) { after_outage(recorded[seat], at, alive_until.unwrap_or(at)) } else { recorded[seat] }
    };
    let left = BySeat::new(left(Seat::First), left(Seat::Second));
    state.clocks_mut().set(left, turn);
    Ok(state)
}
