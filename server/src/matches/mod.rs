//! Matches: one actor owns each live match; the journal is the truth, memory a cache of it.
//!
//! The path of a move: `handle` → `actor` → `state` → the engine → `journal` (or `settle` for the last
//! one) → the watchers.

pub mod actor;
mod aftermath;
pub mod archive;
pub mod clocks;
pub mod entry;
pub mod epilogue;
pub mod events;
mod handle;
pub mod health;
mod heart;
mod journal;
mod lists;
mod membership;
mod pulse;
mod queries;
pub mod receipt;
mod recovery;
mod refusal;
mod registry;
mod remote;
mod settle;
mod setup;
mod start;
pub mod state;
pub mod view;

pub use handle::{Command, DrawAct, Handle, Reply, VoidOrder};
pub use health::{Alarm, Beating, Health, HealthError, Sharing};
pub use journal::{Journal, prepare as prepare_journal};
pub use lists::{MatchLine, MatchResult, MatchSearch, MatchStatus, OwnFilter, own_matches, search};
pub use membership::{differing, forget_nodes};
pub use queries::{LoadError, forget_friendly, load, record, terms};
pub use recovery::{keep_taking_over, recover};
pub use refusal::Refusal;
pub use registry::{Matches, MatchesSettings, Snapshot};
pub use remote::serve as serve_others;
pub use settle::Settlers;
pub use setup::{PlayerRef, Setup, Terms};
pub use start::{Seating, StartError, friendly_of, start};
