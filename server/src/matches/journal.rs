//! The journal: what happened in every match, in order, committed before it is shown.
//!
//! A few writers, each with a connection of its own. A writer takes whatever has queued up while its last commit
//! ran and writes it in one statement: group commit without an artificial delay. A row guards itself (the owner's
//! lease and epoch, its place), so one match can't spoil the batch for others: what was not returned was not written.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::{Duration, Instant},
};

use sqlx::{PgConnection, PgPool, postgres::PgConnectOptions};
use stakeboard_engine::{BySeat, Game};
use time::OffsetDateTime;
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};
use uuid::Uuid;

use crate::{
    clock::Clock,
    db,
    ids::{MatchId, NodeId},
    matches::{
        Alarm,
        entry::{Act, Entry, UnreadableRow},
    },
};

/// Two commits in flight hide each other's wait for the disk.
const WRITERS: usize = 2;
/// How many rows one statement writes at most.
const BATCH: usize = 128;
/// How many rows wait for a writer before callers wait.
const QUEUE: usize = 1_024;
/// How long a commit may take before its outcome counts as unknown.
const PATIENCE: Duration = Duration::from_secs(2);

/// Why an entry is not known to be written.
#[derive(Debug, thiserror::Error, Clone, Copy, PartialEq, Eq)]
pub enum AppendError {
    /// It was not: this node has no lease, or the match has another owner, has ended, or has another entry at this
    /// place.
    #[error("the entry was refused")]
    Refused,
    /// It may have been: the answer of the database did not arrive.
    #[error("the outcome of the commit is unknown")]
    Unknown,
}

struct Append {
    match_id: MatchId,
    epoch: i32,
    entry: Entry,
    done: oneshot::Sender<Result<(), AppendError>>,
}

/// What of a batch was written.
enum Written {
    All,
    /// Only these places.
    These(Vec<(Uuid, i32)>),
}

impl Written {
    fn has(&self, append: &Append) -> bool {
        match self {
            Self::All => true,
            Self::These(places) => places.contains(&(append.match_id.0, append.entry.seq.cast_signed())),
        }
    }
}

/// The writers of this process.
#[derive(Clone)]
pub struct Journal {
    writers: Arc<[mpsc::Sender<Append>]>,
}

impl Journal {
    /// Starts the writers. They end when the last copy of the journal is dropped.
    pub fn start(options: &PgConnectOptions, node: NodeId, clock: Clock, alarm: &Alarm) -> Self {
        let writers = (0..WRITERS)
            .map(|number| {
                let (sender, queue) = mpsc::channel(QUEUE);
                let (options, alarm) = (options.clone(), alarm.clone());
                let writes =
                    db::Lasting::new("a batch of the journal has an unknown outcome", "the journal is written again");
                let (connection, failing_since) = (None, None);
                let writer = Writer { number, options, node, clock, alarm, connection, failing_since, writes };
                tokio::spawn(writer.run(queue));
                sender
            })
            .collect();
        Self { writers }
    }

    /// Commits one entry of a match. Returns once it is durable, or not known to be.
    pub async fn append(&self, match_id: MatchId, epoch: i32, entry: Entry) -> Result<(), AppendError> {
        let mut hash = DefaultHasher::new();
        match_id.hash(&mut hash);
        let writer = &self.writers[usize::try_from(hash.finish() % WRITERS as u64).unwrap_or(0)];
        let (done, answer) = oneshot::channel();
        writer.send(Append { match_id, epoch, entry, done }).await.map_err(|_| AppendError::Refused)?;
        answer.await.unwrap_or(Err(AppendError::Unknown))
    }
}

struct Writer {
    number: usize,
    options: PgConnectOptions,
    node: NodeId,
    clock: Clock,
    alarm: Alarm,
    connection: Option<PgConnection>,
    /// Since when nothing could be written.
    failing_since: Option<Instant>,
    writes: db::Lasting,
}

impl Writer {
    async fn run(mut self, mut queue: mpsc::Receiver<Append>) {
        let mut batch = Vec::with_capacity(BATCH);
        let waiting = metrics::gauge!("stakeboard_journal_queue_rows", "writer" => self.number.to_string());
        while queue.recv_many(&mut batch, BATCH).await > 0 {
            waiting.set(u32::try_from(queue.len()).unwrap_or(u32::MAX));
            metrics::histogram!("stakeboard_journal_batch_rows").record(u32::try_from(batch.len()).unwrap_or(u32::MAX));
            let began = self.clock.now();
            match timeout(PATIENCE, self.write(&batch)).await {
                Ok(Ok(written)) => {
                    self.failing_since = None;
                    self.writes.tried(&Ok::<_, String>(()));
                    for append in batch.drain(..) {
                        let result = if written.has(&append) { Ok(()) } else { Err(AppendError::Refused) };
                        // An actor that no longer waits reads the journal again when it needs to.
                        let _ = append.done.send(result);
                    }
                }
                failed => {
                    if !matches!(&failed, Ok(Err(error)) if !db::is_unavailable(error)) {
                        self.cannot_write(began);
                    }
                    let error = match failed {
                        Ok(Err(error)) => error.to_string(),
                        _ => format!("no answer in {} ms", PATIENCE.as_millis()),
                    };
                    metrics::counter!("stakeboard_journal_failures_total").increment(1);
                    self.writes.tried(&Err::<(), _>(error));
                    self.connection = None;
                    for append in batch.drain(..) {
                        let _ = append.done.send(Err(AppendError::Unknown));
                    }
                }
            }
        }
    }

    /// Where it is more than one connection that was lost: that other matches have not tried to write is no reason to let
    /// their clocks run.
    fn cannot_write(&mut self, began: Instant) {
        match self.failing_since {
            Some(since) => self.alarm.raise(since),
            None => self.failing_since = Some(began),
        }
    }

    async fn write(&mut self, batch: &[Append]) -> Result<Written, sqlx::Error> {
        let connection = if let Some(connection) = &mut self.connection {
            connection
        } else {
            self.connection.insert(connect(&self.options).await?)
        };
        let rows = Rows::of(batch.iter().map(|append| (append.match_id, append.epoch, &append.entry)));
        let written = sqlx::query!(
            r#"with written as (
                 insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
                 select r.match_id, r.seq, r.epoch, r.kind, r.seat, r.detail, r.first_ms, r.second_ms, r.at
                 from unnest($2::uuid[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[], $9::int[],
                             $10::timestamptz[])
                     as r (match_id, epoch, seq, kind, seat, detail, first_ms, second_ms, at)
                 -- One look into the key of the match for each row. Nothing else is asked of the index: whatever the
                 -- planner believes of the table, it finds no other way to it. The lease is looked at once.
                 where (select owner = $1 and epoch = r.epoch and status = 'live' from matches where id = r.match_id)
                     and (select stopped_at is null from nodes where id = $1)
                 on conflict do nothing
                 returning match_id, seq
             )
             -- Nearly always all of them are written, and none has to be named.
             select count(*) as "count!",
                 case when count(*) < cardinality($2::uuid[]) then (select array_agg(match_id) from written) end as matches,
                 case when count(*) < cardinality($2::uuid[]) then (select array_agg(seq) from written) end as seqs
             from written"#,
            self.node.0,
            &rows.matches,
            &rows.epochs,
            &rows.seqs,
            &rows.kinds,
            &rows.seats as _,
            &rows.details as _,
            &rows.first_ms,
            &rows.second_ms,
            &rows.at
        )
        .fetch_one(connection)
        .await?;
        let is_whole = usize::try_from(written.count) == Ok(batch.len());
        let places = || written.matches.unwrap_or_default().into_iter().zip(written.seqs.unwrap_or_default()).collect();
        Ok(if is_whole { Written::All } else { Written::These(places()) })
    }
}

/// A writer's connection. Its one statement is planned while tables are small, and for good: what reads a few rows in one
/// go then would read millions later, so nothing but keys may be used.
async fn connect(options: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let mut connection = db::connect_one(options).await?;
    sqlx::raw_sql(
        "set application_name = 'stakeboard journal';
         set enable_seqscan = off;
         set plan_cache_mode = force_generic_plan",
    )
    .execute(&mut connection)
    .await?;
    Ok(connection)
}

/// Entries as the columns of an `unnest`.
#[derive(Default)]
pub struct Rows {
    /// `match_id`.
    pub matches: Vec<Uuid>,
    /// The owner's epoch.
    pub epochs: Vec<i32>,
    /// `seq`.
    pub seqs: Vec<i32>,
    /// `kind`.
    pub kinds: Vec<String>,
    /// `seat`.
    pub seats: Vec<Option<String>>,
    /// `detail`.
    pub details: Vec<Option<String>>,
    /// `first_ms`.
    pub first_ms: Vec<i32>,
    /// `second_ms`.
    pub second_ms: Vec<i32>,
    /// `at`.
    pub at: Vec<OffsetDateTime>,
}

impl Rows {
    /// Turns entries into columns.
    pub fn of<'e>(entries: impl Iterator<Item = (MatchId, i32, &'e Entry)>) -> Self {
        let mut rows = Self::default();
        for (match_id, epoch, entry) in entries {
            rows.matches.push(match_id.0);
            rows.epochs.push(epoch);
            rows.seqs.push(entry.seq.cast_signed());
            rows.kinds.push(entry.act.kind().to_owned());
            rows.seats.push(entry.act.seat().map(|seat| seat.code().to_owned()));
            rows.details.push(entry.act.detail());
            rows.first_ms.push(entry.clocks.first.cast_signed());
            rows.second_ms.push(entry.clocks.second.cast_signed());
            rows.at.push(entry.at);
        }
        rows
    }
}

/// Why the journal of a match can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// A row of no known kind.
    #[error(transparent)]
    Unreadable(#[from] UnreadableRow),
}

/// Makes the partitions of this month and the next ones where they are missing.
pub async fn prepare(pool: &PgPool) -> Result<(), sqlx::Error> {
    sqlx::query!("select prepare_journal()").fetch_one(pool).await?;
    Ok(())
}

/// The entries of a match after a `seq`, in order, be they archived or not.
pub async fn read(pool: &PgPool, game: Game, match_id: MatchId, since: u32) -> Result<Vec<Entry>, ReadError> {
    let rows = sqlx::query!(
        r#"select seq as "seq!", kind as "kind!", seat, detail, first_ms as "first_ms!", second_ms as "second_ms!",
                  at as "at!"
           from match_journal where match_id = $1 and seq > $2 order by seq"#,
        match_id.0,
        since.cast_signed()
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Entry {
                seq: row.seq.cast_unsigned(),
                act: Act::from_columns(game, &row.kind, row.seat.as_deref(), row.detail.as_deref())?,
                clocks: BySeat::new(row.first_ms.cast_unsigned(), row.second_ms.cast_unsigned()),
                at: row.at,
            })
        })
        .collect()
}
