//! Endgame tables: what positions with little left on the board are worth, found by working
//! backwards from the ends. Pure functions; whoever holds a table keeps its bytes.

mod morris;
mod oware;

pub use morris::{MorrisTables, Worth};
pub use oware::{Known, OwareTable};

/// The tables that a search may look into. None is needed, and one for another ruleset is left
/// aside.
#[derive(Copy, Clone, Default)]
pub struct Endgames<'t> {
    /// Of Oware, for one setting of grand slams.
    pub oware: Option<&'t OwareTable>,
    /// Of Nine Men's Morris with flying.
    pub morris: Option<&'t MorrisTables>,
}
