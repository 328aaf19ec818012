//! Endgame tables: what positions with little left on the board are worth, found by working
//! backwards from the ends. Pure functions; whoever holds a table keeps its bytes.

mod morris;
mod oware;

pub use morris::{MorrisTables, Worth};
pub use oware::{Known, OwareTable};
