//! The queue: joining, waiting, being paired, leaving.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, Player, TestServer};

use crate::{assert_time, keys, leave, open, with};

const QUEUE: &str = "/v1/lobby/queue";
/// AWAY, less what the server may have noticed sooner than the client.
const ALMOST_AWAY: Duration = Duration::from_millis(14_900);

fn terms(stake: i64) -> Value {
    json!({"game": "oware", "stake": stake})
}

async fn join(client: &Client, stake: i64) -> Answer {
    client.post_once(QUEUE, &terms(stake)).await
}

async fn status(client: &Client) -> String {
    client.get(QUEUE).await.expect(200).body["status"].as_str().unwrap().to_owned()
}

async fn rate(server: &TestServer, player: &Player, rating: f64) {
    sqlx::query(
        "insert into ratings (player_id, game, rating, deviation, volatility, won, rated_at)
         values ($1, 'oware', $2, 60, 0.06, 20, now())",
    )
    .bind(player.id.0)
    .bind(rating)
    .execute(&server.registrar.pool)
    .await
    .unwrap();
}

/// Waits until somebody waits no more, and gives how long it took.
async fn until_idle(client: &Client) -> Duration {
    let began = Instant::now();
    while status(client).await == "waiting" {
        assert!(began.elapsed() < Duration::from_secs(40), "still waiting");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    began.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_on_the_same_terms_is_paired_at_once_and_both_are_told() {
    let server = TestServer::start().await;
    let ((one, first), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    let mut sockets = [open(&server, &one).await, open(&server, &two).await];
    assert_eq!(first.get(QUEUE).await.expect(200).body, json!({"status": "idle", "entry": null}));
    assert_eq!(join(&first, 250).await.expect(200).body, json!({"status": "waiting"}));
    assert_eq!(sockets[0].until("queue").await, json!({"type": "queue", "status": "waiting"}));
    let place = first.get(QUEUE).await.expect(200).body;
    assert_eq!(keys(&place["entry"]), ["fee", "game", "joined_at", "options", "payout", "stake", "waiting"]);
    assert_eq!((&place["status"], &place["entry"]["waiting"]), (&json!("waiting"), &json!(1)));
    // MA-2, MA-6: what the winner will receive is shown while waiting.
    let entry = &place["entry"];
    assert_eq!((&entry["stake"], &entry["payout"], &entry["fee"]), (&json!(250), &json!(450), &json!(50)));
    assert_time(&place["entry"]["joined_at"]);
    assert_eq!(server.registrar.available(one.id).await, 1_000, "nothing is moved while waiting");

    let paired = join(&second, 250).await.expect(201).body;
    assert_eq!(keys(&paired), ["match_id"]);
    for socket in &mut sockets {
        assert_eq!(socket.until("match_started").await["match"], paired["match_id"]);
    }
    for (player, client) in [(&one, &first), (&two, &second)] {
        assert_eq!(status(client).await, "idle");
        assert_eq!(server.registrar.available(player.id).await, 750);
    }
    let path = format!("/v1/matches/{}", paired["match_id"].as_str().unwrap());
    let snapshot = server.client().get(&path).await.expect(200).body;
    assert_eq!((&snapshot["stake"], &snapshot["status"]), (&json!(250), &json!("live")));
    join(&first, 250).await.refused(409, "already_playing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_same_game_options_and_stake_meet() {
    let server = TestServer::start().await;
    let others = [
        terms(255),
        json!({"game": "morris", "stake": 250}),
        with(terms(250), "preset", "wari"),
        with(terms(250), "options", json!({"grand_slam": "captures_all"})),
    ];
    let (_, waiting) = server.player(1_000).await;
    join(&waiting, 250).await.expect(200);
    for other in &others {
        let (_, client) = server.player(1_000).await;
        client.post_once(QUEUE, other).await.expect(200);
    }
    // Said in another way, the same terms.
    let (_, client) = server.player(1_000).await;
    client.post_once(QUEUE, &with(terms(250), "preset", "abapa")).await.expect(201);
    assert_eq!(status(&waiting).await, "idle");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_those_who_wait_the_nearest_rating_is_met() {
    let server = TestServer::start().await;
    let mut waiting = Vec::new();
    // So far apart that none of them meets another while this runs.
    for rating in [0.0, 6_000.0, 12_000.0] {
        let (player, client) = server.player(1_000).await;
        rate(&server, &player, rating).await;
        join(&client, 100).await.expect(200);
        waiting.push(client);
    }
    let (newcomer, client) = server.player(1_000).await;
    rate(&server, &newcomer, 6_090.0).await;
    join(&client, 100).await.expect(201);
    assert_eq!(status(&waiting[0]).await, "waiting");
    assert_eq!(status(&waiting[1]).await, "idle");
    assert_eq!(status(&waiting[2]).await, "waiting");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_are_too_far_apart_meet_once_the_window_has_widened() {
    let server = TestServer::start().await;
    let ((one, first), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    rate(&server, &one, 1_300.0).await;
    rate(&server, &two, 2_000.0).await;
    let mut sockets = [open(&server, &one).await, open(&server, &two).await];
    let began = Instant::now();
    join(&first, 100).await.expect(200);
    join(&second, 100).await.expect(200);
    let started = [sockets[0].until("match_started").await, sockets[1].until("match_started").await];
    assert_eq!(started[0]["match"], started[1]["match"]);
    // 700 points are within 100 × 2^t from t = 2.8 s on.
    assert!(began.elapsed() > Duration::from_millis(2_700), "{:?}", began.elapsed());
    assert_eq!(status(&first).await, "idle");
    let metrics = server.client().get("/metrics").await.expect(200).text;
    for name in ["stakeboard_queue_rating_gap_points_count", "stakeboard_queue_wait_seconds_sum"] {
        assert!(metrics.lines().any(|line| line.starts_with(name)), "{name}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_joins_again_waits_once_and_keeps_the_place_unless_the_terms_are_others() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    join(&client, 100).await.expect(200);
    let place = client.get(QUEUE).await.expect(200).body;
    let other_device = server.client().of(&server.registrar.session(player.id, player.name.clone()).await);
    join(&other_device, 100).await.expect(200);
    assert_eq!(client.get(QUEUE).await.expect(200).body, place);
    join(&other_device, 200).await.expect(200);
    let moved = client.get(QUEUE).await.expect(200).body;
    assert_eq!((&moved["entry"]["stake"], &moved["entry"]["waiting"]), (&json!(200), &json!(1)));
    assert!(moved["entry"]["joined_at"].as_str() > place["entry"]["joined_at"].as_str());
    let entries: i64 =
        sqlx::query_scalar("select count(*) from queue_entries").fetch_one(&server.registrar.pool).await.unwrap();
    assert_eq!(entries, 1);
    // Nobody meets themselves.
    assert_eq!(status(&client).await, "waiting");
    client.delete(QUEUE).await.expect(204);
    client.delete(QUEUE).await.refused(404, "not_found");
    assert_eq!(status(&other_device).await, "idle");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_gives_the_first_answer_again_whatever_has_come_of_it() {
    let server = TestServer::start().await;
    let ((_, first), (_, second)) = (server.player(1_000).await, server.player(1_000).await);
    first.post(QUEUE, &terms(100)).await.refused(400, "idempotency_key_missing");
    for _ in 0..2 {
        let answer = first.post_keyed(QUEUE, "a", &terms(100)).await.expect(200);
        assert_eq!(answer.body, json!({"status": "waiting"}));
    }
    first.post_keyed(QUEUE, "a", &terms(200)).await.refused(422, "idempotency_key_reused");
    let made = second.post_keyed(QUEUE, "a", &terms(100)).await.expect(201).body;
    assert_eq!(second.post_keyed(QUEUE, "a", &terms(100)).await.expect(201).body, made);
    assert_eq!(first.post_keyed(QUEUE, "a", &terms(100)).await.expect(200).body, json!({"status": "waiting"}));
    assert_eq!(status(&first).await, "idle", "a repeat joins nothing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_can_not_stake_can_not_join() {
    let server = TestServer::start().await;
    let (_, client) = server.player(50).await;
    join(&client, 55).await.refused(409, "insufficient_funds");
    for (body, field) in [(terms(0), "stake"), (terms(7), "stake"), (json!({"game": "go", "stake": 5}), "game")] {
        let refused = client.post_once(QUEUE, &body).await.refused(422, "invalid_request");
        assert_eq!(refused.fields()[0].0, field);
    }
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guest = server.client().with_token(guest["access_token"].as_str().unwrap());
    join(&guest, 50).await.refused(403, "account_needed");
    guest.get(QUEUE).await.refused(403, "account_needed");
    server.client().post_once(QUEUE, &terms(50)).await.refused(401, "unauthenticated");
    assert_eq!(status(&client).await, "idle");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_can_no_longer_stake_is_dropped_and_the_other_waits_on() {
    let server = TestServer::start().await;
    let ((one, first), (_, second)) = (server.player(1_000).await, server.player(1_000).await);
    join(&first, 600).await.expect(200);
    let mut socket = open(&server, &one).await;
    first.post_once("/v1/wallet/withdrawals", &json!({"amount": 500})).await.expect(201);
    assert_eq!(status(&first).await, "waiting");
    assert_eq!(join(&second, 600).await.expect(200).body, json!({"status": "waiting"}));
    assert_eq!(socket.until("queue").await, json!({"type": "queue", "status": "idle"}));
    assert_eq!((status(&first).await, status(&second).await), ("idle".to_owned(), "waiting".to_owned()));
    server.stop().await;
}

/// The tick finds it too, where both have waited.
#[tokio::test(flavor = "multi_thread")]
async fn who_can_no_longer_stake_is_dropped_when_the_window_reaches_them() {
    let server = TestServer::start().await;
    let ((one, first), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    rate(&server, &one, 1_500.0).await;
    rate(&server, &two, 1_800.0).await;
    join(&first, 600).await.expect(200);
    first.post_once("/v1/wallet/withdrawals", &json!({"amount": 500})).await.expect(201);
    join(&second, 600).await.expect(200);
    until_idle(&first).await;
    assert_eq!(status(&second).await, "waiting");
    assert_eq!(first.get("/v1/matches").await.expect(200).body["items"], json!([]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn any_pairing_a_break_and_a_freeze_take_a_player_out_of_the_queue() {
    use stakeboard_server::role::Role;
    let server = TestServer::start().await;
    let admin = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let (_, waiting) = server.player(1_000).await;
    join(&waiting, 100).await.expect(200);
    let (_, poster) = server.player(1_000).await;
    let seek = poster.post("/v1/lobby/seeks", &terms(50)).await.expect(201).body;
    let accept = format!("/v1/lobby/seeks/{}/accept", seek["id"].as_str().unwrap());
    waiting.post_once(&accept, &json!({"stake": 50})).await.expect(201);
    assert_eq!(status(&waiting).await, "idle", "L-8");

    let (tired, client) = server.player(1_000).await;
    join(&client, 100).await.expect(200);
    client.post("/v1/me/break", &json!({"days": 1})).await.expect(200);
    let (frozen, client) = server.player(1_000).await;
    join(&client, 105).await.expect(200);
    let freeze = format!("/v1/admin/players/{}/freeze", frozen.id);
    let reason = json!({"reason": "a test", "running": "play_on"});
    server.client().of(&admin).post(&freeze, &reason).await.expect(200);
    let left: Vec<uuid::Uuid> =
        sqlx::query_scalar("select player_id from queue_entries").fetch_all(&server.registrar.pool).await.unwrap();
    assert!(!left.contains(&tired.id.0) && !left.contains(&frozen.id.0), "{left:?}");
    server.stop().await;
}

/// AWAY: not paired while away, out of the queue after 15 s.
#[tokio::test(flavor = "multi_thread")]
async fn who_has_left_is_paired_with_nobody_and_out_of_the_queue_after_fifteen_seconds() {
    let server = TestServer::start().await;
    let ((one, first), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    join(&first, 100).await.expect(200);
    leave(open(&server, &one).await).await;
    let left = Instant::now();
    let _there = open(&server, &two).await;
    join(&second, 100).await.expect(200);
    assert_eq!(status(&first).await, "waiting", "they may come back");
    until_idle(&first).await;
    assert!(left.elapsed() >= ALMOST_AWAY, "{:?}", left.elapsed());
    assert_eq!(status(&second).await, "waiting", "whoever is there waits on");
    assert_eq!(second.get("/v1/matches").await.expect(200).body["items"], json!([]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_in_time_is_paired() {
    let server = TestServer::start().await;
    let ((one, first), (_, second)) = (server.player(1_000).await, server.player(1_000).await);
    join(&first, 100).await.expect(200);
    leave(open(&server, &one).await).await;
    join(&second, 100).await.expect(200);
    let mut back = open(&server, &one).await;
    back.until("match_started").await;
    server.stop().await;
}

/// AWAY: a start begins the 15 s anew, but pairs nobody who has no socket.
#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_the_place_is_kept_and_a_socket_makes_the_match() {
    let server = TestServer::start().await;
    let (one, first) = server.player(1_000).await;
    let token = first.token().unwrap().to_owned();
    join(&first, 100).await.expect(200);
    let server = server.restart().await;
    let first = server.client().with_token(&token);
    let (two, second) = server.player(1_000).await;
    join(&second, 100).await.expect(200);
    assert_eq!(status(&first).await, "waiting");
    let mut sockets = [open(&server, &two).await, open(&server, &one).await];
    for socket in &mut sockets {
        socket.until("match_started").await;
    }
    server.stop().await;
}
