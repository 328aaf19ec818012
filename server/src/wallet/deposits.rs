//! Deposits.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::PlayerId,
    ledger,
    money::Cents,
    players::standing::{self, Barred},
    wallet::Wallet,
};

/// A deposit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deposit {
    /// The deposit.
    pub id: Uuid,
    /// `completed` once the money is there.
    pub status: String,
    /// How much.
    pub amount: Cents,
    /// ISO 4217.
    pub currency: String,
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
    #[error("the work was stopped")]
    Stopped,
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
            Self::Key(_) | Self::Barred(_) | Self::NoRoom(_) | Self::Stopped => None,
        }
    }
}

impl Wallet {
    /// Deposits an amount. The work runs in a task of its own: a dropped request does not cut it in half.
    pub async fn deposit(&self, player: PlayerId, amount: Cents, key: Key) -> Result<Deposit, DepositError> {
        let wallet = self.clone();
        let work = self.tasks.spawn(async move {
            let deposit = db::in_transaction(&wallet.pool, |tx| {
                let (key, currency) = (key.clone(), wallet.settings.currency.clone());
                Box::pin(async move { deposit_once(tx, player, amount, currency, &key).await })
            })
            .await;
            match deposit {
                Err(DepositError::Database(error)) if db::is_out_of_range(&error) => {
                    let available = ledger::holdings(&wallet.pool, player).await?.available;
                    Err(DepositError::NoRoom(Cents(i64::MAX - available.0)))
                }
                done => {
                    wallet.connections.wallet_changed(player);
                    done
                }
            }
        });
        work.await.map_err(|_| DepositError::Stopped)?
    }
}

async fn deposit_once(
    tx: &mut Tx,
    player: PlayerId,
    amount: Cents,
    currency: String,
    key: &Key,
) -> Result<Deposit, DepositError> {
    if let Some(first) = idempotency::claim(tx, player, key).await? {
        return Ok(first);
    }
    ledger::lock_available(tx, &[player]).await?;
    if let Some(barred) = standing::barred_from_depositing(tx, player, amount).await? {
        return Err(DepositError::Barred(barred));
    }
    let id = Uuid::now_v7();
    ledger::deposit(tx, player, &format!("deposit:{id}"), amount).await?;
    let deposit = Deposit { id, status: "completed".into(), amount, currency };
    idempotency::keep(tx, player, key, 201, &deposit).await?;
    Ok(deposit)
}
