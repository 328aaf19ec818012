//! What the database itself holds withdrawals to, and what the trial balance finds in them.

use sqlx::Connection as _;
use stakeboard_tests::TestServer;

use super::{approve, cashier, requested};

/// The second path beside the server's own comparisons.
#[tokio::test(flavor = "multi_thread")]
async fn w4_the_database_itself_allows_one_open_withdrawal_and_only_the_steps() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let (_, desk) = cashier(&server).await;
    let id = requested(&client, 100).await;
    let pool = &server.registrar.pool;
    let refused = async |statement: &str| {
        let error = sqlx::query(sqlx::AssertSqlSafe(statement.to_owned())).execute(pool).await.expect_err(statement);
        error.as_database_error().unwrap().to_string()
    };
    let second =
        format!("insert into withdrawals (id, player_id, amount) values (gen_random_uuid(), '{}', 1)", player.id);
    assert!(refused(&second).await.contains("withdrawals_one_open"));
    for change in ["status = 'paid', submitted_at = now(), ended_at = now()", "status = 'submitted'", "amount = 1"] {
        refused(&format!("update withdrawals set {change} where id = '{id}'")).await;
    }
    approve(&desk, &id).await.expect(200);
    for status in ["requested", "approved", "submitted", "rejected", "cancelled", "failed", "paid"] {
        let message = refused(&format!("update withdrawals set status = '{status}' where id = '{id}'")).await;
        assert!(message.contains("there is no step"), "{message}");
    }
    refused("delete from withdrawals").await;
    refused("truncate withdrawals").await;
    let mut owner = server.database.as_owner().await;
    for statement in ["delete from withdrawals", "truncate withdrawals"] {
        assert!(sqlx::raw_sql(statement).execute(&mut owner).await.is_err(), "{statement}, also as the owner");
    }
    owner.close().await.unwrap();
    server.stop().await;
}

/// L-10: holds are the open withdrawals, player by player.
#[tokio::test(flavor = "multi_thread")]
async fn l10_a_hold_without_its_withdrawal_and_an_end_without_its_transfer_are_found() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let id = requested(&client, 100).await;
    server.registrar.verify_ledger().await;
    let mut owner = server.database.as_owner().await;
    sqlx::raw_sql("alter table withdrawals disable trigger user").execute(&mut owner).await.unwrap();
    sqlx::query("update withdrawals set status = 'cancelled', ended_at = now() where id = $1::uuid")
        .bind(&id)
        .execute(&mut owner)
        .await
        .unwrap();
    let checks = stakeboard_server::ledger::verify(&mut owner).await.unwrap();
    let failed: Vec<_> = checks.iter().filter(|check| !check.passed).map(|check| check.name).collect();
    assert_eq!(
        failed,
        ["each player's hold is their open withdrawal", "each withdrawal was held, and paid or given back as it says"]
    );
    owner.close().await.unwrap();
    server.stop().await;
}
