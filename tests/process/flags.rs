//! Flags: they fall in time, with nobody there, once, and never on the service's own time.

use std::time::Duration;

use serde_json::{Value, json};
use stakeboard_tests::{ServerProcess, Socket};

use crate::{
    SERVER,
    clocks::{AGAINST_MS, FAVOUR_MS},
    support::{events, eventually, milliseconds, new_match, settlements, snapshot, time_of, wall},
};

const SHORT: [(&str, &str); 1] = [("STAKEBOARD_CLOCK_MS", "1500")];
const SHORT_MS: i64 = 1_500;

/// Waits for the end of a match by nothing but reading it, and gives it with the time of its end.
async fn ended(server: &ServerProcess, id: &str) -> Value {
    eventually("the end of a match", async || {
        let now = snapshot(&server.client(), id).await;
        (now["status"] == "ended").then_some(now)
    })
    .await
}

async fn expect_timeout(server: &ServerProcess, id: &str, end: &Value, winner: &str) {
    assert_eq!((&end["outcome"]["ending"], &end["outcome"]["winner"]), (&json!("timeout"), &json!(winner)));
    assert_eq!((&end["payout"], &end["fee"]), (&json!(180), &json!(20)));
    assert_eq!(settlements(&server.registrar.pool, id).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn t08_a_match_by_http_alone_ends_within_a_second_of_the_deadline() {
    let server = ServerProcess::start(SERVER, &SHORT).await;
    let (id, players) = new_match(&server, 100).await;
    let now = snapshot(&server.client(), &id).await;
    let deadline = time_of(&now["clocks"]["at"]) + Duration::from_millis(now["clocks"]["first_ms"].as_u64().unwrap());
    let end = ended(&server, &id).await;
    let late = milliseconds(wall() - deadline);
    assert!((0..1_000).contains(&late), "{late} ms after the deadline");
    println!("the flag was seen {late} ms after the deadline");
    expect_timeout(&server, &id, &end, "second").await;
    assert_eq!((&end["clocks"]["first_ms"], &end["clocks"]["second_ms"]), (&json!(0), &json!(SHORT_MS)));
    assert_eq!(server.registrar.available(players[0].id).await, 100);
    assert_eq!(server.registrar.available(players[1].id).await, 280);
    server.registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn t07_with_both_sockets_closed_the_flag_falls_on_whose_turn_it_is() {
    let server = ServerProcess::start(SERVER, &SHORT).await;
    let (id, players) = new_match(&server, 100).await;
    let mut sockets: [Socket; 2] =
        [Socket::open(server.address, &players[0].token).await, Socket::open(server.address, &players[1].token).await];
    for socket in &mut sockets {
        socket.watch(&id).await;
    }
    assert_eq!(sockets[0].play(&id, 1, "C").await["type"], "ok");
    let moved = sockets[1].until("moved").await;
    let deadline = time_of(&moved["clocks"]["at"]) + Duration::from_millis(1_500);
    drop(sockets);
    let end = ended(&server, &id).await;
    let late = milliseconds(wall() - deadline);
    assert!((0..1_000).contains(&late), "{late} ms after the deadline");
    expect_timeout(&server, &id, &end, "first").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn t09_of_many_matches_begun_at_once_none_ends_by_time_before_its_time() {
    let server = ServerProcess::start(SERVER, &[("STAKEBOARD_CLOCK_MS", "4000")]).await;
    let mut ids = Vec::new();
    for _ in 0..60 {
        ids.push(new_match(&server, 100).await.0);
    }
    let watcher = server.registrar.player(0).await;
    for id in &ids {
        let end = ended(&server, id).await;
        expect_timeout(&server, id, &end, "second").await;
        let mut socket = Socket::open(server.address, &watcher.token).await;
        let journal = events(&mut socket, id).await;
        assert!(journal.iter().all(|event| event["type"] == "ended" || event["type"] == "clock_credited"));
        let began: time::OffsetDateTime = sqlx::query_scalar("select started_at from matches where id = $1")
            .bind(id.parse::<uuid::Uuid>().unwrap())
            .fetch_one(&server.registrar.pool)
            .await
            .unwrap();
        let took = milliseconds(time_of(&end["clocks"]["at"]) - began);
        assert!(took >= 4_000 || journal.len() > 1, "it ended after {took} ms");
        let at_end = time_of(&journal.last().unwrap()["clocks"]["at"]);
        assert!(milliseconds(at_end - began) >= 4_000, "the record says {at_end}, begun {began}");
    }
    server.registrar.verify_ledger().await;
}

/// Sends `first`'s opening move so many milliseconds after `first`'s clock began to run, and gives the answer.
async fn move_at(server: &ServerProcess, after_ms: i64) -> (Value, Value) {
    let (id, players) = new_match(server, 100).await;
    let mut socket = Socket::open(server.address, &players[0].token).await;
    let now = socket.watch(&id).await;
    let left = now["clocks"]["first_ms"].as_i64().unwrap();
    let began = time_of(&now["clocks"]["at"]) - time::Duration::milliseconds(SHORT_MS - left);
    let wait = began + time::Duration::milliseconds(after_ms) - wall();
    tokio::time::sleep(wait.try_into().unwrap_or_default()).await;
    let answer = socket.play(&id, 1, "C").await;
    (answer, snapshot(&server.client(), &id).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_4_a_move_read_before_zero_counts_and_one_read_after_it_does_not() {
    let server = ServerProcess::start(SERVER, &SHORT).await;
    let (answer, now) = move_at(&server, 1_300).await;
    assert_eq!(answer["type"], "ok", "{answer}");
    assert_eq!((&now["ply"], &now["status"]), (&json!(1), &json!("live")), "{now}");

    let (answer, now) = move_at(&server, 1_505).await;
    assert_eq!(answer["code"], "match_over", "{answer}");
    assert_eq!((&now["ply"], &now["outcome"]["ending"]), (&json!(0), &json!("timeout")), "{now}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_5_a_clock_that_would_have_run_out_while_the_server_was_down_goes_on_and_flags_when_served() {
    let mut server = ServerProcess::start(SERVER, &[("STAKEBOARD_CLOCK_MS", "4000")]).await;
    let (id, _) = new_match(&server, 100).await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let before = snapshot(&server.client(), &id).await;
    let left = before["clocks"]["first_ms"].as_i64().unwrap();
    server.kill();
    // Longer than what is left.
    tokio::time::sleep(Duration::from_millis(u64::try_from(left).unwrap() + 500)).await;
    server.restart().await;
    let back = wall();
    let after = snapshot(&server.client(), &id).await;
    assert_eq!(after["status"], "live", "{after}");
    let has = after["clocks"]["first_ms"].as_i64().unwrap();
    let served = milliseconds(time_of(&after["clocks"]["at"]) - back).max(0);
    assert!((-AGAINST_MS..=FAVOUR_MS).contains(&(has + served - left)), "{left} ms before, {has} after {served}");
    let deadline = time_of(&after["clocks"]["at"]) + Duration::from_millis(u64::try_from(has).unwrap());
    let end = ended(&server, &id).await;
    let late = milliseconds(wall() - deadline);
    assert!((0..1_000).contains(&late), "{late} ms after the deadline");
    expect_timeout(&server, &id, &end, "second").await;
}
