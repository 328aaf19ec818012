//! Bots that are players: what anybody can play friendly matches against.

use stakeboard_engine::bot::Level;
use uuid::Uuid;

use crate::ids::PlayerId;

/// The bot of a level. Its row is made by the migration `bots`.
pub const fn of_level(level: Level) -> PlayerId {
    let number = match level {
        Level::Easy => 1,
        Level::Medium => 2,
        Level::Hard => 3,
    };
    PlayerId(Uuid::from_u128(0x019a_c000_0000_7000_8000_0000_0000_0000 + number))
}

/// How well a player plays who is a bot; `None` for everybody else.
pub fn level_of(player: PlayerId) -> Option<Level> {
    Level::ALL.iter().copied().find(|level| of_level(*level) == player)
}
