//! Oware (OW-1 to OW-10): two rows of six houses, seeds sown anticlockwise, one option with three
//! settings for the grand slam.
//!
//! [`crate::Play`] is the way to play; the types here say what its values hold.

mod board;
mod capture;
mod options;
mod rules;
mod sow;
mod text;

pub(crate) use board::HOUSES;
pub use board::{House, Move, Moves, Position};
pub use capture::Effects;
pub use options::{GrandSlam, Options};

pub(crate) use options::{OPTIONS, PRESETS};
pub(crate) use rules::{after_move, before_first_move, captured_by, ends_by_slam, judge, legal, outside, play, step};

/// Seeds in play, captured ones included (OW-1, C-7).
pub const SEEDS: u8 = 48;

/// Seeds that win at once (OW-6).
pub const MAJORITY: u8 = 25;

/// Consecutive moves of both players without a capture after which the seeds decide (OW-9).
pub const NO_CAPTURE_LIMIT: u32 = 100;
