//! Counts of move sequences: a check on a move generator that another program can repeat.

use crate::Play;

/// How many sequences of some length there are, and how many of them end the game.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub struct Count {
    /// Sequences of legal moves of exactly that length. A game that ended earlier has none.
    pub sequences: u64,
    /// Those of them whose last move ended the game, by any rule of the board, counts and
    /// repetition included.
    pub ended: u64,
}

/// The number of sequences of exactly `depth` legal moves from the state of `play`; 1 for depth 0.
/// The last moves are counted without being played.
#[must_use]
pub fn perft(play: &Play, depth: u32) -> u64 {
    let mut below = scratch(play, depth.saturating_sub(1));
    sequences(play, depth, &mut below)
}

/// Like [`perft`], with the sequences that end the game. Every last move is played.
///
/// ```
/// use stakeboard_engine::{Game, Play, perft::{Count, count}};
///
/// let play = Play::new(Game::Oware.default_options());
/// assert_eq!(count(&play, 2), Count { sequences: 36, ended: 0 });
/// ```
#[must_use]
pub fn count(play: &Play, depth: u32) -> Count {
    let mut total = Count::default();
    let mut below = scratch(play, depth);
    visit(play, &mut below, &mut |end| {
        total.sequences += 1;
        total.ended += u64::from(end.outcome().is_some());
    });
    total
}

/// Calls `each` with the state after every sequence of exactly `depth` legal moves.
pub fn for_each_end(play: &Play, depth: u32, mut each: impl FnMut(&Play)) {
    visit(play, &mut scratch(play, depth), &mut each);
}

/// One game a level, so that the walk allocates nothing.
fn scratch(play: &Play, levels: u32) -> Vec<Play> {
    (0..levels).map(|_| play.clone()).collect()
}

fn sequences(play: &Play, depth: u32, below: &mut [Play]) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = play.legal_moves();
    let Some((next, below)) = below.split_first_mut() else {
        return moves.len() as u64;
    };
    let mut total = 0;
    for m in moves {
        next.clone_from(play);
        if next.play(m).is_ok() {
            total += sequences(next, depth - 1, below);
        }
    }
    total
}

fn visit(play: &Play, below: &mut [Play], each: &mut impl FnMut(&Play)) {
    let Some((next, below)) = below.split_first_mut() else {
        return each(play);
    };
    for m in play.legal_moves() {
        next.clone_from(play);
        if next.play(m).is_ok() {
            visit(next, below, each);
        }
    }
}
