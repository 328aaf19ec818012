//! Withdrawals that wait for somebody: what an operator is told of without asking.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::wallet::withdrawals::WithdrawalStatus;

/// The withdrawals in one state that is no end.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// How far they have come.
    pub status: WithdrawalStatus,
    /// How many they are.
    pub count: u32,
    /// Since when the first of them is there, where there is one.
    pub since: Option<OffsetDateTime>,
}

/// Every state that is no end, also where nothing waits in it.
pub async fn waiting(pool: &PgPool) -> Result<Vec<Waiting>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select s.status as "status!: WithdrawalStatus", count(w.id) as "count!",
               min(case w.status when 'requested' then w.requested_at when 'approved' then w.decided_at
                   else w.submitted_at end) as since
           from unnest(array['requested', 'approved', 'submitted']) as s (status)
           left join withdrawals w on w.status = s.status group by s.status"#
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| Waiting {
            status: row.status,
            count: u32::try_from(row.count).unwrap_or(u32::MAX),
            since: row.since,
        })
        .collect())
}
