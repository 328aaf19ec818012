//! How the books stand: what an operator is told of without asking.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::{ledger::trial, money::Cents};

/// How the books stand at a moment.
#[derive(Clone, Debug)]
pub struct Books {
    /// When the trial balance was last taken and kept, and how many of its checks failed then. None was ever taken on
    /// a ledger that is new.
    pub trial: Option<(OffsetDateTime, u32)>,
    /// Whether new staked matches are refused until an administrator has seen a failed trial balance.
    pub stakes_closed: bool,
    /// When the oldest entry was written that no seal covers; `None` where all are sealed.
    pub unsealed_since: Option<OffsetDateTime>,
    /// Money that came in, or went out, and fits nothing, by currency.
    pub suspense: Vec<(String, Cents)>,
}

/// Reads it, without a lock and in a few looks into keys.
pub async fn books(pool: &PgPool) -> Result<Books, sqlx::Error> {
    let trial = sqlx::query!(
        r#"select taken_at, (
               select count(*) from jsonb_array_elements(result -> 'checks') c where not (c.value -> 'passed')::boolean
           ) as "failing!"
           from trial_balances order by id desc limit 1"#
    )
    .fetch_optional(pool)
    .await?;
    let unsealed_since = sqlx::query_scalar!(
        "select created_at from entries
         where seq > (select coalesce(max(last_entry), 0) from seals) order by seq limit 1"
    )
    .fetch_optional(pool)
    .await?;
    let suspense = sqlx::query!(
        "select a.currency, b.balance from accounts a join balances b on b.account_id = a.id where a.kind = 'suspense'"
    )
    .fetch_all(pool)
    .await?;
    Ok(Books {
        trial: trial.map(|row| (row.taken_at, u32::try_from(row.failing).unwrap_or(u32::MAX))),
        stakes_closed: trial::stakes_closed(pool).await?,
        unsealed_since,
        suspense: suspense.into_iter().map(|row| (row.currency, Cents(row.balance))).collect(),
    })
}
