//! P-6: what becomes of a player who wants to be forgotten. The ledger stays; what says who it was goes.

use serde_json::json;

use crate::{
    audit::{self, Act, Action},
    db::Tx,
    ids::PlayerId,
    ledger,
    players::standing,
};

/// Why a player can't be deleted now.
#[derive(Debug, thiserror::Error)]
pub enum DeleteError {
    /// There is money, a hold, a deposit on its way or a live match.
    #[error("there is money, a hold, a deposit on its way or a live match")]
    InUse,
    /// A break or a self-exclusion is not to be got around by a new account, nor is a freeze.
    #[error("the player takes a break or is frozen")]
    Barred(standing::Barred),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl crate::db::AsDatabaseError for DeleteError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::InUse | Self::Barred(_) => None,
        }
    }
}

/// Replaces everything personal by a pseudonym. `password_hash` is that of a password nobody knows. The caller
/// withdraws what the player has posted and ends their sessions, in the same transaction.
pub async fn delete(tx: &mut Tx, player: PlayerId, password_hash: &str) -> Result<(), DeleteError> {
    // All that brings money, or a match, locks the first of these, or the second where there is no stake.
    ledger::lock_available(tx, &[player]).await?;
    standing::lock_rows(tx, &[player]).await?;
    if let Some(barred) = standing::shut_out(&mut **tx, player).await? {
        return Err(DeleteError::Barred(barred));
    }
    if ledger::has_anything(tx, player).await? || is_expecting(tx, player).await? {
        return Err(DeleteError::InUse);
    }
    note_staff(tx, player).await?;
    // From the part of the identifier that is chance.
    let pseudonym = format!("deleted {}", &player.0.simple().to_string()[16..]);
    let email = format!("{}@deleted.invalid", player.0.simple());
    sqlx::query!(
        "update players set
             display_name = $2, display_name_key = $2, display_name_skeleton = null, roles = '{}', deleted_at = clock_timestamp(),
             email = case when not guest then $3 end, email_key = case when not guest then $3 end,
             password_hash = case when not guest then $4 end,
             birth_date = case when not guest then date '1900-01-01' end
         where id = $1",
        player.0,
        pseudonym,
        email,
        password_hash
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("delete from second_factors where player_id = $1", player.0).execute(&mut **tx).await?;
    Ok(())
}

/// That somebody with a role has gone is an act of the staff.
async fn note_staff(tx: &mut Tx, player: PlayerId) -> Result<(), sqlx::Error> {
    let roles = sqlx::query_scalar!("select roles from players where id = $1", player.0).fetch_one(&mut **tx).await?;
    if roles.is_empty() {
        return Ok(());
    }
    let act = Act {
        actor: Some(player),
        player: Some(player),
        detail: Some(json!({"roles": roles})),
        ..Act::new(Action::AccountDelete)
    };
    audit::record(&mut **tx, act).await
}

/// Whether a match is under way, also one without a stake, or a deposit on its way.
async fn is_expecting(tx: &mut Tx, player: PlayerId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from matches where first_player = $1 and status = 'live'
               union all select from matches where second_player = $1 and status = 'live'
               union all select from deposits where player_id = $1 and status = 'pending'
           ) as "expecting!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await
}
