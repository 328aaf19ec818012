//! Computer players of three levels, and the one of the Mū tōrere streak.
//!
//! Pure: nodes bound the thinking, and dice are handed in (C-2). A die is a function that gives
//! numbers, all of 64 bits equally likely.

use std::fmt;
use std::str::FromStr;

use crate::endgame::Endgames;
use crate::search::{Analysis, Limits, Score, Valued, analyse};
use crate::{Game, Move, ParseError, Play};

mod streak;
mod torere;

#[cfg(test)]
mod tests;

pub use streak::{gives_forced_win, streak_move};

/// How well a computer player plays.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// Sees captures, mills and blocks of one move, and little more.
    Easy,
    /// Looks a few moves ahead.
    Medium,
    /// Looks as far as its nodes allow.
    Hard,
}

impl Level {
    /// Every level, the weakest first.
    pub const ALL: &'static [Level] = &[Level::Easy, Level::Medium, Level::Hard];

    /// The stable code: `easy`, `medium`, `hard`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
        }
    }
}

impl fmt::Display for Level {
    /// Writes the [code](Level::code).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Level {
    type Err = ParseError;

    /// Reads a [code](Level::code).
    ///
    /// # Errors
    /// A text that is no level's code, with those that are.
    fn from_str(text: &str) -> Result<Level, ParseError> {
        let known = Level::ALL.iter().copied().find(|level| level.code() == text);
        known.ok_or_else(|| ParseError::at("a level", "one of easy, medium, hard", 0))
    }
}

/// How a level thinks in a game that is searched.
struct Manner {
    /// Moves ahead.
    depth: u32,
    /// Nodes at most, beside those that it is given.
    nodes: u64,
    /// A move that loses so many points against the best is not played. One that loses fewer is,
    /// the less often the more it loses.
    tolerance: i32,
}

fn manner(game: Game, level: Level) -> Manner {
    match (game, level) {
        (Game::Oware, Level::Easy) => Manner { depth: 2, nodes: 1_000, tolerance: 150 },
        (Game::Oware, Level::Medium) => Manner { depth: 4, nodes: 10_000, tolerance: 40 },
        (_, Level::Easy) => Manner { depth: 2, nodes: 10_000, tolerance: 80 },
        (_, Level::Medium) => Manner { depth: 3, nodes: 40_000, tolerance: 12 },
        (_, Level::Hard) => Manner { depth: 60, nodes: u64::MAX, tolerance: 0 },
    }
}

/// The move that a computer player makes, without endgame tables: see [`choose_with`].
#[must_use]
pub fn choose(play: &Play, level: Level, nodes: u64, dice: &mut impl FnMut() -> u64) -> Option<Move> {
    choose_with(play, level, nodes, Endgames::default(), dice)
}

/// The move that a computer player makes; none after the end. Only the hard one looks into endgame
/// tables.
///
/// It looks at no more positions than `nodes` (a first look at every move is taken in any case)
/// and throws the dice a number of times that depends on the position. The same game, level, nodes
/// and dice give the same move.
///
/// The lower levels choose at random among the moves that lose little by what they see, which
/// always holds one move and the answer to it: a capture, a mill or a block at hand is seen. Among
/// moves that are equally good any level chooses at random.
#[must_use]
pub fn choose_with(
    play: &Play,
    level: Level,
    nodes: u64,
    endgames: Endgames<'_>,
    dice: &mut impl FnMut() -> u64,
) -> Option<Move> {
    if play.game() == Game::MuTorere {
        return torere::choose(play, level, dice);
    }
    let Manner { depth, nodes: most, tolerance } = manner(play.game(), level);
    let endgames = if level == Level::Hard { endgames } else { Endgames::default() };
    let limits = Limits { nodes: nodes.min(most), depth, every_move: tolerance > 0 };
    let Analysis { moves, .. } = analyse(play, limits, endgames, |moves| shuffle(moves, dice));
    pick(&moves, tolerance, dice)
}

/// Chooses among moves, the best first, of those that lose less than `tolerance`.
fn pick(moves: &[Valued], tolerance: i32, dice: &mut impl FnMut() -> u64) -> Option<Move> {
    let best = moves.first()?;
    let settled = |score: Score| score.is_won() || score.is_lost();
    let weight = |valued: &Valued| {
        let loss = best.score.points() - valued.score.points();
        let left = u64::from(tolerance.saturating_sub(loss).max(0).unsigned_abs());
        left * left
    };
    let total: u64 = moves.iter().map(weight).sum();
    if settled(best.score) || total == 0 {
        return Some(best.m);
    }
    let mut at = below(total, dice);
    for valued in moves {
        let weight = weight(valued);
        if at < weight {
            return Some(valued.m);
        }
        at -= weight;
    }
    Some(best.m)
}

/// A number below `n`, each equally likely as far as 64 bits go.
fn below(n: u64, dice: &mut impl FnMut() -> u64) -> u64 {
    u64::try_from((u128::from(dice()) * u128::from(n)) >> 64).unwrap_or(0)
}

/// One of them at random; none if there is none.
fn any<T: Copy>(of: &[T], dice: &mut impl FnMut() -> u64) -> Option<T> {
    let at = below(of.len() as u64, dice);
    of.get(usize::try_from(at).unwrap_or(0)).copied()
}

/// Puts them in a random order.
fn shuffle<T>(of: &mut [T], dice: &mut impl FnMut() -> u64) {
    for end in (1..of.len()).rev() {
        let at = below(end as u64 + 1, dice);
        of.swap(end, usize::try_from(at).unwrap_or(0));
    }
}
