//! What the payment provider told of, for the staff: money in suspense, and every event.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    admin::audit::{self, Act, Action},
    clock::rfc3339_ms,
    ids::PlayerId,
    ledger::{self, SuspensePayment},
    wallet::{EventOutcome, Wallet},
};

/// An event of the payment provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PaymentEventLine {
    /// Its place in the list.
    #[serde(skip)]
    pub number: i64,
    /// The `webhook-id`.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What came of it.
    pub outcome: EventOutcome,
    /// As it came.
    pub body: String,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub received_at: OffsetDateTime,
}

/// Money that was put in suspense, newest first. The reading is in the audit log.
pub async fn suspense(
    wallet: &Wallet,
    actor: PlayerId,
    resolved: Option<bool>,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<SuspensePayment>, sqlx::Error> {
    let act = Act { actor: Some(actor), ..Act::new(Action::SuspenseRead) };
    audit::record(wallet.pool(), act).await?;
    ledger::suspended(wallet.pool(), resolved, before, limit).await
}

/// Events, newest first. The reading is in the audit log.
pub async fn events(
    wallet: &Wallet,
    actor: PlayerId,
    outcome: Option<EventOutcome>,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<PaymentEventLine>, sqlx::Error> {
    let act = Act { actor: Some(actor), ..Act::new(Action::PaymentEventRead) };
    audit::record(wallet.pool(), act).await?;
    sqlx::query_as!(
        PaymentEventLine,
        r#"select number, id, kind, outcome as "outcome: EventOutcome", body, received_at
           from payment_events
           where ($1::text is null or outcome = $1) and ($2::bigint is null or number < $2)
           order by number desc limit $3"#,
        outcome.map(EventOutcome::as_str),
        before,
        limit
    )
    .fetch_all(wallet.pool())
    .await
}
