//! What the staff does: each act is written to the audit log in the transaction that carries it out.

pub mod create;
mod freeze;
pub mod payments;
mod players;
mod switches;
mod void;
pub mod withdrawals;

use sqlx::PgPool;
use tokio_util::task::TaskTracker;

pub use crate::audit;
use crate::{auth::Auth, lobby::Lobby, matches::Matches};
pub use freeze::{FreezeError, Frozen, Running};
pub use players::{PlayerActError, PlayerFilter, PlayerLine};
pub use switches::{Stop, Stopped, SwitchError, Switches};
pub use void::VoidError;

/// Where the staff works. Copies share everything.
#[derive(Clone)]
pub struct Office {
    pool: PgPool,
    auth: Auth,
    lobby: Lobby,
    matches: Matches,
    tasks: TaskTracker,
}

impl Office {
    /// With everything it needs. Starts nothing. Acts run in `tasks`, to their end also where a request is dropped.
    pub fn new(pool: PgPool, auth: Auth, lobby: Lobby, matches: Matches, tasks: TaskTracker) -> Self {
        Self { pool, auth, lobby, matches, tasks }
    }
}
