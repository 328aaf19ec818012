//! The lobby: open seeks, and the pairing of two players.

mod feed;
mod pairing;
mod presence;
mod seeks;

pub use feed::{Feed, LobbyFrame};
pub use pairing::{StakedTerms, Unready, withdraw_all};
pub use seeks::{AcceptError, Accepted, Lobby, LobbySettings, Parts, PostError, Seek, SeekFilter, WithdrawError};
