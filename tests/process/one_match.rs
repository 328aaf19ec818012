//! SIGKILL in one match that is looked at closely.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::json;
use stakeboard_tests::{Player, ServerProcess, Socket};

use crate::{
    SERVER,
    clocks::{AGAINST_MS, FAVOUR_MS, Outage, check_credits},
    support::{events, eventually, milliseconds, new_match, play_some, settlements, snapshot, time_of, wall},
};

const CLOCK_MS: i64 = 600_000;

/// What both clocks show together in a snapshot, and when.
fn total(snapshot: &serde_json::Value) -> (i64, time::OffsetDateTime) {
    let clocks = &snapshot["clocks"];
    (clocks["first_ms"].as_i64().unwrap() + clocks["second_ms"].as_i64().unwrap(), time_of(&clocks["at"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn t01_a_kill_right_after_an_acknowledgement_loses_no_move_and_no_time() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let before = play_some(&server, &id, &players, 60).await;
    let began = time_of(&before["clocks"]["at"]);
    let outage_before = wall();
    server.kill();
    let gone = wall();
    server.restart().await;
    let outage = Outage { before: outage_before, gone, back: wall() };

    let after = snapshot(&server.client(), &id).await;
    for same in ["ply", "moves", "position", "to_move", "legal", "occurrences", "quiet"] {
        assert_eq!(after[same], before[same], "{same}");
    }
    assert_eq!(after["seq"], json!(before["seq"].as_u64().unwrap() + 1), "the credit and nothing else");
    let gained = total(&after).0 - total(&before).0
        + milliseconds(outage.before - began)
        + milliseconds(total(&after).1 - outage.back).max(0);
    assert!((-AGAINST_MS..=FAVOUR_MS).contains(&gained), "{gained} ms: {before} {after} {outage:?}");

    let mut socket = Socket::open(server.address, &players[0].token).await;
    assert_eq!(check_credits(&events(&mut socket, &id).await, began, CLOCK_MS, &[outage]), 1);
}

/// Kills the server while it runs or while it starts, and has it serve again.
async fn kill_and_restart(server: &mut ServerProcess, dice: &mut SmallRng, also_while_starting: bool) -> Outage {
    let before = wall();
    server.kill();
    let gone = wall();
    if also_while_starting {
        // Anywhere between the first instruction and the first answer.
        server.kill_a_start_after(Duration::from_millis(dice.random_range(20..400))).await;
    }
    server.restart().await;
    Outage { before, gone, back: wall() }
}

#[tokio::test(flavor = "multi_thread")]
async fn t03_ten_restarts_in_one_game_give_back_the_measured_outages_and_never_more() {
    let seed = std::env::var("STAKEBOARD_TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    println!("STAKEBOARD_TEST_SEED={seed}");
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let start = snapshot(&server.client(), &id).await;
    let (had, began) = total(&start);
    let mut outages = Vec::new();
    for round in 1..=10 {
        play_some(&server, &id, &players, round).await;
        // A clock that has run for a while has something to lose.
        tokio::time::sleep(Duration::from_millis(dice.random_range(0..700))).await;
        outages.push(kill_and_restart(&mut server, &mut dice, round % 2 == 0).await);
        let now = snapshot(&server.client(), &id).await;
        assert!(total(&now).0 <= had, "T03: no clock above its start");
    }
    let now = snapshot(&server.client(), &id).await;
    let (has, at) = total(&now);
    let served = milliseconds(at - began) - outages.iter().map(|it| milliseconds(it.back - it.before)).sum::<i64>();
    let gained = has - had + served;
    assert!((-AGAINST_MS * 10..=FAVOUR_MS * 10).contains(&gained), "{gained} ms gained in {served} ms of service");

    play_some(&server, &id, &players, 11).await;
    let mut socket = Socket::open(server.address, &players[0].token).await;
    let journal = events(&mut socket, &id).await;
    let credits = check_credits(&journal, began, CLOCK_MS, &outages);
    assert!(
        (10..=15).contains(&credits),
        "one credit an outage, and one for each killed start that came to it: {credits}"
    );
}

async fn send(socket: &mut Socket, id: &str, ply: u64, text: &str) -> serde_json::Value {
    let mut answer = socket.play(id, ply, text).await;
    answer.as_object_mut().unwrap().remove("id");
    answer
}

#[tokio::test(flavor = "multi_thread")]
async fn t26_a_move_sent_again_after_a_restart_is_the_same_ply_with_the_same_answer() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let mut socket = Socket::open(server.address, &players[0].token).await;
    let once = send(&mut socket, &id, 1, "C").await;
    assert_eq!(once, json!({"type": "ok", "seq": 1}));
    server.kill();
    server.restart().await;

    let mut sockets: [Socket; 2] =
        [Socket::open(server.address, &players[0].token).await, Socket::open(server.address, &players[1].token).await];
    for _ in 0..10 {
        assert_eq!(send(&mut sockets[0], &id, 1, "C").await, once);
    }
    // The credit has the second place.
    assert_eq!(send(&mut sockets[1], &id, 2, "b").await, json!({"type": "ok", "seq": 3}));
    assert_eq!(send(&mut sockets[0], &id, 1, "C").await, once, "also after the rival has replied");
    let stale = json!({"type": "error", "code": "stale_ply", "ply": 2});
    assert_eq!(send(&mut sockets[0], &id, 1, "D").await, stale);
    assert_eq!(send(&mut sockets[1], &id, 1, "C").await, stale, "it is not theirs");
    assert_eq!(snapshot(&server.client(), &id).await["moves"], json!(["C", "b"]));
}

/// Sends an act again and again until it is clearly answered, through whatever happens to the line.
async fn insist(address: std::net::SocketAddr, player: &Player, act: serde_json::Value) -> serde_json::Value {
    eventually("a clear answer", async || {
        let mut socket = Socket::try_open(address, &player.token).await.ok()?;
        socket.try_request(act.clone()).await.ok().filter(|answer| answer["code"] != "stopping")
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn t65_a_resignation_sent_through_a_restart_ends_the_match_once() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let act = json!({"type": "resign", "match": id});
    let (address, player) = (server.address, players[0].clone());
    server.kill();
    let insisting = tokio::spawn(async move { insist(address, &player, act).await });
    server.restart().await;
    let answer = insisting.await.unwrap();
    // Where the first answer was lost with the line the match is over.
    assert!(answer["type"] == "ok" || answer["code"] == "match_over", "{answer}");
    let end = snapshot(&server.client(), &id).await;
    assert_eq!((&end["outcome"]["ending"], &end["outcome"]["winner"]), (&json!("resignation"), &json!("second")));
    assert_eq!(settlements(&server.registrar.pool, &id).await, 1);
    assert_eq!(server.registrar.available(players[1].id).await, 100 + 180);
    server.registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn t34_an_offer_survives_a_restart_and_is_accepted_by_its_name() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let mut socket = Socket::open(server.address, &players[0].token).await;
    let offered = socket.request(json!({"type": "draw", "match": id, "action": "offer"})).await;
    assert_eq!(offered["seq"], 1, "{offered}");
    server.kill();
    server.restart().await;
    assert_eq!(snapshot(&server.client(), &id).await["draw_offer"], json!({"by": "first", "offer": 1}));
    let mut socket = Socket::open(server.address, &players[1].token).await;
    let wrong = socket.request(json!({"type": "draw", "match": id, "action": "accept", "offer": 2})).await;
    assert_eq!(wrong["code"], "offer_gone", "{wrong}");
    let accepted = socket.request(json!({"type": "draw", "match": id, "action": "accept", "offer": 1})).await;
    assert_eq!(accepted["type"], "ok", "{accepted}");
    let end = snapshot(&server.client(), &id).await;
    assert_eq!((&end["outcome"]["ending"], &end["payout"]), (&json!("agreement"), &json!(0)));
    for player in &players {
        assert_eq!(server.registrar.available(player.id).await, 200, "MA-3");
    }
}
