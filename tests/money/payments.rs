//! A payment provider that confirms by signed callbacks (W-1, W-2, W-3).

use reqwest::Method;
use serde_json::json;
use stakeboard_server::role::Role;
use stakeboard_tests::{
    Client, Player, TestServer,
    webhook::{PATH, SECRET, event, movement, now, outcome, send, send_now, server, server_with, sign},
};

use crate::support::{check_books, text, together, transfers_of};

/// Two other secrets.
const NEW_SECRET: &str = "whsec_bmV3IHNlY3JldCBvZiB0aGlydHktdHdvIGJ5dGVzIQ==";
const OTHER_SECRET: &str = "whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldCwgMzIgYnl0ZXM=";

/// Asks for a deposit and gives its id.
async fn deposit(client: &Client, amount: i64) -> String {
    let made = client.post_once("/v1/wallet/deposits", &json!({"amount": amount})).await.expect(201).body;
    assert_eq!((&made["status"], &made["amount"]), (&json!("pending"), &json!(amount)));
    text(&made["id"])
}

/// The status of a player's newest deposit.
async fn status(client: &Client) -> String {
    text(&client.get("/v1/wallet/deposits").await.expect(200).body["items"][0]["status"])
}

async fn holdings(client: &Client) -> (i64, i64) {
    let wallet = client.get("/v1/wallet").await.expect(200).body;
    (wallet["available"].as_i64().unwrap(), wallet["pending_withdrawal"].as_i64().unwrap())
}

/// What is in suspense, as the staff sees it: why, and how much of what.
async fn suspense(server: &TestServer) -> Vec<(String, i64, String)> {
    let staff = server.registrar.with_roles(0, vec![Role::Auditor]).await;
    let page = server.client().of(&staff).get("/v1/admin/payments/suspense").await.expect(200).body;
    let items = page["items"].as_array().unwrap();
    items.iter().map(|one| (text(&one["why"]), one["amount"].as_i64().unwrap(), text(&one["currency"]))).collect()
}

async fn count(server: &TestServer, table: &str) -> i64 {
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select count(*) from {table}")))
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap()
}

/// A withdrawal that the staff has approved.
async fn submitted(server: &TestServer, client: &Client, amount: i64) -> String {
    let made = client.post_once("/v1/wallet/withdrawals", &json!({"amount": amount})).await.expect(201).body;
    let id = text(&made["id"]);
    let staff = server.registrar.with_roles(0, vec![Role::Cashier]).await;
    let path = format!("/v1/admin/withdrawals/{id}/approve");
    let approved = server.client().of(&staff).post_empty(&path).await.expect(200).body;
    assert_eq!(approved["status"], "submitted", "the provider has not answered");
    id
}

async fn withdrawal_status(client: &Client) -> String {
    text(&client.get("/v1/wallet/withdrawals").await.expect(200).body["items"][0]["status"])
}

#[tokio::test(flavor = "multi_thread")]
async fn w1_a_deposit_is_pending_until_a_signed_callback_confirms_it() {
    let server = server().await;
    let (_, client) = server.player(0).await;
    let id = deposit(&client, 700).await;
    assert_eq!(holdings(&client).await, (0, 0));
    let provider = server.client();
    assert_eq!(outcome(&provider, "msg_1", "payment.succeeded", &movement("pay_1", &id, 700)).await, "credited");
    assert_eq!((holdings(&client).await, status(&client).await), ((700, 0), "completed".to_owned()));
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

/// P-2: what may still come in counts, or several deposits begun at once would slip past a limit together.
#[tokio::test(flavor = "multi_thread")]
async fn p2_a_pending_deposit_counts_towards_the_limit_until_it_fails() {
    let server = server().await;
    let (_, client) = server.player(0).await;
    let limits = client.request(Method::PUT, "/v1/me/limits").json(&json!({"deposit_day": 100}));
    client.send(limits).await.expect(200);
    let first = deposit(&client, 60).await;
    client.post_once("/v1/wallet/deposits", &json!({"amount": 50})).await.refused(409, "limit_reached");
    let provider = server.client();
    let failed = json!({"reference": first, "reason": "given up"});
    assert_eq!(outcome(&provider, "msg_1", "payment.failed", &failed).await, "failed");
    let acts = (0..10).map(|_| {
        let client = client.clone();
        async move { client.post_once("/v1/wallet/deposits", &json!({"amount": 40})).await.status }
    });
    let made = together(acts.collect()).await.into_iter().filter(|status| *status == 201).count();
    assert_eq!(made, 2, "twice 40 of 100");
    server.stop().await;
}

/// W-2: a hundred times at once, again after a restart, and as other events about the same payment.
#[tokio::test(flavor = "multi_thread")]
async fn w2_however_often_a_payment_is_told_of_it_is_credited_once() {
    let server = server().await;
    let (player, client) = server.player(0).await;
    let id = deposit(&client, 700).await;
    let data = movement("pay_1", &id, 700);
    let acts = (0..100).map(|number| {
        let (provider, data) = (server.client(), data.clone());
        // Half of them are the same event, half are events of their own about the same payment.
        let event = if number % 2 == 0 { "msg_1".to_owned() } else { format!("msg_of_its_own_{number}") };
        async move { outcome(&provider, &event, "payment.succeeded", &data).await }
    });
    let outcomes = together(acts.collect()).await;
    assert_eq!(outcomes.iter().filter(|one| *one == "credited").count(), 1);
    assert_eq!(outcomes.iter().filter(|one| *one == "repeated").count() + 1, 100, "{outcomes:?}");

    let server = server.restart().await;
    let provider = server.client();
    let client = server.client().of(&player);
    assert_eq!(outcome(&provider, "msg_1", "payment.succeeded", &data).await, "repeated");
    assert_eq!(outcome(&provider, "msg_later", "payment.succeeded", &data).await, "repeated");
    assert_eq!(outcome(&provider, "msg_2", "payment.captured", &data).await, "unknown_type");
    assert_eq!(holdings(&client).await, (700, 0));
    assert_eq!(transfers_of(&server.registrar.pool, &player, "deposit").await, 1);
    assert_eq!(suspense(&server).await, []);
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

/// How many contradictions an alert could see.
async fn counted(server: &TestServer) -> u64 {
    let metrics = server.client().get("/metrics").await.expect(200).text;
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix(r#"stakeboard_payment_events_total{outcome="contradicts"} "#));
    line.expect("told of before the first").parse().unwrap()
}

/// What is told otherwise is no repeat: it may be money, and somebody has to see it.
#[tokio::test(flavor = "multi_thread")]
async fn w2_what_contradicts_an_event_or_a_payment_does_nothing_and_is_seen() {
    let server = server().await;
    let (_, client) = server.player(0).await;
    let provider = server.client();
    let before = counted(&server).await;
    let [first, second] = [deposit(&client, 700).await, deposit(&client, 700).await];
    let data = movement("pay_1", &first, 700);
    assert_eq!(outcome(&provider, "msg_1", "payment.succeeded", &data).await, "credited");

    // Another event under the id of one that was kept, though it is signed.
    let failed = json!({"reference": second});
    for (kind, data) in [
        ("payment.captured", &data),
        ("payment.succeeded", &movement("pay_2", &second, 700)),
        ("payment.failed", &failed),
    ] {
        let answer = event(&provider, "msg_1", kind, data).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [("webhook-id".to_owned(), "malformed".to_owned())], "{kind}");
        assert!(answer.text.contains("an id that no other event has used"), "{}", answer.text);
    }
    assert_eq!(count(&server, "payment_events").await, 1, "nothing of them is kept");

    // The same payment with another amount, currency or reference, as other events.
    let dollars = json!({"payment": "pay_1", "reference": first, "amount": 700, "currency": "USD"});
    for (id, data) in
        [("msg_2", movement("pay_1", &first, 900)), ("msg_3", dollars), ("msg_4", movement("pay_1", &second, 700))]
    {
        assert_eq!(outcome(&provider, id, "payment.succeeded", &data).await, "contradicts", "{data}");
        assert_eq!(outcome(&provider, id, "payment.succeeded", &data).await, "repeated", "the same event");
    }
    // What went out is named apart from what came in.
    assert_eq!(outcome(&provider, "msg_5", "payout.succeeded", &movement("pay_1", "x", 5)).await, "suspense");
    assert_eq!(outcome(&provider, "msg_6", "payout.succeeded", &movement("pay_1", "x", 6)).await, "contradicts");
    assert_eq!((holdings(&client).await, status(&client).await), ((700, 0), "pending".to_owned()));

    let staff = server.registrar.with_roles(0, vec![Role::Auditor]).await;
    let page = server.client().of(&staff).get("/v1/admin/payments/events?outcome=contradicts").await.expect(200).body;
    let seen: Vec<String> = page["items"].as_array().unwrap().iter().map(|one| text(&one["id"])).collect();
    assert_eq!(seen, ["msg_6", "msg_4", "msg_3", "msg_2"]);
    assert_eq!(counted(&server).await - before, 3 + 4, "those that were refused, and those that were kept");
    check_books(&server.registrar, 700).await;
    server.stop().await;
}

/// B25: what is known of a payment is in the database, and in the memory of no server.
#[tokio::test(flavor = "multi_thread")]
async fn b25_a_payment_told_of_to_two_servers_at_once_is_credited_once() {
    let one = server_with(&["--bus=memory:payments"]).await;
    let two = one.another().await;
    for round in 0..10 {
        let (player, client) = one.player(0).await;
        let id = deposit(&client, 700).await;
        let data = movement(&format!("pay_{round}"), &id, 700);
        let acts = (0..20).map(|number| {
            let (provider, data) = (if number % 2 == 0 { one.client() } else { two.client() }, data.clone());
            let event = format!("msg_{round}_{}", number / 4);
            async move { outcome(&provider, &event, "payment.succeeded", &data).await }
        });
        let outcomes = together(acts.collect()).await;
        assert_eq!(outcomes.iter().filter(|one| *one == "credited").count(), 1, "{outcomes:?}");
        assert_eq!(transfers_of(&one.registrar.pool, &player, "deposit").await, 1);
        assert_eq!(holdings(&two.client().of(&player)).await, (700, 0));
    }
    check_books(&one.registrar, 7_000).await;
    two.stop().await;
    one.stop().await;
}

/// W-3.
#[tokio::test(flavor = "multi_thread")]
async fn w3_order_is_not_promised_and_money_that_came_in_decides() {
    let server = server().await;
    let (_, client) = server.player(0).await;
    let provider = server.client();
    let first = deposit(&client, 100).await;
    let failed = |id: &str| json!({"reference": id, "reason": "card\u{0} refused"});
    assert_eq!(outcome(&provider, "a1", "payment.succeeded", &movement("p1", &first, 100)).await, "credited");
    assert_eq!(outcome(&provider, "a2", "payment.failed", &failed(&first)).await, "ignored");
    assert_eq!(status(&client).await, "completed");
    let second = deposit(&client, 200).await;
    assert_eq!(outcome(&provider, "b1", "payment.failed", &failed(&second)).await, "failed");
    assert_eq!(status(&client).await, "failed");
    assert_eq!(outcome(&provider, "b2", "payment.failed", &failed(&second)).await, "ignored");
    assert_eq!(outcome(&provider, "b3", "payment.succeeded", &movement("p2", &second, 200)).await, "credited");
    assert_eq!((holdings(&client).await, status(&client).await), ((300, 0), "completed".to_owned()));
    assert_eq!(outcome(&provider, "c1", "payment.failed", &failed("nothing")).await, "unmatched");

    // Both at once, in whatever order.
    for round in 0..10 {
        let id = deposit(&client, 10).await;
        let (yes, no) = (format!("yes {round}").replace(' ', "_"), format!("no_{round}"));
        let payment = movement(&format!("race_{round}"), &id, 10);
        let (one, two, failure) = (server.client(), server.client(), failed(&id));
        let acts: Vec<futures_util::future::BoxFuture<'static, String>> = vec![
            Box::pin(async move { outcome(&one, &yes, "payment.succeeded", &payment).await }),
            Box::pin(async move { outcome(&two, &no, "payment.failed", &failure).await }),
        ];
        let done = together(acts).await;
        assert_eq!(done[0], "credited");
        assert!(["failed", "ignored"].contains(&done[1].as_str()), "{done:?}");
        assert_eq!(status(&client).await, "completed");
    }
    check_books(&server.registrar, 400).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w2_money_that_fits_nothing_is_in_suspense_once_and_shown_to_the_staff() {
    let server = server().await;
    let (_, client) = server.player(0).await;
    let provider = server.client();
    let id = deposit(&client, 100).await;
    let in_dollars = json!({"payment": "p4", "reference": id, "amount": 100, "currency": "USD"});
    let cases = [
        ("e1", movement("p1", "x'; drop table payments; --\n\u{202e}", 11)),
        ("e2", movement("p2", &uuid::Uuid::now_v7().to_string(), 12)),
        ("e3", movement("p3", &id, 99)),
        ("e4", in_dollars.clone()),
    ];
    for (event, data) in &cases {
        assert_eq!(outcome(&provider, event, "payment.succeeded", data).await, "suspense", "{data}");
        assert_eq!(outcome(&provider, &format!("{event}_again"), "payment.succeeded", data).await, "repeated");
    }
    assert_eq!((holdings(&client).await, status(&client).await), ((0, 0), "pending".to_owned()));
    assert_eq!(outcome(&provider, "e5", "payment.succeeded", &movement("p5", &id, 100)).await, "credited");
    // Paid twice: the second payment is another one.
    assert_eq!(outcome(&provider, "e6", "payment.succeeded", &movement("p6", &id, 100)).await, "suspense");
    assert_eq!(holdings(&client).await, (100, 0));
    let brl = |why: &str, amount: i64| (why.to_owned(), amount, "BRL".to_owned());
    assert_eq!(
        suspense(&server).await,
        [
            brl("already_paid", 100),
            ("wrong_currency".to_owned(), 100, "USD".to_owned()),
            brl("wrong_amount", 99),
            brl("unknown_reference", 12),
            brl("unknown_reference", 11),
        ]
    );
    let booked: Vec<(String, i64)> = sqlx::query_as(
        "select a.currency, b.balance from balances b join accounts a on a.id = b.account_id
         where a.kind = 'suspense' order by a.currency",
    )
    .fetch_all(&server.registrar.pool)
    .await
    .unwrap();
    assert_eq!(booked, [("BRL".to_owned(), 11 + 12 + 99 + 100), ("USD".to_owned(), 100)]);
    check_books(&server.registrar, 100).await;

    // A currency is opened once, also by two at once; and the server starts on such a ledger.
    let acts = (0..10).map(|number| {
        let provider = server.client();
        let data = json!({"payment": format!("eur_{number}"), "reference": "x", "amount": 1, "currency": "EUR"});
        async move { outcome(&provider, &format!("eur_event_{number}"), "payment.succeeded", &data).await }
    });
    assert!(together(acts.collect()).await.iter().all(|one| one == "suspense"));
    let server = server.restart().await;
    let (_, client) = server.player(0).await;
    let id = deposit(&client, 5).await;
    assert_eq!(outcome(&server.client(), "e9", "payment.succeeded", &movement("p9", &id, 5)).await, "credited");
    check_books(&server.registrar, 105).await;
    server.stop().await;
}

/// P-6: what is left of a deleted player owns nothing.
#[tokio::test(flavor = "multi_thread")]
async fn w2_money_for_a_deleted_account_is_in_suspense_and_the_deposit_stays_failed() {
    let server = server().await;
    let (player, client) = server.player(0).await;
    let provider = server.client();
    let id = deposit(&client, 700).await;
    let failed = json!({"reference": id, "reason": "given up"});
    assert_eq!(outcome(&provider, "msg_1", "payment.failed", &failed).await, "failed");
    assert_eq!(client.delete("/v1/me").await.status, 204);
    assert_eq!(outcome(&provider, "msg_2", "payment.succeeded", &movement("p1", &id, 700)).await, "suspense");
    assert_eq!(suspense(&server).await, [("account_deleted".to_owned(), 700, "BRL".to_owned())]);
    assert_eq!(server.registrar.available(player.id).await, 0);
    let status: String = sqlx::query_scalar("select status from deposits where id = $1::uuid")
        .bind(&id)
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap();
    assert_eq!(status, "failed");
    check_books(&server.registrar, 0).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w2_a_forged_old_or_missing_signature_is_refused_and_nothing_is_kept() {
    let server = server().await;
    let (_, client) = server.player(0).await;
    let id = deposit(&client, 100).await;
    let provider = server.client();
    let body = json!({"type": "payment.succeeded", "data": movement("p1", &id, 100)}).to_string();
    let at = now();
    let good = sign(SECRET, "m", at, &body);
    let foreign = sign(OTHER_SECRET, "m", at, &body);
    let (old, ahead) = (at - 330, at + 330);
    let other_body = body.replace("100", "900");
    let cases = [
        ("another secret", "m", at, foreign.clone(), &body),
        ("another body", "m", at, good.clone(), &other_body),
        ("another id", "n", at, good.clone(), &body),
        ("another time", "m", at - 100, good.clone(), &body),
        ("old", "m", old, sign(SECRET, "m", old, &body), &body),
        ("ahead", "m", ahead, sign(SECRET, "m", ahead, &body), &body),
        ("no version", "m", at, good.replace("v1,", ""), &body),
        ("another version", "m", at, good.replace("v1,", "v2,"), &body),
        ("cut", "m", at, good[..good.len() - 4].to_owned(), &body),
        ("empty", "m", at, String::new(), &body),
        ("several foreign ones", "m", at, format!("{foreign} {foreign}"), &body),
    ];
    for (what, event, timestamp, signature, body) in &cases {
        let answer = send(&provider, event, *timestamp, signature, body).await;
        assert_eq!((answer.status, answer.code()), (401, "bad_signature"), "{what}: {}", answer.text);
    }
    let headers =
        [("webhook-id", "m".to_owned()), ("webhook-timestamp", at.to_string()), ("webhook-signature", good.clone())];
    for missing in 0..headers.len() {
        let mut request = provider.request(Method::POST, PATH).body(body.clone());
        for (place, (name, value)) in headers.iter().enumerate() {
            if place != missing {
                request = request.header(*name, value);
            }
        }
        provider.send(request).await.refused(401, "bad_signature");
    }
    // A token of ours is no signature, whoever holds it.
    let staff = server.registrar.with_roles(0, vec![Role::Admin]).await;
    provider.of(&staff).post(PATH, &json!({"type": "payment.succeeded"})).await.refused(401, "bad_signature");
    // Signed, but no event.
    let twice = body.replace(r#""amount":"#, r#""amount":900,"amount":"#);
    for body in ["", "[]", "{", r#"{"data":{}}"#, r#"{"type":""}"#, &twice] {
        send_now(&provider, SECRET, "m", body).await.refused(422, "invalid_request");
    }
    // Signed, and with an id that can't be kept: that is said, rather than that nobody signed.
    for id in ["m".repeat(900), "two words".to_owned()] {
        let answer = send_now(&provider, SECRET, &id, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [("webhook-id".to_owned(), "malformed".to_owned())], "{id}");
        send_now(&provider, OTHER_SECRET, &id, &body).await.refused(401, "bad_signature");
    }
    let large = format!("{{\"type\":\"x\",\"data\":\"{}\"}}", "x".repeat(70_000));
    send_now(&provider, SECRET, "m", &large).await.refused(413, "payload_too_large");
    assert_eq!((count(&server, "payment_events").await, count(&server, "payments").await), (0, 0));
    assert_eq!((holdings(&client).await, status(&client).await), ((0, 0), "pending".to_owned()));

    // One good signature among several is enough, as while a secret is being replaced on the other side.
    let several = format!("v1a,xyz {foreign} {good}");
    assert_eq!(send(&provider, "m", at, &several, &body).await.expect(200).body["outcome"], "credited");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_secrets_are_accepted_while_one_is_replaced() {
    let both = format!("--webhook-secrets={NEW_SECRET},{SECRET}");
    let server = TestServer::with(&["--payments=webhook", &both]).await;
    let (_, client) = server.player(0).await;
    for (number, secret) in [SECRET, NEW_SECRET].into_iter().enumerate() {
        let id = deposit(&client, 100).await;
        let body = json!({"type": "payment.succeeded", "data": movement(&format!("p{number}"), &id, 100)}).to_string();
        let event = format!("m{number}");
        let answer = send_now(&server.client(), secret, &event, &body).await.expect(200);
        assert_eq!(answer.body["outcome"], "credited");
    }
    let body = json!({"type": "x"}).to_string();
    let answer = send_now(&server.client(), OTHER_SECRET, "m", &body).await;
    answer.refused(401, "bad_signature");
    assert_eq!(holdings(&client).await, (200, 0));
    server.stop().await;
    // The sandbox has no secret, so nobody is believed.
    let sandbox = TestServer::start().await;
    let answer = send_now(&sandbox.client(), SECRET, "m", &body).await;
    answer.refused(401, "bad_signature");
    sandbox.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w4_a_payout_waits_for_the_providers_word_and_ends_once() {
    let server = server().await;
    let (player, client) = server.player(1_000).await;
    let id = submitted(&server, &client, 600).await;
    assert_eq!(holdings(&client).await, (400, 600));
    let server = server.restart().await;
    let (provider, client) = (server.client(), server.client().of(&player));
    assert_eq!(withdrawal_status(&client).await, "submitted", "it is not sent again");
    assert_eq!(outcome(&provider, "o0", "payout.succeeded", &movement("out_0", &id, 599)).await, "suspense");
    assert_eq!(withdrawal_status(&client).await, "submitted");

    let data = movement("out_1", &id, 600);
    let acts = (0..40).map(|number| {
        let (provider, data) = (server.client(), data.clone());
        async move { outcome(&provider, &format!("o1_{}", number % 20), "payout.succeeded", &data).await }
    });
    let outcomes = together(acts.collect()).await;
    assert_eq!(outcomes.iter().filter(|one| *one == "paid").count(), 1);
    assert_eq!(outcomes.iter().filter(|one| *one == "repeated").count(), 39, "{outcomes:?}");
    let late = json!({"reference": id, "reason": "bounced"});
    assert_eq!(outcome(&provider, "o2", "payout.failed", &late).await, "ignored");
    assert_eq!(outcome(&provider, "o3", "payout.succeeded", &movement("out_2", &id, 600)).await, "suspense");
    assert_eq!((holdings(&client).await, withdrawal_status(&client).await), ((400, 0), "paid".to_owned()));

    let id = submitted(&server, &client, 300).await;
    assert_eq!(
        outcome(&provider, "f1", "payout.failed", &json!({"reference": id, "reason": "closed"})).await,
        "returned"
    );
    assert_eq!(outcome(&provider, "f2", "payout.failed", &json!({"reference": id})).await, "ignored");
    assert_eq!((holdings(&client).await, withdrawal_status(&client).await), ((400, 0), "failed".to_owned()));
    // A payout that is reported all the same went out of nobody's hold.
    assert_eq!(outcome(&provider, "f3", "payout.succeeded", &movement("out_3", &id, 300)).await, "suspense");
    assert_eq!(outcome(&provider, "f4", "payout.failed", &json!({"reference": "x"})).await, "unmatched");
    let whys: Vec<String> = suspense(&server).await.into_iter().map(|(why, ..)| why).collect();
    assert_eq!(whys, ["not_submitted", "already_paid", "wrong_amount"]);
    assert_eq!(holdings(&client).await, (400, 0));
    check_books(&server.registrar, 400).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn w2_every_signed_event_is_kept_as_it_came_and_listed_for_the_staff() {
    let server = server().await;
    let provider = server.client();
    let (player, _) = server.player(0).await;
    assert_eq!(outcome(&provider, "k1", "customer.created", &json!({"any": "thing"})).await, "unknown_type");
    assert_eq!(outcome(&provider, "k2", "payment.succeeded", &json!({"payment": "p"})).await, "unreadable");
    let beyond = json!({"payment": "p", "reference": "r", "amount": i64::MAX, "currency": "BRL"});
    assert_eq!(outcome(&provider, "k2b", "payment.succeeded", &beyond).await, "unreadable", "no account could hold it");
    assert_eq!(
        outcome(&provider, "k3", "payment.failed", &json!({"reference": "\u{202e}\u{1f9fe}\u{0}"})).await,
        "unmatched"
    );
    let staff = |role: Role| server.registrar.with_roles(0, vec![role]);
    let admin: Player = staff(Role::Admin).await;
    let reading = server.client().of(&admin);
    let events = reading.get("/v1/admin/payments/events").await.expect(200).body;
    let shown: Vec<(String, String)> =
        events["items"].as_array().unwrap().iter().map(|one| (text(&one["id"]), text(&one["outcome"]))).collect();
    let line = |id: &str, outcome: &str| (id.to_owned(), outcome.to_owned());
    let kept =
        [line("k3", "unmatched"), line("k2b", "unreadable"), line("k2", "unreadable"), line("k1", "unknown_type")];
    assert_eq!(shown, kept);
    assert!(text(&events["items"][3]["body"]).contains("customer.created"));
    let page = reading.get("/v1/admin/payments/events?limit=1&outcome=unreadable").await.expect(200).body;
    assert_eq!(page["items"][0]["id"], "k2b");
    assert!(page["next_cursor"].is_string(), "one more");
    for path in ["/v1/admin/payments/events", "/v1/admin/payments/suspense"] {
        server.client().get(path).await.refused(401, "unauthenticated");
        server.client().of(&player).get(path).await.refused(403, "forbidden");
        server.client().of(&staff(Role::Cashier).await).get(path).await.refused(403, "forbidden");
        server.client().of(&staff(Role::Auditor).await).get(path).await.expect(200);
        for query in ["limit=0", "cursor=x", "outcome=fine"] {
            reading.get(&format!("{path}?{query}")).await.refused(422, "invalid_request");
        }
    }
    let pool = &server.registrar.pool;
    for statement in
        ["update payment_events set outcome = 'credited'", "delete from payments", "truncate payment_events"]
    {
        assert!(sqlx::raw_sql(statement).execute(pool).await.is_err(), "{statement}");
    }
    let mut owner = server.database.as_owner().await;
    for statement in
        ["update payment_events set outcome = 'credited'", "delete from payment_events", "truncate payments"]
    {
        assert!(sqlx::raw_sql(statement).execute(&mut owner).await.is_err(), "{statement}, also as the owner");
    }
    server.stop().await;
}
