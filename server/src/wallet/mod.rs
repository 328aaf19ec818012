//! Players' money: deposits, withdrawals, and telling players what they have.

pub mod callbacks;
mod deposits;
mod payouts;
mod provider;
mod waiting;
pub mod webhooks;
pub mod withdrawals;

use std::sync::Arc;

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;

pub use callbacks::{CallbackError, EventOutcome};
pub use deposits::{DEPOSIT_MIN, Deposit, DepositError, DepositStatus};
pub use payouts::keep_paying_out;
pub use provider::{PaymentProvider, Payout, PayoutAnswer, Provider};
pub use waiting::{Waiting, waiting};
pub use webhooks::{PaymentEvent, WebhookKeys};
pub use withdrawals::{CancelError, RequestError, Withdrawal, WithdrawalStatus};

use crate::{
    bus::{Connections, frame},
    ids::PlayerId,
    ledger::{self, Holdings, OwnFilter, OwnTotals, OwnTransfer},
    money::Cents,
};

/// How money comes in and goes out.
#[derive(Clone, Debug)]
pub struct WalletSettings {
    /// The currency of the deployment.
    pub currency: String,
    /// The largest deposit.
    pub deposit_max: Cents,
    /// Whether players can take back a withdrawal that nobody has decided on.
    pub withdrawal_cancellation: bool,
    /// Whether a withdrawal needs a player whose identity has been verified.
    pub identity_for_withdrawals: bool,
    /// What the payment provider's callbacks are signed with.
    pub webhook_keys: WebhookKeys,
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

/// Players' money, from their side. Copies share everything.
#[derive(Clone)]
pub struct Wallet {
    pool: PgPool,
    connections: Arc<Connections>,
    tasks: TaskTracker,
    settings: WalletSettings,
    provider: Arc<dyn PaymentProvider>,
}

impl Wallet {
    /// With everything it needs. Starts nothing.
    pub fn new(
        pool: PgPool,
        connections: Arc<Connections>,
        tasks: TaskTracker,
        settings: WalletSettings,
        provider: Arc<dyn PaymentProvider>,
    ) -> Self {
        Self { pool, connections, tasks, settings, provider }
    }

    /// Where the money is kept.
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// Work on money, which a dropped request does not cut in half and which is waited for when the server stops.
    pub fn tasks(&self) -> &TaskTracker {
        &self.tasks
    }

    /// A player's money moved: their sockets are told.
    pub fn changed(&self, player: PlayerId) {
        self.connections.wallet_changed(player);
    }

    /// How money comes in and goes out here.
    pub fn settings(&self) -> &WalletSettings {
        &self.settings
    }

    /// Whether a deposit costs nobody anything: for demo accounts.
    pub fn gives_play_money(&self) -> bool {
        self.provider.has_deposits_at_once()
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
        filter: &OwnFilter,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<OwnTransfer>, sqlx::Error> {
        ledger::own_transfers(&self.pool, player, filter, before, limit).await
    }

    /// What a range of time did to a player's money (P-1).
    pub async fn totals(
        &self,
        player: PlayerId,
        from: Option<OffsetDateTime>,
        to: Option<OffsetDateTime>,
    ) -> Result<OwnTotals, sqlx::Error> {
        ledger::own_totals(&self.pool, player, from, to).await
    }
}

/// Tells players on their sockets what they have, whenever it changed. Ends with the last sender.
pub async fn announce(pool: PgPool, connections: Arc<Connections>, mut changed: mpsc::UnboundedReceiver<PlayerId>) {
    while let Some(player) = changed.recv().await {
        match ledger::holdings(&pool, player).await {
            Ok(Holdings { available, in_play, pending_withdrawal }) => {
                let news = WalletFrame { kind: "wallet", available, in_play, pending_withdrawal };
                // Other nodes are told that it changed, and read it for their sockets themselves.
                connections.push_here(player, &frame(&news));
            }
            // The server stops.
            Err(sqlx::Error::PoolClosed) => return,
            // The page reads its wallet again when it needs it.
            Err(error) => tracing::warn!(%player, %error, "a wallet could not be announced"),
        }
    }
}
