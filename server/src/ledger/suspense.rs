//! Money that came in, or went out, and fits nothing (L-2, W-2).

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    clock::rfc3339_ms,
    db::Tx,
    ids::{AccountId, TransferId},
    money::Cents,
};

/// Which way money went that fits nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It came in.
    In,
    /// It went out.
    Out,
}

impl Direction {
    /// As it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }
}

/// Books money under `suspense`, in its own currency, until somebody finds out what it is.
pub async fn suspend(
    tx: &mut Tx,
    direction: Direction,
    reference: &str,
    currency: &str,
    amount: Cents,
) -> Result<(), sqlx::Error> {
    let external = open(tx, "external", currency).await?;
    let suspense = open(tx, "suspense", currency).await?;
    let (debit, credit) = match direction {
        Direction::In => (external, suspense),
        Direction::Out => (suspense, external),
    };
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['suspense'], array[$3::uuid], array[$4::uuid],
             array[$5::bigint])",
        reference,
        TransferId::generate().0,
        debit.0,
        credit.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// Money that fits nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SuspensePayment {
    /// Its place in the list.
    #[serde(skip)]
    pub number: i64,
    /// `in` or `out`.
    pub direction: String,
    /// The provider's own name for it.
    pub payment: String,
    /// How much.
    pub amount: Cents,
    /// ISO 4217, as the provider says.
    pub currency: String,
    /// What the provider says it is for.
    pub reference: String,
    /// Why it fits nothing: `unknown_reference`, `wrong_currency`, `wrong_amount`, `already_paid`, `no_room` for a deposit
    /// beyond what a balance can hold, `account_deleted` for one whose player is gone, or `not_submitted` for a payout that
    /// had not been asked for or had ended.
    pub why: String,
    /// The transfer into or out of suspense: what is reversed, or assigned to a player.
    pub transfer: TransferId,
    /// The adjustment that found a place for it, or is to; null while nobody has.
    #[schema(required)]
    pub adjustment: Option<Uuid>,
    /// Whether that has been done: the money is no longer in suspense.
    pub resolved: bool,
    /// The event that told of it.
    pub event: String,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub received_at: OffsetDateTime,
}

/// Money that was put in suspense, newest first, from before one of them: all, or what has been given its place and what
/// has not.
pub async fn suspended(
    pool: &PgPool,
    resolved: Option<bool>,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<SuspensePayment>, sqlx::Error> {
    sqlx::query_as!(
        SuspensePayment,
        r#"select p.number, p.direction, p.payment, p.amount as "amount: Cents", p.currency, p.reference,
                  p.suspense as "why!", t.id as "transfer: TransferId", a.id as "adjustment?",
                  coalesce(a.status = 'done', false) as "resolved!", p.event_id as event, p.received_at
           from payments p
           join transfers t on t.reference = case p.direction when 'in' then 'deposit:' else 'payout:' end || p.payment
           left join adjustments a on a.transfer_id = t.id and a.status in ('waiting', 'done')
           where p.suspense is not null and ($1::boolean is null or coalesce(a.status = 'done', false) = $1)
               and ($2::bigint is null or p.number < $2)
           order by p.number desc limit $3"#,
        resolved,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}

/// The account of the house's of this kind, opened where it is the first money of its currency.
async fn open(tx: &mut Tx, kind: &str, currency: &str) -> Result<AccountId, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select open_account($1, $2, $3, null, null, null) as "id!: AccountId""#,
        AccountId::generate().0,
        kind,
        currency
    )
    .fetch_one(&mut **tx)
    .await
}
