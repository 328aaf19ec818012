//! How a socket ends: what the server closes it for, and what it does not.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use stakeboard_tests::{Line, Socket, TestServer};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use crate::{AT_ONCE, assert_serves, assert_told, open};

const TEXT: u8 = 0x81;

/// Reads what the server sends on a bare line to its end, as the payloads of its frames.
async fn said(line: &mut Line) -> String {
    let bytes = line.rest(Duration::from_secs(5)).await.expect("closed");
    String::from_utf8_lossy(&bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_text_frame_of_json_closes_the_socket_as_protocol() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let mut other = open(&server, &player).await;
    let padded = |length: usize| {
        let frame = r#"{"type":"ping","id":1}"#;
        frame.to_owned() + &" ".repeat(length - frame.len())
    };
    let wrong = [
        Message::binary(br#"{"type":"ping"}"#.to_vec()),
        Message::binary(vec![]),
        Message::text("ping"),
        Message::text(""),
        Message::text("{"),
        Message::text(r#"{"type":"ping"} {"type":"ping"}"#),
        Message::text("[".repeat(4_000)),
        Message::text(padded(4_097)),
        Message::text(padded(60_000)),
    ];
    for message in wrong {
        let mut socket = open(&server, &player).await;
        let shown = format!("{message:.40?}");
        socket.stream.send(message).await.unwrap();
        let ended = timeout(AT_ONCE, socket.closed()).await.unwrap_or_else(|_| panic!("left open after {shown}"));
        assert_told(&ended, "protocol", 4400);
    }
    let mut socket = open(&server, &player).await;
    socket.stream.send(Message::text(padded(4_096))).await.unwrap();
    assert_eq!(socket.next().await["type"], "pong", "4 KiB are read");
    assert_serves(&mut other).await;
}

/// T51, T52.
#[tokio::test(flavor = "multi_thread")]
async fn broken_frames_and_frames_of_ten_megabytes_close_their_own_socket_only() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let mut other = open(&server, &player).await;
    let token = player.token.as_str();
    let address = server.address;
    let fresh = || Line::socket(address, token);

    // Not UTF-8.
    let mut line = fresh().await;
    line.frame(TEXT, b"{\"type\":\"\xff\xfe\"}").await.unwrap();
    assert!(said(&mut line).await.contains("protocol"));
    // A kind of frame that does not exist, and bits that mean nothing.
    for first_byte in [0x83, 0xf1, 0x8b] {
        let mut line = fresh().await;
        line.frame(first_byte, b"{}").await.unwrap();
        assert!(said(&mut line).await.contains("protocol"), "{first_byte:x}");
    }
    // Not masked.
    let mut line = fresh().await;
    line.send(&[TEXT, 2, b'{', b'}']).await.unwrap();
    assert!(said(&mut line).await.contains("protocol"));
    // Ten megabytes announced in one frame: refused before they have come.
    let mut line = fresh().await;
    let mut head = vec![TEXT, 0x80 | 0x7f];
    head.extend((10_u64 << 20).to_be_bytes());
    head.extend([0; 4]);
    line.send(&head).await.unwrap();
    assert!(said(&mut line).await.contains("protocol"));
    // The same in small pieces of one message.
    let mut line = fresh().await;
    let piece = [b' '; 1_000];
    let mut sent = 0;
    let mut first_byte = 0x01;
    while sent < 10_000 && line.frame(first_byte, &piece).await.is_ok() {
        (sent, first_byte) = (sent + 1, 0x00);
    }
    assert!(sent < 10_000, "ten megabytes were taken");
    // Half a frame, then nothing, then gone.
    for half in [&[TEXT][..], &[TEXT, 0x80 | 0x7e], &[TEXT, 0x80 | 0x14, 0, 0, 0, 0, b'{', b'"']] {
        let mut line = fresh().await;
        line.send(half).await.unwrap();
        drop(line);
    }
    assert_serves(&mut other).await;
    server.client().get("/readyz").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_eleventh_socket_of_a_player_is_taken_and_the_oldest_closed() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let (stranger, _) = server.player(0).await;
    let mut bystander = open(&server, &stranger).await;
    let mut sockets = Vec::new();
    for _ in 0..10 {
        sockets.push(open(&server, &player).await);
    }
    for socket in &mut sockets {
        assert_serves(socket).await;
    }
    let mut newest = open(&server, &player).await;
    let ended = timeout(AT_ONCE, sockets[0].closed()).await.expect("closed at once");
    assert_told(&ended, "too_many", 4429);
    for socket in &mut sockets[1..] {
        assert_serves(socket).await;
    }
    assert_serves(&mut newest).await;
    assert_serves(&mut bystander).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_outlives_errors_of_every_kind() {
    let server = TestServer::start().await;
    let (match_id, [first, _]) = server.start_match(100).await;
    let mut socket = open(&server, &first).await;
    for frame in [
        json!({"type": "jump"}),
        json!({"type": "move", "match": match_id, "ply": 9, "move": "C"}),
        json!({"type": "move", "match": match_id, "ply": 1, "move": "a"}),
        json!({"type": "watch", "match": uuid::Uuid::now_v7()}),
        json!({"type": "draw", "match": match_id, "action": "accept", "offer": 3}),
    ] {
        assert_eq!(socket.request(frame).await["type"], "error");
    }
    assert_serves(&mut socket).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protocol_ping_is_answered_and_heartbeats_come() {
    let server = TestServer::with(&["--heartbeat-ms=100"]).await;
    let (player, _) = server.player(0).await;
    let mut socket = open(&server, &player).await;
    socket.stream.send(Message::Ping(b"7"[..].into())).await.unwrap();
    let (mut pings, mut pong) = (0, false);
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        match timeout(Duration::from_millis(100), socket.stream.next()).await {
            Ok(Some(Ok(Message::Pong(payload)))) => pong = payload == b"7"[..],
            Ok(Some(Ok(Message::Ping(_)))) => pings += 1,
            Ok(Some(Ok(_))) | Err(_) => {}
            Ok(other) => panic!("{other:?}"),
        }
    }
    assert!(pong);
    // Twenty in two seconds; a busy machine may be late, never early.
    assert!((5..=22).contains(&pings), "{pings} heartbeats");
    // T23: only pings were answered for twenty heartbeats, and the socket is still there.
    assert_serves(&mut socket).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_peer_that_answers_nothing_for_three_heartbeats_is_closed() {
    let server = TestServer::with(&["--heartbeat-ms=100"]).await;
    let (player, _) = server.player(0).await;
    let mut line = Line::socket(server.address, &player.token).await;
    let began = Instant::now();
    line.rest(Duration::from_secs(10)).await.expect("closed");
    let lasted = began.elapsed();
    assert!(lasted >= Duration::from_millis(300), "three heartbeats: {lasted:?}");
    assert!(lasted < Duration::from_secs(3), "{lasted:?}");
    // The player counts as gone: a new match's watchers are told when a socket opens.
    let (match_id, [first, _]) = server.start_match(100).await;
    let mut silent = Line::socket(server.address, &first.token).await;
    let mut watcher = open(&server, &server.registrar.player(0).await).await;
    watcher.watch(&match_id).await;
    let told = async {
        loop {
            let told = watcher.until("presence").await;
            // That the socket opened may be told to one who had begun to watch by then.
            if told["online"] == false {
                return told;
            }
        }
    };
    // Read meanwhile: whoever does not read answers no ping either.
    let (closed, gone) = tokio::join!(silent.rest(Duration::from_secs(10)), timeout(Duration::from_secs(10), told));
    closed.expect("closed");
    let gone = gone.expect("told");
    assert_eq!(gone, json!({"type": "presence", "match": match_id, "seat": "first", "online": false}));
}

async fn logged_in(address: SocketAddr, client: &stakeboard_tests::Client) -> (Socket, String) {
    let guest = client.post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let token = guest["access_token"].as_str().unwrap().to_owned();
    (Socket::open(address, &token).await, token)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_session_closes_all_its_sockets_within_a_second_and_no_others() {
    let server = TestServer::start().await;
    let (mut socket, token) = logged_in(server.address, &server.client()).await;
    let mut second = Socket::open(server.address, &token).await;
    let (mut other, _) = logged_in(server.address, &server.client()).await;
    server.client().with_token(&token).post_empty("/v1/auth/logout").await.expect(204);
    for ended in [&mut socket, &mut second] {
        let ended = timeout(AT_ONCE, ended.closed()).await.expect("closed within a second");
        assert_told(&ended, "unauthenticated", 4401);
    }
    assert_serves(&mut other).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_says_so_to_every_socket() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    sockets[0].watch(&match_id).await;
    let listening = sockets.map(|mut socket| tokio::spawn(async move { socket.closed().await }));
    server.stop().await;
    for ended in listening {
        assert_told(&ended.await.unwrap(), "stopping", 1012);
    }
}
