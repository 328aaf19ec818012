//! What the staff does: each act is written to the audit log in the transaction that carries it out.

pub mod create;
pub mod payments;
mod players;
pub mod withdrawals;

use sqlx::PgPool;
use tokio_util::task::TaskTracker;

pub use crate::audit;
pub use players::{PlayerActError, PlayerFilter, PlayerLine};

/// Where the staff works. Copies share everything.
#[derive(Clone)]
pub struct Office {
    pool: PgPool,
    tasks: TaskTracker,
}

impl Office {
    /// With everything it needs. Starts nothing. Acts run in `tasks`, to their end also where a request is dropped.
    pub fn new(pool: PgPool, tasks: TaskTracker) -> Self {
        Self { pool, tasks }
    }
}
