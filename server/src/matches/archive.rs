//! The archive: journals of matches that ended long ago, each in one row, compressed. `match_journal` of the database reads
//! both as one, so that records, replays and receipts are what they were.

use sqlx::{Connection as _, PgConnection, postgres::PgConnectOptions};
use uuid::Uuid;

/// How many matches one transaction looks at: it holds nothing that play waits for, and is soon over.
const AT_ONCE: i32 = 500;

/// Moves the entries of staked matches that ended more than so many days ago into the archive, as the schema's owner, and
/// gives their room back. Gives how many they were. Can be stopped and begun again at any moment.
pub async fn archive(owner: &PgConnectOptions, days: u16) -> Result<i64, sqlx::Error> {
    let mut connection = PgConnection::connect_with(owner).await?;
    let (mut after, mut moved) = (None::<Uuid>, 0);
    loop {
        let batch = sqlx::query!(
            r#"select last, moved as "moved!"
               from archive_matches(clock_timestamp() - make_interval(days => $1), $2, $3)"#,
            i32::from(days),
            after,
            AT_ONCE
        )
        .fetch_one(&mut connection)
        .await?;
        moved += batch.moved;
        let Some(last) = batch.last else { break };
        after = Some(last);
    }
    if moved > 0 {
        sqlx::raw_sql("vacuum (analyze) match_events").execute(&mut connection).await?;
    }
    connection.close().await?;
    Ok(moved)
}
