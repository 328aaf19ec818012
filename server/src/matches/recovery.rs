//! After a start, and after another node has gone: every match goes on from its last committed entry (MA-5).

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use sqlx::{PgConnection, PgExecutor, PgPool};
use stakeboard_engine::{BySeat, Seat};
use time::OffsetDateTime;
use tokio::time::MissedTickBehavior;
use uuid::Uuid;

use crate::{
    db,
    ids::{MatchId, NodeId},
    matches::{
        Health, Matches, Setup,
        clocks::after_outage,
        journal,
        queries::{self, LoadError},
        state::State,
    },
};

/// A live match of a process that is gone.
struct Orphan {
    id: MatchId,
    epoch: i32,
    /// The last sign of life of whoever served it. An owner that died before it wrote anything never served it.
    alive_until: Option<OffsetDateTime>,
    /// Whether its owner stopped in order, rather than dying or falling silent.
    handed_over: bool,
}

/// How many matches a node takes over at once: the next ones are left to whoever is quicker.
const BATCH: i64 = 32;
/// How many matches are read at once.
const AT_ONCE: usize = 4;
/// How often matches that nobody serves are looked for.
const ROUND: Duration = Duration::from_secs(5);
/// How long a match that was made at this node may be committed and not be served before it is taken up.
const UNSERVED: time::Duration = time::Duration::seconds(5);

/// Which matches are taken over.
enum Whose<'a> {
    /// Those of nodes without a lease.
    Nobodys(i64),
    /// These, of this node's own.
    Own(&'a [Uuid]),
    /// All that this node owned by a lease that has ended.
    Former,
}

/// Takes over every live match that has no owner any more and serves it. Returns how many once all of them are served.
pub async fn recover(matches: &Matches, pool: &PgPool, node: NodeId) -> Result<usize, LoadError> {
    take_up(matches, pool, take_over(pool, node, Whose::Nobodys(i64::MAX)).await?).await
}

/// Takes over the matches of nodes that are gone, for as long as the process lives.
pub async fn keep_taking_over(matches: Matches, pool: PgPool, mut health: Health) {
    let node = health.node;
    let mut rounds = tokio::time::interval(ROUND);
    rounds.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut takes = db::Lasting::new(
        "matches of nodes that are gone can't be taken over; they will be",
        "matches of nodes that are gone can be taken over again",
    );
    loop {
        tokio::select! {
            () = health.peers_changed() => {}
            _ = rounds.tick() => {}
        }
        if health.paused().is_some() || matches.is_stopping() {
            continue;
        }
        takes.tried(&take_what_is_left(&matches, &pool, node).await);
    }
}

async fn take_what_is_left(matches: &Matches, pool: &PgPool, node: NodeId) -> Result<(), LoadError> {
    loop {
        let orphans = take_over(pool, node, Whose::Nobodys(BATCH)).await?;
        if orphans.is_empty() {
            break;
        }
        let count = take_up(matches, pool, orphans).await?;
        tracing::info!(matches = count, "matches of a node that is gone go on here");
    }
    // What was begun while this node had lost its lease, or was never heard of.
    let unserved = unserved(matches, pool, node).await?;
    if !unserved.is_empty() {
        take_up(matches, pool, take_over(pool, node, Whose::Own(&unserved)).await?).await?;
    }
    Ok(())
}

async fn unserved(matches: &Matches, pool: &PgPool, node: NodeId) -> Result<Vec<Uuid>, sqlx::Error> {
    let before = matches.now() - UNSERVED;
    let own = sqlx::query_scalar!(
        r#"select id as "id: MatchId" from matches
           where owner = $1 and status = 'live' and (started_at < $2 or epoch > 1)"#,
        node.0,
        before
    )
    .fetch_all(pool)
    .await?;
    Ok(own.into_iter().filter(|id| !matches.is_here(*id)).map(|id| id.0).collect())
}

/// Rebuilds matches and serves them. Returns how many once all of them are served.
async fn take_up(matches: &Matches, pool: &PgPool, orphans: Vec<Orphan>) -> Result<usize, LoadError> {
    let count = orphans.len();
    for orphan in &orphans {
        let after = if orphan.handed_over { "stop" } else { "silence" };
        metrics::counter!("stakeboard_matches_taken_over_total", "after" => after).increment(1);
    }
    let rebuilding = orphans.into_iter().map(|orphan| async move {
        let setup = queries::setup(pool, orphan.id).await?.ok_or(sqlx::Error::RowNotFound)?;
        Ok::<_, LoadError>((rebuild(pool, setup, orphan.alive_until).await?, orphan.epoch))
    });
    let rebuilt: Vec<_> = stream::iter(rebuilding).buffer_unordered(AT_ONCE).try_collect().await?;
    // Only now, and all at once: no clock runs while other matches are still being read.
    let ready: Vec<_> = rebuilt.into_iter().map(|(state, epoch)| matches.take_over(state, epoch)).collect();
    for served in ready {
        // An actor that could not be served goes on trying by itself; the others do not wait for it.
        drop(served.await);
    }
    Ok(count)
}

/// To be called where a node's lease has ended, before its next one begins in the same transaction: its matches have a
/// new epoch and remember the last sign of life of the old lease, which is overwritten now. They are taken up like others
/// that are committed and not served.
pub(super) async fn keep_last_signs_of_life(connection: &mut PgConnection, node: NodeId) -> Result<(), sqlx::Error> {
    take_over(connection, node, Whose::Former).await?;
    Ok(())
}

async fn take_over(executor: impl PgExecutor<'_>, node: NodeId, whose: Whose<'_>) -> Result<Vec<Orphan>, sqlx::Error> {
    let (own, all, most): (&[Uuid], bool, i64) = match whose {
        Whose::Nobodys(most) => (&[], false, most),
        Whose::Own(ids) => (ids, false, i64::MAX),
        Whose::Former => (&[], true, i64::MAX),
    };
    sqlx::query_as!(
        Orphan,
        r#"with previous as (
               select m.id, case
                   when last.epoch is null and m.epoch = 1 or last.epoch = m.epoch then n.heartbeat_at
                   else m.alive_until
               end as heartbeat_at, n.stopped_at is not null and not n.silenced as handed_over
               from matches m
               left join nodes n on n.id = m.owner
               left join lateral (
                   select epoch from match_events where match_id = m.id order by seq desc limit 1
               ) last on true
               where m.status = 'live'
                   and case when $4 then m.owner = $1
                            when cardinality($2::uuid[]) > 0 then m.owner = $1 and m.id = any($2)
                            else n.id is null or n.stopped_at is not null end
               limit $3
               -- Others take over too: each match once, and nobody waits.
               for update of m skip locked
           )
           update matches m set owner = $1, epoch = m.epoch + 1, alive_until = p.heartbeat_at
           from previous p
           where m.id = p.id
           returning m.id as "id: MatchId", m.epoch, p.heartbeat_at as alive_until,
               coalesce(p.handed_over, false) as "handed_over!""#,
        node.0,
        own,
        most,
        all
    )
    .fetch_all(executor)
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
