//! A commit that was made, and whose answer never came.

use serde_json::json;
use sqlx::PgConnection;
use stakeboard_tests::TestServer;

use crate::support::{check_books, eventually, post_seek, text};

/// Holds the commit of every transaction that writes to a table, after it is durable and before it is answered.
async fn hold_commits_of(table: &str, owner: &mut PgConnection) {
    let statement = format!(
        "create function hold_commit() returns trigger language plpgsql as
             $$ begin perform set_config('synchronous_commit', 'on', true); return null; end $$;
         create trigger hold_commit after insert on {table} for each statement execute function hold_commit()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(owner).await.unwrap();
}

/// Waits for a commit that is held, ends its connection, and holds no more.
async fn lose_the_answer(table: &str, owner: &mut PgConnection) {
    eventually("a commit is held and its connection lost", async || {
        let ended: Vec<bool> = sqlx::query_scalar(
            "select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and wait_event = 'SyncRep'",
        )
        .fetch_all(&mut *owner)
        .await
        .unwrap();
        !ended.is_empty()
    })
    .await;
    let statement = format!("drop trigger hold_commit on {table}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut *owner).await.unwrap();
}

/// T27, and the promise that nobody's stake is stuck.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_whose_commit_was_not_heard_of_is_played_and_settled_all_the_same() {
    let server = TestServer::start().await;
    let mut owner = server.database.as_owner().await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let path = format!("/v1/lobby/seeks/{}/accept", post_seek(&first, 500).await);
    let stake = json!({"stake": 500});
    hold_commits_of("matches", &mut owner).await;
    let (answer, ()) = tokio::join!(second.post_keyed(&path, "one", &stake), lose_the_answer("matches", &mut owner));
    answer.refused(503, "paused");

    let repeated = second.post_keyed(&path, "one", &stake).await.expect(201).body;
    let id = text(&repeated["match_id"]);
    eventually("the match is served", async || {
        first.get(&format!("/v1/matches/{id}")).await.body["clocks"]["running"] == "first"
    })
    .await;
    let seeks = first.get("/v1/lobby/seeks").await.expect(200).body;
    assert_eq!(seeks["items"], json!([]));
    first.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    assert_eq!(server.registrar.available(one.id).await, 500);
    assert_eq!(server.registrar.available(two.id).await, 500 + 900);
    check_books(&server.registrar, 2_000).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deposit_whose_commit_was_not_heard_of_is_there_once_when_it_is_repeated() {
    let server = TestServer::start().await;
    let mut owner = server.database.as_owner().await;
    let (player, client) = server.player(0).await;
    let (path, body) = ("/v1/wallet/deposits", json!({"amount": 700}));
    hold_commits_of("transfers", &mut owner).await;
    let (answer, ()) = tokio::join!(client.post_keyed(path, "one", &body), lose_the_answer("transfers", &mut owner));
    answer.refused(503, "paused");
    let first = client.post_keyed(path, "one", &body).await.expect(201).body;
    assert_eq!(client.post_keyed(path, "one", &body).await.expect(201).body, first);
    assert_eq!(server.registrar.available(player.id).await, 700);
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_whose_commit_was_not_heard_of_is_shown_and_paid_once() {
    let server = TestServer::start().await;
    let mut owner = server.database.as_owner().await;
    let (id, [first, second]) = server.start_match(500).await;
    let client = server.client().of(&first);
    let resign = format!("/v1/matches/{id}/resign");
    hold_commits_of("settlements", &mut owner).await;
    let (answer, ()) = tokio::join!(client.post_empty(&resign), lose_the_answer("settlements", &mut owner));
    answer.refused(503, "paused");
    eventually("the end is found in the journal", async || {
        let shown = client.get(&format!("/v1/matches/{id}")).await.expect(200).body;
        shown["outcome"]["ending"] == "resignation"
    })
    .await;
    client.post_empty(&resign).await.refused(409, "match_over");
    assert_eq!(server.registrar.available(first.id).await, 0);
    assert_eq!(server.registrar.available(second.id).await, 900);
    check_books(&server.registrar, 1_000).await;
    server.stop().await;
}
