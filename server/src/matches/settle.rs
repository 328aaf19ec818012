//! The end of a match: the last entries, the outcome and the payout in one statement, so in one transaction.

use std::{sync::Arc, time::Duration};

use serde_json::Value;
use sqlx::{PgExecutor, PgPool, postgres::PgConnectOptions};
use stakeboard_engine::{Ending, Outcome, Seat};
use time::OffsetDateTime;
use tokio::sync::Semaphore;

use crate::{
    audit::{self, Act, Action},
    db::{self, Trouble},
    ids::{NodeId, TransferId},
    matches::{
        Health, Setup, VoidOrder,
        entry::Entry,
        journal::{AppendError, Rows},
    },
    ratings::{self, MatchResult},
};

/// How many settlements are written at once, each on a connection of its own.
const SETTLERS: u32 = 4;
/// How long the statement may take before its outcome counts as unknown.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a settlement that lost a race is tried.
const ATTEMPTS: u32 = 5;

/// The end of a match as it is to be written.
#[derive(Clone, Copy)]
pub struct End<'a> {
    /// The match.
    pub setup: &'a Setup,
    /// Its last entries, `ended` among them.
    pub entries: &'a [Entry],
    /// How it ended.
    pub outcome: Outcome,
    /// The order of the staff, where that ended it.
    pub order: Option<&'a VoidOrder>,
}

impl End<'_> {
    fn at(&self) -> OffsetDateTime {
        self.entries.last().map_or(self.setup.started_at, |entry| entry.at)
    }

    /// What it means for ratings: nothing where it is a void, or was played for nothing (MA-10).
    fn rated(&self) -> Option<MatchResult> {
        let Self { setup, outcome, .. } = self;
        let [one, two] = [Seat::First, Seat::Second].map(|seat| setup.players[seat].id);
        (setup.terms.wager.stake().is_some() && outcome.ending != Ending::Void).then(|| MatchResult {
            game: setup.terms.options.game(),
            players: [one, two],
            winner: outcome.winner.map(|seat| setup.players[seat].id),
            at: self.at(),
        })
    }
}

/// What settles. Requests have other connections, so that no flood of them keeps a match from its end; and where many
/// matches end at once they wait for their turn before their time is taken.
#[derive(Clone, Debug)]
pub struct Settlers {
    pool: PgPool,
    turns: Arc<Semaphore>,
}

impl Settlers {
    /// Opens the first of the connections.
    pub async fn connect(options: PgConnectOptions) -> Result<Self, sqlx::Error> {
        let pool = db::connect(options, SETTLERS, PATIENCE).await?;
        Ok(Self { pool, turns: Arc::new(Semaphore::new(SETTLERS as usize)) })
    }

    /// Commits the last entries of a match with its outcome, pays out the escrow (MA-2, MA-3, L-6) and changes both
    /// ratings. A friendly match has neither, and by its own row (MA-10): its end writes nothing to the ledger.
    ///
    /// A settlement is keyed by its match, and the match's own row says that it is live: a second one writes nothing.
    pub async fn settle(&self, mut health: Health, epoch: i32, end: End<'_>) -> Result<(), AppendError> {
        let turn = tokio::select! {
            biased;
            turn = self.turns.acquire() => turn,
            // Nobody's turn comes now: the match stands, and whoever waits is told.
            () = health.until_paused() => return Err(AppendError::Unknown),
        };
        let _turn = turn.map_err(|_| AppendError::Refused)?;
        settle(&self.pool, health.node, epoch, end).await
    }
}

async fn settle(pool: &PgPool, node: NodeId, epoch: i32, end: End<'_>) -> Result<(), AppendError> {
    let setup = end.setup;
    let mut attempt = 1;
    loop {
        let error = match tokio::time::timeout(PATIENCE, once(pool, node, epoch, end)).await {
            Ok(Ok(true)) => {
                if setup.terms.wager.stake().is_some() {
                    metrics::counter!("stakeboard_settlements_total").increment(1);
                }
                return Ok(());
            }
            Ok(Ok(false)) => return Err(AppendError::Refused),
            Ok(Err(error)) => error,
            Err(_) => {
                metrics::counter!("stakeboard_settlement_failures_total").increment(1);
                tracing::warn!(match_id = %setup.id, "a settlement has an unknown outcome: no answer in time");
                return Err(AppendError::Unknown);
            }
        };
        match db::trouble(&error) {
            Trouble::Conflict if attempt < ATTEMPTS => attempt += 1,
            // A rating has changed since it was read.
            Trouble::Fault if attempt < ATTEMPTS && db::constraint(&error) == Some("rating_changes_in_order") => {
                attempt += 1;
            }
            // Another entry stands at this place: the journal knows more than the caller.
            Trouble::Fault if db::constraint(&error).is_some_and(is_place) => return Err(AppendError::Refused),
            _ => {
                // Never forgotten: the actor reads the journal again and settles anew.
                metrics::counter!("stakeboard_settlement_failures_total").increment(1);
                tracing::error!(match_id = %setup.id, %error, "a settlement failed; it will be tried again");
                return Err(AppendError::Unknown);
            }
        }
    }
}

/// Whether a constraint is the key of the journal, in whichever of its partitions.
fn is_place(constraint: &str) -> bool {
    constraint.starts_with("match_events_") && constraint.ends_with("_pkey")
}

/// Two round trips: the ratings are read, and what they become is written with everything else, if they are still
/// the same. An order of the staff is written down in the same transaction.
async fn once(pool: &PgPool, node: NodeId, epoch: i32, end: End<'_>) -> Result<bool, sqlx::Error> {
    let changes = match end.rated() {
        Some(result) => ratings::changes_by(pool, result).await?,
        None => Value::Array(Vec::new()),
    };
    let Some(order) = end.order else { return write(pool, node, epoch, end, &changes).await };
    let mut tx = db::begin(pool).await?;
    let written = write(&mut *tx, node, epoch, end, &changes).await?;
    if written {
        let act = Act {
            actor: Some(order.by),
            subject: Some(format!("match:{}", end.setup.id)),
            reason: Some(&order.reason),
            ..Act::new(Action::MatchVoid)
        };
        audit::record(&mut *tx, act).await?;
    }
    tx.commit().await?;
    Ok(written)
}

async fn write(
    executor: impl PgExecutor<'_>,
    node: NodeId,
    epoch: i32,
    end: End<'_>,
    changes: &Value,
) -> Result<bool, sqlx::Error> {
    let End { setup, entries, outcome, .. } = end;
    let rows = Rows::of(entries.iter().map(|entry| (setup.id, epoch, entry)));
    let winner = outcome.winner.map(|seat| setup.players[seat].id.0);
    let kind = match (outcome.winner, outcome.ending) {
        (Some(_), _) => "win",
        (None, Ending::Void) => "void",
        (None, _) => "draw",
    };
    let (payout, fee) = setup.split(outcome.winner.is_some());
    let totals = outcome.totals;
    let transfers = [TransferId::generate().0, TransferId::generate().0];
    let settled = sqlx::query!(
        "with ended as (
             update matches set
                 status = 'ended', ended_at = $4, winner = $5, ending = $6, first_total = $7, second_total = $8,
                 payout = $9, fee = $10
             -- By its key and no other index, whatever the planner believes of the table.
             where id = $1 and (owner = $2 and epoch = $3 and status = 'live') is true
                 and (select stopped_at is null from nodes where id = $2)
             returning id, game, stake
         ), rows as (
             insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
             select e.id, r.seq, $3, r.kind, r.seat, r.detail, r.first_ms, r.second_ms, r.at
             from ended e, unnest($11::int[], $12::text[], $13::text[], $14::text[], $15::int[], $16::int[],
                                  $17::timestamptz[])
                 as r (seq, kind, seat, detail, first_ms, second_ms, at)
         ), freed as (
             delete from live_stakes using ended where match_id = ended.id
         )
         select case when stake > 0 then settle_stakes(id, $18, $19, $20) end,
                case when stake > 0 then change_ratings(id, game, $4, $21) end
         from ended",
        setup.id.0,
        node.0,
        epoch,
        end.at(),
        outcome.winner.map(Seat::code),
        outcome.ending.code(),
        totals.map(|totals| i16::from(totals.first)),
        totals.map(|totals| i16::from(totals.second)),
        payout.0,
        fee.0,
        &rows.seqs,
        &rows.kinds,
        &rows.seats as _,
        &rows.details as _,
        &rows.first_ms,
        &rows.second_ms,
        &rows.at,
        kind,
        winner,
        &transfers,
        changes
    )
    .fetch_optional(executor)
    .await?;
    Ok(settled.is_some())
}
