//! Game records: one JSON object a line, the same keys in the same order always.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Ending, Game, Illegal, Move, Options, Outcome, ParseError, Play, Position, Seat};

/// A whole game as it was played, with what the engine found on the way. Serialises as a line of
/// the record format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record {
    /// The game.
    pub game: Game,
    /// The options it was played with.
    pub options: Options,
    /// The position it began with.
    pub start: Position,
    /// The moves, in order.
    pub plies: Vec<Ply>,
    /// How it ended; none while it goes on.
    pub outcome: Option<Outcome>,
}

/// A move in a [`Record`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ply {
    /// The legal moves before it, sorted by code point.
    pub legal: Vec<Move>,
    /// The move itself.
    #[serde(rename = "move")]
    pub played: Move,
    /// The position after the move and its captures, before any sharing out.
    pub after: Position,
}

/// Why a line is no game record.
#[derive(Debug)]
pub enum RecordError {
    /// It is not JSON, or keys are missing or hold another type.
    Json(serde_json::Error),
    /// The game, the options or the starting position cannot be read.
    Heading(ParseError),
    /// The text of a move cannot be read.
    Text {
        /// Which move, counted from 1.
        ply: usize,
        /// What was expected.
        error: ParseError,
    },
    /// A move is illegal.
    Move {
        /// Which move, counted from 1.
        ply: usize,
        /// The move.
        played: Move,
        /// The rule that forbids it.
        reason: Illegal,
    },
    /// A resignation or a timeout does not say who won (C-5).
    NoWinner(Ending),
}

impl Record {
    /// Plays `moves` from `start` and notes what the engine finds.
    ///
    /// # Errors
    /// [`RecordError::Heading`] for a position of another game, [`RecordError::Move`] for the
    /// first illegal move.
    pub fn of(options: Options, start: Position, moves: impl IntoIterator<Item = Move>) -> Result<Record, RecordError> {
        Record::with_game(options, start, moves).map(|(record, _)| record)
    }

    /// Reads a record and replays it. Only the game, the options (the default ones if there are
    /// none), the start and the moves are believed; `legal`, `after` and `outcome` are found anew.
    /// Where the moves do not end the game and the given ending is one outside the board (C-5), it
    /// is kept with its winner, and its totals are found anew (MA-14). Further keys are ignored.
    ///
    /// # Errors
    /// A line that is no record, or whose moves cannot be read or played.
    pub fn read(line: &str) -> Result<Record, RecordError> {
        let given: Given = serde_json::from_str(line).map_err(RecordError::Json)?;
        let (options, start) =
            heading(&given.game, given.options.as_ref(), &given.start).map_err(RecordError::Heading)?;
        let mut moves = Vec::with_capacity(given.plies.len());
        for (at, ply) in given.plies.iter().enumerate() {
            let parsed = Move::parse(options.game(), &ply.played);
            moves.push(parsed.map_err(|error| RecordError::Text { ply: at + 1, error })?);
        }
        let (mut record, play) = Record::with_game(options, start, moves)?;
        if record.outcome.is_none() {
            record.outcome = kept_outcome(&play, given.outcome.as_ref())?;
        }
        Ok(record)
    }

    /// The record, and the game as it stands after the last move.
    fn with_game(
        options: Options,
        start: Position,
        moves: impl IntoIterator<Item = Move>,
    ) -> Result<(Record, Play), RecordError> {
        let mut game = Play::from_position(options, start).map_err(RecordError::Heading)?;
        let mut plies = Vec::new();
        for played in moves {
            let legal = game.legal();
            let ply = plies.len() + 1;
            game.play(played).map_err(|reason| RecordError::Move { ply, played, reason })?;
            let after = *game.position();
            plies.push(Ply { legal, played, after });
        }
        let record = Record { game: options.game(), options, start, plies, outcome: game.outcome() };
        Ok((record, game))
    }
}

/// A move in a position, with the rule that forbids it, if any. Serialises as
/// `{"game":…,"options":…,"position":…,"move":…,"reason":…}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// The game.
    pub game: Game,
    /// The options.
    pub options: Options,
    /// The position, without history; it may be over already (C-7).
    pub position: Position,
    /// The move that was tried.
    #[serde(rename = "move")]
    pub tried: Move,
    /// Why it is illegal; none where it is legal.
    pub reason: Option<Illegal>,
}

impl Judged {
    /// Reads a line with a game, options (the default ones if there are none), a position and a
    /// move, and judges the move. Further keys, a reason among them, are ignored.
    ///
    /// # Errors
    /// A line that is not of that shape, or whose texts cannot be read.
    pub fn read(line: &str) -> Result<Judged, RecordError> {
        let given: GivenMove = serde_json::from_str(line).map_err(RecordError::Json)?;
        let (options, position) =
            heading(&given.game, given.options.as_ref(), &given.position).map_err(RecordError::Heading)?;
        let tried = Move::parse(options.game(), &given.tried).map_err(|error| RecordError::Text { ply: 1, error })?;
        let play = Play::from_position(options, position).map_err(RecordError::Heading)?;
        Ok(Judged { game: options.game(), options, position, tried, reason: play.judge(tried).err() })
    }
}

/// What is read of a line; the rest is not looked at.
#[derive(Deserialize)]
struct Given {
    game: String,
    options: Option<Value>,
    start: String,
    plies: Vec<GivenPly>,
    outcome: Option<Value>,
}

#[derive(Deserialize)]
struct GivenPly {
    #[serde(rename = "move")]
    played: String,
}

#[derive(Deserialize)]
struct GivenMove {
    game: String,
    options: Option<Value>,
    position: String,
    #[serde(rename = "move")]
    tried: String,
}

/// The options and the position that a line begins with.
fn heading(game: &str, options: Option<&Value>, position: &str) -> Result<(Options, Position), ParseError> {
    let game: Game = game.parse()?;
    let options = match options {
        Some(value) => Options::from_json(game, value)?,
        None => game.default_options(),
    };
    Ok((options, Position::parse(game, position)?))
}

/// The given outcome where it is one that the board cannot contradict (C-5), with the engine's
/// totals. Anything else is not believed, so that an unfinished game stays unfinished.
fn kept_outcome(play: &Play, given: Option<&Value>) -> Result<Option<Outcome>, RecordError> {
    let field = |name| given.and_then(|outcome| outcome.get(name)).and_then(Value::as_str);
    let ending = field("ending").and_then(Ending::from_code);
    let Some(ending) = ending.filter(|ending| ending.is_outside()) else {
        return Ok(None);
    };
    let winner: Option<Seat> = field("winner").and_then(|code| code.parse().ok());
    if winner.is_none() && !ending.is_never_won() {
        return Err(RecordError::NoWinner(ending));
    }
    Ok(Some(play.end_outside(ending, winner)))
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Json(error) => write!(f, "not a line of the expected shape: {error}"),
            RecordError::Heading(error) => error.fmt(f),
            RecordError::Text { ply, error } => write!(f, "move {ply}: {error}"),
            RecordError::Move { ply, played, reason } => {
                write!(f, "move {ply}: {played} is illegal: {reason}")
            }
            RecordError::NoWinner(ending) => {
                write!(f, "the outcome says {ending}, expected a winner, first or second")
            }
        }
    }
}

impl Error for RecordError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RecordError::Json(error) => Some(error),
            RecordError::Heading(error) | RecordError::Text { error, .. } => Some(error),
            RecordError::Move { reason, .. } => Some(reason),
            RecordError::NoWinner(_) => None,
        }
    }
}
