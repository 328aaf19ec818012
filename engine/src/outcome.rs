//! How a game ended, and for whom (C-4, C-5).

use std::fmt;
use std::str::FromStr;

use crate::{BySeat, ParseError, Seat};

/// The result of a finished game (C-4).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The player who won; none is a draw, or a void (MA-14).
    pub winner: Option<Seat>,
    /// What brought the end about.
    pub ending: Ending,
    /// What each player holds at the end, in games that count: Oware seeds, after the sharing out
    /// where the ending has one; after an end outside the board, those captured so far (MA-14).
    pub totals: Option<BySeat<u8>>,
}

impl Outcome {
    /// The outcome that totals decide: the larger wins, equal ones draw (OW-7, OW-10).
    pub(crate) fn by_totals(ending: Ending, totals: BySeat<u8>) -> Outcome {
        let winner = match totals.first.cmp(&totals.second) {
            std::cmp::Ordering::Greater => Some(Seat::First),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Less => Some(Seat::Second),
        };
        Outcome { winner, ending, totals: Some(totals) }
    }

    /// A game won without a count.
    pub(crate) fn won(winner: Seat, ending: Ending) -> Outcome {
        Outcome { winner: Some(winner), ending, totals: None }
    }

    /// A game drawn without a count.
    pub(crate) fn drawn(ending: Ending) -> Outcome {
        Outcome { winner: None, ending, totals: None }
    }
}

/// What brought a game to its end (C-4, C-5).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// A player holds 25 seeds or more (OW-6).
    Majority,
    /// Only grand slams were left where they are forbidden, and one was played (OW-5).
    ForcedGrandSlam,
    /// After a grand slam that captures all, the mover's extra move could not feed (OW-5).
    CannotFeed,
    /// The player to move has no legal move, and the seeds decide (OW-7).
    NoMove,
    /// A position occurred for the second time, and the seeds decide (OW-8).
    Repetition,
    /// 100 moves in a row captured nothing, and the seeds decide (OW-9).
    NoCaptureLimit,
    /// Morris: a player with two pieces, board and hand together, has lost (MM-7).
    Reduced,
    /// Mū tōrere, Morris: the player to move has no legal move and loses (MT-4, MM-8).
    Blocked,
    /// Mū tōrere, Morris: a position occurred for the third time, a draw (MT-5, MM-9).
    ThreefoldRepetition,
    /// Morris: 100 moves in a row closed no mill, a draw (MM-10).
    FiftyMoves,
    /// A player gave up (C-5, MA-8).
    Resignation,
    /// A player's time ran out (C-5, MA-4).
    Timeout,
    /// The players agreed on a draw (C-5, MA-7).
    Agreement,
    /// An administrator cancelled the match; nobody wins (C-5, MA-3, MA-14).
    Void,
}

impl Ending {
    /// Every ending: those of the boards in the order in which the rules look for them, then
    /// those outside the board.
    pub const ALL: &'static [Ending] = &[
        Ending::Majority,
        Ending::ForcedGrandSlam,
        Ending::CannotFeed,
        Ending::NoMove,
        Ending::Repetition,
        Ending::NoCaptureLimit,
        Ending::Reduced,
        Ending::Blocked,
        Ending::ThreefoldRepetition,
        Ending::FiftyMoves,
        Ending::Resignation,
        Ending::Timeout,
        Ending::Agreement,
        Ending::Void,
    ];

    /// The endings outside the rules of the board (C-5), possible in every game.
    pub const OUTSIDE: &'static [Ending] = &[Ending::Resignation, Ending::Timeout, Ending::Agreement, Ending::Void];

    /// The stable code, as it appears in records and on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Ending::Majority => "majority",
            Ending::ForcedGrandSlam => "forced_grand_slam",
            Ending::CannotFeed => "cannot_feed",
            Ending::NoMove => "no_move",
            Ending::Repetition => "repetition",
            Ending::NoCaptureLimit => "no_capture_limit",
            Ending::Reduced => "reduced",
            Ending::Blocked => "blocked",
            Ending::ThreefoldRepetition => "threefold_repetition",
            Ending::FiftyMoves => "fifty_moves",
            Ending::Resignation => "resignation",
            Ending::Timeout => "timeout",
            Ending::Agreement => "agreement",
            Ending::Void => "void",
        }
    }

    /// The ending with this [code](Ending::code), if there is one.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Ending> {
        Ending::ALL.iter().copied().find(|e| e.code() == code)
    }

    /// Whether the ending lies outside the rules of the board (C-5).
    #[must_use]
    pub const fn is_outside(self) -> bool {
        match self {
            Ending::Resignation | Ending::Timeout | Ending::Agreement | Ending::Void => true,
            Ending::Majority
            | Ending::ForcedGrandSlam
            | Ending::CannotFeed
            | Ending::NoMove
            | Ending::Repetition
            | Ending::NoCaptureLimit
            | Ending::Reduced
            | Ending::Blocked
            | Ending::ThreefoldRepetition
            | Ending::FiftyMoves => false,
        }
    }

    /// Whether the ending never has a winner: an agreed draw (C-5) and a void (MA-14).
    #[must_use]
    pub const fn is_never_won(self) -> bool {
        matches!(self, Ending::Agreement | Ending::Void)
    }
}

impl fmt::Display for Ending {
    /// Writes the [code](Ending::code).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Ending {
    type Err = ParseError;

    /// Reads a [code](Ending::code).
    ///
    /// # Errors
    /// A text that is no ending's code.
    fn from_str(text: &str) -> Result<Ending, ParseError> {
        Ending::from_code(text).ok_or_else(|| ParseError::at("an ending", "the code of an ending", 0))
    }
}
