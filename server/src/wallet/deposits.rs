//! Deposits.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::{DepositId, PlayerId},
    ledger,
    money::Cents,
    players::standing::{self, Barred},
    wallet::Wallet,
};

/// The smallest deposit, in minor units.
pub const DEPOSIT_MIN: i64 = 1;

/// How far a deposit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum DepositStatus {
    /// The payment provider has not confirmed it yet.
    Pending,
    /// The money is there. An end.
    Completed,
    /// The provider says that it failed. Money that comes in all the same completes it.
    Failed,
}

/// A deposit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deposit {
    /// The deposit: what the payment provider names as its reference.
    pub id: DepositId,
    /// `completed` once the money is there.
    pub status: DepositStatus,
    /// How much.
    pub amount: Cents,
    /// ISO 4217.
    pub currency: String,
    /// When it was asked for.
    #[serde(serialize_with = "rfc3339_ms::serialize", deserialize_with = "time::serde::rfc3339::deserialize")]
    pub requested_at: OffsetDateTime,
}

/// Why a deposit is refused. No money has moved.
#[derive(Debug, thiserror::Error)]
pub enum DepositError {
    /// About the request's key.
    #[error(transparent)]
    Key(ClaimError),
    /// The player may not deposit this now.
    #[error(transparent)]
    Barred(Barred),
    /// The balance would leave the range of numbers.
    #[error("the balance has room for {0} more")]
    NoRoom(Cents),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl From<ClaimError> for DepositError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Database(error) => Self::Database(error),
            other => Self::Key(other),
        }
    }
}

impl AsDatabaseError for DepositError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::Key(_) | Self::Barred(_) | Self::NoRoom(_) | Self::Stopped(_) => None,
        }
    }
}

impl Wallet {
    /// A player's deposits, newest first, from before one of them.
    pub async fn deposits(
        &self,
        player: PlayerId,
        before: Option<DepositId>,
        limit: i64,
    ) -> Result<Vec<Deposit>, sqlx::Error> {
        sqlx::query_as!(
            Deposit,
            r#"select id as "id: DepositId", status as "status: DepositStatus", amount as "amount: Cents",
                      $4::text as "currency!", requested_at
               from deposits where player_id = $1 and ($2::uuid is null or id < $2)
               order by id desc limit $3"#,
            player.0,
            before.map(|id| id.0),
            limit,
            self.settings.currency
        )
        .fetch_all(&self.pool)
        .await
    }

    /// Deposits an amount, or begins to: with some providers the money is there later. The work runs in a task of its own: a dropped request does not cut it in half.
    pub async fn deposit(&self, player: PlayerId, amount: Cents, key: Key) -> Result<Deposit, DepositError> {
        let wallet = self.clone();
        db::uncut(&self.tasks, async move {
            let deposit = db::in_transaction(&wallet.pool, |tx| {
                let (key, currency) = (key.clone(), wallet.settings.currency.clone());
                let at_once = wallet.provider.has_deposits_at_once();
                Box::pin(async move { deposit_once(tx, player, amount, currency, &key, at_once).await })
            })
            .await?;
            wallet.connections.wallet_changed(player);
            Ok(deposit)
        })
        .await
    }
}

async fn deposit_once(
    tx: &mut Tx,
    player: PlayerId,
    amount: Cents,
    currency: String,
    key: &Key,
    at_once: bool,
) -> Result<Deposit, DepositError> {
    if let Some(first) = idempotency::claim(tx, player, key).await? {
        return Ok(first);
    }
    ledger::lock_available(tx, &[player]).await?;
    if let Some(barred) = standing::barred_from_depositing(tx, player, amount).await? {
        return Err(DepositError::Barred(barred));
    }
    let room = ledger::room(tx, player).await?;
    if amount > room {
        return Err(DepositError::NoRoom(room));
    }
    let id = DepositId::generate();
    let status = if at_once { DepositStatus::Completed } else { DepositStatus::Pending };
    let requested_at = sqlx::query_scalar!(
        "insert into deposits (id, player_id, amount, status, ended_at)
         values ($1, $2, $3, case when $4 then 'completed' else 'pending' end,
                 case when $4 then clock_timestamp() end)
         returning requested_at",
        id.0,
        player.0,
        amount.0,
        at_once
    )
    .fetch_one(&mut **tx)
    .await?;
    if at_once {
        // The account of the world outside has an end as well.
        let deposited = ledger::deposit(tx, player, &format!("deposit:{id}"), amount).await;
        deposited.map_err(|error| {
            if db::is_out_of_range(&error) { DepositError::NoRoom(Cents::ZERO) } else { error.into() }
        })?;
    }
    let deposit = Deposit { id, status, amount, currency, requested_at };
    idempotency::keep(tx, player, key, 201, &deposit).await?;
    Ok(deposit)
}
