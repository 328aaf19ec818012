//! One row of the journal, as a value.

use stakeboard_engine::{BySeat, Ending, Game, Move, Seat};
use time::OffsetDateTime;

use crate::ids::MatchId;

/// Something that happened in a match and that clients can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the match: 1 for the first, growing by one.
    pub seq: u32,
    /// What happened.
    pub act: Act,
    /// Both clocks after it, in milliseconds.
    pub clocks: BySeat<u32>,
    /// When.
    pub at: OffsetDateTime,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A move. It declines the rival's open draw offer (MA-7).
    Moved(Seat, Move),
    /// A draw was offered; the entry's `seq` names the offer.
    DrawOffered(Seat),
    /// A draw offer was declined in words.
    DrawDeclined(Seat),
    /// Time was given back to the clock that runs (MA-5).
    ClockCredited(Trouble),
    /// The match ended: who won and by what.
    Ended(Option<Seat>, Ending),
    /// MA-9: a rematch was proposed, and what it will be called.
    RematchProposed(Seat, MatchId),
    /// The proposal was turned down, or taken back, by this player.
    RematchDeclined(Seat),
    /// The rematch has begun.
    RematchStarted(MatchId),
}

/// Whose fault it was that a clock was credited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The server was not running.
    Restart,
    /// The server could not write.
    Outage,
}

impl Trouble {
    /// The stable code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Restart => "restart",
            Self::Outage => "outage",
        }
    }

    fn from_code(code: &str) -> Option<Self> {
        [Self::Restart, Self::Outage].into_iter().find(|trouble| trouble.code() == code)
    }
}

/// A row that no version of this server has written.
#[derive(Debug, thiserror::Error)]
#[error("the journal holds a row that can't be read: kind {kind:?}, seat {seat:?}, detail {detail:?}")]
pub struct UnreadableRow {
    kind: String,
    seat: Option<String>,
    detail: Option<String>,
}

impl Act {
    /// The column `kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Moved(..) => "moved",
            Self::DrawOffered(_) => "draw_offered",
            Self::DrawDeclined(_) => "draw_declined",
            Self::ClockCredited(_) => "clock_credited",
            Self::Ended(..) => "ended",
            Self::RematchProposed(..) => "rematch_proposed",
            Self::RematchDeclined(_) => "rematch_declined",
            Self::RematchStarted(_) => "rematch_started",
        }
    }

    /// The column `seat`.
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Self::Moved(seat, _)
            | Self::DrawOffered(seat)
            | Self::DrawDeclined(seat)
            | Self::RematchProposed(seat, _)
            | Self::RematchDeclined(seat) => Some(*seat),
            Self::ClockCredited(_) | Self::RematchStarted(_) => None,
            Self::Ended(winner, _) => *winner,
        }
    }

    /// The column `detail`.
    pub fn detail(&self) -> Option<String> {
        match self {
            Self::Moved(_, the_move) => Some(the_move.to_string()),
            Self::DrawOffered(_) | Self::DrawDeclined(_) | Self::RematchDeclined(_) => None,
            Self::RematchProposed(_, next) | Self::RematchStarted(next) => Some(next.to_string()),
            Self::ClockCredited(trouble) => Some(trouble.code().to_owned()),
            Self::Ended(_, ending) => Some(ending.code().to_owned()),
        }
    }

    /// Reads the three columns back.
    pub fn from_columns(
        game: Game,
        kind: &str,
        seat: Option<&str>,
        detail: Option<&str>,
    ) -> Result<Self, UnreadableRow> {
        let parsed_seat = seat.and_then(|text| text.parse::<Seat>().ok());
        let act = match (kind, parsed_seat, detail) {
            ("moved", Some(seat), Some(text)) => Move::parse(game, text).ok().map(|it| Self::Moved(seat, it)),
            ("draw_offered", Some(seat), None) => Some(Self::DrawOffered(seat)),
            ("draw_declined", Some(seat), None) => Some(Self::DrawDeclined(seat)),
            ("clock_credited", None, Some(code)) => Trouble::from_code(code).map(Self::ClockCredited),
            ("ended", winner, Some(code)) => Ending::from_code(code).map(|ending| Self::Ended(winner, ending)),
            ("rematch_proposed", Some(seat), Some(next)) => {
                next.parse().ok().map(|next| Self::RematchProposed(seat, next))
            }
            ("rematch_declined", Some(seat), None) => Some(Self::RematchDeclined(seat)),
            ("rematch_started", None, Some(next)) => next.parse().ok().map(Self::RematchStarted),
            _ => None,
        };
        act.ok_or_else(|| UnreadableRow {
            kind: kind.to_owned(),
            seat: seat.map(str::to_owned),
            detail: detail.map(str::to_owned),
        })
    }
}
