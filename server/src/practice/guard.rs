//! Who may not practise: our own bot must not play for stakes through a player (PR-1), and a break means a break (P-3).

use sqlx::PgPool;
use stakeboard_engine::Game;

use crate::{
    ids::PlayerId,
    ledger,
    players::standing::{self, Barred},
};

/// Why practice is closed.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The player has a live staked match of the game.
    #[error("the player has a live staked match of this game")]
    PlayingForStakes,
    /// The player takes a break or is frozen: nothing is played but what is owed.
    #[error("the player takes a break or is frozen")]
    Barred(Barred),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Refuses whoever may not play against a bot now: during a break or a freeze, and while they have a live staked match of
/// the game.
pub async fn refuse_play(pool: &PgPool, player: PlayerId, game: Game) -> Result<(), GuardError> {
    if let Some(barred) = standing::shut_out(pool, player).await? {
        return Err(GuardError::Barred(barred));
    }
    refuse_while_staked(pool, player, game).await
}

/// Refuses while the player has a live staked match of the game.
pub async fn refuse_while_staked(pool: &PgPool, player: PlayerId, game: Game) -> Result<(), GuardError> {
    if ledger::plays_for_a_stake(pool, player, game.code()).await? { Err(GuardError::PlayingForStakes) } else { Ok(()) }
}
