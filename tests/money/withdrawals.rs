//! Withdrawals (W-4): held at once, decided on once, paid or given back once.

mod payouts;
mod rows;
mod staff;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Answer, Client, Player, Socket, TestServer};

use crate::support::{accept, check_books, post_seek, sort_answers, text, together, transfers_of};

/// A cashier and their client.
async fn cashier(server: &TestServer) -> (Player, Client) {
    let player = server.registrar.with_roles(0, vec![Role::Cashier]).await;
    let client = server.client().of(&player);
    (player, client)
}

async fn withdraw(client: &Client, amount: i64) -> Answer {
    client.post_until_heard("/v1/wallet/withdrawals", &json!({"amount": amount})).await
}

/// Asks for a withdrawal and gives its id.
async fn requested(client: &Client, amount: i64) -> String {
    text(&withdraw(client, amount).await.expect(201).body["id"])
}

async fn approve(client: &Client, id: &str) -> Answer {
    client.post_empty(&format!("/v1/admin/withdrawals/{id}/approve")).await
}

async fn reject(client: &Client, id: &str) -> Answer {
    client.post(&format!("/v1/admin/withdrawals/{id}/reject"), &json!({"reason": "account under review"})).await
}

async fn cancel(client: &Client, id: &str) -> Answer {
    client.delete(&format!("/v1/wallet/withdrawals/{id}")).await
}

/// What a player has available and what is held.
async fn holdings(client: &Client) -> (i64, i64) {
    let wallet = client.get("/v1/wallet").await.expect(200).body;
    (wallet["available"].as_i64().unwrap(), wallet["pending_withdrawal"].as_i64().unwrap())
}

/// The status of a player's newest withdrawal.
async fn newest(client: &Client) -> String {
    text(&client.get("/v1/wallet/withdrawals").await.expect(200).body["items"][0]["status"])
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_a_withdrawal_is_held_at_once_and_paid_once_it_is_approved() {
    let server = TestServer::start().await;
    let (player, client) = server.player(5_000).await;
    let (staff, desk) = cashier(&server).await;
    let mut socket = Socket::open(server.address, &player.token).await;

    let asked = withdraw(&client, 2_000).await.expect(201).body;
    assert_eq!(
        (&asked["status"], &asked["amount"], &asked["currency"]),
        (&json!("requested"), &json!(2_000), &json!("BRL"))
    );
    assert_eq!(asked["ended_at"], Value::Null);
    let news = socket.until("wallet").await;
    assert_eq!(news, json!({"type": "wallet", "available": 3_000, "in_play": 0, "pending_withdrawal": 2_000}));
    assert_eq!(holdings(&client).await, (3_000, 2_000));
    server.registrar.verify_ledger().await;

    let id = text(&asked["id"]);
    // A body that may be left out may be `null` too; one of another kind is none of either.
    let path = format!("/v1/admin/withdrawals/{id}/approve");
    for wrong in [json!([]), json!("yes"), json!({"reason": 5})] {
        desk.post(&path, &wrong).await.refused(422, "invalid_request");
    }
    let paid = desk.post(&path, &Value::Null).await.expect(200).body;
    assert_eq!((&paid["status"], &paid["decided_by"]), (&json!("paid"), &json!(staff.id)));
    assert_eq!(holdings(&client).await, (3_000, 0));
    loop {
        let news = socket.until("wallet").await;
        if news["pending_withdrawal"] == 0 {
            assert_eq!(news["available"], 3_000);
            break;
        }
    }
    let mine = client.get("/v1/wallet/withdrawals").await.expect(200).body;
    assert_eq!((mine["items"][0]["status"].clone(), mine["items"].as_array().unwrap().len()), (json!("paid"), 1));
    assert!(mine["items"][0]["ended_at"].is_string());

    let lines = client.get("/v1/wallet/transfers").await.expect(200).body;
    let last = &lines["items"][0];
    assert_eq!(
        (&last["kind"], &last["amount"], &last["balance_after"]),
        (&json!("hold"), &json!(-2_000), &json!(3_000))
    );
    let references: Vec<(String, String, i64)> = sqlx::query_as(
        "select reference, kind, amount from transfers where reference like 'withdrawal:%' order by created_at",
    )
    .fetch_all(&server.registrar.pool)
    .await
    .unwrap();
    assert_eq!(
        references,
        [
            (format!("withdrawal:{id}:hold"), "hold".to_owned(), 2_000),
            (format!("withdrawal:{id}:settle"), "withdrawal".to_owned(), 2_000),
        ]
    );
    check_books(&server.registrar, 3_000).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_what_is_rejected_or_cancelled_goes_back_and_its_end_is_final() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let (_, desk) = cashier(&server).await;
    let rejected = requested(&client, 1_000).await;
    assert_eq!(reject(&desk, &rejected).await.expect(200).body["status"], "rejected");
    assert_eq!(holdings(&client).await, (1_000, 0));
    let cancelled = requested(&client, 400).await;
    cancel(&client, &cancelled).await.expect(204);
    assert_eq!(holdings(&client).await, (1_000, 0));
    let paid = requested(&client, 300).await;
    approve(&desk, &paid).await.expect(200);

    // B4, B5: nothing done to any of them again moves money.
    for id in [&rejected, &cancelled, &paid] {
        approve(&desk, id).await.refused(409, "withdrawal_decided");
        reject(&desk, id).await.refused(409, "withdrawal_decided");
        cancel(&client, id).await.refused(409, "withdrawal_decided");
    }
    assert_eq!(holdings(&client).await, (700, 0));
    let mine = client.get("/v1/wallet/withdrawals").await.expect(200);
    assert!(!mine.text.contains("under review"), "the reason is the staff's own");
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_five_hundred_parallel_withdrawals_of_one_balance_are_one() {
    const TRIES: usize = 500;
    let server = TestServer::start().await;
    let (player, client) = server.player(3_000).await;
    let acts = (0..TRIES).map(|_| {
        let client = client.clone();
        async move { withdraw(&client, 1_000).await }
    });
    let (made, refused) = sort_answers(together(acts.collect()).await);
    assert_eq!(made.len(), 1);
    assert_eq!(refused, vec![(409, "withdrawal_open".to_owned()); TRIES - 1]);
    assert_eq!(holdings(&client).await, (2_000, 1_000));
    assert_eq!(transfers_of(&server.registrar.pool, &player, "hold").await, 2, "one line on each side of one transfer");
    check_books(&server.registrar, 3_000).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b3_what_is_held_can_be_neither_withdrawn_again_nor_staked() {
    const STAKE: i64 = 1_000;
    let server = TestServer::start().await;
    let (_, client) = server.player(5 * STAKE).await;
    let (_, desk) = cashier(&server).await;
    for left in (0..5).rev() {
        let id = requested(&client, STAKE).await;
        withdraw(&client, STAKE).await.refused(409, "withdrawal_open");
        assert_eq!(holdings(&client).await, (left * STAKE, STAKE));
        if left > 0 {
            approve(&desk, &id).await.expect(200);
        }
    }
    // The last of them is still held: nothing is left for a stake, and nothing for a sixth.
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.refused(409, "insufficient_funds");
    let open = client.get("/v1/wallet/withdrawals").await.expect(200).body;
    approve(&desk, &text(&open["items"][0]["id"])).await.expect(200);
    withdraw(&client, 1).await.refused(409, "insufficient_funds");
    check_books(&server.registrar, 0).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b3_a_stake_and_a_withdrawal_at_once_take_what_is_there_once() {
    const STAKE: i64 = 1_000;
    let server = TestServer::start().await;
    for _ in 0..10 {
        let (_, client) = server.player(STAKE).await;
        let (_, poster) = server.player(STAKE).await;
        let seek = post_seek(&poster, STAKE).await;
        let (staking, withdrawing) = (client.clone(), client.clone());
        let acts: Vec<BoxFuture<'static, Answer>> = vec![
            Box::pin(async move { accept(&staking, &seek, STAKE).await }),
            Box::pin(async move { withdraw(&withdrawing, STAKE).await }),
        ];
        let (made, refused) = sort_answers(together(acts).await);
        assert_eq!((made.len(), refused), (1, vec![(409, "insufficient_funds".to_owned())]));
    }
    check_books(&server.registrar, 20 * STAKE).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b14_one_key_is_one_withdrawal_with_one_body_and_of_one_player() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let (_, other) = server.player(1_000).await;
    let path = "/v1/wallet/withdrawals";
    let acts = (0..50).map(|number| {
        let client = client.clone();
        let amount = if number % 2 == 0 { 100 } else { 200 };
        async move { client.post_keyed(path, "the key", &json!({"amount": amount})).await }
    });
    let (made, refused) = sort_answers(together(acts.collect()).await);
    assert!(made.iter().all(|one| *one == made[0]) && !made.is_empty(), "every success is the same one");
    for (status, code) in refused {
        assert!(matches!((status, code.as_str()), (409, "idempotency_in_progress") | (422, "idempotency_key_reused")));
    }
    let amount = made[0]["amount"].as_i64().unwrap();
    assert_eq!(holdings(&client).await, (1_000 - amount, amount));
    let again = client.post_keyed(path, "the key", &json!({"amount": amount})).await.expect(201);
    assert_eq!(again.body, made[0], "B15: the repeat is told of the same withdrawal");
    client.post_keyed(path, "the key", &json!({"amount": 300})).await.refused(422, "idempotency_key_reused");
    other.post_keyed(path, "the key", &json!({"amount": 300})).await.expect(201);
    client.post(path, &json!({"amount": 5})).await.refused(400, "idempotency_key_missing");

    // A refused request leaves its key free.
    let (poor, client) = server.player(10).await;
    client.post_keyed(path, "later", &json!({"amount": 20})).await.refused(409, "insufficient_funds");
    server.registrar.deposit(poor.id, 10).await;
    client.post_keyed(path, "later", &json!({"amount": 20})).await.expect(201);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_of_those_who_decide_at_once_one_succeeds_and_the_others_are_told() {
    let server = TestServer::start().await;
    let (mut deposited, mut rounds) = (0, 0);
    while rounds < 12 {
        let (_, client) = server.player(1_000).await;
        let (_, one) = cashier(&server).await;
        let (_, two) = cashier(&server).await;
        deposited += 1_000;
        let id = requested(&client, 1_000).await;
        let mut acts: Vec<BoxFuture<'static, (&str, Answer)>> = Vec::new();
        for desk in [&one, &two] {
            let (approving, rejecting, this, that) = (desk.clone(), desk.clone(), id.clone(), id.clone());
            acts.push(Box::pin(async move { ("paid", approve(&approving, &this).await) }));
            acts.push(Box::pin(async move { ("rejected", reject(&rejecting, &that).await) }));
        }
        for _ in 0..2 {
            let (client, id) = (client.clone(), id.clone());
            acts.push(Box::pin(async move { ("cancelled", cancel(&client, &id).await) }));
        }
        let answers = together(acts).await;
        if answers.iter().any(|(_, answer)| answer.is_unheard()) {
            // Whose decision it was is not known: another round.
            continue;
        }
        rounds += 1;
        let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|(_, answer)| answer.status < 300);
        assert_eq!(done.len(), 1);
        for (_, answer) in refused {
            answer.refused(409, "withdrawal_decided");
        }
        let end = done[0].0;
        assert_eq!(newest(&client).await, end);
        let expected = if end == "paid" { 0 } else { 1_000 };
        assert_eq!(holdings(&client).await, (expected, 0));
    }
    let paid: i64 =
        sqlx::query_scalar("select coalesce(sum(amount), 0)::bigint from withdrawals where status = 'paid'")
            .fetch_one(&server.registrar.pool)
            .await
            .unwrap();
    check_books(&server.registrar, deposited - paid).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_amounts_are_refused_by_field_and_hold_nothing() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let path = "/v1/wallet/withdrawals";
    let cases = [
        (r#"{"amount":"100"}"#, "wrong_type"),
        (r#"{"amount":100.0}"#, "wrong_type"),
        (r#"{"amount":1e2}"#, "wrong_type"),
        (r#"{"amount":-1}"#, "out_of_range"),
        (r#"{"amount":0}"#, "out_of_range"),
        (r#"{"amount":9223372036854775808}"#, "wrong_type"),
        (r#"{"amount":null}"#, "wrong_type"),
        ("{}", "missing_field"),
    ];
    for (number, (body, rule)) in cases.into_iter().enumerate() {
        let request = client.request(reqwest::Method::POST, path).header("idempotency-key", format!("bad {number}"));
        let answer = client.send(request.header("content-type", "application/json").body(body)).await;
        let answer = answer.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [("amount".to_owned(), rule.to_owned())], "{body}");
    }
    for amount in [1_001, i64::MAX] {
        withdraw(&client, amount).await.refused(409, "insufficient_funds");
    }
    let stray = client.post_once(path, &json!({"amount": 5, "to": "me"})).await.refused(422, "invalid_request");
    assert_eq!(stray.fields(), [("to".to_owned(), "unknown_field".to_owned())]);
    for query in ["limit=0", "limit=201", "cursor=x", "status=paid"] {
        client.get(&format!("{path}?{query}")).await.refused(422, "invalid_request");
    }
    assert_eq!(holdings(&client).await, (1_000, 0));
    let rows: i64 =
        sqlx::query_scalar("select count(*) from withdrawals").fetch_one(&server.registrar.pool).await.unwrap();
    assert_eq!(rows, 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_an_operator_can_switch_cancelling_off() {
    let server = TestServer::with(&["--withdrawal-cancellation=false"]).await;
    let (_, client) = server.player(100).await;
    let config = client.get("/v1/config").await.expect(200).body;
    assert_eq!(config["withdrawal_cancellation"], false);
    let id = requested(&client, 100).await;
    cancel(&client, &id).await.refused(409, "cancellation_off");
    assert_eq!(holdings(&client).await, (0, 100));
    server.stop().await;
}
