//! Repeats of money requests: one effect, one answer.

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, TestServer};

use crate::support::{accept, available, check_books, end_in_draw, post_seek, text, together, transfers_of};

const DEPOSITS: &str = "/v1/wallet/deposits";

async fn deposit(client: &Client, key: &str, amount: i64) -> Answer {
    client.post_keyed(DEPOSITS, key, &json!({"amount": amount})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_money_call_without_a_usable_key_is_refused_and_does_nothing() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let (_, poster) = server.player(1_000).await;
    let seek = post_seek(&poster, 500).await;
    let accept = format!("/v1/lobby/seeks/{seek}/accept");
    for (path, body) in [(DEPOSITS, json!({"amount": 100})), (accept.as_str(), json!({"stake": 500}))] {
        client.post(path, &body).await.refused(400, "idempotency_key_missing");
        for key in ["", &"k".repeat(256), "kĥ"] {
            let header = reqwest::header::HeaderValue::from_bytes(key.as_bytes()).unwrap();
            let request = client.request(Method::POST, path).header("idempotency-key", header).json(&body);
            client.send(request).await.refused(400, "bad_idempotency_key");
        }
    }
    assert_eq!(server.registrar.available(player.id).await, 1_000);
    deposit(&client, &"k".repeat(255), 100).await.expect(201);
    check_books(&server.registrar, 2_100).await;
    server.stop().await;
}

/// T27, B15.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeat_gets_the_first_answer_with_the_same_identifiers_also_after_a_restart() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let (_, poster) = server.player(1_000).await;
    let seek = post_seek(&poster, 500).await;
    let path = format!("/v1/lobby/seeks/{seek}/accept");
    let stake = json!({"stake": 500});

    let first = deposit(&client, "one", 250).await.expect(201).body;
    assert_eq!((first["status"].as_str(), first["amount"].as_i64()), (Some("completed"), Some(250)));
    let matched = client.post_keyed(&path, "one", &stake).await.expect(201).body;
    for _ in 0..3 {
        assert_eq!(deposit(&client, "one", 250).await.expect(201).body, first);
        assert_eq!(client.post_keyed(&path, "one", &stake).await.expect(201).body, matched);
    }
    let server = server.restart().await;
    let client = server.client().of(&player);
    assert_eq!(deposit(&client, "one", 250).await.expect(201).body, first);
    assert_eq!(client.post_keyed(&path, "one", &stake).await.expect(201).body, matched);
    assert_eq!(available(&server.registrar.pool, &[&player]).await, [750]);
    assert_eq!(transfers_of(&server.registrar.pool, &player, "deposit").await, 2, "one of them by the harness");

    // Also once the match is over, and the caller in another one.
    end_in_draw(
        &text(&matched["match_id"]),
        &client,
        &server.client().with_token(&poster_token(&server, &matched).await),
    )
    .await;
    assert_eq!(client.post_keyed(&path, "one", &stake).await.expect(201).body, matched);
    check_books(&server.registrar, 2_250).await;
    server.stop().await;
}

/// A token of whoever plays against the accepter.
async fn poster_token(server: &TestServer, matched: &Value) -> String {
    let (id, name): (uuid::Uuid, String) = sqlx::query_as(
        "select p.id, p.display_name from matches m join players p on p.id in (m.first_player, m.second_player)
         where m.id = $1::uuid and not exists (select from idempotency_keys k where k.player_id = p.id)",
    )
    .bind(text(&matched["match_id"]))
    .fetch_one(&server.registrar.pool)
    .await
    .unwrap();
    server.registrar.session(stakeboard_server::ids::PlayerId(id), name).await.token
}

/// B14.
#[tokio::test(flavor = "multi_thread")]
async fn b14_fifty_requests_at_once_with_one_key_have_one_effect_and_one_answer() {
    let server = TestServer::start().await;
    for round in 0..5 {
        let (player, client) = server.player(500).await;
        let (_, poster) = server.player(500).await;
        let seek = post_seek(&poster, 500).await;
        let accept = format!("/v1/lobby/seeks/{seek}/accept");
        for (path, body) in [(accept.as_str(), json!({"stake": 500})), (DEPOSITS, json!({"amount": 300}))] {
            let acts = (0..50).map(|_| {
                let (client, path, body) = (client.clone(), path.to_owned(), body.clone());
                async move { client.post_keyed(&path, &format!("key {round}"), &body).await }
            });
            let answers = together(acts.collect()).await;
            let mut first: Option<Value> = None;
            for answer in answers {
                if answer.status == 201 {
                    assert_eq!(first.get_or_insert_with(|| answer.body.clone()), &answer.body);
                } else {
                    answer.refused(409, "idempotency_in_progress");
                }
            }
            let first = first.expect("one of them is carried out");
            assert_eq!(client.post_keyed(path, &format!("key {round}"), &body).await.expect(201).body, first);
        }
        assert_eq!(available(&server.registrar.pool, &[&player]).await, [300]);
        assert_eq!(transfers_of(&server.registrar.pool, &player, "stake").await, 1);
        assert_eq!(transfers_of(&server.registrar.pool, &player, "deposit").await, 2);
    }
    check_books(&server.registrar, 5 * 1_300).await;
    server.stop().await;
}

/// T60.
#[tokio::test(flavor = "multi_thread")]
async fn t60_fifty_requests_at_once_with_one_key_and_two_bodies_have_the_effect_of_one_of_them() {
    let server = TestServer::start().await;
    for _ in 0..5 {
        let (player, client) = server.player(0).await;
        let acts = (0..50).map(|number| {
            let client = client.clone();
            async move { deposit(&client, "one", if number % 2 == 0 { 100 } else { 7_000 }).await }
        });
        let answers = together(acts.collect()).await;
        let amount = server.registrar.available(player.id).await;
        assert!([100, 7_000].contains(&amount), "{amount}");
        for answer in answers {
            match answer.status {
                201 => assert_eq!(answer.body["amount"], amount),
                409 => drop(answer.refused(409, "idempotency_in_progress")),
                _ => drop(answer.refused(422, "idempotency_key_reused")),
            }
        }
        assert_eq!(transfers_of(&server.registrar.pool, &player, "deposit").await, 1);
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_used_again_for_something_else_is_refused_without_an_effect() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let first = deposit(&client, "one", 100).await.expect(201).body;
    deposit(&client, "one", 101).await.refused(422, "idempotency_key_reused");
    assert_eq!(server.registrar.available(player.id).await, 1_100);
    assert_eq!(deposit(&client, "one", 100).await.expect(201).body, first, "the first answer stays");
    check_books(&server.registrar, 1_100).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_request_leaves_its_key_free() {
    let server = TestServer::start().await;
    let (player, client) = server.player(400).await;
    let (_, poster) = server.player(1_000).await;
    let seek = post_seek(&poster, 500).await;
    let path = format!("/v1/lobby/seeks/{seek}/accept");

    deposit(&client, "deposit", 0).await.refused(422, "invalid_request");
    client.post_keyed(&path, "accept", &json!({"stake": 495})).await.refused(409, "stake_changed");
    client.post_keyed(&path, "accept", &json!({"stake": 500})).await.refused(409, "insufficient_funds");
    let kept: i64 =
        sqlx::query_scalar("select count(*) from idempotency_keys").fetch_one(&server.registrar.pool).await.unwrap();
    assert_eq!(kept, 0, "only what succeeded is kept");
    deposit(&client, "deposit", 100).await.expect(201);
    client.post_keyed(&path, "accept", &json!({"stake": 500})).await.expect(201);
    assert_eq!(server.registrar.available(player.id).await, 0);
    check_books(&server.registrar, 1_500).await;
    server.stop().await;
}

/// B41: a key belongs to a player, a method and a full path.
#[tokio::test(flavor = "multi_thread")]
async fn b41_the_same_key_of_another_player_or_for_another_path_is_another_key() {
    let server = TestServer::start().await;
    let (one, first) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let (_, poster) = server.player(1_000).await;
    let mine = deposit(&first, "same", 100).await.expect(201).body;
    let yours = deposit(&second, "same", 200).await.expect(201).body;
    assert_ne!(mine["id"], yours["id"]);
    let seeks = [post_seek(&poster, 100).await, post_seek(&poster, 200).await];
    let accepted =
        first.post_keyed(&format!("/v1/lobby/seeks/{}/accept", seeks[0]), "same", &json!({"stake": 100})).await;
    let match_id = text(&accepted.expect(201).body["match_id"]);
    end_in_draw(&match_id, &first, &poster).await;
    // The same body under the same key for another seek is not answered with the first match.
    let seek = post_seek(&poster, 100).await;
    let other = first.post_keyed(&format!("/v1/lobby/seeks/{seek}/accept"), "same", &json!({"stake": 100})).await;
    assert_ne!(text(&other.expect(201).body["match_id"]), match_id);
    assert_eq!(available(&server.registrar.pool, &[&one, &two]).await, [1_000, 1_200]);
    check_books(&server.registrar, 3_300).await;
    server.stop().await;
}

/// An accept that is repeated while its seek is long gone is told of its match, not that the seek is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_for_a_seek_that_one_has_accepted_is_a_new_request() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    let (_, poster) = server.player(1_000).await;
    let seek = post_seek(&poster, 500).await;
    let path = format!("/v1/lobby/seeks/{seek}/accept");
    let first = client.post_keyed(&path, "one", &json!({"stake": 500})).await.expect(201).body;
    accept(&client, &seek, 500).await.refused(409, "seek_gone");
    assert_eq!(client.post_keyed(&path, "one", &json!({"stake": 500})).await.expect(201).body, first);
    check_books(&server.registrar, 2_000).await;
    server.stop().await;
}
