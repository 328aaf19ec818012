//! What is fixed when a match begins.

use serde::Serialize;
use stakeboard_engine::{BySeat, Options, Play, Seat};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    ids::{MatchId, PlayerId},
    money::{Cents, Wager},
    players::bots,
};

/// A player as others see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlayerRef {
    /// Who.
    pub id: PlayerId,
    /// What they are called.
    pub display_name: String,
}

/// What two players agree to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The game and its options.
    pub options: Options,
    /// What it is played for.
    pub wager: Wager,
}

/// What is fixed when a match begins.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The match.
    pub id: MatchId,
    /// Game, options and what it is played for.
    pub terms: Terms,
    /// Who plays which seat.
    pub players: BySeat<PlayerRef>,
    /// Each player's time for the whole match, in milliseconds (MA-4).
    pub clock_ms: u32,
    /// When it was committed.
    pub started_at: OffsetDateTime,
}

impl Setup {
    /// The game at its start.
    pub fn play(&self) -> Play {
        Play::new(self.terms.options)
    }

    /// The seat of a player, or `None` for a spectator.
    pub fn seat_of(&self, player: PlayerId) -> Option<Seat> {
        [Seat::First, Seat::Second].into_iter().find(|seat| self.players[*seat].id == player)
    }

    /// Whether one of the two is a bot.
    pub fn is_with_a_bot(&self) -> bool {
        self.players.iter().any(|(_, player)| bots::level_of(player.id).is_some())
    }

    /// What the winner and the house receive: as an outlook before the end, as a fact after it (MA-2, MA-3).
    pub fn split(&self, decided: bool) -> (Cents, Cents) {
        if decided { (self.terms.wager.payout(), self.terms.wager.fee()) } else { (Cents::ZERO, Cents::ZERO) }
    }
}
