//! Postgres: the pool, the schema, transactions.

mod lasting;
pub mod private_postgres;
mod schema;
mod transaction;
mod uncut;

pub use lasting::Lasting;
pub use schema::{DATABASE, SchemaError, check as check_schema, migrate, prepare_private};
pub use transaction::{AsDatabaseError, Tx, begin, in_transaction, repeated};
pub use uncut::{Stopped, uncut};

use sqlx::{
    Connection as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::time::Duration;

/// The role the server works as.
pub const SERVER_ROLE: &str = "stakeboard_server";

/// Whose fault a database error is, and what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Postgres can't be reached or can't write: wait for it.
    Unavailable,
    /// A serialization failure or deadlock: the same work can succeed when repeated.
    Conflict,
    /// Anything else: ours.
    Fault,
}

/// Classes of SQLSTATE that say Postgres itself can't work now: connection, resources, operator, system.
const UNAVAILABLE_CLASSES: [&str; 4] = ["08", "53", "57", "58"];

/// Sorts an error by what can be done about it.
pub fn trouble(error: &sqlx::Error) -> Trouble {
    match error {
        sqlx::Error::Database(database) => match database.code().as_deref() {
            Some("40001" | "40P01") => Trouble::Conflict,
            // A read-only server can't write, for us that is as good as none.
            Some("25006") => Trouble::Unavailable,
            Some(code) if UNAVAILABLE_CLASSES.iter().any(|class| code.starts_with(class)) => Trouble::Unavailable,
            _ => Trouble::Fault,
        },
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Trouble::Unavailable,
        _ => Trouble::Fault,
    }
}

/// Whether Postgres can't be reached or can't write. What was under way then may have been committed.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    trouble(error) == Trouble::Unavailable
}

/// Whether a number left the range of its type. Nothing wraps: the statement is undone.
pub fn is_out_of_range(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref() == Some("22003")
}

/// The time as the database has it.
pub async fn time(connection: &mut PgConnection) -> Result<time::OffsetDateTime, sqlx::Error> {
    sqlx::query_scalar!(r#"select clock_timestamp() as "now!""#).fetch_one(connection).await
}

/// What tells this deployment from others: a database and its own identity, which a copy of it shares.
pub async fn deployment(pool: &PgPool) -> Result<String, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select replace(id::text, '-', '') || '-' || (select oid from pg_database where datname = current_database())
               as "deployment!"
           from deployment"#
    )
    .fetch_one(pool)
    .await
}

/// The name of the constraint that an error is about.
pub fn constraint(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(|database| database.constraint())
}

/// Where a database is, for people: never with the password.
pub fn place(options: &PgConnectOptions) -> String {
    let host = options.get_socket().map_or_else(|| options.get_host().into(), |socket| socket.to_string_lossy());
    let database = options.get_database().unwrap_or_else(|| options.get_username());
    format!("{host}:{}/{database}", options.get_port())
}

/// What is said where a database can't be reached.
pub fn unreached(options: &PgConnectOptions) -> String {
    format!("Postgres at {} could not be reached as {}", place(options), options.get_username())
}

/// One connection that works as [`SERVER_ROLE`], whatever role it logs in as.
pub async fn connect_one(options: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let mut connection = PgConnection::connect_with(options).await?;
    assume_role(&mut connection).await?;
    Ok(connection)
}

/// Also sees to it that a commit is on disk when it is answered, whatever the environment (`PGOPTIONS`) or the
/// login's defaults say; `local` promises as much. Compiling plans (JIT) costs our queries more than it saves: they
/// read little, or read it once.
async fn assume_role(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(
        "set role stakeboard_server;
         set jit = off;
         select set_config('synchronous_commit', 'on', false)
         where current_setting('synchronous_commit') = 'off'",
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A pool of connections that work as [`SERVER_ROLE`], whatever role they log in as.
pub async fn connect(options: PgConnectOptions, connections: u32, wait: Duration) -> Result<PgPool, sqlx::Error> {
    let place = options.clone();
    let opened = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(wait)
        .test_before_acquire(false)
        .after_connect(|connection, _| Box::pin(assume_role(connection)))
        .connect_with(options)
        .await;
    match opened {
        // What was waited for in vain says why.
        Err(sqlx::Error::PoolTimedOut) => match tokio::time::timeout(wait, connect_one(&place)).await {
            Ok(Err(reason)) => Err(reason),
            _ => Err(sqlx::Error::PoolTimedOut),
        },
        opened => opened,
    }
}

/// Whether the write-ahead log is to be archived and the last attempt at it failed: then backups stop here, and the disk
/// fills up.
pub async fn archive_fails(pool: &PgPool) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select current_setting('archive_mode') <> 'off'
             and last_failed_time > coalesce(last_archived_time, '-infinity') is true from pg_stat_archiver",
    )
    .fetch_one(pool)
    .await
}
