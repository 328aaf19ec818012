//! A match as clients see it: the snapshot.

use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use stakeboard_engine::{BySeat, Move, Position, Seat};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::MatchId,
    matches::{
        epilogue::REMATCH_LIFETIME,
        events::{ClocksView, OutcomeView, SeatName},
        setup::PlayerRef,
        state::{Rematch, State},
    },
    money::Cents,
};

/// Both players by seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Players {
    /// Makes the opening move.
    pub first: PlayerRef,
    /// The other one.
    pub second: PlayerRef,
}

impl From<BySeat<PlayerRef>> for Players {
    fn from(players: BySeat<PlayerRef>) -> Self {
        Self { first: players.first, second: players.second }
    }
}

/// An open draw offer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OfferView {
    /// Who offered.
    #[schema(value_type = SeatName)]
    pub by: Seat,
    /// Its name, to be given with an answer.
    pub offer: u32,
}

/// A rematch that has been proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RematchView {
    /// Who proposed.
    #[schema(value_type = SeatName)]
    pub by: Seat,
    /// Until when it can be agreed to, unless it is withdrawn before.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub expires_at: OffsetDateTime,
}

/// Who is there at a moment. No part of the record, and of the server that is asked only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AttendanceView {
    /// Whether `first` has a socket open.
    pub first: bool,
    /// Whether `second` has.
    pub second: bool,
    /// How many sockets watch, those of the players included; 0 after the end.
    pub watchers: usize,
}

/// A match at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MatchView {
    /// The match.
    pub id: MatchId,
    /// The game.
    pub game: &'static str,
    /// Its options, each named.
    #[schema(value_type = Object)]
    pub options: Value,
    /// `live` or `ended`.
    pub status: &'static str,
    /// What each player put up.
    pub stake: Cents,
    /// Before the end what the winner would be paid, after it what was paid.
    pub payout: Cents,
    /// Before the end what the house would take, after it what it took.
    pub fee: Cents,
    /// Who plays which seat.
    pub players: Players,
    /// The position in the game's text form.
    #[schema(value_type = String)]
    pub position: Position,
    /// How many moves have been made.
    pub ply: u32,
    /// The place of the last event.
    pub seq: u32,
    /// Who is to move; null after the end.
    #[schema(value_type = Option<SeatName>)]
    pub to_move: Option<Seat>,
    /// What they may play, sorted; empty after the end.
    #[schema(value_type = Vec<String>)]
    pub legal: Vec<Move>,
    /// How often the position has occurred.
    pub occurrences: u32,
    /// Moves without a capture or a mill so far, which end a game that drags on (OW-9, MM-10).
    pub quiet: u32,
    /// Both clocks as of the answer.
    pub clocks: ClocksView,
    /// The open draw offer.
    pub draw_offer: Option<OfferView>,
    /// How the match ended.
    pub outcome: Option<OutcomeView>,
    /// The moves so far, in the game's text form.
    #[schema(value_type = Vec<String>)]
    pub moves: Vec<Move>,
    /// The proposal of a rematch, after the end.
    pub rematch: Option<RematchView>,
    /// The rematch, once it has begun.
    pub next_match: Option<MatchId>,
}

impl MatchView {
    /// The match at an instant of this process, and the same as wall time.
    pub fn new(state: &State, at: Instant, wall: OffsetDateTime) -> Self {
        let setup = state.setup();
        let outcome = state.outcome();
        let decided = outcome.is_none_or(|outcome| outcome.winner.is_some());
        let (payout, fee) = setup.split(decided);
        Self {
            id: setup.id,
            game: state.game().code(),
            options: setup.terms.options.to_json(),
            status: if outcome.is_some() { "ended" } else { "live" },
            stake: setup.terms.wager.cents(),
            payout,
            fee,
            players: setup.players.clone().into(),
            position: *state.play().position(),
            ply: state.play().ply(),
            seq: state.seq(),
            to_move: state.to_move(),
            legal: state.legal(),
            occurrences: state.play().occurrences(),
            quiet: state.play().quiet(),
            clocks: ClocksView::new(state.clocks().shown(at), state.clocks().running(), wall),
            draw_offer: state.offer().map(|offer| OfferView { by: offer.by, offer: offer.seq }),
            outcome: outcome.map(OutcomeView::from),
            moves: state.moves().map(|(_, _, the_move)| the_move).collect(),
            rematch: match state.rematch() {
                Some(Rematch::Proposed { by, at }) if wall < at + REMATCH_LIFETIME => {
                    Some(RematchView { by, expires_at: at + REMATCH_LIFETIME })
                }
                _ => None,
            },
            next_match: match state.rematch() {
                Some(Rematch::Started(next)) => Some(next),
                _ => None,
            },
        }
    }
}
