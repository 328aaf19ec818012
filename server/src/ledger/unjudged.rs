//! Settled matches that nobody has looked at yet.

use sqlx::PgPool;
use time::OffsetDateTime;

use crate::ids::MatchId;

/// Matches that were settled and have no figures of fair play, the oldest first. What is older than the newest figures by
/// more than ten minutes has them: a settlement takes less from its time to its commit.
pub async fn settled_unjudged(pool: &PgPool, limit: i64) -> Result<Vec<(MatchId, OffsetDateTime)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"select s.match_id as "match_id: MatchId", s.settled_at from settlements s
           where s.settled_at >= coalesce(
                   (select max(settled_at) from fair_play) - interval '10 minutes', timestamptz '-infinity'
               )
               and not exists (select from fair_play f where f.match_id = s.match_id)
           order by s.settled_at limit $1"#,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.match_id, row.settled_at)).collect())
}
