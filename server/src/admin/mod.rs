//! What the staff does: each act is written to the audit log in the transaction that carries it out.

mod adjustments;
mod complaints;
pub mod create;
mod freeze;
mod identity;
mod password;
pub mod payments;
mod players;
mod reports;
mod second_factor;
mod switches;
mod void;
pub mod withdrawals;

use std::sync::Arc;

use sqlx::PgPool;
use tokio_util::task::TaskTracker;

pub use crate::audit;
use crate::{auth::Auth, bus::Connections, lobby::Lobby, matches::Matches, money::Cents};
pub use adjustments::{
    AdjustError, Adjustment, AdjustmentKind, AdjustmentStatus, LARGEST as LARGEST_ADJUSTMENT, Move, NewAdjustment,
};
pub use complaints::{ComplainError, Complaint, ComplaintFilter, complain};
pub use freeze::{FreezeError, Frozen, Running};
pub use password::ResetError;
pub use players::{PlayerActError, PlayerFilter, PlayerLine};
pub use switches::{Stop, Stopped, SwitchError, Switches};
pub use void::VoidError;

/// What an operator can set.
#[derive(Clone, Copy, Debug)]
pub struct OfficeSettings {
    /// The largest adjustment, either way, that one administrator makes alone.
    pub adjust_alone_most: Cents,
}

/// Where the staff works. Copies share everything.
#[derive(Clone)]
pub struct Office {
    pool: PgPool,
    auth: Auth,
    connections: Arc<Connections>,
    lobby: Lobby,
    matches: Matches,
    tasks: TaskTracker,
    settings: OfficeSettings,
}

impl Office {
    /// With everything it needs. Starts nothing. Acts run in `tasks`, to their end also where a request is dropped.
    pub fn new(
        settings: OfficeSettings,
        auth: &Auth,
        connections: &Arc<Connections>,
        lobby: &Lobby,
        matches: &Matches,
        tasks: &TaskTracker,
    ) -> Self {
        Self {
            pool: auth.pool().clone(),
            auth: auth.clone(),
            connections: Arc::clone(connections),
            lobby: lobby.clone(),
            matches: matches.clone(),
            tasks: tasks.clone(),
            settings,
        }
    }
}
