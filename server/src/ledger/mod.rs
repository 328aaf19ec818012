//! The ledger: double entry, append only. Nothing else in the server writes to its tables.
#![deny(clippy::float_arithmetic)]

mod accounts;
mod balances;
mod exposure;
mod queries;
mod transfer;
mod verify;

pub use accounts::{open_house, open_player};
pub use balances::{Holdings, holdings, is_playing, lock_available};
pub use exposure::{deposited_within, loss_at_risk};
pub use queries::{OwnTransfer, own_transfers};
pub use transfer::deposit;
pub use verify::{Check, verify};
