//! SIGKILL in one match that is looked at closely.

use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use serde_json::json;
use stakeboard_server::role::Role;
use stakeboard_tests::{Answer, Client, Player, ServerProcess, Socket};

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

/// Asks over HTTP again and again until there is an answer that says more than that the service is not there.
async fn insist_by_http(client: Client, path: String, act: serde_json::Value) -> Answer {
    eventually("a clear answer", async || {
        let request = client.request(reqwest::Method::POST, &path).json(&act);
        client.try_send(request).await.ok().filter(|answer| answer.status != 503)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn t65_offers_answers_and_rematches_sent_through_restarts_are_carried_out_once() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let [first, second] = players.each_ref().map(|player| server.client().of(player));
    let (draw, rematch) = (format!("/v1/matches/{id}/draw"), format!("/v1/matches/{id}/rematch"));
    let acts = [
        (&first, &draw, json!({"action": "offer"})),
        (&second, &draw, json!({"action": "decline", "offer": 0})),
        (&second, &draw, json!({"action": "offer"})),
        (&first, &draw, json!({"action": "accept", "offer": 0})),
        (&first, &rematch, json!({"action": "propose"})),
    ];
    for (client, path, mut act) in acts {
        if !act["offer"].is_null() {
            // By its name, which depends on how many credits there were.
            act["offer"] = snapshot(&server.client(), &id).await["draw_offer"]["offer"].clone();
        }
        server.kill();
        let insisting = tokio::spawn(insist_by_http(client.clone(), path.clone(), act));
        server.restart().await;
        insisting.await.unwrap().expect(200);
    }
    let mut socket = Socket::open(server.address, &players[1].token).await;
    let journal = events(&mut socket, &id).await;
    let kinds: Vec<&str> = journal.iter().filter_map(|event| event["type"].as_str()).collect();
    let acts: Vec<&str> = kinds.into_iter().filter(|kind| *kind != "clock_credited").collect();
    assert_eq!(acts, ["draw_offered", "draw_declined", "draw_offered", "ended", "rematch_proposed"]);
    assert_eq!(settlements(&server.registrar.pool, &id).await, 1);
    // The proposer is there: what was proposed before the restart is agreed to after it.
    let _there = Socket::open(server.address, &players[0].token).await;
    second.post(&rematch, &json!({"action": "accept"})).await.expect(200);
    assert_eq!(server.registrar.available(players[0].id).await, 100, "one stake of 200 is in play again");
    server.registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b37_a_void_after_a_restart_gives_back_what_one_before_it_would() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let staff = server.registrar.with_roles(0, vec![Role::Admin]).await;
    let admin = server.client().of(&staff);
    let mut results = Vec::new();
    for restarted in [false, true] {
        let (id, players) = new_match(&server, 100).await;
        play_some(&server, &id, &players, 7).await;
        if restarted {
            server.kill();
            server.restart().await;
        }
        admin.post(&format!("/v1/admin/matches/{id}/void"), &json!({"reason": "a fault of ours"})).await.expect(200);
        let end = snapshot(&server.client(), &id).await;
        let mut result = json!({"has": [], "settled": settlements(&server.registrar.pool, &id).await});
        for field in ["outcome", "payout", "fee", "moves", "position"] {
            result[field] = end[field].clone();
        }
        for player in &players {
            let has = server.registrar.available(player.id).await;
            result["has"].as_array_mut().unwrap().push(json!(has));
        }
        results.push(result);
    }
    assert_eq!(results[0], results[1]);
    assert_eq!((&results[1]["has"], &results[1]["settled"]), (&json!([200, 200]), &json!(1)));
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
