//! Watching matches: snapshots, what came since, and live events without gap or repeat.

use serde_json::{Value, json};
use stakeboard_tests::{Player, Socket, TestServer, server::start_match};

use crate::{assert_serves, open, so_far};

/// Plays the first legal move, again and again, alternating between the two sockets; gives how many were made.
async fn stream_moves(server: &TestServer, match_id: &str, players: &[Player; 2], count: u64) -> u64 {
    let mut sockets = [open(server, &players[0]).await, open(server, &players[1]).await];
    for ply in 1..=count {
        let snapshot = server.client().get(&format!("/v1/matches/{match_id}")).await.expect(200).body;
        let Some(text) = snapshot["legal"][0].as_str() else { return ply - 1 };
        let mover = usize::from(snapshot["to_move"] == "second");
        assert_eq!(sockets[mover].play(match_id, ply, text).await["type"], "ok");
    }
    count
}

async fn watch_since(socket: &mut Socket, match_id: &str, since: u64) -> Value {
    socket.request(json!({"type": "watch", "match": match_id, "since": since})).await
}

fn seqs(events: &[Value]) -> Vec<u64> {
    events.iter().filter_map(|event| event["seq"].as_u64()).collect()
}

/// T17, T20.
#[tokio::test(flavor = "multi_thread")]
async fn since_gives_exactly_the_tail_and_beyond_the_end_the_snapshot() {
    let server = TestServer::start().await;
    let (match_id, players) = server.start_match(100).await;
    let mut live = open(&server, &players[1]).await;
    live.watch(&match_id).await;
    stream_moves(&server, &match_id, &players, 6).await;
    let mut seen = Vec::new();
    for seq in 1..=6 {
        seen.push(live.until("moved").await);
        assert_eq!(seen.last().unwrap()["seq"], seq);
    }

    let mut socket = open(&server, &players[0]).await;
    for since in 0..=6 {
        let answer = watch_since(&mut socket, &match_id, since).await;
        assert_eq!((&answer["type"], &answer["match"]), (&json!("events"), &json!(match_id)));
        assert_eq!((&answer["from"], &answer["to"]), (&json!(since + 1), &json!(6)));
        let start = usize::try_from(since).unwrap();
        assert_eq!(answer["events"], json!(seen[start..]), "the same as they were when they happened");
    }
    for future in [7, 1_000, u64::from(u32::MAX)] {
        let answer = watch_since(&mut socket, &match_id, future).await;
        assert_eq!((&answer["type"], &answer["match"]["seq"]), (&json!("match"), &json!(6)));
    }

    // The same after the end, when the match is in the record only.
    let resigned = socket.request(json!({"type": "resign", "match": match_id})).await;
    assert_eq!((&resigned["type"], &resigned["seq"]), (&json!("ok"), &json!(7)));
    let mut late = open(&server, &players[1]).await;
    let answer = watch_since(&mut late, &match_id, 5).await;
    assert_eq!(seqs(answer["events"].as_array().unwrap()), [6, 7]);
    assert_eq!(answer["events"][0], seen[5]);
    assert_eq!(answer["events"][1]["type"], "ended");
    assert_eq!(watch_since(&mut late, &match_id, 7).await["events"], json!([]));
    assert_eq!(watch_since(&mut late, &match_id, 8).await["match"]["status"], "ended");
    assert_eq!(late.watch(&match_id).await["seq"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_never_was_is_an_error_and_nothing_more() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let mut socket = open(&server, &player).await;
    let unknown = uuid::Uuid::now_v7();
    for frame in [
        json!({"type": "watch", "match": unknown}),
        json!({"type": "watch", "match": unknown, "since": 3}),
        json!({"type": "move", "match": unknown, "ply": 1, "move": "C"}),
        json!({"type": "resign", "match": unknown}),
        json!({"type": "draw", "match": unknown, "action": "accept", "offer": 1}),
    ] {
        let answer = socket.request(frame.clone()).await;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("error"), &json!("not_found")), "{frame}");
    }
    assert_eq!(socket.request(json!({"type": "unwatch", "match": unknown})).await["type"], "ok");
    assert_serves(&mut socket).await;
}

/// T15: subscribing again and again while the match goes on; every subscriber sees every event once.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_subscribes_while_moves_stream_in_sees_no_gap_and_no_repeat() {
    let server = TestServer::start().await;
    let (match_id, players) = server.start_match(100).await;
    let playing = {
        let (address, match_id, players) = (server.address, match_id.clone(), players.clone());
        tokio::spawn(async move {
            let (one, two) = (&players[0], &players[1]);
            tokio::join!(
                stakeboard_tests::play::play_side(address, &match_id, one, 1),
                stakeboard_tests::play::play_side(address, &match_id, two, 2),
            )
        })
    };
    let mut watching = Vec::new();
    let mut number = 0;
    while !playing.is_finished() {
        let (spectator, _) = server.player(0).await;
        let mut socket = open(&server, &spectator).await;
        let match_id = match_id.clone();
        number += 1;
        watching.push(tokio::spawn(async move {
            let snapshot = socket.watch(&match_id).await;
            let mut last = snapshot["seq"].as_u64().unwrap();
            let mut over = snapshot["status"] == "ended";
            let mut seen = 0;
            while !over {
                let event = socket.next().await;
                let Some(seq) = event["seq"].as_u64() else { continue };
                assert_eq!(seq, last + 1, "{event}");
                last = seq;
                seen += 1;
                over = event["type"] == "ended";
                // Some go away and come back with what they have seen.
                if !over && (seen + number) % 7 == 0 {
                    let unwatched = socket.request(json!({"type": "unwatch", "match": match_id})).await;
                    assert_eq!(unwatched["type"], "ok");
                    // What came before it was told counts; after it nothing comes.
                    for event in so_far(&mut socket).await.iter().filter(|event| event["seq"].is_u64()) {
                        assert_eq!(event["seq"], last + 1);
                        last += 1;
                        over = event["type"] == "ended";
                    }
                    let answer = watch_since(&mut socket, &match_id, last).await;
                    for event in answer["events"].as_array().unwrap() {
                        assert_eq!(event["seq"], last + 1);
                        last += 1;
                        over |= event["type"] == "ended";
                    }
                }
            }
            last
        }));
    }
    let ((end, _), _) = playing.await.unwrap();
    let last = end["seq"].as_u64().unwrap();
    assert!(watching.len() > 3, "some have subscribed meanwhile: {}", watching.len());
    for watcher in watching {
        assert_eq!(watcher.await.unwrap(), last);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_no_longer_watches_hears_nothing_and_watching_twice_is_hearing_once() {
    let server = TestServer::start().await;
    let (match_id, players) = server.start_match(100).await;
    let (spectator, _) = server.player(0).await;
    let mut socket = open(&server, &spectator).await;
    socket.watch(&match_id).await;
    socket.watch(&match_id).await;
    // Told after the first one, whoever is told the same: a sign that there is no more to wait for.
    let mut later = open(&server, &spectator).await;
    later.watch(&match_id).await;
    stream_moves(&server, &match_id, &players, 2).await;
    while later.until("moved").await["seq"] != 2 {}
    let events = so_far(&mut socket).await;
    assert_eq!(seqs(&events), [1, 2]);
    assert_eq!(socket.request(json!({"type": "unwatch", "match": match_id})).await["type"], "ok");
    server.client().of(&players[0]).post_empty(&format!("/v1/matches/{match_id}/resign")).await.expect(200);
    later.until("ended").await;
    // That a player has left can have been told before the answer to `unwatch`.
    assert!(seqs(&so_far(&mut socket).await).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spectator_watches_several_matches_at_once_up_to_a_limit() {
    let server = TestServer::start().await;
    let mut matches = Vec::new();
    for _ in 0..3 {
        let (one, two) = (server.registrar.player(100).await, server.registrar.player(100).await);
        let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 5})).await;
        matches.push((id, one));
    }
    let (spectator, _) = server.player(0).await;
    let mut socket = open(&server, &spectator).await;
    for (id, _) in &matches {
        socket.watch(id).await;
    }
    for (id, player) in &matches {
        server.client().of(player).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
        let ended = socket.until("ended").await;
        assert_eq!((&ended["match"], &ended["seq"]), (&json!(id), &json!(1)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_is_told_which_player_is_there_and_how_many_watch() {
    let server = TestServer::start().await;
    let (match_id, players) = server.start_match(100).await;
    let path = format!("/v1/matches/{match_id}/attendance");
    let there = async || server.client().get(&path).await.expect(200).body;
    assert_eq!(there().await, json!({"first": false, "second": false, "watchers": 0}));

    let snapshot = server.client().get(&format!("/v1/matches/{match_id}")).await.expect(200).body;
    let is_first = snapshot["players"]["first"]["id"] == players[0].id.to_string();
    let mut one = open(&server, &players[0]).await;
    one.watch(&match_id).await;
    let (stranger, _) = server.player(0).await;
    let mut watcher = open(&server, &stranger).await;
    watcher.watch(&match_id).await;
    assert_eq!(there().await, json!({"first": is_first, "second": !is_first, "watchers": 2}));

    one.request(json!({"type": "resign", "match": match_id})).await;
    assert_eq!(there().await["watchers"], 0, "after the end");
    server.client().get("/v1/matches/0192f0c0-0000-7000-8000-000000000000/attendance").await.refused(404, "not_found");
    server.stop().await;
}
