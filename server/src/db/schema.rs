//! The schema: migrations as its owner, checks as the server.

use sqlx::{
    Connection as _, PgConnection, PgPool,
    migrate::{MigrateError, Migrator},
    postgres::PgConnectOptions,
};

use crate::db::private_postgres::{Connection, OWNER};

static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// The database of a private Postgres.
pub const DATABASE: &str = "stakeboard";

/// Why the schema is not one this server can work with.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database did not answer as it should.
    #[error("the schema could not be read or prepared")]
    Database(#[from] sqlx::Error),
    /// A migration failed.
    #[error("the schema could not be migrated")]
    Migration(#[from] MigrateError),
    /// The schema is older than the server.
    #[error("the schema lacks migration {0}: run `stakeboard-server migrate` with STAKEBOARD_OWNER_DATABASE_URL first")]
    Behind(i64),
}

/// Brings the schema up to date, as its owner.
pub async fn migrate(owner: &PgConnectOptions) -> Result<(), SchemaError> {
    let mut connection = PgConnection::connect_with(owner).await?;
    if !is_current(&mut connection).await {
        MIGRATOR.run(&mut connection).await?;
        // The server's check below reads which migrations have run.
        sqlx::raw_sql("grant select on _sqlx_migrations to stakeboard_server").execute(&mut connection).await?;
    }
    connection.close().await?;
    Ok(())
}

/// Whether every migration has run, word for word, and the server can see that. Then nothing is left that only an owner may do: in development
/// the server's own role gets this far too, and so does a server that is older than the schema.
async fn is_current(connection: &mut PgConnection) -> bool {
    let applied: Vec<(i64, Vec<u8>)> = sqlx::query_as(
        "select version, checksum from _sqlx_migrations
         where success and has_table_privilege('stakeboard_server', '_sqlx_migrations', 'select')",
    )
    .fetch_all(connection)
    .await
    .unwrap_or_default();
    MIGRATOR.iter().all(|migration| {
        applied.iter().any(|(version, checksum)| {
            *version == migration.version && checksum.as_slice() == migration.checksum.as_ref()
        })
    })
}

/// Refuses a schema that is older than this server, or not there.
pub async fn check(pool: &PgPool) -> Result<(), SchemaError> {
    let applied = sqlx::query_scalar("select version from _sqlx_migrations where success").fetch_all(pool).await;
    let applied: Vec<i64> = match applied {
        // Nobody has migrated it yet: there is no such table.
        Err(error)
            if error.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref() == Some("42P01") =>
        {
            Vec::new()
        }
        applied => applied?,
    };
    match MIGRATOR.iter().find(|migration| !applied.contains(&migration.version)) {
        Some(missing) => Err(SchemaError::Behind(missing.version)),
        None => Ok(()),
    }
}

/// Makes the database of a private Postgres where it is missing, migrates it, and gives the server's way in.
pub async fn prepare_private(connection: &Connection) -> Result<PgConnectOptions, SchemaError> {
    let mut maintenance = PgConnection::connect_with(&connection.options(OWNER, "postgres")).await?;
    let exists: bool = sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
        .bind(DATABASE)
        .fetch_one(&mut maintenance)
        .await?;
    if !exists {
        sqlx::raw_sql("create database stakeboard").execute(&mut maintenance).await?;
    }
    let has_role: bool = sqlx::query_scalar("select exists (select from pg_roles where rolname = $1)")
        .bind(super::SERVER_ROLE)
        .fetch_one(&mut maintenance)
        .await?;
    if !has_role {
        sqlx::raw_sql("create role stakeboard_server login").execute(&mut maintenance).await?;
    }
    maintenance.close().await?;
    migrate(&connection.options(OWNER, DATABASE)).await?;
    Ok(connection.options(super::SERVER_ROLE, DATABASE))
}
