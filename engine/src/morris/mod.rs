//! Nine Men's Morris (MM-1 to MM-10): nine pieces each are placed, then moved on 24 points; three
//! in a line take a rival piece. Two options.
//!
//! [`crate::Play`] is the way to play; the types here say what its values hold.

mod board;
mod legal;
mod moves;
mod options;
mod points;
mod rules;
mod text;

pub use board::Position;
pub use legal::Moves;
pub use moves::{Effects, Move, Taken};
pub use options::Options;
pub use points::{Point, Points};

pub(crate) use legal::removable;
pub(crate) use options::{OPTIONS, PRESETS};
pub(crate) use points::{BOARD, closing, in_mills, take_lowest};
pub(crate) use rules::{after_move, before_first_move, judge, legal, play, step};

/// Pieces of each player (MM-1).
pub const PIECES: u8 = 9;

/// Pieces on the board with which a player with an empty hand may fly (MM-4).
pub const FLYING_PIECES: u8 = 3;

/// Occurrences of a position that make a draw (MM-9).
pub const REPETITION_LIMIT: u32 = 3;

/// Consecutive moves of both players without a mill after which the game is drawn (MM-10).
pub const NO_MILL_LIMIT: u32 = 100;
