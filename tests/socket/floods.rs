//! Too much, too fast, too slow: whoever does it bears it alone.

use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use rand::{SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_tests::{
    Line, Socket, TestServer,
    noise::{assert_discreet, spoil},
    play::pick,
};
use tokio_tungstenite::tungstenite::Message;

use crate::{AT_ONCE, assert_serves, open};

/// Plays a match move by move and demands that each is acknowledged at once.
async fn play_undisturbed(sockets: &mut [Socket; 2], match_id: &str, moves: u64) {
    for _ in 0..moves {
        let snapshot = sockets[0].watch(match_id).await;
        let Some(text) = snapshot["legal"][0].as_str() else { return };
        let mover = usize::from(snapshot["to_move"] == "second");
        let asked = Instant::now();
        let answer = sockets[mover].play(match_id, snapshot["ply"].as_u64().unwrap() + 1, text).await;
        assert_eq!(answer["type"], "ok", "{answer}");
        assert!(asked.elapsed() < AT_ONCE, "a move took {:?}", asked.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_frames_a_second_are_their_senders_problem() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let (flooder, _) = server.player(0).await;
    let (mut sink, mut stream) = open(&server, &flooder).await.stream.split();
    let flood = tokio::spawn(async move {
        for number in 0..20_000 {
            if sink.send(Message::text(json!({"type": "ping", "id": number}).to_string())).await.is_err() {
                return;
            }
        }
    });
    let answers = tokio::spawn(async move {
        let (mut pongs, mut limited) = (0, Vec::new());
        while limited.len() < 50 {
            let Some(Ok(message)) = stream.next().await else { panic!("a flood is no reason to close") };
            let Message::Text(text) = message else { continue };
            let frame: Value = serde_json::from_str(&text).unwrap();
            match frame["type"].as_str().unwrap() {
                "pong" => pongs += 1,
                _ => limited.push(frame),
            }
        }
        (pongs, limited)
    });
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    play_undisturbed(&mut sockets, &match_id, 20).await;
    let (pongs, limited) = answers.await.unwrap();
    // 200 at once, and 50 more for each second that it took.
    assert!((200..2_000).contains(&pongs), "{pongs}");
    for frame in limited {
        assert_eq!((&frame["type"], &frame["code"]), (&json!("error"), &json!("rate_limited")));
        assert!(frame["id"].is_u64());
        assert!((1..=20).contains(&frame["retry_after_ms"].as_u64().unwrap()), "{frame}");
    }
    let mut other = open(&server, &flooder).await;
    assert_serves(&mut other).await;
    flood.abort();
    server.client().get("/readyz").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_of_a_burst_is_answered() {
    let server = TestServer::start().await;
    let (match_id, [first, _]) = server.start_match(100).await;
    let mut socket = open(&server, &first).await;
    // A move first: while it is committed the rest piles up.
    let mut frames = vec![json!({"type": "move", "match": match_id, "ply": 1, "move": "C"})];
    for number in 0..190 {
        frames.push(match number % 3 {
            0 => json!({"type": "watch", "match": match_id}),
            1 => json!({"type": "unwatch", "match": match_id}),
            _ => json!({"type": "draw", "match": match_id, "action": "accept", "offer": 9}),
        });
    }
    for (number, frame) in frames.iter_mut().enumerate() {
        frame["id"] = number.into();
        socket.stream.feed(Message::text(frame.to_string())).await.unwrap();
    }
    socket.stream.flush().await.unwrap();
    let mut waiting: std::collections::BTreeSet<u64> = (0..frames.len() as u64).collect();
    while !waiting.is_empty() {
        let next = tokio::time::timeout(Duration::from_secs(5), socket.next()).await;
        let frame = next.unwrap_or_else(|_| panic!("no answer to {waiting:?}"));
        if let Some(id) = frame["id"].as_u64() {
            assert!(waiting.remove(&id), "answered twice: {frame}");
        }
    }
}

/// How often sockets were cut off since they did not read, as the metrics tell.
async fn cut_off(server: &TestServer) -> u64 {
    let metrics = server.client().get("/metrics").await.expect(200).text;
    let line = metrics.lines().find(|line| line.starts_with("stakeboard_sockets_too_slow_total"));
    line.map_or(0, |line| line.split(' ').nth(1).unwrap().parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_is_cut_off_as_too_slow_and_delays_nobody() {
    let server = TestServer::with(&["--socket-frames-burst=100000", "--seeks-most=300"]).await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    let (_, poster) = server.player(100).await;
    for _ in 0..300 {
        poster.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.expect(201);
    }
    let before = cut_off(&server).await;
    let (lazy, _) = server.player(0).await;
    let mut slow = Line::narrow(server.address).await.upgrade(server.address, &lazy.token).await;
    let watch = json!({"type": "watch", "match": match_id}).to_string();
    slow.frame(0x81, watch.as_bytes()).await.unwrap();
    // Each is answered with a hundred kilobytes, which fill what lies between the two.
    let asking = tokio::spawn(async move {
        for _ in 0..1_000 {
            if slow.frame(0x81, br#"{"type":"watch_lobby"}"#).await.is_err() {
                break;
            }
        }
        slow
    });
    let began = Instant::now();
    while cut_off(&server).await == before {
        assert!(began.elapsed() < Duration::from_secs(20), "never cut off");
        play_undisturbed(&mut sockets, &match_id, 1).await;
    }
    play_undisturbed(&mut sockets, &match_id, 5).await;
    // Who reads after all is told why.
    let mut slow = asking.await.unwrap();
    let said = slow.rest(Duration::from_secs(20)).await.expect("closed");
    let end = String::from_utf8_lossy(&said[said.len().saturating_sub(200)..]).into_owned();
    assert!(end.contains(r#"{"type":"error","code":"too_slow"}"#), "{end}");
}

/// More than the machine can carry: requests are refused by name, and a match that is played notices nothing of it, not even
/// at its end.
#[tokio::test(flavor = "multi_thread")]
async fn requests_beyond_what_the_database_carries_are_overloaded_and_matches_go_on_to_their_end() {
    let server = TestServer::with(&["--database-connections=2"]).await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    // Two requests have all connections, and wait for what somebody else holds.
    let mut owner = server.database.as_owner().await;
    let mut held = sqlx::Connection::begin(&mut owner).await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..2 {
        let (player, client) = server.player(500).await;
        sqlx::query(
            "select from balances b join accounts a on a.id = b.account_id where a.player_id = $1 for update of b",
        )
        .bind(player.id.0)
        .execute(&mut *held)
        .await
        .unwrap();
        waiting
            .push(tokio::spawn(async move { client.post_once("/v1/wallet/deposits", &json!({"amount": 100})).await }));
    }
    let (_, other) = server.player(500).await;
    let refused = tokio::spawn(async move {
        loop {
            let answer = other.get("/v1/wallet").await;
            if answer.status != 200 {
                return answer;
            }
        }
    });
    let mut crowd = tokio::task::JoinSet::new();
    for _ in 0..50 {
        let (_, client) = server.player(0).await;
        crowd.spawn(async move { client.get("/v1/wallet").await });
    }
    while !refused.is_finished() {
        play_undisturbed(&mut sockets, &match_id, 1).await;
        // Slowly, so that the game is not over before the others have waited in vain.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let answer = refused.await.unwrap().refused(503, "overloaded");
    assert_eq!(answer.headers["retry-after"], "1");
    for answer in crowd.join_all().await {
        answer.refused(503, "overloaded");
    }
    let asked = Instant::now();
    assert_eq!(sockets[0].request(json!({"type": "resign", "match": match_id})).await["type"], "ok");
    assert!(asked.elapsed() < AT_ONCE, "the end took {:?}", asked.elapsed());
    held.rollback().await.unwrap();
    for request in waiting {
        request.await.unwrap().expect(201);
    }
    server.registrar.verify_ledger().await;
    server.client().get("/readyz").await.expect(200);
}

/// Lines that were opened and say nothing, half a request, or no hello: each is closed in time, and others do not notice.
#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_half_open_lines_cost_only_themselves() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    let mut lines = tokio::task::JoinSet::new();
    for number in 0..300 {
        let mut line = Line::connect(server.address).await;
        match number % 3 {
            0 => {}
            1 => line.send(b"GET /v1/games HTTP/1.1\r\nHost: ").await.unwrap(),
            _ => {
                let head = "GET /v1/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
                line.send(head.as_bytes()).await.unwrap();
                // The beginning of a frame whose rest never comes.
                line.send(&[0x81, 0xfe]).await.unwrap();
            }
        }
        lines.spawn(async move { line.rest(Duration::from_secs(30)).await });
    }
    while !lines.is_empty() {
        play_undisturbed(&mut sockets, &match_id, 1).await;
        while let Some(closed) = lines.try_join_next() {
            assert!(closed.unwrap().is_some(), "left open");
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.client().get("/readyz").await.expect(200);
}

/// T51: frames of every wrong kind, from a seed; each is answered or closes its own socket.
#[tokio::test(flavor = "multi_thread")]
async fn spoilt_frames_are_answered_or_close_their_own_socket() {
    let server = TestServer::with(&["--socket-frames-burst=100000"]).await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let (stranger, _) = server.player(100).await;
    let right = [
        json!({"type": "watch", "match": match_id, "since": 0}),
        json!({"type": "unwatch", "match": match_id}),
        json!({"type": "watch_lobby"}),
        json!({"type": "move", "match": match_id, "ply": 1, "move": "C"}),
        json!({"type": "resign", "match": match_id}),
        json!({"type": "draw", "match": match_id, "action": "accept", "offer": 1}),
        json!({"type": "hello", "token": stranger.token}),
        json!({"type": "ping"}),
    ];
    let mut dice = SmallRng::seed_from_u64(51);
    let mut socket = open(&server, &stranger).await;
    let (mut answered, mut closed) = (0, 0);
    for _ in 0..2_000 {
        let frame = &right[pick(&mut dice, right.len())];
        let Ok(text) = String::from_utf8(spoil(frame, &mut dice)) else { continue };
        let shown: String = text.chars().take(200).collect();
        socket.stream.send(Message::text(text)).await.unwrap();
        // News of the lobby and presence come between; an answer is any other frame.
        loop {
            match tokio::time::timeout(Duration::from_secs(5), socket.try_next()).await {
                Ok(Ok(answer)) if answer["code"] == "protocol" => {
                    closed += 1;
                    socket = open(&server, &stranger).await;
                    break;
                }
                Ok(Ok(answer)) => {
                    assert_discreet(&answer.to_string());
                    assert_ne!(answer["code"], "internal", "{shown}");
                    if ["presence", "lobby_change", "moved"].contains(&answer["type"].as_str().unwrap()) {
                        continue;
                    }
                    answered += 1;
                    break;
                }
                Ok(Err(error)) => panic!("{error} after {shown}"),
                Err(elapsed) => panic!("no answer to {shown}: {elapsed}"),
            }
        }
    }
    assert!(answered > 500 && closed > 100, "{answered} answered, {closed} closed");
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    let snapshot = sockets[0].watch(&match_id).await;
    assert_eq!((&snapshot["seq"], &snapshot["status"]), (&json!(0), &json!("live")), "a stranger changed nothing");
    play_undisturbed(&mut sockets, &match_id, 4).await;
}
