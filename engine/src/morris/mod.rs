//! Nine Men's Morris (MM-1 to MM-10): nine pieces each are placed, then moved on 24 points; three
//! in a line take a rival piece. Two options.
//!
//! [`crate::Play`] is the way to play; the types here say what its values hold.

mod board;
mod moves;
mod options;
mod rules;
mod text;

pub(crate) use board::{BOARD, closing, in_mills, take_lowest};
pub use board::{Point, Points, Position};
pub(crate) use moves::removable;
pub use moves::{Effects, Move, Moves, Taken};
pub use options::Options;

pub(crate) use options::{OPTIONS, PRESETS};
pub(crate) use rules::{after_move, before_first_move, judge, legal, play, step};

/// Pieces of each player (MM-1).
pub const PIECES: u8 = 9;

/// Pieces on the board with which a player with an empty hand may fly (MM-4).
pub const FLYING_PIECES: u8 = 3;

/// Occurrences of a position that make a draw (MM-9).
pub const REPETITION_LIMIT: u32 = 3;

/// Consecutive moves of both players without a mill after which the game is drawn (MM-10).
pub const NO_MILL_LIMIT: u32 = 100;
