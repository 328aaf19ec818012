//! Mū tōrere solved: what every position is worth with best play, repetition left aside.

use std::sync::LazyLock;

use crate::{BySeat, Seat};

use super::board::{Move, POINTS, Point, Position};
use super::rules::{legal, play};

#[cfg(test)]
mod tests;

/// What a position is worth to the player to move, with best play of both.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The player to move wins.
    Won {
        /// The moves of both players until the rival is blocked, if the winner is quick and the
        /// loser holds out: odd.
        plies: u8,
    },
    /// Neither can force a win.
    Drawn,
    /// The rival wins.
    Lost {
        /// The moves of both players until the player to move is blocked: even, and 0 where that
        /// has happened.
        plies: u8,
    },
}

impl Verdict {
    /// What the move that led to a position of this verdict is worth to whoever made it.
    const fn before(self) -> Verdict {
        match self {
            Verdict::Won { plies } => Verdict::Lost { plies: plies + 1 },
            Verdict::Drawn => Verdict::Drawn,
            Verdict::Lost { plies } => Verdict::Won { plies: plies + 1 },
        }
    }

    /// Orders verdicts: a win before a draw before a loss, quick wins and slow losses first.
    const fn rank(self) -> i32 {
        match self {
            Verdict::Won { plies } => 1000 - plies as i32,
            Verdict::Drawn => 0,
            Verdict::Lost { plies } => plies as i32 - 1000,
        }
    }
}

/// Boards with one given empty point, sides to move included.
const PER_POINT: usize = 512;

/// The verdict on every position, reachable from the start or not.
///
/// Repetition is left aside: a position in which neither can force a win is drawn, by MT-5 in the
/// end. Building it takes well under a millisecond; [`Solution::shared`] builds it once.
pub struct Solution {
    verdicts: Box<[Verdict; POINTS * PER_POINT]>,
}

impl Solution {
    /// Solves the game.
    #[must_use]
    pub fn build() -> Solution {
        let mut verdicts = Box::new([Verdict::Drawn; POINTS * PER_POINT]);
        let mut open = every_position().collect::<Vec<_>>();
        // In round n all that is decided after n plies falls; a round without one is the last,
        // once the blocked positions of round 0 have had their turn.
        loop {
            let decided: Vec<_> = open.iter().filter_map(|&p| Some((p, decided(p, &verdicts)?))).collect();
            if decided.is_empty() {
                return Solution { verdicts };
            }
            for (position, verdict) in decided {
                verdicts[index(position)] = verdict;
            }
            open.retain(|&p| verdicts[index(p)] == Verdict::Drawn);
        }
    }

    /// How many places there are for what is known of positions; some stay empty.
    pub(crate) const PLACES: usize = POINTS * PER_POINT;

    /// The place of a position, different for different positions.
    pub(crate) fn place(position: Position) -> usize {
        index(position)
    }

    /// The solution, built at the first call.
    #[must_use]
    pub fn shared() -> &'static Solution {
        static SHARED: LazyLock<Solution> = LazyLock::new(Solution::build);
        &SHARED
    }

    /// What the position is worth to the player to move.
    #[must_use]
    pub fn verdict(&self, position: Position) -> Verdict {
        self.verdicts[index(position)]
    }

    /// The legal moves, each with what it is worth to the player to move, in the order of their
    /// texts.
    pub fn moves(&self, position: Position) -> impl Iterator<Item = (Move, Verdict)> {
        legal(position).map(move |m| (m, self.verdict(play(position, m).0).before()))
    }

    /// The moves that are best: those that win most quickly, or else keep the draw, or else hold
    /// out longest. Empty only where there is no legal move.
    #[must_use]
    pub fn best_moves(&self, position: Position) -> Vec<Move> {
        let best = self.moves(position).map(|(_, verdict)| verdict.rank()).max();
        let moves = self.moves(position).filter(|(_, verdict)| Some(verdict.rank()) == best);
        moves.map(|(m, _)| m).collect()
    }

    /// The moves of a drawn position that keep it so.
    pub(crate) fn drawn_moves(&self, position: Position) -> impl Iterator<Item = Move> {
        self.moves(position).filter(|&(_, verdict)| verdict == Verdict::Drawn).map(|(m, _)| m)
    }

    /// The moves that give away a position which is not lost: after them the rival can force a
    /// win. None where all is lost anyway (PR-3, PR-5).
    #[must_use]
    pub fn blunders(&self, position: Position) -> Vec<Move> {
        let lost = matches!(self.verdict(position), Verdict::Lost { .. });
        let losing = |verdict| matches!(verdict, Verdict::Lost { .. });
        self.moves(position).filter(|&(_, verdict)| !lost && losing(verdict)).map(|(m, _)| m).collect()
    }
}

/// The verdict on a position, if those on the positions after it decide it.
fn decided(position: Position, verdicts: &[Verdict; POINTS * PER_POINT]) -> Option<Verdict> {
    let after = legal(position).map(|m| verdicts[index(play(position, m).0)].before());
    let best = after.max_by_key(|verdict| verdict.rank()).unwrap_or(Verdict::Lost { plies: 0 });
    // What is drawn so far may be decided in a later round.
    (best != Verdict::Drawn).then_some(best)
}

/// Where a position stands in the table: by its empty point, the pieces of the first player with
/// that point left out, and the player to move.
fn index(position: Position) -> usize {
    let empty = position.empty().place();
    let first = usize::from(position.pieces.first);
    let below = first & ((1 << empty) - 1);
    let above = first >> (empty + 1) << empty;
    (empty * PER_POINT / 2 + (above | below)) * 2 + usize::from(position.to_move == Seat::Second)
}

impl Position {
    /// Every valid position (C-7).
    pub(crate) fn every() -> impl Iterator<Item = Position> {
        every_position()
    }

    /// The position after a legal move.
    pub(crate) fn after(self, m: Move) -> Position {
        play(self, m).0
    }
}

/// Every valid position (C-7).
fn every_position() -> impl Iterator<Item = Position> {
    let boards = (0..1_u16 << POINTS).filter(|first| first.count_ones() == 4);
    let boards = boards.flat_map(|first| {
        let others = Point::ALL.into_iter().filter(move |point| first & point.bit() == 0);
        others.map(move |empty| BySeat::new(first, 0x1ff & !first & !empty.bit()))
    });
    boards.flat_map(|pieces| Seat::ALL.map(|to_move| Position { pieces, to_move }))
}
