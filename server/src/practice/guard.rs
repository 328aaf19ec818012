//! PR-1: our own bot must not play for stakes through a player.

use sqlx::PgPool;
use stakeboard_engine::Game;

use crate::ids::PlayerId;

/// Why practice is closed.
#[derive(Debug, thiserror::Error)]
pub enum GuardError {
    /// The player has a live staked match of the game.
    #[error("the player has a live staked match of this game")]
    PlayingForStakes,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// Refuses while the player has a live staked match of the game.
pub async fn refuse_while_staked(pool: &PgPool, player: PlayerId, game: Game) -> Result<(), GuardError> {
    let playing = sqlx::query_scalar!(
        r#"select exists (
               select from live_stakes l join matches m on m.id = l.match_id where l.player_id = $1 and m.game = $2
           ) as "playing!""#,
        player.0,
        game.code()
    )
    .fetch_one(pool)
    .await?;
    if playing { Err(GuardError::PlayingForStakes) } else { Ok(()) }
}
