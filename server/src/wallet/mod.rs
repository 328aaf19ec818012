//! Deposits, and telling players what they have.

mod provider;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;
use uuid::Uuid;

pub use provider::Provider;

use crate::{
    bus::{Connections, frame},
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::PlayerId,
    ledger::{self, Holdings},
    money::Cents,
};

/// How money comes in.
#[derive(Clone, Debug)]
pub struct WalletSettings {
    /// The currency of the deployment.
    pub currency: String,
    /// The largest deposit.
    pub deposit_max: Cents,
    /// Who brings it.
    pub provider: Provider,
}

/// What a player has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WalletView {
    /// ISO 4217.
    pub currency: String,
    /// To be staked or withdrawn.
    pub available: Cents,
    /// Staked in a live match.
    pub in_play: Cents,
    /// Held for a withdrawal.
    pub pending_withdrawal: Cents,
}

/// News of a wallet, on the player's own sockets.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WalletFrame {
    /// `wallet`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// To be staked or withdrawn.
    pub available: Cents,
    /// Staked in a live match.
    pub in_play: Cents,
    /// Held for a withdrawal.
    pub pending_withdrawal: Cents,
}

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
            Self::Key(_) | Self::Stopped => None,
        }
    }
}

/// Players' money, from their side. Copies share everything.
#[derive(Clone)]
pub struct Wallet {
    pool: PgPool,
    connections: Arc<Connections>,
    tasks: TaskTracker,
    settings: WalletSettings,
}

impl Wallet {
    /// With everything it needs. Starts nothing.
    pub fn new(pool: PgPool, connections: Arc<Connections>, tasks: TaskTracker, settings: WalletSettings) -> Self {
        Self { pool, connections, tasks, settings }
    }

    /// How money comes in here.
    pub fn settings(&self) -> &WalletSettings {
        &self.settings
    }

    /// What a player has now.
    pub async fn view(&self, player: PlayerId) -> Result<WalletView, sqlx::Error> {
        let Holdings { available, in_play, pending_withdrawal } = ledger::holdings(&self.pool, player).await?;
        Ok(WalletView { currency: self.settings.currency.clone(), available, in_play, pending_withdrawal })
    }

    /// A player's own ledger lines, newest first.
    pub async fn transfers(
        &self,
        player: PlayerId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<ledger::OwnTransfer>, sqlx::Error> {
        ledger::own_transfers(&self.pool, player, before, limit).await
    }

    /// Deposits an amount. The work runs in a task of its own: a dropped request does not cut it in half.
    pub async fn deposit(&self, player: PlayerId, amount: Cents, key: Key) -> Result<Deposit, DepositError> {
        let wallet = self.clone();
        let work = self.tasks.spawn(async move {
            let deposit = db::in_transaction(&wallet.pool, |tx| {
                let (key, currency) = (key.clone(), wallet.settings.currency.clone());
                Box::pin(async move { deposit_once(tx, player, amount, currency, &key).await })
            })
            .await?;
            wallet.connections.wallet_changed(player);
            Ok(deposit)
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
    let id = Uuid::now_v7();
    ledger::deposit(tx, player, &format!("deposit:{id}"), amount).await?;
    let deposit = Deposit { id, status: "completed".into(), amount, currency };
    idempotency::keep(tx, player, key, 201, &deposit).await?;
    Ok(deposit)
}

/// Tells players on their sockets what they have, whenever it changed. Ends with the last sender.
pub async fn announce(pool: PgPool, connections: Arc<Connections>, mut changed: mpsc::UnboundedReceiver<PlayerId>) {
    while let Some(player) = changed.recv().await {
        match ledger::holdings(&pool, player).await {
            Ok(Holdings { available, in_play, pending_withdrawal }) => {
                let news = WalletFrame { kind: "wallet", available, in_play, pending_withdrawal };
                connections.push(player, &frame(&news));
            }
            // The page reads its wallet again when it needs it.
            Err(error) => tracing::warn!(%player, %error, "a wallet could not be announced"),
        }
    }
}
