//! What watchers of a match are told, as it is sent. Each event is serialised once, however many watch.

use serde::Serialize;
use stakeboard_engine::{BySeat, Effects, Move, Outcome, Position, Seat, oware::House};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::MatchId,
    matches::{Refusal, view::MatchView},
    money::Cents,
};

/// Both clocks at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClocksView {
    /// Milliseconds left to `first`.
    pub first_ms: u32,
    /// Milliseconds left to `second`.
    pub second_ms: u32,
    /// Whose clock runs: `first`, `second`, or null while both stand.
    #[schema(value_type = Option<SeatName>)]
    pub running: Option<Seat>,
    /// The server's time that this is as of.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub at: OffsetDateTime,
}

impl ClocksView {
    /// Clocks as of a time.
    pub fn new(shown: BySeat<u32>, running: Option<Seat>, at: OffsetDateTime) -> Self {
        Self { first_ms: shown.first, second_ms: shown.second, running, at }
    }
}

/// A seat by its name in the interface.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum SeatName {
    /// Made the opening move.
    First,
    /// The other one.
    Second,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OutcomeView {
    /// Who won; null for a draw and for a void.
    #[schema(value_type = Option<SeatName>)]
    pub winner: Option<Seat>,
    /// The stable code of the ending.
    pub ending: &'static str,
    /// Seeds of `first`, in the Oware family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<u8>,
    /// Seeds of `second`, in the Oware family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<u8>,
}

impl From<Outcome> for OutcomeView {
    fn from(outcome: Outcome) -> Self {
        Self {
            winner: outcome.winner,
            ending: outcome.ending.code(),
            first: outcome.totals.map(|totals| totals.first),
            second: outcome.totals.map(|totals| totals.second),
        }
    }
}

/// Seeds taken from one house.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CapturedHouse {
    /// The house.
    pub house: char,
    /// How many seeds it held.
    pub seeds: u8,
}

/// What a client calls its request: the answer repeats it.
#[derive(ToSchema)]
#[serde(untagged)]
pub enum RequestName {
    /// A number.
    Number(f64),
    /// A text of at most 64 characters.
    Text(String),
}

/// What happened in a match. `seq` grows by one from event to event of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A move was made. It declines the rival's open draw offer.
    Moved {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// The number of the move: 1 for the first.
        ply: u32,
        /// Who moved.
        #[schema(value_type = SeatName)]
        by: Seat,
        /// The move in the game's text form.
        #[serde(rename = "move")]
        #[schema(value_type = String)]
        text: Move,
        /// The position after it.
        #[schema(value_type = String)]
        position: Position,
        /// Who is to move now; null after the end.
        #[schema(value_type = Option<SeatName>)]
        to_move: Option<Seat>,
        /// What they may play, sorted; empty after the end.
        #[schema(value_type = Vec<String>)]
        legal: Vec<Move>,
        /// How often the position has occurred.
        occurrences: u32,
        /// Moves without a capture or a mill so far, which end a game that drags on (OW-9, MM-10).
        quiet: u32,
        /// Clocks after the move.
        clocks: ClocksView,
        /// Houses sown, in order (Oware family).
        #[serde(skip_serializing_if = "Option::is_none")]
        sown: Option<Vec<char>>,
        /// Houses emptied by the capture, in order (Oware family).
        #[serde(skip_serializing_if = "Option::is_none")]
        captured: Option<Vec<CapturedHouse>>,
        /// Points of the lines that the move closed (Nine Men's Morris).
        #[serde(skip_serializing_if = "Option::is_none")]
        mill: Option<Vec<String>>,
        /// Points whose pieces were taken, in order (Nine Men's Morris).
        #[serde(skip_serializing_if = "Option::is_none")]
        taken: Option<Vec<String>>,
    },
    /// A draw was offered; `seq` is the offer's name.
    DrawOffered {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// Who offered.
        #[schema(value_type = SeatName)]
        by: Seat,
    },
    /// The offer was declined.
    DrawDeclined {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// Who declined.
        #[schema(value_type = SeatName)]
        by: Seat,
    },
    /// The service was in trouble; the time it took is given back.
    ClockCredited {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// Milliseconds left to `first` after the credit.
        first_ms: u32,
        /// Milliseconds left to `second` after the credit.
        second_ms: u32,
        /// `restart` or `outage`.
        reason: &'static str,
        /// The same as of a time, with whose clock runs on.
        clocks: ClocksView,
    },
    /// The match ended.
    Ended {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// Who won and how.
        outcome: OutcomeView,
        /// What the winner was paid; 0 in a draw or void, where each stake went back.
        payout: Cents,
        /// What the house took.
        fee: Cents,
        /// Clocks at the end.
        clocks: ClocksView,
    },
    /// MA-9: a rematch was proposed. It stays open for a minute.
    RematchProposed {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// Who proposed.
        #[schema(value_type = SeatName)]
        by: Seat,
    },
    /// The proposal was turned down, or taken back.
    RematchDeclined {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// Who declined.
        #[schema(value_type = SeatName)]
        by: Seat,
    },
    /// The rematch has begun.
    RematchStarted {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// The place of the event.
        seq: u32,
        /// The match that it is.
        next_match: MatchId,
    },
}

impl Event {
    /// The place of the event in its match.
    pub fn seq(&self) -> u32 {
        match self {
            Self::Moved { seq, .. }
            | Self::DrawOffered { seq, .. }
            | Self::DrawDeclined { seq, .. }
            | Self::ClockCredited { seq, .. }
            | Self::Ended { seq, .. }
            | Self::RematchProposed { seq, .. }
            | Self::RematchDeclined { seq, .. }
            | Self::RematchStarted { seq, .. } => *seq,
        }
    }
}

/// What a move did, in the form that events carry. What a game does not have is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EffectsView {
    /// Houses sown, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sown: Option<Vec<char>>,
    /// Houses emptied by the capture, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured: Option<Vec<CapturedHouse>>,
    /// Points of the lines that the move closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mill: Option<Vec<String>>,
    /// Points whose pieces were taken, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<Vec<String>>,
}

impl From<Effects> for EffectsView {
    fn from(effects: Effects) -> Self {
        match effects {
            Effects::MuTorere(_) => Self::default(),
            Effects::Oware(effects) => {
                let captured = effects.captured().map(|(house, seeds)| CapturedHouse { house: house.letter(), seeds });
                Self {
                    sown: Some(effects.sown().map(House::letter).collect()),
                    captured: Some(captured.collect()),
                    ..Self::default()
                }
            }
            Effects::Morris(effects) => Self {
                mill: Some(effects.mill().map(|point| point.to_string()).collect()),
                taken: Some(effects.taken().map(|point| point.to_string()).collect()),
                ..Self::default()
            },
        }
    }
}

/// News of a match that is no part of its record, and so has no `seq`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Notice {
    /// A player came or went.
    Presence {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// Which player.
        #[schema(value_type = SeatName)]
        seat: Seat,
        /// Whether they have a socket open.
        online: bool,
    },
    /// The service can't write: clocks stand, nobody loses time.
    Paused {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// Clocks as they stand.
        clocks: ClocksView,
    },
    /// Play goes on.
    Resumed {
        /// The match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// Clocks as they go on.
        clocks: ClocksView,
    },
}

/// The answer to `watch`: a snapshot; live events follow.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct MatchFrame {
    /// `match`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The client's own name for its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RequestName>)]
    pub id: Option<serde_json::Value>,
    /// The match.
    #[serde(rename = "match")]
    pub snapshot: MatchView,
}

/// The answer to `watch` with `since`: everything that came after it; live events follow.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventsFrame {
    /// `events`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The client's own name for its request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<RequestName>)]
    pub id: Option<serde_json::Value>,
    /// The match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The `seq` of the first event that can be in `events`: one after `since`.
    pub from: u32,
    /// The `seq` of the last event so far.
    pub to: u32,
    /// The events from `from` to `to`, in order, as they were when they happened.
    pub events: Vec<Event>,
}

/// An `error` frame for a request about a match that could not be served.
#[derive(Serialize)]
pub(super) struct RefusedFrame {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<serde_json::Value>,
    code: &'static str,
}

impl RefusedFrame {
    pub(super) fn new(id: Option<serde_json::Value>, refusal: &Refusal) -> Self {
        Self { kind: "error", id, code: refusal.code().as_str() }
    }
}
