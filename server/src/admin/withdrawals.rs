//! Reviewing withdrawals: the list, and the decision on each, which is made once (W-4).

use std::time::Duration;

use serde::Serialize;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    admin::audit::{self, Act, Action},
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    ids::{PlayerId, WithdrawalId},
    money::Cents,
    wallet::{
        Wallet, WithdrawalStatus,
        withdrawals::{Step, find, take},
    },
};

/// How long an approval waits for the payment provider before it is answered; the payout goes on by itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whose withdrawal it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct WithdrawalPlayer {
    /// Who.
    pub id: PlayerId,
    /// What they are called.
    pub display_name: String,
}

/// A withdrawal, as the staff sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct StaffWithdrawal {
    /// The withdrawal.
    pub id: WithdrawalId,
    /// Whose.
    pub player: WithdrawalPlayer,
    /// How far it has come.
    pub status: WithdrawalStatus,
    /// How much.
    pub amount: Cents,
    /// ISO 4217.
    pub currency: String,
    /// How long it has been open, or was until its end, in milliseconds.
    pub age_ms: i64,
    /// When it was asked for.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub requested_at: OffsetDateTime,
    /// Who of the staff decided on it.
    pub decided_by: Option<PlayerId>,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub decided_at: Option<OffsetDateTime>,
    /// Why it was rejected.
    pub reason: Option<String>,
    /// When the payment provider was asked for it.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub submitted_at: Option<OffsetDateTime>,
    /// When it came to its end.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub ended_at: Option<OffsetDateTime>,
    /// Why it was not paid, as the provider or, where it never answered, the staff says.
    pub failure: Option<String>,
}

/// Which withdrawals are asked for.
#[derive(Clone, Debug, Default)]
pub struct WithdrawalFilter {
    /// Only this one.
    pub id: Option<WithdrawalId>,
    /// Only with this status.
    pub status: Option<WithdrawalStatus>,
    /// Only of this player.
    pub player: Option<PlayerId>,
    /// Only those at least this old, in milliseconds.
    pub min_age_ms: Option<i64>,
    /// Only those asked for before this one.
    pub before: Option<WithdrawalId>,
    /// At most this many.
    pub limit: i64,
}

/// Why a decision is refused. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// There is no such withdrawal.
    #[error("there is no such withdrawal")]
    NotFound,
    /// Nobody decides on their own.
    #[error("it is the decider's own")]
    Own,
    /// It has been decided on, or cancelled, already.
    #[error("it has been decided on")]
    Decided,
    /// The payment provider has not been asked for it, or has answered.
    #[error("it does not wait for the payment provider")]
    NotSubmitted,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl AsDatabaseError for DecideError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::NotFound | Self::Own | Self::Decided | Self::NotSubmitted | Self::Stopped(_) => None,
        }
    }
}

/// A row of the list.
struct Row {
    id: WithdrawalId,
    player: PlayerId,
    display_name: String,
    status: WithdrawalStatus,
    amount: Cents,
    age_ms: i64,
    requested_at: OffsetDateTime,
    decided_by: Option<PlayerId>,
    decided_at: Option<OffsetDateTime>,
    reason: Option<String>,
    submitted_at: Option<OffsetDateTime>,
    ended_at: Option<OffsetDateTime>,
    failure: Option<String>,
}

impl Row {
    fn shown(self, currency: &str) -> StaffWithdrawal {
        StaffWithdrawal {
            id: self.id,
            player: WithdrawalPlayer { id: self.player, display_name: self.display_name },
            status: self.status,
            amount: self.amount,
            currency: currency.to_owned(),
            age_ms: self.age_ms,
            requested_at: self.requested_at,
            decided_by: self.decided_by,
            decided_at: self.decided_at,
            reason: self.reason,
            submitted_at: self.submitted_at,
            ended_at: self.ended_at,
            failure: self.failure,
        }
    }
}

/// Withdrawals, newest first. The reading is in the audit log.
pub async fn list(
    wallet: &Wallet,
    actor: PlayerId,
    filter: &WithdrawalFilter,
) -> Result<Vec<StaffWithdrawal>, sqlx::Error> {
    let act = Act { actor: Some(actor), player: filter.player, ..Act::new(Action::WithdrawalRead) };
    audit::record(wallet.pool(), act).await?;
    select(wallet.pool(), &wallet.settings().currency, filter).await
}

async fn select(
    executor: impl PgExecutor<'_>,
    currency: &str,
    filter: &WithdrawalFilter,
) -> Result<Vec<StaffWithdrawal>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"select w.id as "id: WithdrawalId", w.player_id as "player: PlayerId", p.display_name,
                  w.status as "status: WithdrawalStatus", w.amount as "amount: Cents",
                  (extract(epoch from coalesce(w.ended_at, clock_timestamp()) - w.requested_at) * 1000)::bigint
                      as "age_ms!",
                  w.requested_at, w.decided_by as "decided_by: PlayerId", w.decided_at, w.reason,
                  w.submitted_at, w.ended_at, w.failure
           from withdrawals w join players p on p.id = w.player_id
           where ($1::uuid is null or w.id = $1)
               and ($2::text is null or w.status = $2)
               and ($3::uuid is null or w.player_id = $3)
               and ($4::bigint is null
                    or coalesce(w.ended_at, clock_timestamp()) - w.requested_at >= $4 * interval '1 millisecond')
               and ($5::uuid is null or w.id < $5)
           order by w.id desc limit $6"#,
        filter.id.map(|id| id.0),
        filter.status.map(WithdrawalStatus::as_str),
        filter.player.map(|player| player.0),
        filter.min_age_ms,
        filter.before.map(|id| id.0),
        filter.limit
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(|row| row.shown(currency)).collect())
}

async fn one(wallet: &Wallet, id: WithdrawalId) -> Result<StaffWithdrawal, DecideError> {
    let filter = WithdrawalFilter { id: Some(id), limit: 1, ..WithdrawalFilter::default() };
    let found = select(wallet.pool(), &wallet.settings().currency, &filter).await?;
    found.into_iter().next().ok_or(DecideError::NotFound)
}

/// Lets a withdrawal be paid, and sends it on its way. The work runs in a task of its own: a dropped request does not
/// cut it in half.
pub async fn approve(
    wallet: &Wallet,
    actor: PlayerId,
    id: WithdrawalId,
    remark: Option<String>,
) -> Result<StaffWithdrawal, DecideError> {
    decide(wallet, actor, id, Decision::Approve(remark)).await?;
    let paying = wallet.clone();
    let payout = wallet.tasks().spawn(async move {
        if let Err(error) = paying.pay_out(id).await {
            tracing::warn!(withdrawal = %id, %error, "an approved withdrawal is not under way yet; it will be in a minute");
        }
    });
    // A slow provider does not hold up the answer: the payout goes on, and is looked after when this process ends.
    drop(tokio::time::timeout(PATIENCE, payout).await);
    one(wallet, id).await
}

/// Refuses a withdrawal; what was held goes back.
pub async fn reject(
    wallet: &Wallet,
    actor: PlayerId,
    id: WithdrawalId,
    reason: String,
) -> Result<StaffWithdrawal, DecideError> {
    decide(wallet, actor, id, Decision::Reject(reason)).await?;
    one(wallet, id).await
}

/// Closes a withdrawal that the payment provider was asked for and never answered on, as paid or as failed, after
/// somebody has found out which it was.
pub async fn close(
    wallet: &Wallet,
    actor: PlayerId,
    id: WithdrawalId,
    paid: bool,
    reason: String,
) -> Result<StaffWithdrawal, DecideError> {
    decide(wallet, actor, id, Decision::Close { paid, reason }).await?;
    one(wallet, id).await
}

/// What the staff decides on a withdrawal.
#[derive(Clone, Debug)]
enum Decision {
    Approve(Option<String>),
    Reject(String),
    Close { paid: bool, reason: String },
}

impl Decision {
    fn step(&self, actor: PlayerId) -> Step {
        match self {
            Self::Approve(_) => Step::Approve(actor),
            Self::Reject(reason) => Step::Reject(actor, reason.clone()),
            Self::Close { paid: true, .. } => Step::Pay,
            Self::Close { paid: false, reason } => Step::Fail(reason.clone()),
        }
    }

    fn action(&self) -> Action {
        match self {
            Self::Approve(_) => Action::WithdrawalApprove,
            Self::Reject(_) => Action::WithdrawalReject,
            Self::Close { paid: true, .. } => Action::WithdrawalClosedAsPaid,
            Self::Close { paid: false, .. } => Action::WithdrawalClosedAsFailed,
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            Self::Approve(remark) => remark.as_deref(),
            Self::Reject(reason) | Self::Close { reason, .. } => Some(reason),
        }
    }
}

async fn decide(wallet: &Wallet, actor: PlayerId, id: WithdrawalId, decision: Decision) -> Result<(), DecideError> {
    let deciding = wallet.clone();
    db::uncut(wallet.tasks(), async move {
        let player = db::in_transaction(deciding.pool(), |tx| {
            let decision = decision.clone();
            Box::pin(async move { decide_once(tx, actor, id, &decision).await })
        })
        .await?;
        deciding.changed(player);
        Ok(())
    })
    .await
}

/// The step, the money and the line in the audit log, in one transaction.
async fn decide_once(
    tx: &mut Tx,
    actor: PlayerId,
    id: WithdrawalId,
    decision: &Decision,
) -> Result<PlayerId, DecideError> {
    let held = find(tx, id).await?.ok_or(DecideError::NotFound)?;
    if held.player == actor {
        return Err(DecideError::Own);
    }
    if !take(tx, &held, &decision.step(actor)).await? {
        return Err(match decision {
            Decision::Approve(_) | Decision::Reject(_) => DecideError::Decided,
            Decision::Close { .. } => DecideError::NotSubmitted,
        });
    }
    let act = Act {
        actor: Some(actor),
        action: decision.action(),
        player: Some(held.player),
        subject: Some(id.to_string()),
        reason: decision.reason(),
        detail: Some(serde_json::json!({"amount": held.amount})),
    };
    audit::record(&mut **tx, act).await?;
    Ok(held.player)
}
