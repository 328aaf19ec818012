//! Mū tōrere (MT-1 to MT-5): eight points on a ring around a centre, four pieces each, one empty
//! point, and a loss for whoever cannot move.
//!
//! [`crate::Play`] is the way to play; the types here say what its values hold.

mod board;
mod rules;
mod solver;
mod text;

pub use board::{Effects, Move, Moves, Point, Position};
pub use solver::{Solution, Verdict};

pub(crate) use rules::{after_move, before_first_move, judge, legal, play};

use crate::options::Options as AnyOptions;

/// Pieces of each player (MT-1).
pub const PIECES: u8 = 4;

/// Occurrences of a position that make a draw (MT-5).
pub const REPETITION_LIMIT: u32 = 3;

/// The one ruleset: there is nothing to choose.
pub(crate) const PRESETS: &[(&str, AnyOptions)] = &[("standard", AnyOptions::MuTorere)];
