//! What an operator relies on: who may prepare the schema, what a server says where it is not prepared, how it is
//! installed, watched, backed up and restored, and that the documents agree with the tree.
#![expect(clippy::unwrap_used, reason = "a test panics where it fails")]

mod alerts;
mod deployment;
mod documents;
mod growth;
mod logs;
mod proxies;
mod restore;
mod watching;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::Connection as _;
use stakeboard_server::db::{self, SchemaError};
use stakeboard_tests::TestDatabase;

/// The server's program.
const SERVER: &str = env!("CARGO_BIN_EXE_server-under-test");
/// For what should happen soon, on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_mins(2);

/// Where the workspace is.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A file of the workspace.
fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Asks again and again until there is an answer.
async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut ask: impl FnMut() -> F) -> T {
    let found = async {
        loop {
            if let Some(found) = ask().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("not in two minutes: {what}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_schema_is_up_to_date_nothing_is_left_that_only_its_owner_may_do() {
    let database = TestDatabase::create().await;
    db::migrate(&database.server).await.unwrap();
    db::check_schema(&database.pool().await).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_is_missing_is_made_by_its_owner_and_by_nobody_else() {
    let database = TestDatabase::create().await;
    let mut owner = database.as_owner().await;
    sqlx::raw_sql("drop schema public cascade; create schema public").execute(&mut owner).await.unwrap();

    let refused = db::check_schema(&database.pool().await).await.unwrap_err();
    assert!(matches!(refused, SchemaError::Behind(_)), "{refused}");
    let refused = db::migrate(&database.server).await.unwrap_err();
    assert!(matches!(refused, SchemaError::Migration(_)), "{refused}");
    let left: i64 = sqlx::query_scalar("select count(*) from pg_class where relnamespace = 'public'::regnamespace")
        .fetch_one(&mut owner)
        .await
        .unwrap();
    assert_eq!(left, 0, "a refused migration leaves nothing behind");

    db::migrate(&database.owner).await.unwrap();
    db::check_schema(&database.pool().await).await.unwrap();
    owner.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_older_than_the_server_is_refused_with_the_command_that_mends_it() {
    let database = TestDatabase::create().await;
    let mut owner = database.as_owner().await;
    let version: i64 = sqlx::query_scalar(
        "delete from _sqlx_migrations where version = (select max(version) from _sqlx_migrations) returning version",
    )
    .fetch_one(&mut owner)
    .await
    .unwrap();
    let refused = db::check_schema(&database.pool().await).await.unwrap_err();
    assert!(matches!(refused, SchemaError::Behind(behind) if behind == version), "{refused}");
    assert!(refused.to_string().contains("stakeboard-server migrate"), "{refused}");
    owner.close().await.unwrap();
}
