//! The heartbeat: proof, twice a second, that this process can write (MA-5).
//!
//! While it can't be written, clocks stand. What was written last bounds what is charged to a clock after an
//! outage, and a flag falls only once a later heartbeat than its zero has been written: so nobody loses on time
//! in a moment in which the service was not serving.

use std::time::{Duration, Instant};

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use time::OffsetDateTime;
use tokio::{sync::watch, time::timeout};
use tokio_util::sync::CancellationToken;

use crate::{clock::Clock, db, ids::NodeId};

/// How often the heartbeat is written.
const INTERVAL: Duration = Duration::from_millis(500);
/// How long one may take before the service counts as in trouble.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long a starting server waits for another one to let go of the database: as long as one that stops may take.
const PREDECESSOR: Duration = Duration::from_secs(10);

/// The advisory lock that says which process serves a database; an arbitrary number, the same in every version.
const SERVING: i64 = 0x7374_616b_6562_6f61;

/// Why the heartbeat can't begin.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// Another server works on this database.
    #[error("another server is serving this database; one database has one server at a time")]
    Taken,
    /// The database's own.
    #[error("the heartbeat could not be written")]
    Database(#[from] sqlx::Error),
}

/// What the rest of the server knows of the heartbeat.
#[derive(Clone, Debug)]
pub struct Health {
    /// This process.
    pub node: NodeId,
    paused: watch::Receiver<Option<Instant>>,
    beat: watch::Receiver<Instant>,
}

impl Health {
    /// Starts the heartbeat of a new process. The task ends when `stop` is cancelled, after a last beat.
    pub async fn start(
        options: PgConnectOptions,
        clock: Clock,
        stop: CancellationToken,
    ) -> Result<(Self, tokio::task::JoinHandle<()>), HealthError> {
        let node = NodeId::generate();
        let mut connection = db::connect_one(&options).await?;
        let deadline = clock.now() + PREDECESSOR;
        while !take_lock(&mut connection).await? {
            if clock.now() > deadline {
                return Err(HealthError::Taken);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let now = clock.now();
        sqlx::query!(
            "insert into nodes (id, started_at, heartbeat_at) values ($1, $2, $2)",
            node.0,
            clock.wall_at(now)
        )
        .execute(&mut connection)
        .await?;
        let (paused_sender, paused) = watch::channel(None);
        let (beat_sender, beat) = watch::channel(now);
        let heart =
            Heart { node, clock, options, connection: Some(connection), paused: paused_sender, beat: beat_sender };
        Ok((Self { node, paused, beat }, tokio::spawn(heart.run(stop))))
    }

    /// Since when the service can't write; `None` while it can.
    pub fn paused(&self) -> Option<Instant> {
        *self.paused.borrow()
    }

    /// Waits for the service to get into trouble or out of it.
    pub async fn pause_changed(&mut self) {
        if self.paused.changed().await.is_err() {
            // The heart stopped for good, with the process: nothing changes any more.
            std::future::pending::<()>().await;
        }
    }

    /// The instant of the last heartbeat that was written.
    pub fn last_beat(&self) -> Instant {
        *self.beat.borrow()
    }

    /// Waits for the next heartbeat.
    pub async fn next_beat(&mut self) {
        if self.beat.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

struct Heart {
    node: NodeId,
    clock: Clock,
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    paused: watch::Sender<Option<Instant>>,
    beat: watch::Sender<Instant>,
}

impl Heart {
    async fn run(mut self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = ticks.tick() => self.attempt().await,
                () = stop.cancelled() => break,
            }
        }
        // The last one, so that the time until the next process serves is on nobody's clock.
        self.attempt().await;
        if let Some(connection) = self.connection.take() {
            drop(timeout(PATIENCE, connection.close()).await);
        }
    }

    async fn attempt(&mut self) {
        let now = self.clock.now();
        let lag = now.saturating_duration_since(*self.beat.borrow()).saturating_sub(INTERVAL);
        metrics::gauge!("stakeboard_heartbeat_lag_seconds").set(lag.as_secs_f64());
        match timeout(PATIENCE, self.write(self.clock.wall_at(now))).await {
            Ok(Ok(())) => {
                self.beat.send_replace(now);
                if self.paused.send_if_modified(|paused| paused.take().is_some()) {
                    tracing::info!("the heartbeat is written again; play goes on");
                }
            }
            failed => {
                // The connection is in an unknown state: the next attempt makes a new one.
                self.connection = None;
                let since = *self.beat.borrow();
                let first = self.paused.send_if_modified(|paused| paused.replace(since).is_none());
                if first {
                    let error = match failed {
                        Ok(Err(error)) => error.to_string(),
                        _ => format!("no answer in {} ms", PATIENCE.as_millis()),
                    };
                    tracing::error!(error, "the heartbeat can't be written; clocks stand");
                }
            }
        }
    }

    async fn write(&mut self, at: OffsetDateTime) -> Result<(), HealthError> {
        let connection = if let Some(connection) = &mut self.connection {
            connection
        } else {
            let mut connection = db::connect_one(&self.options).await?;
            if !take_lock(&mut connection).await? {
                return Err(HealthError::Taken);
            }
            self.connection.insert(connection)
        };
        sqlx::query!("update nodes set heartbeat_at = $2 where id = $1", self.node.0, at).execute(connection).await?;
        Ok(())
    }
}

/// Held by the session: it goes when the process dies, however it dies.
async fn take_lock(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "locked!""#, SERVING).fetch_one(connection).await
}
