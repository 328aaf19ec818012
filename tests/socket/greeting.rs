//! How a socket begins, and the form of its requests and answers.

use std::time::Duration;

use serde_json::{Value, json};
use stakeboard_tests::{Socket, TestServer};
use tokio_tungstenite::{
    connect_async,
    tungstenite::{Error, client::IntoClientRequest as _},
};

use crate::{assert_serves, assert_told, open};

fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn hello_is_welcomed_with_the_player_the_time_and_the_heartbeat() {
    let server = TestServer::with(&["--heartbeat-ms=4000"]).await;
    let (player, _) = server.player(0).await;
    let mut socket = Socket::connect(server.address).await;
    socket.send(&json!({"type": "hello", "token": player.token, "id": "me"})).await;
    let welcome = socket.next().await;
    assert_eq!(keys(&welcome), ["heartbeat_ms", "id", "player", "server_time", "type"]);
    assert_eq!((&welcome["type"], &welcome["id"]), (&json!("welcome"), &json!("me")));
    assert_eq!(welcome["player"], json!({"id": player.id, "display_name": player.name}));
    assert_eq!(welcome["heartbeat_ms"], 4_000);
    let time = welcome["server_time"].as_str().unwrap();
    assert!(time.len() == 24 && time.ends_with('Z'), "{time}");
    let again = socket.request(json!({"type": "hello", "token": player.token})).await;
    assert_eq!((&again["code"], &again["field"]), (&json!("invalid_request"), &json!("type")));
    assert_serves(&mut socket).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authorization_header_on_the_upgrade_stands_for_hello() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let upgrade = |authorization: &str| {
        let mut request = format!("ws://{}/v1/ws", server.address).into_client_request().unwrap();
        request.headers_mut().insert("authorization", authorization.parse().unwrap());
        request
    };
    let (stream, _) = connect_async(upgrade(&format!("Bearer {}", player.token))).await.unwrap();
    let mut socket = Socket::over(stream);
    let welcome = socket.next().await;
    assert_eq!(keys(&welcome), ["heartbeat_ms", "player", "server_time", "type"]);
    assert_eq!(welcome["player"]["id"], json!(player.id));
    assert_serves(&mut socket).await;

    let (stream, _) = connect_async(upgrade("Bearer nonsense")).await.unwrap();
    assert_told(&Socket::over(stream).closed().await, "unauthenticated", 4401);
}

#[tokio::test(flavor = "multi_thread")]
async fn anything_before_hello_closes_the_socket() {
    let server = TestServer::start().await;
    let (match_id, _) = server.start_match(100).await;
    let early = [
        json!({"type": "ping"}),
        json!({"type": "watch", "match": match_id}),
        json!({"type": "resign", "match": match_id}),
        json!({"type": "hello"}),
        json!({"type": "hello", "token": ""}),
        json!({"type": "hello", "token": 7}),
        json!({"type": "hello", "token": "x", "admin": true}),
        json!({}),
        json!([]),
    ];
    for frame in early {
        let mut socket = Socket::connect(server.address).await;
        socket.send(&frame).await;
        let ended = socket.closed().await;
        assert_told(&ended, "unauthenticated", 4401);
        assert_eq!(ended.0.len(), 1, "nothing else is said to {frame}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_that_never_says_who_it_is_is_closed_after_ten_seconds() {
    let server = TestServer::start().await;
    let mut socket = Socket::connect(server.address).await;
    let began = std::time::Instant::now();
    assert_told(&socket.closed().await, "unauthenticated", 4401);
    let waited = began.elapsed();
    assert!((Duration::from_secs(9)..Duration::from_secs(13)).contains(&waited), "{waited:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_repeats_the_name_of_its_request_be_it_a_number_or_a_text() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let mut socket = open(&server, &player).await;
    for id in [json!(0), json!(-7), json!(1.5), json!(u64::MAX), json!(""), json!("x".repeat(64)), json!("ação 🎲")]
    {
        socket.send(&json!({"type": "ping", "id": id})).await;
        let pong = socket.next().await;
        assert_eq!((&pong["type"], &pong["id"]), (&json!("pong"), &id));
        socket.send(&json!({"type": "jump", "id": id})).await;
        let error = socket.next().await;
        assert_eq!((&error["code"], &error["id"]), (&json!("invalid_request"), &id));
    }
    socket.send(&json!({"type": "ping"})).await;
    assert_eq!(keys(&socket.next().await), ["server_time", "type"]);
    for id in [json!(null), json!([1]), json!({"a": 1}), json!(true), json!("x".repeat(65))] {
        socket.send(&json!({"type": "ping", "id": id})).await;
        let error = socket.next().await;
        assert_eq!((&error["code"], &error["field"]), (&json!("invalid_request"), &json!("id")), "{id}");
        assert!(error.get("id").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_the_wrong_form_names_its_field_and_leaves_the_socket_open() {
    let server = TestServer::start().await;
    let (match_id, [first, _]) = server.start_match(100).await;
    let mut socket = open(&server, &first).await;
    let cases = [
        (json!({"type": "jump"}), "type"),
        (json!({"type": 7}), "type"),
        (json!({"match": match_id}), "type"),
        (json!({"type": "ping", "lag": 100}), "lag"),
        (json!({"type": "watch"}), "match"),
        (json!({"type": "watch", "match": 7}), "match"),
        (json!({"type": "watch", "match": "nobody"}), "match"),
        (json!({"type": "watch", "match": match_id, "since": -1}), "since"),
        (json!({"type": "watch", "match": match_id, "since": "now"}), "since"),
        (json!({"type": "watch", "match": match_id, "since": 1.5}), "since"),
        (json!({"type": "watch", "match": match_id, "since": 4_294_967_296_u64}), "since"),
        (json!({"type": "move", "match": match_id, "ply": 1}), "move"),
        (json!({"type": "move", "match": match_id, "move": "C"}), "ply"),
        (json!({"type": "move", "match": match_id, "ply": "1", "move": "C"}), "ply"),
        (json!({"type": "move", "match": match_id, "ply": 1, "move": 3}), "move"),
        (json!({"type": "move", "match": match_id, "ply": 1, "move": "C", "lag_ms": 500}), "lag_ms"),
        (json!({"type": "move", "match": match_id, "ply": 1, "move": "c-d"}), "move"),
        (json!({"type": "resign", "match": match_id, "seat": "second"}), "seat"),
        (json!({"type": "draw", "match": match_id, "action": "claim"}), "action"),
        (json!({"type": "draw", "match": match_id}), "action"),
        (json!({"type": "draw", "match": match_id, "action": "offer", "offer": 1}), "offer"),
        (json!({"type": "draw", "match": match_id, "action": "accept"}), "offer"),
        (json!({"type": "draw", "match": match_id, "action": "decline", "offer": "1"}), "offer"),
    ];
    for (frame, field) in cases {
        let answer = socket.request(frame.clone()).await;
        assert_eq!((&answer["type"], &answer["code"]), (&json!("error"), &json!("invalid_request")), "{frame}");
        assert_eq!(answer["field"], field, "{frame}");
    }
    for frame in ["[]", "7", "null", "\"ping\""] {
        let value: Value = serde_json::from_str(frame).unwrap();
        socket.send(&value).await;
        assert_eq!(socket.next().await["code"], "invalid_request", "{frame}");
    }
    assert_eq!(socket.play(&match_id, 1, "C").await["type"], "ok");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_site_opens_no_socket_whatever_token_it_holds() {
    let server = TestServer::start().await;
    let (player, _) = server.player(0).await;
    let from = async |server: &TestServer, origin: &str| {
        let mut request = format!("ws://{}/v1/ws", server.address).into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {}", player.token).parse().unwrap());
        request.headers_mut().insert("origin", origin.parse().unwrap());
        connect_async(request).await
    };
    let own = format!("http://{}", server.address);
    let (stream, _) = from(&server, &own).await.unwrap();
    assert_eq!(Socket::over(stream).next().await["type"], "welcome");
    for origin in ["http://evil.example", "null"] {
        let Err(Error::Http(refused)) = from(&server, origin).await else { panic!("{origin} is let in") };
        assert_eq!(refused.status(), 403, "{origin}");
        let told: Value = serde_json::from_slice(refused.body().as_ref().unwrap()).unwrap();
        assert_eq!(told["code"], "origin_refused");
    }
    let server = server.restart_with(vec!["--origins=https://play.example".into()]).await;
    assert!(from(&server, "https://play.example").await.is_ok());
    assert!(from(&server, &format!("http://{}", server.address)).await.is_err(), "only those that are named");
    server.stop().await;
}
