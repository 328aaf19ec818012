//! Transactions that are repeated when they lose a race.

use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::{PgPool, Postgres, Transaction};
use tracing::Instrument as _;

use crate::db::{Trouble, trouble};

/// An open transaction, passed down by reference: work inside it never takes a second connection.
pub type Tx = Transaction<'static, Postgres>;

/// How often work is tried before the conflict is told to the caller.
const ATTEMPTS: u32 = 5;

/// Runs `work` in one transaction and commits it where it succeeds.
///
/// Serialization failures and deadlocks are retried, at most five times in all (L-7); `work` must
/// therefore do nothing but talk to the database. An error of its own rolls everything back.
/// Runs in the caller's task: money work is put in a task of its own first ([`super::uncut()`]), so that a
/// dropped request does not cut it in half.
pub async fn in_transaction<T, E, F>(pool: &PgPool, work: F) -> Result<T, E>
where
    E: From<sqlx::Error> + AsDatabaseError,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + Sync,
{
    repeated(|| once(pool, &work)).await
}

/// Repeats what is a transaction by itself where it loses a race, as [`in_transaction`] does.
pub async fn repeated<T, E, W>(work: impl Fn() -> W) -> Result<T, E>
where
    E: AsDatabaseError,
    W: Future<Output = Result<T, E>>,
{
    let mut attempt = 1;
    loop {
        match work().instrument(tracing::debug_span!("transaction", attempt)).await {
            Err(error) if attempt < ATTEMPTS && error.database().is_some_and(is_conflict) => {
                tokio::time::sleep(Duration::from_millis(u64::from(2 * attempt * attempt))).await;
                attempt += 1;
            }
            done => return done,
        }
    }
}

/// Begins a transaction, in a task of its own: where the caller is dropped meanwhile it is rolled back. Begun in the
/// caller's task and dropped before the answer, it would stay open on a connection that others then use.
pub async fn begin(pool: &PgPool) -> Result<Tx, sqlx::Error> {
    let pool = pool.clone();
    #[expect(clippy::disallowed_methods, reason = "this is the place the ban points to")]
    let begun = tokio::spawn(async move { pool.begin().await }.in_current_span());
    match begun.await {
        Ok(begun) => begun,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The process is at its end.
            Err(_) => Err(sqlx::Error::PoolClosed),
        },
    }
}

async fn once<T, E, F>(pool: &PgPool, work: &F) -> Result<T, E>
where
    E: From<sqlx::Error>,
    F: for<'t> Fn(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + Sync,
{
    let mut tx = begin(pool).await?;
    let done = work(&mut tx).await;
    match done {
        Ok(value) => {
            tx.commit().await?;
            Ok(value)
        }
        Err(error) => {
            // A failed rollback changes nothing: the connection is dropped and Postgres rolls back itself.
            drop(tx.rollback().await);
            Err(error)
        }
    }
}

fn is_conflict(error: &sqlx::Error) -> bool {
    trouble(error) == Trouble::Conflict
}

/// An error that may carry one of the database.
pub trait AsDatabaseError {
    /// The database's error, where it is one.
    fn database(&self) -> Option<&sqlx::Error>;
}

impl AsDatabaseError for sqlx::Error {
    fn database(&self) -> Option<&sqlx::Error> {
        Some(self)
    }
}
