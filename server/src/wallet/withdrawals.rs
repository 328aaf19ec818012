//! Withdrawals, from the player's side, and the steps that each can take (W-4).

use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::{PlayerId, WithdrawalId},
    ledger,
    money::Cents,
    players::standing::{self, Barred},
    wallet::{Wallet, WalletSettings},
};

/// How far a withdrawal has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum WithdrawalStatus {
    /// Held, and to be looked at by the staff.
    Requested,
    /// To be paid out.
    Approved,
    /// The payment provider has been asked to pay, and has not answered for good.
    Submitted,
    /// The money has left. An end.
    Paid,
    /// Refused by the staff; the money went back. An end.
    Rejected,
    /// Withdrawn by the player; the money went back. An end.
    Cancelled,
    /// The provider could not pay; the money went back. An end.
    Failed,
}

impl WithdrawalStatus {
    /// As it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Approved => "approved",
            Self::Submitted => "submitted",
            Self::Paid => "paid",
            Self::Rejected => "rejected",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
        }
    }
}

/// A withdrawal, as its player sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withdrawal {
    /// The withdrawal.
    pub id: WithdrawalId,
    /// How far it has come.
    pub status: WithdrawalStatus,
    /// How much.
    pub amount: Cents,
    /// ISO 4217.
    pub currency: String,
    /// When it was asked for.
    #[serde(serialize_with = "rfc3339_ms::serialize", deserialize_with = "time::serde::rfc3339::deserialize")]
    pub requested_at: OffsetDateTime,
    /// When it came to its end; null while it is open.
    #[serde(
        serialize_with = "rfc3339_ms::serialize_option",
        deserialize_with = "time::serde::rfc3339::option::deserialize"
    )]
    pub ended_at: Option<OffsetDateTime>,
}

/// Why a withdrawal is refused. No money has moved.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The player has one that has not come to its end.
    #[error("the player has a withdrawal that is open")]
    Open,
    /// The player has less than the amount available.
    #[error("the player has less than the amount available")]
    InsufficientFunds,
    /// The player's identity has not been verified, and the operator requires it.
    #[error(transparent)]
    Barred(Barred),
    /// About the request's key.
    #[error(transparent)]
    Key(ClaimError),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl From<ClaimError> for RequestError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Database(error) => Self::Database(error),
            other => Self::Key(other),
        }
    }
}

impl AsDatabaseError for RequestError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::Open | Self::InsufficientFunds | Self::Barred(_) | Self::Key(_) | Self::Stopped(_) => None,
        }
    }
}

/// Why a withdrawal is not cancelled.
#[derive(Debug, thiserror::Error)]
pub enum CancelError {
    /// The operator does not allow it.
    #[error("withdrawals can't be cancelled here")]
    Off,
    /// There is no such withdrawal of this player.
    #[error("there is no such withdrawal of this player")]
    NotFound,
    /// It has been decided on, or cancelled already.
    #[error("it has been decided on")]
    Decided,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl AsDatabaseError for CancelError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::Off | Self::NotFound | Self::Decided | Self::Stopped(_) => None,
        }
    }
}

impl Wallet {
    /// Asks to be paid out: the amount is held at once. The work runs in a task of its own: a dropped request does
    /// not cut it in half.
    pub async fn withdraw(&self, player: PlayerId, amount: Cents, key: Key) -> Result<Withdrawal, RequestError> {
        let wallet = self.clone();
        db::uncut(&self.tasks, async move {
            let withdrawal = db::in_transaction(&wallet.pool, |tx| {
                let (key, settings) = (key.clone(), wallet.settings.clone());
                Box::pin(async move { request(tx, player, amount, settings, &key).await })
            })
            .await?;
            wallet.connections.wallet_changed(player);
            Ok(withdrawal)
        })
        .await
    }

    /// A player's withdrawals, newest first, from before one of them.
    pub async fn withdrawals(
        &self,
        player: PlayerId,
        before: Option<WithdrawalId>,
        limit: i64,
    ) -> Result<Vec<Withdrawal>, sqlx::Error> {
        list(&self.pool, &self.settings.currency, player, before, limit).await
    }

    /// Takes a withdrawal back that nobody has decided on, where the operator allows it.
    pub async fn cancel_withdrawal(&self, player: PlayerId, id: WithdrawalId) -> Result<(), CancelError> {
        if !self.settings.withdrawal_cancellation {
            return Err(CancelError::Off);
        }
        let wallet = self.clone();
        db::uncut(&self.tasks, async move {
            db::in_transaction(&wallet.pool, |tx| Box::pin(cancel(tx, player, id))).await?;
            wallet.connections.wallet_changed(player);
            Ok(())
        })
        .await
    }
}

async fn request(
    tx: &mut Tx,
    player: PlayerId,
    amount: Cents,
    settings: WalletSettings,
    key: &Key,
) -> Result<Withdrawal, RequestError> {
    if let Some(first) = idempotency::claim(tx, player, key).await? {
        return Ok(first);
    }
    let balances = ledger::lock_available(tx, &[player]).await?;
    if let Some(barred) = standing::barred_from_withdrawing(tx, player, settings.identity_for_withdrawals).await? {
        return Err(RequestError::Barred(barred));
    }
    let open = sqlx::query_scalar!(
        r#"select exists (select from withdrawals where player_id = $1
               and status in ('requested', 'approved', 'submitted')) as "open!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await?;
    if open {
        return Err(RequestError::Open);
    }
    if balances.get(&player).is_none_or(|available| *available < amount) {
        return Err(RequestError::InsufficientFunds);
    }
    let id = WithdrawalId::generate();
    let requested_at = sqlx::query_scalar!(
        "insert into withdrawals (id, player_id, amount) values ($1, $2, $3) returning requested_at",
        id.0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    ledger::hold(tx, player, id, amount).await?;
    let withdrawal = Withdrawal {
        id,
        status: WithdrawalStatus::Requested,
        amount,
        currency: settings.currency,
        requested_at,
        ended_at: None,
    };
    idempotency::keep(tx, player, key, 201, &withdrawal).await?;
    Ok(withdrawal)
}

async fn cancel(tx: &mut Tx, player: PlayerId, id: WithdrawalId) -> Result<(), CancelError> {
    let held = find(tx, id).await?.filter(|held| held.player == player).ok_or(CancelError::NotFound)?;
    if take(tx, &held, &Step::Cancel).await? { Ok(()) } else { Err(CancelError::Decided) }
}

async fn list(
    pool: &PgPool,
    currency: &str,
    player: PlayerId,
    before: Option<WithdrawalId>,
    limit: i64,
) -> Result<Vec<Withdrawal>, sqlx::Error> {
    sqlx::query_as!(
        Withdrawal,
        r#"select id as "id: WithdrawalId", status as "status: WithdrawalStatus", amount as "amount: Cents",
                  $4::text as "currency!", requested_at, ended_at
           from withdrawals where player_id = $1 and ($2::uuid is null or id < $2)
           order by id desc limit $3"#,
        player.0,
        before.map(|id| id.0),
        limit,
        currency
    )
    .fetch_all(pool)
    .await
}

/// What never changes of a withdrawal.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// The withdrawal.
    pub id: WithdrawalId,
    /// Whose it is.
    pub player: PlayerId,
    /// How much is held.
    pub amount: Cents,
}

/// Finds a withdrawal. Locks nothing: what is read here never changes.
pub async fn find(tx: &mut Tx, id: WithdrawalId) -> Result<Option<Held>, sqlx::Error> {
    sqlx::query_as!(
        Held,
        r#"select id as "id: WithdrawalId", player_id as "player: PlayerId", amount as "amount: Cents"
           from withdrawals where id = $1"#,
        id.0
    )
    .fetch_optional(&mut **tx)
    .await
}

/// A step from one status to the next.
#[derive(Clone, Debug)]
pub enum Step {
    /// The staff lets it be paid.
    Approve(PlayerId),
    /// The staff refuses it, and why.
    Reject(PlayerId, String),
    /// The player takes it back.
    Cancel,
    /// The provider is about to be asked.
    Submit,
    /// The provider has paid.
    Pay,
    /// The provider has not paid and will not, and why.
    Fail(String),
}

impl Step {
    fn from(&self) -> WithdrawalStatus {
        match self {
            Self::Approve(_) | Self::Reject(..) | Self::Cancel => WithdrawalStatus::Requested,
            Self::Submit => WithdrawalStatus::Approved,
            Self::Pay | Self::Fail(_) => WithdrawalStatus::Submitted,
        }
    }

    fn to(&self) -> WithdrawalStatus {
        match self {
            Self::Approve(_) => WithdrawalStatus::Approved,
            Self::Reject(..) => WithdrawalStatus::Rejected,
            Self::Cancel => WithdrawalStatus::Cancelled,
            Self::Submit => WithdrawalStatus::Submitted,
            Self::Pay => WithdrawalStatus::Paid,
            Self::Fail(_) => WithdrawalStatus::Failed,
        }
    }
}

/// Takes a step, with the money it moves, where the withdrawal is where the step begins; tells whether it was.
///
/// L-7: what the player has available is locked first, by every step and every request. So a player's hold is never
/// asked for by two transactions at once, whatever the order of its id.
pub async fn take(tx: &mut Tx, held: &Held, step: &Step) -> Result<bool, sqlx::Error> {
    let (by, reason, failure) = match step {
        Step::Approve(by) => (Some(by.0), None, None),
        Step::Reject(by, reason) => (Some(by.0), Some(reason), None),
        Step::Fail(why) => (None, None, Some(why)),
        Step::Cancel | Step::Submit | Step::Pay => (None, None, None),
    };
    ledger::lock_available(tx, &[held.player]).await?;
    let taken = sqlx::query!(
        "update withdrawals set
             status = $3,
             decided_by = coalesce($4, decided_by),
             decided_at = case when $4::uuid is null then decided_at else clock_timestamp() end,
             reason = coalesce($5, reason),
             failure = coalesce($6, failure),
             submitted_at = case $3 when 'submitted' then clock_timestamp() else submitted_at end,
             ended_at = case when $3 in ('paid', 'rejected', 'cancelled', 'failed') then clock_timestamp() end
         where id = $1 and status = $2",
        held.id.0,
        step.from().as_str(),
        step.to().as_str(),
        by,
        reason,
        failure
    )
    .execute(&mut **tx)
    .await?;
    if taken.rows_affected() == 0 {
        return Ok(false);
    }
    match step {
        Step::Approve(_) | Step::Submit => {}
        Step::Pay => ledger::pay_out(tx, held.player, held.id, held.amount).await?,
        Step::Reject(..) | Step::Cancel | Step::Fail(_) => {
            ledger::release(tx, held.player, held.id, held.amount).await?;
        }
    }
    Ok(true)
}
