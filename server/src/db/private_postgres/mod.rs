//! The private Postgres of `cargo run` without `DATABASE_URL`, and of the tests.
//!
//! [`PrivatePostgres::start`] takes a folder and gives back a running cluster that this process
//! alone holds. The cluster is an ordinary, durable one; private is only the way in: a Unix socket
//! in a folder that nobody but its owner may enter, no TCP port, no password.
//!
//! What keeps it safe to kill anything at any moment:
//!
//! - a lock file held for life, so that two servers never share a cluster;
//! - `initdb` works in a folder beside the data and is renamed into place when complete;
//! - the kernel is asked to stop Postgres when the process that started it dies;
//! - a start stops whatever still runs in the data folder, found by where it runs and not by what
//!   a stale pid file says.
//!
//! The parts: `account` (whom Postgres runs as), `binaries` (which programs), `cluster` (the
//! folder and what lies in it), `process` (the running postmaster, and survivors of a crash).
//! Everything here blocks: call it before the runtime starts or on a thread for blocking work.

mod account;
mod binaries;
mod cluster;
mod kept;
mod process;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

pub use self::kept::KeptPostgres;

use self::cluster::Cluster;
use self::process::Postmaster;

/// The superuser that `initdb` makes: owns the schema and runs the migrations.
pub const OWNER: &str = "stakeboard_owner";

/// Names the socket file only, so it can be the same for every cluster.
const PORT: u16 = 5432;

/// Of a start that replays much write-ahead log, or of another process's first start.
const START_LIMIT: Duration = Duration::from_mins(5);

/// A Postgres cluster of this project's own, running, and held by this process alone.
///
/// Dropping it stops Postgres as [`PrivatePostgres::stop`] does.
#[derive(Debug)]
pub struct PrivatePostgres {
    connection: Connection,
    postmaster: Postmaster,
    cluster: Cluster,
    // Last, so that the folder is given up only once nothing runs in it.
    lock: File,
}

/// Where the cluster of a working folder lives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The cluster's folder, for [`PrivatePostgres::start`].
    pub folder: PathBuf,
    /// Not below the working folder, which the user that runs Postgres cannot enter.
    pub moved: bool,
}

/// How to reach a private cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    socket_folder: PathBuf,
}

/// Why there is no private Postgres. Each message says what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum PrivatePostgresError {
    /// Nothing to run.
    #[error(
        "found no Postgres programs on this machine: install the Debian package `postgresql`, \
         name the folder that holds `initdb` and `postgres` in PG_BIN_DIR, or set DATABASE_URL to \
         a running server"
    )]
    NoBinaries,
    /// `PG_BIN_DIR` is wrong.
    #[error(
        "PG_BIN_DIR names {folder}, which does not hold both `initdb` and `postgres`: correct it, \
         or unset it to look in the usual places"
    )]
    NoBinariesInNamedFolder {
        /// What the variable says.
        folder: PathBuf,
    },
    /// The data folder is of a major version that is not installed.
    #[error(
        "the database in {folder} was made by Postgres {data}, but the programs found are of \
         Postgres {binaries}: install the Debian package `postgresql-{data}`, set DATABASE_URL, or \
         move that folder away to start with an empty database"
    )]
    OtherVersion {
        /// The data folder.
        folder: PathBuf,
        /// Major version that made it.
        data: u32,
        /// Highest major version on this machine.
        binaries: u32,
    },
    /// Another process, or another part of this one, holds the folder.
    #[error(
        "another process already runs the private Postgres in {folder}: stop that server first, \
         start this one in another folder, or set DATABASE_URL"
    )]
    AlreadyHeld {
        /// The cluster's folder.
        folder: PathBuf,
    },
    /// Postgres refuses root, and there is nobody to run it as.
    #[error(
        "Postgres does not run as root, and this machine has neither a user `postgres` nor a user \
         `nobody`: run as an ordinary user, or set DATABASE_URL"
    )]
    NoUnprivilegedUser,
    /// The path to the folder is closed to the user that runs Postgres.
    #[error(
        "user {user}, who runs Postgres since root may not, cannot enter {folder}: open every \
         folder on the way with `chmod a+x`, or set DATABASE_URL"
    )]
    NotEnterable {
        /// Whom Postgres runs as.
        user: String,
        /// What is closed to them.
        folder: PathBuf,
    },
    /// The data belongs to somebody else.
    #[error(
        "the database in {folder} belongs to user {owner}, but Postgres would run as {user}: \
         run as the user that made it, or hand it over with `chown -R {user}`"
    )]
    OtherOwner {
        /// The data folder.
        folder: PathBuf,
        /// Whose it is.
        owner: String,
        /// Whom Postgres would run as.
        user: String,
    },
    /// `initdb` gave up.
    #[error("initdb could not make a database in {folder}: {reason}")]
    NotCreated {
        /// The cluster's folder.
        folder: PathBuf,
        /// The last thing it said.
        reason: String,
    },
    /// Postgres ended before it was ready.
    #[error("Postgres ended while starting: {reason} (more in {log})")]
    EndedWhileStarting {
        /// The last thing it logged.
        reason: String,
        /// Its log.
        log: PathBuf,
    },
    /// Postgres, here or in the process that holds the folder, takes too long.
    #[error(
        "Postgres in {folder} was not ready after {} seconds: see postgres.log there",
        START_LIMIT.as_secs()
    )]
    NotReady {
        /// The cluster's folder.
        folder: PathBuf,
    },
    /// Something that runs in the data folder stayed even when killed.
    #[error("could not stop the processes {pids:?} that an earlier run left in {folder}")]
    Survivors {
        /// The data folder.
        folder: PathBuf,
        /// Who they are.
        pids: Vec<u32>,
    },
    /// The operating system said no.
    #[error("could not {action} {path}: {cause}")]
    System {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What it said.
        cause: io::Error,
    },
}

impl PrivatePostgres {
    /// Where the cluster of `working_directory` lives: below it, in `.stakeboard/postgres`; for
    /// root, where the unprivileged user cannot enter it, below `/var/lib/stakeboard`.
    ///
    /// A cluster that was made in either place is found there again, whatever has become of the
    /// permissions since.
    pub fn locate(working_directory: &Path) -> Result<Location, PrivatePostgresError> {
        cluster::locate(working_directory)
    }

    /// Starts the cluster in `folder`, which is created where missing, and returns once it accepts
    /// connections to the database `postgres`.
    pub fn start(folder: &Path) -> Result<Self, PrivatePostgresError> {
        Self::start_with(folder, &[])
    }

    /// Like [`PrivatePostgres::start`], with further settings that override the usual ones.
    pub fn start_with(folder: &Path, settings: &[(&str, &str)]) -> Result<Self, PrivatePostgresError> {
        let cluster = Cluster::open(folder)?;
        let mut lock = cluster.lock()?;
        let binaries = cluster.binaries()?;
        cluster.stop_survivors()?;
        cluster.create_data(&binaries)?;
        let socket_folder = cluster.renew_socket_folder()?;
        let postmaster = cluster.run(&binaries, &socket_folder, settings)?;
        cluster.announce(&mut lock, &socket_folder)?;

        tracing::info!(
            folder = %cluster.folder().display(),
            pid = postmaster.pid(),
            "the private Postgres is ready"
        );
        Ok(Self { connection: Connection { socket_folder }, postmaster, cluster, lock })
    }

    /// How to reach the cluster that another process runs in `folder`, once it is ready; `None`
    /// where nobody holds the folder.
    pub fn held_by_another(folder: &Path) -> Result<Option<Connection>, PrivatePostgresError> {
        let socket_folder = cluster::announced(folder)?;
        Ok(socket_folder.map(|socket_folder| Connection { socket_folder }))
    }

    /// How to reach it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The process that all of Postgres hangs on.
    pub fn postmaster_pid(&self) -> u32 {
        self.postmaster.pid()
    }

    /// Whether the postmaster died without being stopped.
    pub fn has_ended(&self) -> bool {
        self.postmaster.has_ended()
    }

    /// Ends all sessions and stops Postgres cleanly; harder, step by step, where it does not obey.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        self.postmaster.stop();
        // Where the postmaster did not stop but died, its children may have stayed.
        if let Err(error) = self.cluster.stop_survivors() {
            tracing::error!(%error, "the private Postgres is not quite gone");
        }
        self.cluster.withdraw(&self.lock);
    }
}

impl Connection {
    /// Options to connect as `user` to `database`.
    ///
    /// Nothing that decides where and how to connect is left to libpq's variables. Of these only
    /// `PGOPTIONS` still counts, since sqlx has no way to leave it out.
    pub fn options(&self, user: &str, database: &str) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .socket(&self.socket_folder)
            .port(PORT)
            .ssl_mode(PgSslMode::Disable)
            .username(user)
            .database(database)
            .application_name("stakeboard")
    }

    /// The folder of the socket, as `psql --host` takes it.
    pub fn socket_folder(&self) -> &Path {
        &self.socket_folder
    }
}

/// Asks every 5 ms until there is an answer, for about `limit`, which leaves out the time that the
/// asking takes.
fn poll<T>(limit: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    const PAUSE: Duration = Duration::from_millis(5);
    for _ in 0..limit.as_millis() / PAUSE.as_millis() {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        thread::sleep(PAUSE);
    }
    ask()
}

/// Says of an I/O error what was being done, and to what.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PrivatePostgresError {
    move |cause| PrivatePostgresError::System { action, path: path.to_owned(), cause }
}
