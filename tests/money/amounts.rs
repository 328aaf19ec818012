//! Amounts that are none: refused by the field's name, with nothing changed.

use reqwest::Method;
use serde_json::Value;
use stakeboard_tests::{Answer, Client, TestServer};

use crate::support::{check_books, post_seek};

/// What no amount of money can be, as JSON text.
const NO_AMOUNTS: &[&str] = &[
    "\"100\"",
    "\"\"",
    "\"NaN\"",
    "0.1",
    "100.0",
    "100.5",
    "1e2",
    "1E-37",
    "1e400",
    "-0.0",
    "9223372036854775808",
    "18446744073709551616",
    "-9223372036854775809",
    "99999999999999999999999999999999999999",
    "null",
    "true",
    "[100]",
    "[]",
    "{}",
    "{\"minor\":100}",
];

/// Whole numbers that are no deposit: not above zero, or above what is allowed.
const NO_DEPOSITS: &[&str] =
    &["0", "-0", "-1", "-100", "1000001", "9007199254740993", "9223372036854775807", "-9223372036854775808"];

/// Whole numbers that are no stake: as above, or off the grid of 5 (MA-2).
const NO_STAKES: &[&str] = &[
    "0",
    "-5",
    "-1",
    "1",
    "4",
    "6",
    "99",
    "101",
    "999999",
    "1000001",
    "1000005",
    "9007199254740993",
    "9223372036854775805",
    "9223372036854775807",
    "-9223372036854775808",
];

async fn send(client: &Client, path: &str, body: String) -> Answer {
    let request = client.request(Method::POST, path).header("idempotency-key", "the key");
    client.send(request.header("content-type", "application/json").body(body)).await
}

/// Everything that a player can see of their money.
async fn books(client: &Client) -> (Value, Value, Value) {
    let mut seen = Vec::new();
    for path in ["/v1/wallet", "/v1/wallet/transfers", "/v1/lobby/seeks"] {
        seen.push(client.get(path).await.expect(200).body);
    }
    let [wallet, transfers, seeks] = seen.try_into().unwrap();
    (wallet, transfers, seeks)
}

#[track_caller]
fn names(answer: Answer, field: &str, sent: &str) {
    assert_eq!(named(&answer.refused(422, "invalid_request")), [field], "{sent}");
}

/// The fields that an answer names.
fn named(answer: &Answer) -> Vec<String> {
    answer.fields().into_iter().map(|(field, _)| field).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn t59_what_is_no_amount_is_no_deposit_and_changes_nothing() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let before = books(&client).await;
    for amount in NO_AMOUNTS.iter().chain(NO_DEPOSITS) {
        let answer = send(&client, "/v1/wallet/deposits", format!(r#"{{"amount":{amount}}}"#)).await;
        names(answer, "amount", amount);
    }
    for (body, field) in [
        ("{}", "amount"),
        (r#"{"amount":100,"amount":100}"#, "amount"),
        (r#"{"amount":100,"currency":"USD"}"#, "currency"),
        (r#"{"amount":NaN}"#, "amount"),
        (r#"{"amount":Infinity}"#, "amount"),
        (r#"{"amount":+100}"#, "amount"),
        (r#"{"amount":0100}"#, "amount"),
        (r#"{"amount":1_00}"#, "amount"),
        (r#"{"amount":100"#, "body"),
        ("[100]", "body"),
        ("100", "body"),
        ("null", "body"),
        ("", "body"),
    ] {
        let answer = send(&client, "/v1/wallet/deposits", body.to_owned()).await.refused(422, "invalid_request");
        // Where the text is no JSON, its reader may be inside a field or between two.
        assert!(named(&answer) == [field] || named(&answer) == ["body"], "{body}: {}", answer.text);
    }
    let answer = send(&client, "/v1/wallet/deposits", r#"{"Amount":100}"#.to_owned()).await;
    assert_eq!(named(&answer.refused(422, "invalid_request")), ["Amount", "amount"], "unknown, and missing");
    assert_eq!(books(&client).await, before);
    // The bounds themselves are amounts.
    let mut total = 1_000;
    for amount in [1, 1_000_000] {
        let answer = client.post_once("/v1/wallet/deposits", &serde_json::json!({"amount": amount})).await;
        assert_eq!(answer.expect(201).body["amount"], amount);
        total += amount;
    }
    check_books(&server.registrar, total).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_2_what_is_no_stake_posts_no_seek_and_changes_nothing() {
    let server = TestServer::start().await;
    let (_, client) = server.player(100_000_000).await;
    let before = books(&client).await;
    for stake in NO_AMOUNTS.iter().chain(NO_STAKES) {
        let answer = send(&client, "/v1/lobby/seeks", format!(r#"{{"game":"oware","stake":{stake}}}"#)).await;
        names(answer, "stake", stake);
    }
    for (body, field) in [
        (r#"{"game":"oware"}"#, "stake"),
        (r#"{"game":"oware","stake":5,"stake":5}"#, "stake"),
        (r#"{"game":"oware","stake":5,"payout":90}"#, "payout"),
        (r#"{"stake":5}"#, "game"),
    ] {
        names(send(&client, "/v1/lobby/seeks", body.to_owned()).await, field, body);
    }
    let answer = send(&client, "/v1/lobby/seeks", r#"{"game":"oware","steak":5}"#.to_owned()).await;
    assert_eq!(named(&answer.refused(422, "invalid_request")), ["steak", "stake"], "unknown, and missing");
    assert_eq!(books(&client).await, before);
    for stake in [5, 1_000_000] {
        post_seek(&client, stake).await;
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_the_stake_of_the_seek_accepts_nothing() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let (_, poster) = server.player(1_000).await;
    let seek = post_seek(&poster, 500).await;
    let path = format!("/v1/lobby/seeks/{seek}/accept");
    let before = (books(&client).await, books(&poster).await);
    for stake in NO_AMOUNTS {
        names(send(&client, &path, format!(r#"{{"stake":{stake}}}"#)).await, "stake", stake);
    }
    // A whole number is what the caller saw, and it was something else.
    for stake in NO_STAKES.iter().chain(&["5", "495", "505", "1000000"]) {
        send(&client, &path, format!(r#"{{"stake":{stake}}}"#)).await.refused(409, "stake_changed");
    }
    for (body, field) in [("{}", "stake"), (r#"{"stake":500,"tip":5}"#, "tip"), ("500", "body")] {
        names(send(&client, &path, body.to_owned()).await, field, body);
    }
    assert_eq!((books(&client).await, books(&poster).await), before);
    send(&client, &path, r#"{"stake":500}"#.to_owned()).await.expect(201);
    check_books(&server.registrar, 2_000).await;
    server.stop().await;
}

/// B20: balances near the end of the numbers are exact or refused, never wrapped.
#[tokio::test(flavor = "multi_thread")]
async fn b20_a_balance_at_the_end_of_the_numbers_takes_what_fits_and_refuses_the_rest() {
    const NEARLY_ALL: i64 = i64::MAX - 150;
    let server = TestServer::start().await;
    let (player, client) = server.player(NEARLY_ALL).await;
    let wallet = client.get("/v1/wallet").await.expect(200);
    assert!(wallet.text.contains(&format!("\"available\":{NEARLY_ALL}")), "{}", wallet.text);
    let body = serde_json::json!({"amount": 100});
    client.post_once("/v1/wallet/deposits", &body).await.expect(201);
    let before = books(&client).await;
    let answer = client.post_once("/v1/wallet/deposits", &body).await;
    names(answer, "amount", "more than fits");
    assert_eq!(books(&client).await, before);
    assert_eq!(server.registrar.available(player.id).await, NEARLY_ALL + 100);
    server.registrar.verify_ledger().await;
    server.stop().await;
}
