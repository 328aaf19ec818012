//! A private Postgres that is started again when it dies.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::{Connection, PrivatePostgres, PrivatePostgresError};

/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// A private Postgres for as long as the server runs: where its postmaster dies it is started again on the same
/// data and socket, and whoever had a connection makes a new one.
#[derive(Debug)]
pub struct KeptPostgres {
    connection: Connection,
    stopping: Arc<AtomicBool>,
    keeper: Option<thread::JoinHandle<()>>,
}

impl KeptPostgres {
    /// Starts it, and a thread that keeps it running.
    pub fn start(folder: &Path) -> Result<Self, PrivatePostgresError> {
        let postgres = PrivatePostgres::start(folder)?;
        let connection = postgres.connection().clone();
        let stopping = Arc::new(AtomicBool::new(false));
        let (folder, told) = (folder.to_owned(), Arc::clone(&stopping));
        let keeper = thread::spawn(move || keep(postgres, &folder, &told));
        Ok(Self { connection, stopping, keeper: Some(keeper) })
    }

    /// How to reach it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for KeptPostgres {
    /// Stops it cleanly.
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::Relaxed);
        if let Some(keeper) = self.keeper.take() {
            keeper.thread().unpark();
            if keeper.join().is_err() {
                tracing::error!("the thread that keeps the private Postgres broke down");
            }
        }
    }
}

fn keep(postgres: PrivatePostgres, folder: &Path, stopping: &AtomicBool) {
    let mut running = Some(postgres);
    while !stopping.load(Ordering::Relaxed) {
        if running.as_ref().is_none_or(PrivatePostgres::has_ended) {
            tracing::error!("the private Postgres has died; it is started again");
            // The lock on the folder goes with the old one.
            drop(running.take());
            match PrivatePostgres::start(folder) {
                Ok(postgres) => running = Some(postgres),
                Err(error) => tracing::error!(%error, "the private Postgres can't be started again yet"),
            }
        }
        thread::park_timeout(LOOK);
    }
    if let Some(postgres) = running {
        postgres.stop();
    }
}
