//! Closed enums over the games: each value says which game it belongs to, and every match on them
//! is exhaustive, so that the compiler lists what a further game needs.

use std::fmt;
use std::str::FromStr;

use crate::options::{OptionInfo, Options};
use crate::{Ending, Illegal, ParseError, Seat, morris, mu_torere, oware};

/// A game that can be played.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Game {
    /// Mū tōrere (MT-1 to MT-5).
    MuTorere,
    /// Oware with its three settings for the grand slam (OW-1 to OW-10).
    Oware,
    /// Nine Men's Morris with its two options (MM-1 to MM-10).
    Morris,
}

impl Game {
    /// Every game.
    pub const ALL: &'static [Game] = &[Game::MuTorere, Game::Oware, Game::Morris];

    /// The stable code: `mu_torere`, `oware`, `morris`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Game::MuTorere => "mu_torere",
            Game::Oware => "oware",
            Game::Morris => "morris",
        }
    }

    /// The named rulesets of the game, the default one first.
    #[must_use]
    pub const fn presets(self) -> &'static [(&'static str, Options)] {
        match self {
            Game::MuTorere => mu_torere::PRESETS,
            Game::Oware => oware::PRESETS,
            Game::Morris => morris::PRESETS,
        }
    }

    /// The options that hold where nothing is chosen.
    #[must_use]
    pub fn default_options(self) -> Options {
        match self {
            Game::MuTorere => Options::MuTorere,
            Game::Oware => Options::Oware(oware::Options::default()),
            Game::Morris => Options::Morris(morris::Options::default()),
        }
    }

    /// The options that can be chosen, in the order of the record format.
    #[must_use]
    pub const fn options(self) -> &'static [OptionInfo] {
        match self {
            Game::MuTorere => &[],
            Game::Oware => oware::OPTIONS,
            Game::Morris => morris::OPTIONS,
        }
    }

    /// Numbers that the rules fix and that players are shown: `pieces` of each player (MT-1) and
    /// `repetition_limit` (MT-5) in Mū tōrere; `seeds` (OW-1), `majority` (OW-6) and
    /// `no_capture_limit` (OW-9, in moves of both players) in Oware; `pieces` of each player (MM-1),
    /// `flying_pieces` (MM-4), `repetition_limit` (MM-9) and `no_mill_limit` (MM-10, in moves of both
    /// players) in Nine Men's Morris.
    #[must_use]
    pub const fn constants(self) -> &'static [(&'static str, u32)] {
        match self {
            Game::MuTorere => {
                &[("pieces", mu_torere::PIECES as u32), ("repetition_limit", mu_torere::REPETITION_LIMIT)]
            }
            Game::Oware => &[
                ("seeds", oware::SEEDS as u32),
                ("majority", oware::MAJORITY as u32),
                ("no_capture_limit", oware::NO_CAPTURE_LIMIT),
            ],
            Game::Morris => &[
                ("pieces", morris::PIECES as u32),
                ("flying_pieces", morris::FLYING_PIECES as u32),
                ("repetition_limit", morris::REPETITION_LIMIT),
                ("no_mill_limit", morris::NO_MILL_LIMIT),
            ],
        }
    }

    /// The reasons for which a move can be refused, in the order in which they are looked for
    /// (C-3).
    #[must_use]
    pub const fn reasons(self) -> &'static [Illegal] {
        match self {
            Game::MuTorere => &[
                Illegal::GameOver,
                Illegal::NotYourPiece,
                Illegal::TargetNotEmpty,
                Illegal::NotAdjacent,
                Illegal::NoRivalNeighbour,
            ],
            Game::Oware => &[
                Illegal::GameOver,
                Illegal::NotYourHouse,
                Illegal::EmptyHouse,
                Illegal::MustFeed,
                Illegal::GrandSlamForbidden,
            ],
            Game::Morris => &[
                Illegal::GameOver,
                Illegal::NothingInHand,
                Illegal::MustPlace,
                Illegal::NotYourPiece,
                Illegal::PointTaken,
                Illegal::NotAdjacent,
                Illegal::MustTake,
                Illegal::NoMill,
                Illegal::NothingToTake,
                Illegal::ProtectedByMill,
            ],
        }
    }

    /// The endings that the board can bring, in the order in which they are looked for. Those of
    /// [`Ending::OUTSIDE`] are possible besides.
    #[must_use]
    pub const fn endings(self) -> &'static [Ending] {
        match self {
            Game::MuTorere => &[Ending::Blocked, Ending::ThreefoldRepetition],
            Game::Oware => &[
                Ending::Majority,
                Ending::ForcedGrandSlam,
                Ending::CannotFeed,
                Ending::NoMove,
                Ending::Repetition,
                Ending::NoCaptureLimit,
            ],
            Game::Morris => &[Ending::Reduced, Ending::Blocked, Ending::ThreefoldRepetition, Ending::FiftyMoves],
        }
    }
}

impl fmt::Display for Game {
    /// Writes the [code](Game::code).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Game {
    type Err = ParseError;

    /// Reads a [code](Game::code).
    ///
    /// # Errors
    /// A text that is no game's code, with those that are.
    fn from_str(text: &str) -> Result<Game, ParseError> {
        let known = Game::ALL.iter().copied().find(|game| game.code() == text);
        known.ok_or_else(|| {
            let codes: Vec<_> = Game::ALL.iter().map(|game| game.code()).collect();
            ParseError::at("a game", format!("one of {}", codes.join(", ")), 0)
        })
    }
}

/// A position: the board and the player to move, without history (C-6). `Display` writes the
/// game's position text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// A position of Mū tōrere.
    MuTorere(mu_torere::Position),
    /// A position of Oware.
    Oware(oware::Position),
    /// A position of Nine Men's Morris.
    Morris(morris::Position),
}

impl Position {
    /// The position in which a match begins.
    #[must_use]
    pub const fn start(game: Game) -> Position {
        match game {
            Game::MuTorere => Position::MuTorere(mu_torere::Position::START),
            Game::Oware => Position::Oware(oware::Position::START),
            Game::Morris => Position::Morris(morris::Position::START),
        }
    }

    /// Reads the position text of `game`.
    ///
    /// # Errors
    /// A text that is not written as the format says, or whose counts cannot occur (C-7).
    pub fn parse(game: Game, text: &str) -> Result<Position, ParseError> {
        match game {
            Game::MuTorere => mu_torere::Position::parse(text).map(Position::MuTorere),
            Game::Oware => oware::Position::parse(text).map(Position::Oware),
            Game::Morris => morris::Position::parse(text).map(Position::Morris),
        }
    }

    /// The game that this is a position of.
    #[must_use]
    pub const fn game(&self) -> Game {
        match self {
            Position::MuTorere(_) => Game::MuTorere,
            Position::Oware(_) => Game::Oware,
            Position::Morris(_) => Game::Morris,
        }
    }

    /// The player whose turn it is, or would be if the game went on.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        match self {
            Position::MuTorere(position) => position.to_move(),
            Position::Oware(position) => position.to_move(),
            Position::Morris(position) => position.to_move(),
        }
    }

    /// The whole position in a number, different for different positions of one game (C-6).
    pub(crate) fn key(&self) -> u128 {
        match self {
            Position::MuTorere(position) => position.key(),
            Position::Oware(position) => position.key(),
            Position::Morris(position) => position.key(),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::MuTorere(position) => position.fmt(f),
            Position::Oware(position) => position.fmt(f),
            Position::Morris(position) => position.fmt(f),
        }
    }
}

/// A move, legal or not. `Display` writes its text, and moves of one game are ordered by the code
/// points of their texts.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// A move of Mū tōrere.
    MuTorere(mu_torere::Move),
    /// A move of Oware.
    Oware(oware::Move),
    /// A move of Nine Men's Morris.
    Morris(morris::Move),
}

impl Move {
    /// Reads the move text of `game`.
    ///
    /// # Errors
    /// A text that is no move of that game in any position.
    pub fn parse(game: Game, text: &str) -> Result<Move, ParseError> {
        match game {
            Game::MuTorere => mu_torere::Move::parse(text).map(Move::MuTorere),
            Game::Oware => oware::Move::parse(text).map(Move::Oware),
            Game::Morris => morris::Move::parse(text).map(Move::Morris),
        }
    }

    /// The game that this is a move of.
    #[must_use]
    pub const fn game(&self) -> Game {
        match self {
            Move::MuTorere(_) => Game::MuTorere,
            Move::Oware(_) => Game::Oware,
            Move::Morris(_) => Game::Morris,
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::MuTorere(m) => m.fmt(f),
            Move::Oware(m) => m.fmt(f),
            Move::Morris(m) => m.fmt(f),
        }
    }
}

/// Legal moves one after another, sorted by the code points of their texts, without allocation.
#[derive(Clone, Debug)]
pub enum Moves {
    /// Moves of Mū tōrere.
    MuTorere(mu_torere::Moves),
    /// Moves of Oware.
    Oware(oware::Moves),
    /// Moves of Nine Men's Morris.
    Morris(morris::Moves),
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        match self {
            Moves::MuTorere(moves) => moves.next().map(Move::MuTorere),
            Moves::Oware(moves) => moves.next().map(Move::Oware),
            Moves::Morris(moves) => moves.next().map(Move::Morris),
        }
    }

    fn nth(&mut self, n: usize) -> Option<Move> {
        match self {
            Moves::MuTorere(moves) => moves.nth(n).map(Move::MuTorere),
            Moves::Oware(moves) => moves.nth(n).map(Move::Oware),
            Moves::Morris(moves) => moves.nth(n).map(Move::Morris),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match self {
            Moves::MuTorere(moves) => moves.size_hint(),
            Moves::Oware(moves) => moves.size_hint(),
            Moves::Morris(moves) => moves.size_hint(),
        }
    }
}

impl ExactSizeIterator for Moves {}

/// What a move did to the board: enough to animate it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Effects {
    /// What a move of Mū tōrere did.
    MuTorere(mu_torere::Effects),
    /// What a move of Oware did.
    Oware(oware::Effects),
    /// What a move of Nine Men's Morris did.
    Morris(morris::Effects),
}
