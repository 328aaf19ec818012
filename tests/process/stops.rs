//! SIGTERM: an end in order.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::json;
use stakeboard_tests::{ServerProcess, Socket};

use crate::{
    SERVER,
    clocks::{Outage, check_credits},
    support::{events, new_match, play_some, snapshot, time_of, wall},
};

/// The longest an end in order may take.
const LONGEST: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_tells_every_socket_ends_in_time_and_the_next_start_goes_on() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let before = play_some(&server, &id, &players, 5).await;
    let mut sockets = Vec::new();
    // As many as the two may have open at once.
    for number in 0..20 {
        let mut socket = Socket::open(server.address, &players[number % 2].token).await;
        if number % 3 == 0 {
            socket.watch(&id).await;
        }
        sockets.push(socket);
    }
    let told = wall();
    let began = Instant::now();
    server.signal(Signal::SIGTERM);
    let status = server.wait().await;
    let took = began.elapsed();
    let gone = wall();
    println!("SIGTERM to the end with 20 sockets: {} ms", took.as_millis());
    assert!(status.success(), "{status}");
    assert!(took < LONGEST, "{took:?}");
    for mut socket in sockets {
        let (frames, close) = socket.closed().await;
        let last = frames.last().unwrap();
        assert_eq!((&last["type"], &last["code"]), (&json!("error"), &json!("stopping")), "{frames:?}");
        assert_eq!(u16::from(close.unwrap().code), 1012);
    }

    // Nothing of the pause is charged, and what was before it is, to the last.
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.restart().await;
    let outage = Outage { before: told, gone, back: wall() };
    let after = snapshot(&server.client(), &id).await;
    assert_eq!((&after["moves"], &after["status"]), (&before["moves"], &json!("live")));
    play_some(&server, &id, &players, 6).await;
    let mut socket = Socket::open(server.address, &players[0].token).await;
    let journal = events(&mut socket, &id).await;
    assert_eq!(check_credits(&journal, time_of(&before["clocks"]["at"]), 600_000, &[outage]), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_under_way_at_sigterm_are_answered_or_refused_and_what_was_answered_is_kept() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let mut matches = Vec::new();
    for _ in 0..20 {
        matches.push(new_match(&server, 100).await);
    }
    let client = server.client();
    let moves = matches.iter().map(|(id, players)| {
        let (client, id) = (client.of(&players[0]), id.clone());
        tokio::spawn(async move {
            let path = format!("/v1/matches/{id}/moves");
            let request = client.request(reqwest::Method::POST, &path).json(&json!({"ply": 1, "move": "C"}));
            client.try_send(request).await
        })
    });
    let under_way: Vec<_> = moves.collect();
    server.signal(Signal::SIGTERM);
    let mut answered = Vec::new();
    for request in under_way {
        answered.push(request.await.unwrap());
    }
    assert!(server.wait().await.success());
    server.restart().await;
    for ((id, _), answer) in matches.iter().zip(answered) {
        let made = snapshot(&server.client(), id).await["ply"].clone();
        match answer {
            Ok(answer) if answer.status == 200 => assert_eq!(made, 1, "{id}: an acknowledged move is kept"),
            Ok(answer) => {
                answer.refused(503, "stopping");
                assert_eq!(made, 0, "{id}: a refused move was not made");
            }
            // Where the connection had not been accepted yet there is nobody to answer.
            Err(error) => assert!(error.is_connect() || error.is_request(), "{error:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_that_waits_for_the_last_heartbeat_does_not_hold_up_the_end() {
    for wait_ms in [900, 990, 1_000, 1_010] {
        let mut server = ServerProcess::start(SERVER, &[("STAKEBOARD_CLOCK_MS", "1000")]).await;
        let (id, _) = new_match(&server, 100).await;
        let started = time_of(&snapshot(&server.client(), &id).await["clocks"]["at"]);
        let due = started + Duration::from_millis(wait_ms) - wall();
        tokio::time::sleep(due.try_into().unwrap_or_default()).await;
        let began = Instant::now();
        server.signal(Signal::SIGTERM);
        assert!(server.wait().await.success());
        assert!(began.elapsed() < Duration::from_secs(2), "{wait_ms} ms: {:?}", began.elapsed());
    }
}
