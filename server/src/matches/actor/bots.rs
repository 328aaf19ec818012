//! PR-1 in a friendly match against a bot: closed to who plays the same game for a stake, so that it tells them no move.

use sqlx::PgPool;

use crate::{
    ids::PlayerId,
    ledger,
    matches::{Command, Refusal, Setup},
    players::bots,
};

/// Why an act in such a match is refused now. Giving up is always possible. Asked of the database for each act: these
/// matches are few, and no other match pays for it.
pub async fn closed(pool: &PgPool, setup: &Setup, player: PlayerId, command: &Command) -> Option<Refusal> {
    if *command == Command::Resign || bots::level_of(player).is_some() {
        return None;
    }
    match ledger::plays_for_a_stake(pool, player, setup.terms.options.game().code()).await {
        Ok(true) => Some(Refusal::PlayingForStakes),
        Ok(false) => None,
        Err(_) => Some(Refusal::Paused),
    }
}
