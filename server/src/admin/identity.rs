//! P-4: what is known of a player's identity, as the staff sets it.

use serde_json::json;

use crate::{
    admin::{Office, PlayerActError},
    audit::{self, Act, Action},
    db,
    ids::PlayerId,
    players::Identity,
};

impl Office {
    /// Sets what is known of a player's identity.
    pub async fn set_identity(
        &self,
        actor: PlayerId,
        player: PlayerId,
        state: Identity,
        reason: String,
    ) -> Result<Identity, PlayerActError> {
        if actor == player {
            return Err(PlayerActError::OwnAccount);
        }
        let pool = self.pool.clone();
        db::uncut(&self.tasks, async move {
            db::in_transaction(&pool, |tx| {
                let reason = reason.clone();
                Box::pin(async move { set(tx, actor, player, state, &reason).await })
            })
            .await
        })
        .await
    }
}

async fn set(
    tx: &mut db::Tx,
    actor: PlayerId,
    player: PlayerId,
    state: Identity,
    reason: &str,
) -> Result<Identity, PlayerActError> {
    // Like everything that decides on stakes: with the balance locked.
    super::freeze::lock_account(tx, player).await?;
    let before =
        sqlx::query_scalar!("select identity from players where id = $1", player.0).fetch_one(&mut **tx).await?;
    sqlx::query!("update players set identity = $2 where id = $1", player.0, state.as_str()).execute(&mut **tx).await?;
    let act = Act {
        actor: Some(actor),
        player: Some(player),
        reason: Some(reason),
        detail: Some(json!({"before": before, "after": state})),
        ..Act::new(Action::PlayerIdentity)
    };
    audit::record(&mut **tx, act).await?;
    Ok(state)
}
