//! Why a match refuses an act.

use serde::{Deserialize, Serialize};
use stakeboard_engine::{Game, Illegal};

use crate::code::Code;

/// Why a match refuses an act. A refused act has changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// There is no such match.
    NotFound,
    /// Spectators only watch.
    NotAPlayer,
    /// It has ended.
    MatchOver,
    /// The rival is to move.
    NotYourTurn,
    /// The move is for another position; `ply` moves have been made.
    StalePly {
        /// Moves made.
        ply: u32,
    },
    /// The text is no move of this game: why not, in the engine's words.
    UnreadableMove(#[serde(with = "game_by_code")] Game, String),
    /// The rules of the game forbid it.
    #[serde(with = "by_code")]
    Illegal(Illegal),
    /// The rival has no offer open.
    NoOpenOffer,
    /// The offer named is no longer open.
    OfferGone,
    /// The player's own offer is still open.
    OfferOpen,
    /// MA-7: the rival has not moved since the last offer was turned down.
    OfferTooSoon,
    /// PR-1: the rival is a bot, and the player plays this game for a stake.
    PlayingForStakes,
    /// The journal can't be written; the clocks stand.
    Paused,
    /// The server is going down.
    Stopping,
    /// Too many acts wait for this match.
    Overloaded,
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::NotFound => Code::NotFound,
            Self::NotAPlayer => Code::NotAPlayer,
            Self::MatchOver => Code::MatchOver,
            Self::NotYourTurn => Code::NotYourTurn,
            Self::StalePly { .. } => Code::StalePly,
            Self::UnreadableMove(..) => Code::InvalidRequest,
            Self::Illegal(_) => Code::IllegalMove,
            Self::NoOpenOffer => Code::NoOpenOffer,
            Self::OfferGone => Code::OfferGone,
            Self::OfferOpen => Code::OfferOpen,
            Self::OfferTooSoon => Code::OfferTooSoon,
            Self::PlayingForStakes => Code::PlayingForStakes,
            Self::Paused => Code::Paused,
            Self::Stopping => Code::Stopping,
            Self::Overloaded => Code::Overloaded,
        }
    }
}

/// A game, as nodes tell it each other.
mod game_by_code {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};
    use stakeboard_engine::Game;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub fn serialize<S: Serializer>(game: &Game, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(game.code())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Game, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// A reason of the rules, as nodes tell it each other.
mod by_code {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};
    use stakeboard_engine::Illegal;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature is serde's")]
    pub fn serialize<S: Serializer>(illegal: &Illegal, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(illegal.code())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Illegal, D::Error> {
        let code = String::deserialize(deserializer)?;
        let known = Illegal::ALL.iter().copied().find(|illegal| illegal.code() == code);
        known.ok_or_else(|| D::Error::custom("no reason of the rules"))
    }
}
