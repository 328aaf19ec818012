//! Whether this process serves: what the rest of the server knows of its heartbeat and of its lease (MA-5).
//!
//! While the heartbeat can't be written, and for as long as this process itself stood still, clocks stand. What was
//! written last bounds what is charged to a clock after an outage, and a flag falls only once a later heartbeat than its
//! zero has been written: so nobody loses on time in a moment in which the service was not serving.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use sqlx::postgres::PgConnectOptions;
use tokio::{
    sync::{Notify, mpsc, oneshot, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    agreement::Agreement,
    clock::Clock,
    ids::NodeId,
    matches::{heart::Heart, pulse::Pulse},
};

/// Why the heartbeat can't begin.
#[derive(Debug, thiserror::Error)]
pub enum HealthError {
    /// Another server works on this database, and one of the two has no bus.
    #[error(
        "another server is serving this database; several servers on one database need a bus between them: \
         set STAKEBOARD_BUS for each of them"
    )]
    Taken,
    /// A server that serves the database is set so that the two can't serve together; in what the two differ.
    #[error(
        "servers of one database have to agree, and one that serves it now differs in {0}; what may change while others \
         serve, and in which steps, is in docs/operations.md, Several servers"
    )]
    Differs(String),
    /// The database's own.
    #[error("the heartbeat could not be written")]
    Database(#[from] sqlx::Error),
}

/// How a server shares its database.
#[derive(Clone, Debug)]
pub struct Sharing {
    /// How long a node may be silent before others take its matches.
    pub lease: Duration,
    /// Until when this node has heard itself over the bus; `None` without a bus, where it is alone.
    pub echo: Option<watch::Receiver<Instant>>,
    /// How this server is set, for the others to compare.
    pub agreement: Arc<Agreement>,
}

/// The nodes that hold a lease, this one among them.
pub type Peers = Arc<BTreeSet<NodeId>>;

/// What the rest of the server knows of the heartbeat.
#[derive(Clone, Debug)]
pub struct Health {
    /// This process.
    pub node: NodeId,
    pub(super) paused: watch::Receiver<Option<Instant>>,
    pub(super) beat: watch::Receiver<Instant>,
    pub(super) peers: watch::Receiver<Peers>,
    pub(super) look: Arc<Notify>,
    pub(super) pulse: Arc<Pulse>,
    pub(super) alarm: Alarm,
}

/// What pauses the service until the next heartbeat stands. A match goes on only once an entry of its own is written.
#[derive(Clone, Debug, Default)]
pub struct Alarm(pub(super) watch::Sender<Option<Instant>>);

impl Alarm {
    /// The service is in trouble since then, unless it is already.
    pub fn raise(&self, since: Instant) {
        self.0.send_if_modified(|paused| paused.is_none() && paused.replace(since).is_none());
    }
}

/// The heartbeat as who started it holds it.
pub struct Beating {
    /// A last heartbeat is written: from then on no clock is charged.
    pub last: CancellationToken,
    /// It was.
    pub stopped: oneshot::Receiver<()>,
    /// The lease ends: others take what this node still owns.
    pub leave: CancellationToken,
    /// Each time the lease was lost: everything is to be let go of before the answer.
    pub losses: mpsc::Receiver<oneshot::Sender<()>>,
    /// The task.
    pub task: JoinHandle<()>,
}

impl Health {
    /// Starts the heartbeat of a new process.
    pub async fn start(
        options: PgConnectOptions,
        clock: Clock,
        node: NodeId,
        sharing: Sharing,
    ) -> Result<(Self, Beating), HealthError> {
        Heart::start(options, clock, node, sharing).await
    }

    /// Since when the service can't serve; `None` while it can.
    pub fn paused(&self) -> Option<Instant> {
        *self.paused.borrow()
    }

    /// The same at this very moment, before a clock is charged: also where this process has just woken from standing
    /// still, and nobody has noticed yet.
    pub fn paused_now(&self) -> Option<Instant> {
        self.pulse.notice();
        self.paused()
    }

    /// What others raise who find that something can't be written, however well the heartbeat is.
    pub fn alarm(&self) -> Alarm {
        self.alarm.clone()
    }

    /// Waits for the service to get into trouble.
    pub async fn until_paused(&mut self) {
        while self.paused().is_none() {
            self.pause_changed().await;
        }
    }

    /// Waits for the service to get into trouble or out of it.
    pub async fn pause_changed(&mut self) {
        if self.paused.changed().await.is_err() {
            // The heart stopped for good, with the process: nothing changes any more.
            std::future::pending::<()>().await;
        }
    }

    /// Until when the service was certainly there, as the last heartbeat says.
    pub fn last_beat(&self) -> Instant {
        *self.beat.borrow()
    }

    /// Waits for the next heartbeat.
    pub async fn next_beat(&mut self) {
        if self.beat.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// The nodes that hold a lease, as of the last heartbeat.
    pub fn peers(&self) -> Peers {
        Arc::clone(&self.peers.borrow())
    }

    /// Waits for a node to come or to go.
    pub async fn peers_changed(&mut self) {
        if self.peers.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Something has happened to another node: a heartbeat is written, and all are looked at, now.
    pub fn look_now(&self) {
        self.look.notify_one();
    }
}
