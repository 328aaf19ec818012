//! How the books stand: what an operator is told of without asking.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::{ledger::trial, money::Cents};

/// How the books stand at a moment.
#[derive(Clone, Debug)]
pub struct Books {
    /// When the trial balance was last taken and kept, and how many checks failed when they were last made: the run of the
    /// night makes some that others do not. None was ever taken on a ledger that is new.
    pub trial: Option<(OffsetDateTime, u32)>,
    /// Whether new staked matches are refused until an administrator has seen a failed trial balance.
    pub stakes_closed: bool,
    /// When the oldest entry was written that no seal covers; `None` where all are sealed.
    pub unsealed_since: Option<OffsetDateTime>,
    /// What fits nothing, by currency.
    pub suspense: Vec<Suspense>,
}

/// Money of one currency that came in, or went out, and fits nothing.
#[derive(Clone, Debug)]
pub struct Suspense {
    /// ISO 4217.
    pub currency: String,
    /// What came in less what went out: nothing, where as much went one way as the other.
    pub balance: Cents,
    /// How many payments nobody has found a place for.
    pub payments: u32,
    /// When the first of them was told of.
    pub since: Option<OffsetDateTime>,
}

/// Reads it, without a lock and in a few looks into keys.
pub async fn books(pool: &PgPool) -> Result<Books, sqlx::Error> {
    let trial = sqlx::query!(
        r#"select max(taken_at) as taken_at, count(*) filter (where not passed) as "failing!"
           from (
               select distinct on (c.value ->> 'name') t.taken_at, (c.value -> 'passed')::boolean as passed
               from (
                   (select id, taken_at, result from trial_balances order by id desc limit 1)
                   union
                   (select id, taken_at, result from trial_balances where night is not null order by night desc limit 1)
               ) t cross join jsonb_array_elements(t.result -> 'checks') c
               order by c.value ->> 'name', t.id desc
           ) made"#
    )
    .fetch_one(pool)
    .await?;
    let unsealed_since = sqlx::query_scalar!(
        "select created_at from entries
         where seq > (select coalesce(max(last_entry), 0) from seals) order by seq limit 1"
    )
    .fetch_optional(pool)
    .await?;
    let suspense = sqlx::query!(
        r#"select a.currency, b.balance, open.payments as "payments!", open.since
           from accounts a
           join balances b on b.account_id = a.id
           cross join lateral (
               select count(*) as payments, min(p.received_at) as since
               from payments p
               join transfers t
                   on t.reference = case p.direction when 'in' then 'deposit:' else 'payout:' end || p.payment
               where p.suspense is not null and p.currency = a.currency
                   and not exists (select from adjustments d where d.transfer_id = t.id and d.status = 'done')
           ) open
           where a.kind = 'suspense'"#
    )
    .fetch_all(pool)
    .await?;
    let suspense = suspense.into_iter().map(|row| Suspense {
        currency: row.currency,
        balance: Cents(row.balance),
        payments: u32::try_from(row.payments).unwrap_or(u32::MAX),
        since: row.since,
    });
    Ok(Books {
        trial: trial.taken_at.map(|at| (at, u32::try_from(trial.failing).unwrap_or(u32::MAX))),
        stakes_closed: trial::stakes_closed(pool).await?,
        unsealed_since,
        suspense: suspense.collect(),
    })
}
