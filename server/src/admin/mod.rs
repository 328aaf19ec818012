//! What the staff does: each act is written to the audit log in the transaction that carries it out.

mod adjustments;
pub mod create;
mod freeze;
mod identity;
mod players;
mod switches;
mod void;
pub mod withdrawals;

use std::sync::Arc;

use sqlx::PgPool;
use tokio_util::task::TaskTracker;

pub use crate::audit;
use crate::{auth::Auth, bus::Connections, lobby::Lobby, matches::Matches, money::Cents};
pub use adjustments::{AdjustError, Adjustment, AdjustmentStatus, LARGEST as LARGEST_ADJUSTMENT, NewAdjustment};
pub use freeze::{FreezeError, Frozen, Running};
pub use players::{PlayerActError, PlayerFilter, PlayerLine};
pub use switches::{Stop, Stopped, SwitchError, Switches};
pub use void::VoidError;

/// What an operator can set.
#[derive(Clone, Copy, Debug)]
pub struct OfficeSettings {
    /// The largest adjustment, either way, that one administrator makes alone.
    pub adjust_alone_most: Cents,
}

/// Where the staff works. Acts run in `tasks`, to their end also where a request is dropped. Copies share everything.
#[derive(Clone)]
pub struct Office {
    /// The database.
    pub pool: PgPool,
    /// Whose sessions are ended.
    pub auth: Auth,
    /// Who is told of their wallet.
    pub connections: Arc<Connections>,
    /// Whose seeks are withdrawn.
    pub lobby: Lobby,
    /// Which are voided.
    pub matches: Matches,
    /// Waited for when the server stops.
    pub tasks: TaskTracker,
    /// What an operator can set.
    pub settings: OfficeSettings,
}
