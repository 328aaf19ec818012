//! Withdrawals (W-4): held at once, decided on once, paid or given back once.

mod rows;

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use stakeboard_server::{
    bus::Connections,
    clock::Clock,
    ids::WithdrawalId,
    money::Cents,
    role::Role,
    wallet::{PaymentProvider, Payout, PayoutAnswer, Wallet, WalletSettings, WebhookKeys},
};
use stakeboard_tests::{Answer, Client, Player, Socket, TestServer};
use tokio::sync::{Notify, mpsc};
use tokio_util::task::TaskTracker;

use crate::support::{accept, check_books, eventually, post_seek, sort_answers, text, together, transfers_of};

/// A cashier and their client.
async fn cashier(server: &TestServer) -> (Player, Client) {
    let player = server.registrar.with_roles(0, vec![Role::Cashier]).await;
    let client = server.client().of(&player);
    (player, client)
}

async fn withdraw(client: &Client, amount: i64) -> Answer {
    client.post_once("/v1/wallet/withdrawals", &json!({"amount": amount})).await
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
    let mut left = 0;
    for _ in 0..12 {
        let (_, client) = server.player(1_000).await;
        let (_, one) = cashier(&server).await;
        let (_, two) = cashier(&server).await;
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
        let (done, refused): (Vec<_>, Vec<_>) =
            together(acts).await.into_iter().partition(|(_, answer)| answer.status < 300);
        assert_eq!(done.len(), 1);
        for (_, answer) in refused {
            answer.refused(409, "withdrawal_decided");
        }
        let end = done[0].0;
        assert_eq!(newest(&client).await, end);
        let expected = if end == "paid" { 0 } else { 1_000 };
        left += expected;
        assert_eq!(holdings(&client).await, (expected, 0));
    }
    check_books(&server.registrar, left).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_a_withdrawal_outlives_the_process_at_every_step() {
    let server = TestServer::start().await;
    let (_, desk) = cashier(&server).await;
    let (player, client) = server.player(900).await;
    let (waiting, waits) = server.player(900).await;
    let (submitted, submits) = server.player(900).await;
    let (approved_id, waiting_id, submitted_id) =
        (requested(&client, 900).await, requested(&waits, 900).await, requested(&submits, 900).await);
    // As a process leaves them that died after the commit of the decision, and after that of the submission.
    for (id, steps) in [(&approved_id, &["approved"][..]), (&submitted_id, &["approved", "submitted"][..])] {
        for step in steps {
            sqlx::query(
                "update withdrawals set status = $2, decided_by = $3, decided_at = now(),
                     submitted_at = case $2 when 'submitted' then now() end where id = $1::uuid",
            )
            .bind(id)
            .bind(step)
            .bind(player.id.0)
            .execute(&server.registrar.pool)
            .await
            .unwrap();
        }
    }
    server.registrar.verify_ledger().await;
    drop(desk);
    let server = server.restart().await;
    let (_, desk) = cashier(&server).await;
    for done in [&player, &submitted] {
        let client = server.client().of(done);
        eventually("what was on its way is paid", || async { newest(&client).await == "paid" }).await;
        assert_eq!(holdings(&client).await, (0, 0));
    }
    let client = server.client().of(&waiting);
    assert_eq!(newest(&client).await, "requested");
    approve(&desk, &waiting_id).await.expect(200);
    for paid in [&player, &submitted, &waiting] {
        assert_eq!(transfers_of(&server.registrar.pool, paid, "withdrawal").await, 1);
    }
    check_books(&server.registrar, 0).await;
    server.stop().await;
}

/// A provider that takes its time, and notes every key it was asked under.
struct Slow {
    asked: mpsc::UnboundedSender<Payout>,
    answer: PayoutAnswer,
    go: Notify,
}

impl PaymentProvider for Slow {
    fn has_deposits_at_once(&self) -> bool {
        true
    }

    fn pay_out<'a>(&'a self, payout: &'a Payout) -> BoxFuture<'a, PayoutAnswer> {
        Box::pin(async {
            self.asked.send(payout.clone()).unwrap();
            self.go.notified().await;
            self.answer.clone()
        })
    }

    fn can_be_asked_again(&self) -> bool {
        true
    }
}

/// The wallet of a process with a slow provider, beside the server.
fn slow_wallet(server: &TestServer, answer: PayoutAnswer) -> (Wallet, Arc<Slow>, mpsc::UnboundedReceiver<Payout>) {
    let (asked, asks) = mpsc::unbounded_channel();
    let provider = Arc::new(Slow { asked, answer, go: Notify::new() });
    let (presence, wallets) = (mpsc::unbounded_channel().0, mpsc::unbounded_channel().0);
    let connections = Arc::new(Connections::new(Clock::start(), 10, presence, wallets));
    let settings = WalletSettings {
        currency: "BRL".into(),
        deposit_max: Cents(1_000_000),
        withdrawal_cancellation: true,
        identity_for_withdrawals: false,
        webhook_keys: WebhookKeys::default(),
    };
    let wallet =
        Wallet::new(server.registrar.pool.clone(), connections, TaskTracker::new(), settings, provider.clone());
    (wallet, provider, asks)
}

/// B22: a payout that takes minutes, a player who tries again, and a second process that takes it up meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn b22_a_slow_payout_is_asked_for_under_one_key_and_paid_once() {
    let server = TestServer::start().await;
    let (_, client) = server.player(2_000).await;
    let (staff, desk) = cashier(&server).await;
    let (one, slow_one, mut asks_one) = slow_wallet(&server, PayoutAnswer::Paid);
    let (two, slow_two, mut asks_two) = slow_wallet(&server, PayoutAnswer::Paid);
    let id = requested(&client, 1_500).await;
    let key: WithdrawalId = id.parse().unwrap();
    let approving = {
        let one = one.clone();
        tokio::spawn(async move { stakeboard_server::admin::withdrawals::approve(&one, staff.id, key, None).await })
    };
    assert_eq!(asks_one.recv().await.unwrap().key, key);
    let answered = approving.await.unwrap().unwrap();
    assert_eq!(answered.status.as_str(), "submitted", "the answer does not wait for the provider");

    withdraw(&client, 500).await.refused(409, "withdrawal_open");
    cancel(&client, &id).await.refused(409, "withdrawal_decided");
    approve(&desk, &id).await.refused(409, "withdrawal_decided");
    reject(&desk, &id).await.refused(409, "withdrawal_decided");
    let taking_up = tokio::spawn(async move { two.pay_out_due(Duration::ZERO).await });
    let again = asks_two.recv().await.unwrap();
    assert_eq!((again.key, again.amount), (key, Cents(1_500)), "the same payout under the same key");
    assert_eq!(holdings(&client).await, (500, 1_500));

    slow_two.go.notify_one();
    taking_up.await.unwrap().unwrap();
    slow_one.go.notify_one();
    one.tasks().close();
    one.tasks().wait().await;
    assert_eq!(newest(&client).await, "paid");
    assert_eq!(holdings(&client).await, (500, 0));
    one.pay_out(key).await.unwrap();
    assert!(asks_one.try_recv().is_err() && asks_two.try_recv().is_err(), "nobody is asked about what has ended");
    check_books(&server.registrar, 500).await;
    server.stop().await;
}

/// B17: a payout that failed for good gives the money back; the next one is another withdrawal.
#[tokio::test(flavor = "multi_thread")]
async fn b17_what_the_provider_can_not_pay_goes_back() {
    let server = TestServer::start().await;
    let (_, client) = server.player(2_000).await;
    let (staff, _) = cashier(&server).await;
    let (wallet, slow, _asks) = slow_wallet(&server, PayoutAnswer::Failed("account closed".into()));
    let id = requested(&client, 1_500).await;
    slow.go.notify_one();
    let key: WithdrawalId = id.parse().unwrap();
    let failed = stakeboard_server::admin::withdrawals::approve(&wallet, staff.id, key, None).await.unwrap();
    assert_eq!((failed.status.as_str(), failed.failure.as_deref()), ("failed", Some("account closed")));
    assert_eq!(holdings(&client).await, (2_000, 0));
    wallet.pay_out(key).await.unwrap();
    assert_eq!(newest(&client).await, "failed");
    requested(&client, 2_000).await;
    check_books(&server.registrar, 2_000).await;
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
async fn o5_who_may_see_withdrawals_and_who_may_decide() {
    let server = TestServer::start().await;
    let (_, client) = server.player(10_000).await;
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guest = server.client().with_token(guest["access_token"].as_str().unwrap());
    guest.post_once("/v1/wallet/withdrawals", &json!({"amount": 5})).await.refused(403, "account_needed");
    guest.get("/v1/wallet/withdrawals").await.refused(403, "account_needed");
    let mut callers = vec![("nobody", server.client()), ("guest", guest), ("player", server.player(0).await.1)];
    for (name, role) in [("auditor", Role::Auditor), ("cashier", Role::Cashier), ("admin", Role::Admin)] {
        callers.push((name, server.client().of(&server.registrar.with_roles(0, vec![role]).await)));
    }
    let expected = [
        ("nobody", 401, 401),
        ("guest", 403, 403),
        ("player", 403, 403),
        ("auditor", 200, 403),
        ("cashier", 200, 200),
        ("admin", 200, 200),
    ];
    for ((name, caller), (same, reads, decides)) in callers.into_iter().zip(expected) {
        assert_eq!(name, same);
        let listed = caller.get("/v1/admin/withdrawals").await;
        let one = requested(&client, 100).await;
        let rejected = reject(&caller, &one).await;
        if rejected.status != 200 {
            cancel(&client, &one).await.expect(204);
        }
        let other = requested(&client, 100).await;
        let approved = approve(&caller, &other).await;
        if approved.status != 200 {
            cancel(&client, &other).await.expect(204);
        }
        assert_eq!((listed.status, rejected.status, approved.status), (reads, decides, decides), "{name}");
    }
    // Nobody decides on their own, nor reaches into another player's.
    for role in [Role::Cashier, Role::Admin] {
        let own = server.client().of(&server.registrar.with_roles(500, vec![role]).await);
        let id = requested(&own, 500).await;
        approve(&own, &id).await.refused(422, "own_account");
        reject(&own, &id).await.refused(422, "own_account");
        cancel(&client, &id).await.refused(404, "not_found");
        approve(&own, uuid::Uuid::nil().to_string().as_str()).await.refused(404, "not_found");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o1_decisions_and_readings_are_in_the_audit_log_and_reasons_are_required() {
    let server = TestServer::start().await;
    let (player, client) = server.player(10_000).await;
    let staff = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let desk = server.client().of(&staff);
    let id = requested(&client, 100).await;
    let path = format!("/v1/admin/withdrawals/{id}/reject");
    for reason in ["", "   ", &"x".repeat(1_001), "nul \0"] {
        let answer = desk.post(&path, &json!({"reason": reason})).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, "reason");
    }
    desk.post(&path, &json!({})).await.refused(422, "invalid_request");
    desk.post(&path, &json!({"reason": "ação \u{202e}\u{1f9fe}"})).await.expect(200);
    let approved = requested(&client, 200).await;
    let path = format!("/v1/admin/withdrawals/{approved}/approve");
    for (body, field) in [(json!({"reason": " "}), "reason"), (json!({"note": "x"}), "note"), (json!([]), "body")] {
        let answer = desk.post(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    approve(&desk, &approved).await.expect(200);
    let remarked = requested(&client, 300).await;
    let path = format!("/v1/admin/withdrawals/{remarked}/approve");
    desk.post(&path, &json!({"reason": "the bank was asked"})).await.expect(200);
    desk.get(&format!("/v1/admin/withdrawals?player={}", player.id)).await.expect(200);
    let log = desk.get(&format!("/v1/admin/audit?player={}", player.id)).await.expect(200).body;
    let lines: Vec<_> = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| text(&line["action"]).starts_with("withdrawal."))
        .map(|line| (text(&line["action"]), line["subject"].clone(), line["reason"].clone(), line["actor"].clone()))
        .collect();
    let actor = json!(staff.id);
    assert_eq!(
        lines,
        [
            ("withdrawal.read".to_owned(), Value::Null, Value::Null, actor.clone()),
            ("withdrawal.approve".to_owned(), json!(remarked), json!("the bank was asked"), actor.clone()),
            ("withdrawal.approve".to_owned(), json!(approved), Value::Null, actor.clone()),
            ("withdrawal.reject".to_owned(), json!(id), json!("ação \u{202e}\u{1f9fe}"), actor),
        ]
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_staff_finds_withdrawals_by_status_player_and_age_page_by_page() {
    let server = TestServer::start().await;
    let (_, desk) = cashier(&server).await;
    let mut asked = Vec::new();
    for _ in 0..5 {
        let (player, client) = server.player(100).await;
        asked.push((player, client.clone(), requested(&client, 100).await));
    }
    approve(&desk, &asked[0].2).await.expect(200);
    let ids = |body: &Value| -> Vec<String> {
        body["items"].as_array().unwrap().iter().map(|one| text(&one["id"])).collect()
    };
    let mut seen = Vec::new();
    let mut path = "/v1/admin/withdrawals?limit=2".to_owned();
    loop {
        let page = desk.get(&path).await.expect(200).body;
        seen.extend(ids(&page));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/admin/withdrawals?limit=2&cursor={cursor}");
    }
    let newest_first: Vec<String> = asked.iter().rev().map(|(.., id)| id.clone()).collect();
    assert_eq!(seen, newest_first);
    let open = desk.get("/v1/admin/withdrawals?status=requested").await.expect(200).body;
    assert_eq!(ids(&open), newest_first[..4]);
    let of_one = desk.get(&format!("/v1/admin/withdrawals?player={}", asked[2].0.id)).await.expect(200).body;
    assert_eq!(ids(&of_one), [asked[2].2.clone()]);
    assert_eq!(of_one["items"][0]["player"]["display_name"], asked[2].0.name);
    assert!(of_one["items"][0]["age_ms"].as_i64().unwrap() >= 0);
    let old = desk.get("/v1/admin/withdrawals?min_age_ms=3600000").await.expect(200).body;
    assert_eq!(ids(&old), Vec::<String>::new());
    for query in ["status=open", "min_age_ms=-1", "min_age_ms=x", "cursor=x", "limit=0", "player=x", "state=paid"] {
        desk.get(&format!("/v1/admin/withdrawals?{query}")).await.refused(422, "invalid_request");
    }
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
