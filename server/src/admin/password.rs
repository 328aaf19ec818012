//! Who of the players has lost their password is given one that is good for a single log-in.

use std::sync::Arc;

use crate::{
    admin::{Office, PlayerActError},
    audit::{self, Act, Action},
    auth::change::{Given, GivenPassword},
    db,
    ids::PlayerId,
};

/// Why no password is given.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// As for every act on a player.
    #[error(transparent)]
    Act(#[from] PlayerActError),
    /// The player is one of the staff: a colleague with their password would be them.
    #[error("the player is one of the staff")]
    Staff,
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] crate::auth::passwords::HashError),
}

impl From<sqlx::Error> for ResetError {
    fn from(error: sqlx::Error) -> Self {
        Self::Act(error.into())
    }
}

impl From<db::Stopped> for ResetError {
    fn from(stopped: db::Stopped) -> Self {
        Self::Act(stopped.into())
    }
}

impl db::AsDatabaseError for ResetError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Act(error) => error.database(),
            Self::Staff | Self::Hash(_) => None,
        }
    }
}

impl Office {
    /// Puts a password that is good for one log-in in the place of a player's, and ends their sessions.
    pub async fn reset_password(
        &self,
        actor: PlayerId,
        player: PlayerId,
        reason: String,
    ) -> Result<(String, Given), ResetError> {
        if actor == player {
            return Err(PlayerActError::OwnAccount.into());
        }
        let office = self.clone();
        db::uncut(&self.tasks, async move {
            let password = Arc::new(GivenPassword::make(office.auth.passwords()).await?);
            let given = db::in_transaction(&office.pool, |tx| {
                let (password, reason) = (Arc::clone(&password), reason.clone());
                Box::pin(async move {
                    super::freeze::lock_account(tx, player).await?;
                    let is_staff = sqlx::query_scalar!(
                        r#"select roles <> '{}' as "staff!" from players where id = $1 for no key update"#,
                        player.0
                    );
                    if is_staff.fetch_one(&mut **tx).await? {
                        return Err(ResetError::Staff);
                    }
                    let act = Act { actor: Some(actor), reason: Some(&reason), ..about(player) };
                    Ok(give(tx, player, &password, act).await?)
                })
            })
            .await?;
            office.auth.announce(given.ended.iter().copied());
            Ok((password.password.clone(), given))
        })
        .await
    }
}

/// What the log says of it.
pub(super) fn about(player: PlayerId) -> Act<'static> {
    Act { player: Some(player), ..Act::new(Action::PlayerPasswordReset) }
}

/// Gives it, and writes that down.
pub(super) async fn give(
    tx: &mut db::Tx,
    player: PlayerId,
    password: &GivenPassword,
    act: Act<'_>,
) -> Result<Given, sqlx::Error> {
    let given = password.give(tx, player).await?;
    audit::record(&mut **tx, act).await?;
    Ok(given)
}
