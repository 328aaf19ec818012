//! P-2: the limits players set for themselves.

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_server::ids::PlayerId;
use stakeboard_tests::{Answer, Client, TestServer, server::start_match};

use crate::support::{accept, post_seek, text, together};

async fn set(client: &Client, body: &Value) -> Answer {
    client.send(client.request(Method::PUT, "/v1/me/limits").json(body)).await
}

async fn deposit(client: &Client, amount: i64) -> Answer {
    client.post_once("/v1/wallet/deposits", &json!({"amount": amount})).await
}

/// Lets time pass for what a player has done: everything of theirs happened that much earlier.
async fn pass(server: &TestServer, player: PlayerId, interval: &str) {
    let mut owner = server.database.as_owner().await;
    let statements = [
        "set session_replication_role = replica".to_owned(),
        format!("update entries set created_at = created_at - interval '{interval}'"),
        format!("update transfers set created_at = created_at - interval '{interval}'"),
        format!("update settlements set settled_at = settled_at - interval '{interval}'"),
        format!("update player_limits set next_at = next_at - interval '{interval}' where player_id = '{player}'"),
    ];
    for statement in statements {
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut owner).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn p_2_a_lower_limit_works_at_once_and_a_higher_one_after_24_hours() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    let none = json!({
        "deposit_day": null, "deposit_week": null, "deposit_month": null, "loss_day": null, "stake_match": null,
        "pending": []
    });
    assert_eq!(client.get("/v1/me/limits").await.expect(200).body, none);
    assert_eq!(client.get("/v1/me").await.expect(200).body["limits"], none);

    let lower = set(&client, &json!({"deposit_day": 100})).await.expect(200).body;
    assert_eq!((&lower["deposit_day"], &lower["pending"]), (&json!(100), &json!([])));
    deposit(&client, 101).await.refused(409, "limit_reached");
    let higher = set(&client, &json!({"deposit_day": 500})).await.expect(200).body;
    assert_eq!((&higher["deposit_day"], &higher["pending"][0]["amount"]), (&json!(100), &json!(500)));
    assert_eq!(deposit(&client, 101).await.refused(409, "limit_reached").body["limit"], "deposit_day");
    // Asked for again, the wait goes on where it was.
    assert_eq!(set(&client, &json!({"deposit_day": 500})).await.expect(200).body, higher);

    pass(&server, player.id, "23 hours 59 minutes").await;
    deposit(&client, 101).await.refused(409, "limit_reached");
    pass(&server, player.id, "2 minutes").await;
    let now = client.get("/v1/me/limits").await.expect(200).body;
    assert_eq!((&now["deposit_day"], &now["pending"]), (&json!(500), &json!([])));
    deposit(&client, 500).await.expect(201);

    let off = set(&client, &json!({"deposit_day": null})).await.expect(200).body;
    assert_eq!((&off["deposit_day"], &off["pending"][0]["amount"]), (&json!(500), &Value::Null));
    pass(&server, player.id, "24 hours").await;
    assert_eq!(client.get("/v1/me/limits").await.expect(200).body, none);

    for (body, field) in [
        (json!({"deposit_day": -1}), "deposit_day"),
        (json!({"loss_day": 1_000_000_000_001_i64}), "loss_day"),
        (json!({"stake_match": "5"}), "stake_match"),
        (json!({"stake_match": 1.5}), "stake_match"),
        (json!({"deposits": 5}), "deposits"),
    ] {
        assert_eq!(set(&client, &body).await.refused(422, "invalid_request").fields()[0].0, field, "{body}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_2_windows_of_deposits_roll() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    set(&client, &json!({"deposit_day": 100, "deposit_week": 150, "deposit_month": 200})).await.expect(200);
    let refused = async |amount: i64, limit: &str| {
        assert_eq!(deposit(&client, amount).await.refused(409, "limit_reached").body["limit"], limit);
    };
    deposit(&client, 60).await.expect(201);
    deposit(&client, 40).await.expect(201);
    refused(1, "deposit_day").await;
    pass(&server, player.id, "24 hours 1 second").await;
    refused(51, "deposit_week").await;
    deposit(&client, 50).await.expect(201);
    pass(&server, player.id, "6 days").await;
    refused(51, "deposit_month").await;
    deposit(&client, 50).await.expect(201);
    pass(&server, player.id, "23 days 1 hour").await;
    // The first hundred are out of every window.
    deposit(&client, 100).await.expect(201);
    refused(1, "deposit_day").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_2_losses_of_a_day_and_the_new_stake_stay_below_the_limit() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    set(&client, &json!({"loss_day": 100, "stake_match": 80})).await.expect(200);
    let seek = async |stake: i64| client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": stake})).await;
    assert_eq!(seek(85).await.refused(409, "limit_reached").body["limit"], "stake_match");
    seek(80).await.expect(201);

    let play = async |stake: i64, wins: bool| {
        let rival = server.registrar.player(stake).await;
        let id = start_match(&server.client(), &player, &rival, &json!({"game": "oware", "stake": stake})).await;
        let loser = if wins { &rival } else { &player };
        server.client().of(loser).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    };
    play(50, false).await;
    assert_eq!(seek(55).await.refused(409, "limit_reached").body["limit"], "loss_day");
    play(50, false).await;
    assert_eq!(seek(5).await.refused(409, "limit_reached").body["limit"], "loss_day");
    pass(&server, player.id, "24 hours 1 second").await;
    // What was lost is out of the window; what is won counts against what is lost.
    play(50, true).await;
    play(80, false).await;
    seek(60).await.expect(201);
    assert_eq!(seek(65).await.refused(409, "limit_reached").body["limit"], "loss_day");
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_2_the_limit_of_a_poster_counts_when_somebody_accepts() {
    let server = TestServer::start().await;
    let ((_, poster), (_, other)) = (server.player(1_000).await, server.player(1_000).await);
    let seek = post_seek(&poster, 100).await;
    set(&poster, &json!({"stake_match": 95})).await.expect(200);
    accept(&other, &seek, 100).await.refused(409, "seek_gone");
    let seek = post_seek(&other, 100).await;
    assert_eq!(accept(&poster, &seek, 100).await.refused(409, "limit_reached").body["limit"], "stake_match");
    // A refused accept leaves the seek open.
    let open = other.get("/v1/lobby/seeks").await.expect(200).body;
    assert_eq!(text(&open["items"][0]["id"]), seek);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_2_requests_at_once_do_not_slip_past_a_limit() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    set(&client, &json!({"deposit_day": 300})).await.expect(200);
    let acts = (0..30).map(|_| {
        let client = client.clone();
        async move { deposit(&client, 100).await }
    });
    let answers = together(acts.collect()).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    assert!(answers.iter().filter(|answer| answer.status != 201).all(|answer| answer.code() == "limit_reached"));
    assert_eq!(server.registrar.available(player.id).await, 300);

    // B42: what was used is kept across a restart.
    let server = server.restart().await;
    let client = server.client().of(&player);
    deposit(&client, 1).await.refused(409, "limit_reached");
    server.stop().await;
}
