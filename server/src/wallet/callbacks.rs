//! What a callback of the payment provider does to deposits, withdrawals and the ledger (W-2, W-3).

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    db::{self, AsDatabaseError, Tx},
    ids::{DepositId, PlayerId, WithdrawalId},
    ledger::{self, Direction},
    money::Cents,
    players::standing::{self, Barred},
    wallet::{
        Wallet, WithdrawalStatus,
        deposits::DepositStatus,
        webhooks::{Failure, Movement, News, PaymentEvent},
        withdrawals::{Step, find, take},
    },
};

/// What came of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, serde::Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum EventOutcome {
    /// A deposit was completed.
    Credited,
    /// A deposit failed.
    Failed,
    /// A withdrawal was paid.
    Paid,
    /// A withdrawal failed, and its money went back.
    Returned,
    /// Money moved that fits nothing: it is in suspense.
    Suspense,
    /// It was heard of before: nothing was done again.
    Repeated,
    /// The payment was heard of before, with another amount, currency or reference: nothing was done, and somebody has to
    /// look.
    Contradicts,
    /// It came too late to change anything.
    Ignored,
    /// It names nothing that we know, and no money moved.
    Unmatched,
    /// A type that we know nothing of.
    UnknownType,
    /// A type that we know, without what it should say.
    Unreadable,
}

impl EventOutcome {
    /// As it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Credited => "credited",
            Self::Failed => "failed",
            Self::Paid => "paid",
            Self::Returned => "returned",
            Self::Suspense => "suspense",
            Self::Repeated => "repeated",
            Self::Contradicts => "contradicts",
            Self::Ignored => "ignored",
            Self::Unmatched => "unmatched",
            Self::UnknownType => "unknown_type",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether money may be where it should not be, or not where it should.
    fn is_to_look_at(self) -> bool {
        matches!(self, Self::Suspense | Self::Contradicts | Self::Unmatched | Self::Unreadable)
    }
}

/// Why a callback was not taken.
#[derive(Debug, thiserror::Error)]
pub enum CallbackError {
    /// Under its id another event was kept.
    #[error("another event was kept under its id")]
    OtherEvent,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl AsDatabaseError for CallbackError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            Self::OtherEvent | Self::Stopped(_) => None,
        }
    }
}

/// What was done, and whose wallet changed.
type Done = (EventOutcome, Option<PlayerId>);

impl Wallet {
    /// Takes a callback whose signature held. The event, what it does and the money commit together, once.
    pub async fn callback(&self, event: PaymentEvent) -> Result<EventOutcome, CallbackError> {
        let wallet = self.clone();
        db::uncut(&self.tasks, async move {
            let done = db::in_transaction(&wallet.pool, |tx| {
                let (event, currency) = (event.clone(), wallet.settings.currency.clone());
                Box::pin(async move { once(tx, &event, &currency).await })
            })
            .await;
            if matches!(done, Err(CallbackError::OtherEvent)) {
                count(EventOutcome::Contradicts);
                tracing::warn!(event = event.id, kind = event.kind, "another event was kept under this id: refused");
            }
            let (outcome, player) = done?;
            if let Some(player) = player {
                wallet.connections.wallet_changed(player);
            }
            count(outcome);
            if outcome.is_to_look_at() {
                tracing::warn!(event = event.id, kind = event.kind, outcome = outcome.as_str(), "a payment to look at");
            }
            Ok(outcome)
        })
        .await
    }
}

fn count(outcome: EventOutcome) {
    metrics::counter!("stakeboard_payment_events_total", "outcome" => outcome.as_str()).increment(1);
}

/// Second guard: the event's id. Its repeat waits for the first to commit, then finds it.
async fn once(tx: &mut Tx, event: &PaymentEvent, currency: &str) -> Result<Done, CallbackError> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('payment event ' || $1, 0))", event.id)
        .fetch_one(&mut **tx)
        .await?;
    let first = sqlx::query_scalar!("select body from payment_events where id = $1", event.id)
        .fetch_optional(&mut **tx)
        .await?;
    if let Some(first) = first {
        return if first == event.body { Ok((EventOutcome::Repeated, None)) } else { Err(CallbackError::OtherEvent) };
    }
    let done = match &event.news {
        News::PaymentSucceeded(movement) => payment_succeeded(tx, &event.id, movement, currency).await?,
        News::PaymentFailed(failure) => (payment_failed(tx, failure).await?, None),
        News::PayoutSucceeded(movement) => payout_succeeded(tx, &event.id, movement, currency).await?,
        News::PayoutFailed(failure) => payout_failed(tx, failure).await?,
        News::Unknown => (EventOutcome::UnknownType, None),
        News::Unreadable => (EventOutcome::Unreadable, None),
    };
    sqlx::query!(
        "insert into payment_events (id, kind, body, outcome) values ($1, $2, $3, $4)",
        event.id,
        event.kind,
        event.body,
        done.0.as_str()
    )
    .execute(&mut **tx)
    .await?;
    Ok(done)
}

/// What a payment is for, once it has been found to fit.
enum Purpose {
    Deposit(DepositId),
    Withdrawal(WithdrawalId),
    /// Nothing, and why.
    Suspense(&'static str),
}

async fn payment_succeeded(tx: &mut Tx, event: &str, movement: &Movement, currency: &str) -> Result<Done, sqlx::Error> {
    let id = movement.reference.parse::<DepositId>().ok();
    let deposit =
        match id {
            Some(id) => sqlx::query!(
                r#"select id as "id: DepositId", player_id as "player: PlayerId", amount from deposits where id = $1"#,
                id.0
            )
            .fetch_optional(&mut **tx)
            .await?,
            None => None,
        };
    let Some(deposit) = deposit else {
        return suspend(tx, event, Direction::In, movement, "unknown_reference").await;
    };
    // L-7: the balance first, then the deposit. While it is locked the account is not deleted.
    ledger::lock_available(tx, &[deposit.player]).await?;
    let status = sqlx::query_scalar!(
        r#"select status as "status: DepositStatus" from deposits where id = $1 for update"#,
        deposit.id.0
    )
    .fetch_one(&mut **tx)
    .await?;
    let has_room = deposit.amount <= ledger::room(tx, deposit.player).await?.0;
    // Nobody is left to own what comes in.
    let is_deleted = standing::shut_out(&mut **tx, deposit.player).await? == Some(Barred::Deleted);
    let misfit = misfit(movement, deposit.amount, currency)
        .or((status == DepositStatus::Completed).then_some("already_paid"))
        .or(is_deleted.then_some("account_deleted"))
        .or((!has_room).then_some("no_room"));
    if let Some(why) = misfit {
        return suspend(tx, event, Direction::In, movement, why).await;
    }
    if let Some(outcome) = heard(tx, event, Direction::In, movement, &Purpose::Deposit(deposit.id)).await? {
        return Ok((outcome, None));
    }
    let reference = format!("deposit:{}", movement.payment);
    ledger::deposit(tx, deposit.player, &reference, Cents(deposit.amount)).await?;
    sqlx::query!("update deposits set status = 'completed', ended_at = clock_timestamp() where id = $1", deposit.id.0)
        .execute(&mut **tx)
        .await?;
    Ok((EventOutcome::Credited, Some(deposit.player)))
}

/// W-3: undoes nothing. A deposit that was completed stays so.
async fn payment_failed(tx: &mut Tx, failure: &Failure) -> Result<EventOutcome, sqlx::Error> {
    let Ok(id) = failure.reference.parse::<DepositId>() else { return Ok(EventOutcome::Unmatched) };
    let failed = sqlx::query!(
        "update deposits set status = 'failed', ended_at = clock_timestamp() where id = $1 and status = 'pending'",
        id.0
    )
    .execute(&mut **tx)
    .await?;
    if failed.rows_affected() == 1 {
        return Ok(EventOutcome::Failed);
    }
    let known = sqlx::query_scalar!(r#"select exists (select from deposits where id = $1) as "known!""#, id.0)
        .fetch_one(&mut **tx)
        .await?;
    Ok(if known { EventOutcome::Ignored } else { EventOutcome::Unmatched })
}

async fn payout_succeeded(tx: &mut Tx, event: &str, movement: &Movement, currency: &str) -> Result<Done, sqlx::Error> {
    let held = match movement.reference.parse::<WithdrawalId>() {
        Ok(id) => find(tx, id).await?,
        Err(_) => None,
    };
    let Some(held) = held else {
        return suspend(tx, event, Direction::Out, movement, "unknown_reference").await;
    };
    // L-7: the balance first; while it is locked the withdrawal takes no step.
    ledger::lock_available(tx, &[held.player]).await?;
    let status =
        sqlx::query_scalar!(r#"select status as "status: WithdrawalStatus" from withdrawals where id = $1"#, held.id.0)
            .fetch_one(&mut **tx)
            .await?;
    let out_of_step = match status {
        // One that was closed as paid, by the staff or by the provider's own answer, is heard of for the first time.
        WithdrawalStatus::Paid if !is_heard_of(tx, held.id).await? => None,
        WithdrawalStatus::Submitted => None,
        WithdrawalStatus::Paid => Some("already_paid"),
        WithdrawalStatus::Requested
        | WithdrawalStatus::Approved
        | WithdrawalStatus::Rejected
        | WithdrawalStatus::Cancelled
        | WithdrawalStatus::Failed => Some("not_submitted"),
    };
    if let Some(why) = misfit(movement, held.amount.0, currency).or(out_of_step) {
        return suspend(tx, event, Direction::Out, movement, why).await;
    }
    if let Some(outcome) = heard(tx, event, Direction::Out, movement, &Purpose::Withdrawal(held.id)).await? {
        return Ok((outcome, None));
    }
    take(tx, &held, &Step::Pay).await?;
    Ok((EventOutcome::Paid, Some(held.player)))
}

async fn payout_failed(tx: &mut Tx, failure: &Failure) -> Result<Done, sqlx::Error> {
    let held = match failure.reference.parse::<WithdrawalId>() {
        Ok(id) => find(tx, id).await?,
        Err(_) => None,
    };
    let Some(held) = held else { return Ok((EventOutcome::Unmatched, None)) };
    if take(tx, &held, &Step::Fail(failure.reason.clone())).await? {
        Ok((EventOutcome::Returned, Some(held.player)))
    } else {
        Ok((EventOutcome::Ignored, None))
    }
}

/// Whether the provider has told of the payment that ended a withdrawal.
async fn is_heard_of(tx: &mut Tx, id: WithdrawalId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"select exists (select from payments where withdrawal_id = $1) as "heard!""#, id.0)
        .fetch_one(&mut **tx)
        .await
}

/// Why a movement is not the one that was asked for.
fn misfit(movement: &Movement, amount: i64, currency: &str) -> Option<&'static str> {
    if movement.currency != currency {
        Some("wrong_currency")
    } else if movement.amount != amount {
        Some("wrong_amount")
    } else {
        None
    }
}

async fn suspend(
    tx: &mut Tx,
    event: &str,
    direction: Direction,
    movement: &Movement,
    why: &'static str,
) -> Result<Done, sqlx::Error> {
    if let Some(outcome) = heard(tx, event, direction, movement, &Purpose::Suspense(why)).await? {
        return Ok((outcome, None));
    }
    let reference = match direction {
        Direction::In => format!("deposit:{}", movement.payment),
        Direction::Out => format!("payout:{}", movement.payment),
    };
    ledger::suspend(tx, direction, &reference, &movement.currency, Cents(movement.amount)).await?;
    Ok((EventOutcome::Suspense, None))
}

/// Third guard: the provider's own name for the payment. Nothing where it is new, else what comes of telling it again.
async fn heard(
    tx: &mut Tx,
    event: &str,
    direction: Direction,
    movement: &Movement,
    purpose: &Purpose,
) -> Result<Option<EventOutcome>, sqlx::Error> {
    let (deposit, withdrawal, suspense) = match purpose {
        Purpose::Deposit(id) => (Some(id.0), None, None),
        Purpose::Withdrawal(id) => (None, Some(id.0), None),
        Purpose::Suspense(why) => (None, None, Some(*why)),
    };
    let done = sqlx::query!(
        "insert into payments
             (direction, payment, amount, currency, deposit_id, withdrawal_id, reference, suspense, event_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (direction, payment) do nothing",
        direction.as_str(),
        movement.payment,
        movement.amount,
        movement.currency,
        deposit,
        withdrawal,
        movement.reference,
        suspense,
        event
    )
    .execute(&mut **tx)
    .await?;
    if done.rows_affected() == 1 {
        return Ok(None);
    }
    let is_the_same = sqlx::query_scalar!(
        r#"select (amount, currency, reference) = ($3, $4, $5) as "same!"
           from payments where direction = $1 and payment = $2"#,
        direction.as_str(),
        movement.payment,
        movement.amount,
        movement.currency,
        movement.reference
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(Some(if is_the_same { EventOutcome::Repeated } else { EventOutcome::Contradicts }))
}
