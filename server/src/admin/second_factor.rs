//! Who of the players has lost their second factor is let in again without it.

use crate::{
    admin::{Office, PlayerActError},
    audit::{self, Act, Action},
    auth::{second_factor, sessions},
    db,
    ids::{PlayerId, SessionId},
};

impl Office {
    /// Takes a player's second factor away and ends their sessions: the next log-in needs the password alone.
    pub async fn forget_second_factor(
        &self,
        actor: PlayerId,
        player: PlayerId,
        reason: String,
    ) -> Result<(), PlayerActError> {
        if actor == player {
            return Err(PlayerActError::OwnAccount);
        }
        let office = self.clone();
        db::uncut(&self.tasks, async move {
            let ended = db::in_transaction(&office.pool, |tx| {
                let reason = reason.clone();
                Box::pin(async move {
                    super::freeze::lock_account(tx, player).await?;
                    let act = Act { actor: Some(actor), reason: Some(&reason), ..about(player) };
                    Ok::<_, PlayerActError>(forget(tx, player, act).await?)
                })
            })
            .await?;
            office.auth.announce(ended);
            Ok(())
        })
        .await
    }
}

/// What the log says of it.
pub(super) fn about(player: PlayerId) -> Act<'static> {
    Act { player: Some(player), ..Act::new(Action::PlayerSecondFactorReset) }
}

/// Gives the sessions that have ended.
pub(super) async fn forget(tx: &mut db::Tx, player: PlayerId, act: Act<'_>) -> Result<Vec<SessionId>, sqlx::Error> {
    second_factor::forget(tx, player).await?;
    let ended = sessions::end_all(tx, player).await?;
    audit::record(&mut **tx, act).await?;
    Ok(ended)
}
