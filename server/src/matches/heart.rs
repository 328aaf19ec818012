//! The heartbeat: proof, twice a second, that this process can write (MA-5), and the lease that lives by it.
//!
//! A lease is a row of `nodes` whose `stopped_at` is null. Whoever finds that the number of a node's beats has not moved
//! for longer than the lease ends it, unless it moves at that moment. A node without a lease commits nothing: every
//! statement that writes to a match asks for it.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::{Duration, Instant},
};

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use crate::{
    clock::Clock,
    db,
    ids::NodeId,
    matches::{
        health::{Alarm, Beating, Health, HealthError, Peers, Sharing},
        membership::{self, Newcomer},
        pulse::Pulse,
    },
};

/// How often the heartbeat is written.
const INTERVAL: Duration = Duration::from_millis(500);
/// How long one may take before the service counts as in trouble.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long this node may not hear itself over the bus before the service counts as in trouble.
const ECHO_PATIENCE: Duration = Duration::from_millis(1_250);
/// After this process stood still, how long matches have to hear of it before the service can be well again.
const TOLD: Duration = Duration::from_millis(100);
/// How long the others may take to find, and to write down, that they hear nothing of themselves either.
const ALONE: Duration = Duration::from_millis(2_250);
/// How long a starting server waits for another one to let go of the database: as long as one that stops may take.
const PREDECESSOR: Duration = Duration::from_secs(10);

/// The advisory lock that says who serves a database, alone or together with others; an arbitrary number, the same in
/// every version.
const SERVING: i64 = 0x7374_616b_6562_6f61;

pub(super) struct Heart {
    node: NodeId,
    clock: Clock,
    options: PgConnectOptions,
    sharing: Sharing,
    connection: Option<PgConnection>,
    paused: watch::Sender<Option<Instant>>,
    beat: watch::Sender<Instant>,
    peers: watch::Sender<Peers>,
    losses: mpsc::Sender<oneshot::Sender<()>>,
    look: Arc<Notify>,
    last: CancellationToken,
    leave: CancellationToken,
    observed: HashMap<NodeId, Observed>,
    /// When it was last seen that nobody hears anything over the bus.
    all_silent: Instant,
    pulse: Arc<Pulse>,
    /// How often this process had stood still when a heartbeat was last tried.
    standstills: u64,
}

/// What was last seen of another node.
struct Observed {
    beats: i64,
    /// When that number was first seen.
    since: Instant,
}

/// A node that holds a lease.
struct Leased {
    id: NodeId,
    beats: i64,
    on_bus: bool,
}

/// What a heartbeat came to.
enum Written {
    /// It stands, and these hold leases.
    Renewed(Vec<Leased>),
    /// This node's lease has ended.
    Lost,
}

impl Heart {
    pub(super) async fn start(
        options: PgConnectOptions,
        clock: Clock,
        node: NodeId,
        sharing: Sharing,
    ) -> Result<(Health, Beating), HealthError> {
        let mut connection = db::connect_one(&options).await?;
        let alone = sharing.echo.is_none();
        let deadline = clock.now() + PREDECESSOR;
        while !take_lock(&mut connection, alone).await? {
            if clock.now() > deadline {
                return Err(HealthError::Taken);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        if alone {
            // The lock says that nobody else lives.
            sqlx::query!("update nodes set stopped_at = clock_timestamp(), silenced = true where stopped_at is null")
                .execute(&mut connection)
                .await?;
        }
        let Sharing { lease, agreement, .. } = &sharing;
        let others = membership::join(&mut connection, &Newcomer { node, clock, lease: *lease, agreement }).await?;
        metrics::gauge!("stakeboard_node_leased").set(1);
        let now = clock.now();
        let (paused, paused_changes) = watch::channel(None);
        let alarm = Alarm(paused.clone());
        let pulse = Pulse::start(clock, alarm.clone());
        let (beat, beats) = watch::channel(now);
        let (peers, peers_changes) = watch::channel(Arc::new(others.into_iter().chain([node]).collect()));
        let (losses, lost) = mpsc::channel(1);
        let (last, leave, look) = (CancellationToken::new(), CancellationToken::new(), Arc::new(Notify::new()));
        let heart = Self {
            node,
            clock,
            options,
            sharing,
            connection: Some(connection),
            paused,
            beat,
            peers,
            losses,
            look: Arc::clone(&look),
            last: last.clone(),
            leave: leave.clone(),
            observed: HashMap::new(),
            all_silent: now,
            pulse: Arc::clone(&pulse),
            standstills: 0,
        };
        let health = Health { node, paused: paused_changes, beat: beats, peers: peers_changes, look, pulse, alarm };
        let (last_written, stopped) = oneshot::channel();
        let task = tokio::spawn(heart.run(last_written));
        Ok((health, Beating { last, stopped, leave, losses: lost, task }))
    }

    async fn run(mut self, last_written: oneshot::Sender<()>) {
        let mut ticks = tokio::time::interval(INTERVAL);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (last, look) = (self.last.clone(), Arc::clone(&self.look));
        loop {
            tokio::select! {
                _ = ticks.tick() => self.attempt().await,
                () = look.notified() => self.attempt().await,
                () = last.cancelled() => break,
            }
        }
        // The last one, so that the time until the next process serves is on nobody's clock.
        self.attempt().await;
        let _ = last_written.send(());
        let leave = self.leave.clone();
        leave.cancelled().await;
        if let Some(mut connection) = self.connection.take() {
            let ended = timeout(PATIENCE, end_lease(&mut connection, self.node)).await;
            if !matches!(ended, Ok(Ok(()))) {
                tracing::warn!("the lease could not be ended; it runs out by itself");
            }
            drop(timeout(PATIENCE, connection.close()).await);
        }
    }

    /// Until when this node certainly served, as far as it can tell itself.
    fn serving_until(&self, now: Instant) -> Instant {
        let Some(echo) = &self.sharing.echo else { return now };
        let until = now.min(*echo.borrow());
        metrics::gauge!("stakeboard_bus_silent_seconds").set(now.saturating_duration_since(until).as_secs_f64());
        until
    }

    async fn attempt(&mut self) {
        if self.has_stood_still() {
            self.standstills = self.pulse.standstills();
            // What it believes of the others is as old as the time for which it stood.
            self.observed.clear();
            tokio::time::sleep(TOLD).await;
        }
        let now = self.clock.now();
        let served = self.serving_until(now);
        // After trouble it is written that there is life, and not that the time before was served: of a process that is
        // killed before its matches have been credited, the next one learns until when clocks are to be charged.
        let until = if self.paused.borrow().is_some() { *self.beat.borrow() } else { served };
        let lag = now.saturating_duration_since(*self.beat.borrow()).saturating_sub(INTERVAL);
        metrics::gauge!("stakeboard_heartbeat_lag_seconds").set(lag.as_secs_f64());
        let is_on_bus = now.saturating_duration_since(served) <= ECHO_PATIENCE;
        match timeout(PATIENCE, self.write(until, is_on_bus)).await {
            Ok(Ok(Written::Renewed(leased))) => {
                let others_are_on_bus = leased.iter().any(|other| other.id != self.node && other.on_bus);
                if is_on_bus {
                    self.serves(until);
                } else {
                    self.pause("the bus is silent");
                    if !others_are_on_bus {
                        self.all_silent = now;
                    }
                    // From when the others were back on: one finds its way back a moment later than another.
                    let alone = now.saturating_duration_since(served.max(self.all_silent));
                    if others_are_on_bus && alone > self.sharing.lease.max(ALONE) {
                        // Players of this node can reach nobody, and those of others can't reach its matches.
                        return self.start_over("this node alone is cut off from the bus").await;
                    }
                }
                self.observe(now, leased).await;
            }
            Ok(Ok(Written::Lost)) => self.start_over("this node was silent for longer than its lease").await,
            failed => {
                // The connection is in an unknown state: the next attempt makes a new one.
                self.connection = None;
                self.observed.clear();
                self.pause(&match failed {
                    Ok(Err(error)) => format!("{:#}", anyhow::Error::from(error)),
                    _ => format!("no answer in {} ms", PATIENCE.as_millis()),
                });
            }
        }
    }

    /// Whether this process stood still since the last attempt.
    fn has_stood_still(&self) -> bool {
        self.pulse.notice();
        self.pulse.standstills() != self.standstills
    }

    /// A heartbeat stands: the service is well, unless this process stood still while it was written.
    fn serves(&self, until: Instant) {
        if self.has_stood_still() {
            return;
        }
        self.beat.send_if_modified(|beat| until > std::mem::replace(beat, until.max(*beat)));
        if self.paused.send_if_modified(|paused| paused.take().is_some()) {
            tracing::info!("the heartbeat is written again; play goes on");
        }
    }

    fn pause(&self, error: &str) {
        let since = *self.beat.borrow();
        if self.paused.send_if_modified(|paused| paused.replace(since).is_none()) {
            let database = db::place(&self.options);
            tracing::error!(error, database, "the heartbeat can't be written; clocks stand");
        }
    }

    async fn connection(&mut self) -> Result<&mut PgConnection, HealthError> {
        if self.connection.is_none() {
            let mut connection = db::connect_one(&self.options).await?;
            if !take_lock(&mut connection, self.sharing.echo.is_none()).await? {
                return Err(HealthError::Taken);
            }
            self.connection = Some(connection);
        }
        self.connection.as_mut().ok_or(HealthError::Taken)
    }

    async fn write(&mut self, until: Instant, is_on_bus: bool) -> Result<Written, HealthError> {
        let (node, at) = (self.node, self.clock.wall_at(until));
        let rows = sqlx::query!(
            r#"with beat as (
                   update nodes set beats = beats + 1, heartbeat_at = greatest(heartbeat_at, $2), on_bus = $3
                   where id = $1 and stopped_at is null
                   returning id
               )
               select n.id as "id: NodeId", n.beats, n.on_bus, exists (select from beat) as "renewed!"
               from nodes n where n.stopped_at is null"#,
            node.0,
            at,
            is_on_bus
        )
        .fetch_all(self.connection().await?)
        .await?;
        if !rows.first().is_some_and(|row| row.renewed) {
            return Ok(Written::Lost);
        }
        let leased = rows.into_iter().map(|row| Leased { id: row.id, beats: row.beats, on_bus: row.on_bus });
        Ok(Written::Renewed(leased.collect()))
    }

    /// Looks whose beats have stood still for longer than the lease, and ends theirs.
    async fn observe(&mut self, now: Instant, leased: Vec<Leased>) {
        let mut live: BTreeSet<NodeId> = leased.iter().map(|node| node.id).collect();
        self.observed.retain(|id, _| live.contains(id));
        let own = self.node;
        for Leased { id, beats, .. } in leased.into_iter().filter(|other| other.id != own) {
            let seen = self.observed.entry(id).or_insert(Observed { beats, since: now });
            if seen.beats != beats {
                *seen = Observed { beats, since: now };
            } else if now.saturating_duration_since(seen.since) > self.sharing.lease {
                match self.end_silent(id, beats).await {
                    Ok(true) => {
                        metrics::counter!("stakeboard_leases_ended_total").increment(1);
                        tracing::warn!(node = %id, "a node was silent for longer than its lease; its matches are taken over");
                        live.remove(&id);
                    }
                    Ok(false) => {}
                    Err(error) => tracing::warn!(node = %id, %error, "the lease of a silent node could not be ended"),
                }
            }
        }
        metrics::gauge!("stakeboard_nodes").set(f64::from(u32::try_from(live.len()).unwrap_or(u32::MAX)));
        self.peers.send_if_modified(|peers| {
            let changed = **peers != live;
            if changed {
                *peers = Arc::new(live);
            }
            changed
        });
    }

    /// Ends the lease of a node, unless it beats at this moment.
    async fn end_silent(&mut self, id: NodeId, beats: i64) -> Result<bool, HealthError> {
        let done = sqlx::query!(
            "update nodes set stopped_at = clock_timestamp(), silenced = true
             where id = $1 and beats = $2 and stopped_at is null",
            id.0,
            beats
        )
        .execute(self.connection().await?)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// The lease has ended, or is ended here: everything is let go of, and a new one is begun once this node can serve.
    async fn start_over(&mut self, why: &str) {
        tracing::error!(why, "this node lets go of all its matches and sockets");
        metrics::counter!("stakeboard_leases_lost_total").increment(1);
        metrics::gauge!("stakeboard_node_leased").set(0);
        self.pause(why);
        if let Some(connection) = &mut self.connection
            && !matches!(timeout(PATIENCE, end_lease(connection, self.node)).await, Ok(Ok(())))
        {
            self.connection = None;
        }
        let (done, released) = oneshot::channel();
        if self.losses.send(done).await.is_err() || released.await.is_err() {
            return;
        }
        self.observed.clear();
        while !self.last.is_cancelled() {
            let now = self.clock.now();
            let until = self.serving_until(now);
            if now.saturating_duration_since(until) <= ECHO_PATIENCE {
                match timeout(PATIENCE, self.begin_again(until)).await {
                    Ok(Ok(())) => {
                        metrics::gauge!("stakeboard_node_leased").set(1);
                        tracing::info!("this node serves again");
                        self.serves(until);
                        // What nobody has taken over is looked for at once.
                        self.peers.send_modify(|_| {});
                        return;
                    }
                    _ => self.connection = None,
                }
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    async fn begin_again(&mut self, until: Instant) -> Result<(), HealthError> {
        let (node, at, agreement) = (self.node, self.clock.wall_at(until), self.sharing.agreement.clone());
        Ok(membership::begin_again(self.connection().await?, node, at, &agreement).await?)
    }
}

async fn end_lease(connection: &mut PgConnection, node: NodeId) -> Result<(), sqlx::Error> {
    sqlx::query!("update nodes set stopped_at = clock_timestamp() where id = $1 and stopped_at is null", node.0)
        .execute(connection)
        .await?;
    Ok(())
}

/// Held by the session: it goes when the process dies, however it dies. Who has a bus shares the database with others
/// who have one.
async fn take_lock(connection: &mut PgConnection, alone: bool) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select case when $2 then pg_try_advisory_lock($1) else pg_try_advisory_lock_shared($1) end as "locked!""#,
        SERVING,
        alone
    )
    .fetch_one(connection)
    .await
}
