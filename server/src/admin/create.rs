//! The first administrator, made on the command line of the server's machine.

use std::sync::Arc;

use serde_json::json;
use sqlx::PgPool;

use crate::{
    admin::{password, second_factor},
    audit::{self, Act, Action},
    auth::change::{Given, GivenPassword},
    db::{self, Tx},
    ids::PlayerId,
    ledger,
    players::{self, AccountError, NewAccount},
    role::Role,
};

/// Why somebody was let in again here, as the log has it: nobody is logged in who could say more.
const BY_HAND: &str = "on the command line of the server's machine";

/// What became of the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// A new one was made.
    Made(PlayerId),
    /// One with this address was there and is an administrator now; its password stays.
    Promoted(PlayerId),
}

/// The account with this address, if there is one.
pub async fn known(pool: &PgPool, email_key: &str) -> Result<Option<PlayerId>, sqlx::Error> {
    sqlx::query_scalar!(r#"select id as "id: PlayerId" from players where email_key = $1"#, email_key)
        .fetch_optional(pool)
        .await
}

/// Makes a player an administrator, whatever other roles they have.
pub async fn promote(pool: &PgPool, player: PlayerId) -> Result<Created, sqlx::Error> {
    db::in_transaction(pool, |tx| {
        Box::pin(async move {
            sqlx::query!(
                "update players set roles = array(select distinct unnest(roles || $2)) where id = $1",
                player.0,
                &[Role::Admin.as_str().to_owned()]
            )
            .execute(&mut **tx)
            .await?;
            note(tx, player, "promoted").await?;
            Ok(Created::Promoted(player))
        })
    })
    .await
}

/// Makes a new account; its roles are those of `account`.
pub async fn make(pool: &PgPool, account: NewAccount, currency: &str) -> Result<Created, AccountError> {
    let (account, currency): (_, Arc<str>) = (Arc::new(account), currency.into());
    db::in_transaction(pool, |tx| {
        let (account, currency) = (Arc::clone(&account), Arc::clone(&currency));
        Box::pin(async move {
            let player = players::create_account(tx, &account).await?;
            ledger::open_player(tx, player, &currency).await?;
            note(tx, player, "made").await?;
            Ok(Created::Made(player))
        })
    })
    .await
}

/// Takes the second factor of an account away and ends its sessions, for who is the only administrator. `None` where no
/// account has the address.
pub async fn forget_second_factor(pool: &PgPool, email_key: &str) -> Result<Option<PlayerId>, sqlx::Error> {
    let Some(player) = known(pool, email_key).await? else { return Ok(None) };
    db::in_transaction(pool, |tx| {
        Box::pin(async move {
            let act = Act { reason: Some(BY_HAND), ..second_factor::about(player) };
            second_factor::forget(tx, player, act).await?;
            Ok(Some(player))
        })
    })
    .await
}

/// Gives an account a password that is good for one log-in, and ends its sessions: that of whoever it is, also of the
/// staff. `None` where no account has the address.
pub async fn reset_password(
    pool: &PgPool,
    email_key: &str,
    given: GivenPassword,
) -> Result<Option<(String, Given)>, sqlx::Error> {
    let Some(player) = known(pool, email_key).await? else { return Ok(None) };
    let given = Arc::new(given);
    let done = db::in_transaction(pool, |tx| {
        let given = Arc::clone(&given);
        let act = Act { reason: Some(BY_HAND), ..password::about(player) };
        Box::pin(async move { password::give(tx, player, &given, act).await })
    })
    .await?;
    Ok(Some((given.password.clone(), done)))
}

async fn note(tx: &mut Tx, player: PlayerId, how: &str) -> Result<(), sqlx::Error> {
    let act = Act { player: Some(player), detail: Some(json!({"account": how})), ..Act::new(Action::AdminCreate) };
    audit::record(&mut **tx, act).await
}
