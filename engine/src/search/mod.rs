//! Search: what moves are worth, found by looking ahead. Pure, bounded by nodes, and the same for
//! the same input (C-2): no clock, no dice.
//!
//! A principal variation search with a transposition table and iterative deepening, over
//! `Node`, which each searched game implements on its own rules. Repetition and the limits
//! on quiet moves are judged by those rules too, along the line that is being searched and back
//! into the game that was played. Mū tōrere is not searched but solved
//! ([`Solution`](crate::mu_torere::Solution)).

mod morris;
mod node;
mod oware;
mod root;
mod score;
mod table;
mod tree;

#[cfg(test)]
mod tests;

pub use root::{Analysis, Limits, Valued, analyse};
pub use score::Score;
