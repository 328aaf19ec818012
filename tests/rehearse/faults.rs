//! What goes wrong, one at a time.

use std::{
    fmt,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use rand::{Rng as _, rngs::SmallRng};
use sqlx::Connection as _;
use stakeboard_tests::{
    persistent::{ACKNOWLEDGED, UNSERVED},
    play::pick,
};

use crate::{
    pairs::Pairs,
    stage::{LOOK, Stage},
};

/// For so long nobody has to be without service, for all to be over.
const QUIET: Duration = Duration::from_secs(2);
/// A server that stood still for less does not take it for an outage.
const NOTICED: Duration = Duration::from_secs(1);
/// After so long somebody who is not served again is a breach.
const PATIENCE: Duration = Duration::from_mins(1);

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A server is killed with SIGKILL and started again; where there are others, up to five seconds later.
    ServerKilled,
    /// A server is told to stop, and started again.
    ServerRestarted,
    /// A server stands still for up to five seconds, as on a machine without processor time, and goes on.
    ServerPaused,
    /// A server runs every other moment only, for some seconds.
    ServerSlowed,
    /// Postgres stands still for up to five seconds.
    DatabasePaused,
    /// Postgres is killed with SIGKILL and started again.
    DatabaseKilled,
    /// Postgres ends every connection of the servers.
    ConnectionsEnded,
    /// Somebody else has taken every connection that Postgres gives, and the servers' are ended.
    ConnectionsTaken,
    /// The lines of all players are cut.
    LinesCut,
    /// The bus between several servers is killed, and started again up to five seconds later.
    BusKilled,
    /// It stands still for up to five seconds.
    BusPaused,
}

/// With how often each happens beside the others.
const SCRIPT: [(Fault, usize); 11] = [
    (Fault::ServerKilled, 4),
    (Fault::ServerRestarted, 2),
    (Fault::ServerPaused, 2),
    (Fault::ServerSlowed, 1),
    (Fault::DatabasePaused, 2),
    (Fault::DatabaseKilled, 2),
    (Fault::ConnectionsEnded, 1),
    (Fault::ConnectionsTaken, 1),
    (Fault::LinesCut, 2),
    (Fault::BusKilled, 2),
    (Fault::BusPaused, 1),
];

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ServerKilled => "server killed",
            Self::ServerRestarted => "server restarted",
            Self::ServerPaused => "server paused",
            Self::ServerSlowed => "server slowed",
            Self::DatabasePaused => "database paused",
            Self::DatabaseKilled => "database killed",
            Self::ConnectionsEnded => "database connections ended",
            Self::ConnectionsTaken => "database connections taken",
            Self::LinesCut => "lines cut",
            Self::BusKilled => "bus killed",
            Self::BusPaused => "bus paused",
        })
    }
}

/// A fault that happened.
#[derive(Clone, Copy, Debug)]
pub struct Happened {
    /// Which.
    pub fault: Fault,
    /// From when.
    pub began: Instant,
    /// Until when: it was over, but for what the service made of it.
    pub over: Instant,
    /// Whether nobody was served until it was over, nor told so: the only server stood still, for longer than a moment.
    pub silent: bool,
    /// From when every server could commit a move again.
    pub ready: Instant,
    /// From when everybody was served again; nobody can say where it took too long.
    pub recovered: Option<Instant>,
}

impl fmt::Display for Happened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = (self.over - self.began).as_millis();
        write!(f, "{} for {length} ms", self.fault)?;
        match self.recovered {
            Some(at) => write!(f, ", everybody served {} ms after it was over", (at - self.over).as_millis()),
            None => write!(f, ", and not everybody is served a minute later"),
        }
    }
}

/// The next fault of the script.
pub fn draw(stage: &Stage, dice: &mut SmallRng) -> Fault {
    let can_happen = |fault: Fault| stage.bus.is_some() || !matches!(fault, Fault::BusKilled | Fault::BusPaused);
    let script = SCRIPT.into_iter().filter(|(fault, _)| can_happen(*fault));
    let mut at = pick(dice, script.clone().map(|(_, weight)| weight).sum());
    for (fault, weight) in script {
        if at < weight {
            return fault;
        }
        at -= weight;
    }
    unreachable!("the weights add up")
}

/// Lets a fault happen, and waits until everybody is served again.
pub async fn happen(fault: Fault, stage: &mut Stage, pairs: &Pairs, dice: &mut SmallRng) -> Happened {
    let length = Duration::from_millis(300 + dice.next_u64() % 4_700);
    let began = Instant::now();
    let server = pick(dice, stage.servers.len());
    match fault {
        Fault::ServerKilled => {
            stage.servers[server].kill();
            if stage.servers.len() > 1 {
                tokio::time::sleep(length).await;
            }
            stage.servers[server].restart().await;
        }
        Fault::ServerRestarted => {
            stage.servers[server].signal(Signal::SIGTERM);
            stage.servers[server].wait().await;
            stage.servers[server].restart().await;
        }
        Fault::ServerPaused => {
            stage.servers[server].signal(Signal::SIGSTOP);
            tokio::time::sleep(length).await;
            stage.servers[server].signal(Signal::SIGCONT);
        }
        Fault::ServerSlowed => {
            while began.elapsed() < length {
                for (signal, moment) in [(Signal::SIGSTOP, 40), (Signal::SIGCONT, 20)] {
                    stage.servers[server].signal(signal);
                    tokio::time::sleep(Duration::from_millis(moment)).await;
                }
            }
        }
        Fault::DatabasePaused => {
            stage.cluster.freeze();
            tokio::time::sleep(length).await;
            stage.cluster.thaw();
        }
        Fault::DatabaseKilled => {
            stage.cluster.kill();
            stage.cluster.restart().await;
        }
        Fault::ConnectionsEnded => end_connections(stage).await,
        Fault::ConnectionsTaken => take_connections(stage, length).await,
        Fault::LinesCut => pairs.cut_lines(),
        Fault::BusKilled | Fault::BusPaused => fail_bus(fault, stage, length).await,
    }
    let over = Instant::now();
    let (ready, recovered) = tokio::join!(ready_at(stage), served_at(over));
    let silent = fault == Fault::ServerPaused && stage.servers.len() == 1 && over - began > NOTICED;
    Happened { fault, began, over, silent, ready, recovered }
}

async fn ready_at(stage: &Stage) -> Instant {
    stage.until_ready().await;
    Instant::now()
}

/// When the last player who knew that they were not served was served again, once play has gone on; the end of the fault
/// where nobody was left by then. Whoever is told late is waited for: a lease, and some more.
async fn served_at(over: Instant) -> Option<Instant> {
    let moves = ACKNOWLEDGED.load(Ordering::Relaxed);
    let mut last = over;
    while over.elapsed() < PATIENCE {
        let waiting = UNSERVED.load(Ordering::Relaxed) > 0 || ACKNOWLEDGED.load(Ordering::Relaxed) == moves;
        if waiting {
            last = Instant::now();
        } else if last.elapsed() > QUIET {
            return Some(last);
        }
        tokio::time::sleep(LOOK).await;
    }
    None
}

async fn fail_bus(fault: Fault, stage: &mut Stage, length: Duration) {
    let Some(bus) = &mut stage.bus else { return };
    if fault == Fault::BusKilled {
        bus.kill();
        tokio::time::sleep(length).await;
        bus.restart().await;
        return;
    }
    let process = Pid::from_raw(bus.pid().cast_signed());
    kill(process, Signal::SIGSTOP).unwrap();
    tokio::time::sleep(length).await;
    kill(process, Signal::SIGCONT).unwrap();
}

/// Ends all connections of the servers.
async fn end_connections(stage: &Stage) {
    let mut owner = stage.cluster.database().as_owner().await;
    sqlx::query(
        "select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()",
    )
    .execute(&mut owner)
    .await
    .unwrap();
}

/// Takes every connection that there is, ends those of the servers as often as they come back, and lets go after a while.
async fn take_connections(stage: &Stage, length: Duration) {
    let database = stage.cluster.database();
    let options = database.server.clone();
    let began = Instant::now();
    let mut taken = Vec::new();
    end_connections(stage).await;
    while began.elapsed() < length {
        match sqlx::PgConnection::connect_with(&options).await {
            Ok(connection) => taken.push(connection),
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
    for connection in taken {
        let _ = connection.close().await;
    }
}
