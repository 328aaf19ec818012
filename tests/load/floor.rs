//! The second limit: a bare loop of batched inserts, of the same rows into an identical table on the same Postgres.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use time::OffsetDateTime;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::target::Own;

/// As many as the journal has writers.
const WRITERS: usize = 2;

/// Processor time of Postgres for each row, in microseconds, with batches of this size.
pub async fn measure(own: &Own, matches: u32, batch: usize, length: Duration) -> anyhow::Result<f64> {
    let options = own.cluster.database().owner;
    let mut owner = PgConnection::connect_with(&options).await?;
    sqlx::raw_sql("create table floor_events (like match_events including all)").execute(&mut owner).await?;
    let (rows, stopping) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut writers = JoinSet::new();
    for _ in 0..WRITERS {
        let share = usize::try_from(matches)? / WRITERS;
        writers.spawn(write(options.clone(), share.max(1), batch, Arc::clone(&rows), Arc::clone(&stopping)));
    }
    tokio::time::sleep(length / 8).await;
    let postgres = own.postgres();
    let before = (postgres.processor(), rows.load(Ordering::Relaxed));
    tokio::time::sleep(length).await;
    let after = (postgres.processor(), rows.load(Ordering::Relaxed));
    stopping.store(true, Ordering::Relaxed);
    while let Some(written) = writers.join_next().await {
        written??;
    }
    sqlx::raw_sql("drop table floor_events").execute(&mut owner).await?;
    Ok(after.0.saturating_sub(before.0).as_secs_f64() * 1e6 / (after.1 - before.1).max(1) as f64)
}

/// Writes one row of each of so many matches after the other, batch by batch.
async fn write(
    options: PgConnectOptions,
    matches: usize,
    batch: usize,
    rows: Arc<AtomicU64>,
    stopping: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect_with(&options).await?;
    let ids: Vec<Uuid> = (0..matches).map(|_| Uuid::now_v7()).collect();
    let mut next = 0;
    while !stopping.load(Ordering::Relaxed) {
        let places: Vec<usize> = (next..next + batch).collect();
        next += batch;
        let matches: Vec<Uuid> = places.iter().map(|place| ids[place % ids.len()]).collect();
        let seqs: Vec<i32> =
            places.iter().map(|place| i32::try_from(place / ids.len() + 1)).collect::<Result<_, _>>()?;
        sqlx::query(
            "insert into floor_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
             select r.match_id, r.seq, 1, 'moved', 'first', 'C', 600000, 600000, $3
             from unnest($1::uuid[], $2::int[]) as r (match_id, seq)",
        )
        .bind(&matches)
        .bind(&seqs)
        .bind(OffsetDateTime::now_utc())
        .execute(&mut connection)
        .await?;
        rows.fetch_add(batch as u64, Ordering::Relaxed);
    }
    Ok(())
}
