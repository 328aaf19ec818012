//! Freezing a player: no new stakes and no deposits, sessions end, what is owed to the player stays open (P-3).

use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use crate::{
    admin::{Office, PlayerActError, VoidError},
    audit::{self, Act, Action},
    auth::sessions,
    db::{self, Tx},
    ids::{MatchId, PlayerId, SessionId},
    ledger, lobby,
    players::exclusion,
};

/// What becomes of the match that a player is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Running {
    /// It is played to its end by its rules.
    #[default]
    PlayOn,
    /// It is voided: both stakes go back.
    Void,
}

/// A player's state after freezing or unfreezing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Frozen {
    /// Whether the player is frozen now.
    pub frozen: bool,
    /// The match that was voided.
    pub voided: Option<MatchId>,
}

/// Why a player could not be frozen, or not in all that was asked for.
#[derive(Debug, thiserror::Error)]
pub enum FreezeError {
    /// Nothing was changed.
    #[error(transparent)]
    Act(#[from] PlayerActError),
    /// The player is frozen; the running match could not be voided.
    #[error("the player is frozen, but the running match could not be voided")]
    Void(#[source] VoidError),
}

impl From<db::Stopped> for FreezeError {
    fn from(stopped: db::Stopped) -> Self {
        Self::Act(stopped.into())
    }
}

/// What the transaction of a freeze came to.
struct ShutOut {
    ended: Vec<SessionId>,
    playing: Option<MatchId>,
}

impl Office {
    /// Freezes a player. Again on a frozen one it ends what has begun since, such as sessions.
    pub async fn freeze(
        &self,
        actor: PlayerId,
        player: PlayerId,
        reason: String,
        running: Running,
    ) -> Result<Frozen, FreezeError> {
        if actor == player {
            return Err(PlayerActError::OwnAccount.into());
        }
        let office = self.clone();
        db::uncut(&self.tasks, async move {
            let shut_out = db::in_transaction(&office.pool, |tx| {
                let reason = reason.clone();
                Box::pin(async move { freeze(tx, actor, player, &reason, running).await })
            })
            .await?;
            office.auth.announce(shut_out.ended);
            office.lobby.feed().player_changed(player);
            let playing = shut_out.playing.filter(|_| running == Running::Void);
            let voided = match playing {
                None => None,
                Some(id) => match office.void(actor, id, reason).await {
                    Ok(_) => Some(id),
                    // It came to its own end first.
                    Err(VoidError::Refused(crate::matches::Refusal::MatchOver)) => None,
                    Err(error) => return Err(FreezeError::Void(error)),
                },
            };
            Ok(Frozen { frozen: true, voided })
        })
        .await
    }

    /// Unfreezes a player.
    pub async fn unfreeze(&self, actor: PlayerId, player: PlayerId, reason: String) -> Result<Frozen, PlayerActError> {
        if actor == player {
            return Err(PlayerActError::OwnAccount);
        }
        let pool = self.pool.clone();
        db::uncut(&self.tasks, async move {
            db::in_transaction(&pool, |tx| {
                let reason = reason.clone();
                Box::pin(async move { unfreeze(tx, actor, player, &reason).await })
            })
            .await
        })
        .await
    }
}

/// Locks the balance of a player who has an account: whatever decides on their stakes locks it too. A deleted one is
/// nobody's (P-6).
pub(super) async fn lock_account(tx: &mut Tx, player: PlayerId) -> Result<(), PlayerActError> {
    let has_account = ledger::lock_available(tx, &[player]).await?.contains_key(&player);
    let is_known = sqlx::query_scalar!(
        r#"select exists (select from players where id = $1 and deleted_at is null) as "known!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await?;
    match (is_known, has_account) {
        (true, true) => Ok(()),
        (true, false) => Err(PlayerActError::Guest),
        (false, _) => Err(PlayerActError::NotFound),
    }
}

async fn freeze(
    tx: &mut Tx,
    actor: PlayerId,
    player: PlayerId,
    reason: &str,
    running: Running,
) -> Result<ShutOut, PlayerActError> {
    lock_account(tx, player).await?;
    exclusion::set_frozen(tx, player, true).await?;
    lobby::withdraw_all(tx, player).await?;
    let ended = sessions::end_all(tx, player).await?;
    let playing =
        sqlx::query_scalar!(r#"select match_id as "id: MatchId" from live_stakes where player_id = $1"#, player.0)
            .fetch_optional(&mut **tx)
            .await?;
    let act = Act {
        actor: Some(actor),
        action: Action::PlayerFreeze,
        player: Some(player),
        subject: playing.map(|id| format!("match:{id}")),
        reason: Some(reason),
        detail: Some(json!({"running": running})),
    };
    audit::record(&mut **tx, act).await?;
    Ok(ShutOut { ended, playing })
}

async fn unfreeze(tx: &mut Tx, actor: PlayerId, player: PlayerId, reason: &str) -> Result<Frozen, PlayerActError> {
    lock_account(tx, player).await?;
    exclusion::set_frozen(tx, player, false).await?;
    let act =
        Act { actor: Some(actor), player: Some(player), reason: Some(reason), ..Act::new(Action::PlayerUnfreeze) };
    audit::record(&mut **tx, act).await?;
    Ok(Frozen { frozen: false, voided: None })
}
