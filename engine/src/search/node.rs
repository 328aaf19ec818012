//! What the search needs of a game.

use crate::history::{Counts, Step};
use crate::{Outcome, Seat};

/// A position with its options, as a point in the tree of a search.
pub(super) trait Node: Copy {
    /// A move.
    type Move: Copy + PartialEq;
    /// What a move did, where the rules ask for it.
    type Effects;

    /// Different moves that the search keeps statistics of.
    const SLOTS: usize;
    /// How much deeper than the horizon lines of [`Candidate::is_forcing`] moves are followed.
    const FORCING_DEPTH: i32;
    /// Whether a position that comes back within the searched line is worth no more than a draw at
    /// once: a player who goes round once can go round again.
    const REPEATING_DRAWS: bool;
    /// The number of quiet moves that ends the game.
    const QUIET_LIMIT: u32;

    /// The player to move.
    fn to_move(&self) -> Seat;

    /// The whole position as the history keeps it.
    fn key(&self) -> u128;

    /// A hash of the position, kept up move by move in the packed position itself.
    fn hash(&self) -> u64;

    /// Adds the legal moves to a list, and perhaps sorts some of them first.
    fn moves(&self, list: &mut Vec<Candidate<Self::Move>>);

    /// Adds those of them that are forcing.
    fn forcing_moves(&self, list: &mut Vec<Candidate<Self::Move>>);

    /// Plays a legal move.
    fn play(&self, m: Self::Move) -> (Self, Self::Effects, Step);

    /// The end of the game, if the move that led here brought it.
    fn outcome(&self, effects: &Self::Effects, counts: Counts) -> Option<Outcome>;

    /// What the position seems to be worth to the player to move.
    fn evaluate(&self) -> i32;

    /// The slot of a move for statistics, below [`Node::SLOTS`].
    fn slot(m: Self::Move) -> usize;

    /// The move as a number, different for different moves and never `u32::MAX`.
    fn pack(m: Self::Move) -> u32;
}

/// A move that is to be looked at, with a guess of how early.
#[derive(Copy, Clone)]
pub(super) struct Candidate<M> {
    pub(super) m: M,
    pub(super) guess: i32,
    /// It takes something, so that the horizon must not cut it off.
    pub(super) is_forcing: bool,
}

/// Mixes the bits of a packed position.
pub(super) fn mix(key: u128) -> u64 {
    let (low, high) = (lower(key), lower(key >> 64));
    let mixed = low.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ high.wrapping_mul(0xc2b2_ae3d_27d4_eb4f).rotate_left(32);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ mixed >> 32
}

#[expect(clippy::cast_possible_truncation, reason = "cutting off the upper half is the point")]
const fn lower(key: u128) -> u64 {
    key as u64
}
