//! The ledger: double entry, append only. Nothing else in the server writes to its tables.
#![deny(clippy::float_arithmetic)]

mod accounts;

pub use accounts::{open_house, open_player};
