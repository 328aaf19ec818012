//! What a position or a move is worth.

use std::fmt;

use crate::Seat;

/// The value of a win at once. A later win is worth a point less for each ply.
pub(super) const WIN: i32 = 30_000;
/// No value is larger, and none whose negative is.
pub(super) const INFINITE: i32 = 32_000;
/// What an endgame table calls won is worth this, and what it is worth otherwise on top.
pub(super) const KNOWN_WIN: i32 = 20_000;
/// Values beyond this are wins, since no line is as long as the difference.
const WON: i32 = 29_000;

/// What a position or a move is worth to a player: a proven win or loss, or an estimate in points
/// of which a seed or, in Nine Men's Morris, a piece makes a hundred. Higher is better.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

impl Score {
    pub(crate) const DRAW: Score = Score(0);

    pub(super) fn new(value: i32) -> Score {
        Score(value)
    }

    /// A forced win `plies` moves of both players from now.
    pub(crate) fn won(plies: u8) -> Score {
        Score(WIN - i32::from(plies))
    }

    /// A forced loss `plies` moves of both players from now.
    pub(crate) fn lost(plies: u8) -> Score {
        Score(i32::from(plies) - WIN)
    }

    /// Whether the search saw a forced win.
    #[must_use]
    pub fn is_won(self) -> bool {
        self.0 > WON
    }

    /// Whether the search saw a forced loss.
    #[must_use]
    pub fn is_lost(self) -> bool {
        self.0 < -WON
    }

    /// Moves of both players until the end, where that is a forced win or loss.
    #[must_use]
    pub fn plies(self) -> Option<u32> {
        (self.is_won() || self.is_lost()).then(|| (WIN - self.0.abs()).unsigned_abs())
    }

    /// The estimate in points; that of a forced win or loss lies beyond 29 000, and beyond 10 000
    /// that of one which an endgame table knows of.
    #[must_use]
    pub fn points(self) -> i32 {
        self.0
    }
}

impl fmt::Display for Score {
    /// Writes points, or `won in 3` and `lost in 4`, counting moves of both players.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.plies() {
            Some(plies) if self.is_won() => write!(f, "won in {plies}"),
            Some(plies) => write!(f, "lost in {plies}"),
            None => write!(f, "{:+}", self.0),
        }
    }
}

/// The value, to `seat`, of a game that is over after `ply` moves.
pub(super) fn of_end(winner: Option<Seat>, seat: Seat, ply: u32) -> i32 {
    let win = WIN - i32::try_from(ply).unwrap_or(WIN);
    match winner {
        None => 0,
        Some(winner) if winner == seat => win,
        Some(_) => -win,
    }
}

/// A value as the table keeps it: wins counted from the position itself, not from the root.
pub(super) fn to_table(value: i32, ply: u32) -> i32 {
    let ply = i32::try_from(ply).unwrap_or(0);
    match value {
        WON.. => value + ply,
        ..=-29_000 => value - ply,
        _ => value,
    }
}

/// The reverse of [`to_table`].
pub(super) fn from_table(value: i32, ply: u32) -> i32 {
    let ply = i32::try_from(ply).unwrap_or(0);
    match value {
        WON.. => value - ply,
        ..=-29_000 => value + ply,
        _ => value,
    }
}
