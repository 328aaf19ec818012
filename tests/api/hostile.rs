//! Input that no proper client sends: it is refused, and nobody else notices.

use std::time::{Duration, Instant};

use rand::{SeedableRng as _, rngs::SmallRng};
use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_tests::{
    Client, Line, TestServer,
    noise::{assert_discreet, spoil},
    play::pick,
};
use tokio::task::JoinSet;

use crate::{PASSWORD, registration};

/// Every route that takes a body, with one that is right.
fn routes(match_id: &str, seek: &str) -> Vec<(Method, String, Value)> {
    let post = |path: &str, body: Value| (Method::POST, path.to_owned(), body);
    vec![
        post("/v1/auth/register", registration("Noise Maker")),
        post("/v1/auth/login", json!({"email": "a@b.example", "password": PASSWORD})),
        post("/v1/auth/refresh", json!({"refresh_token": "x"})),
        post("/v1/auth/logout", json!({"x": 1})),
        post("/v1/auth/guest", json!({"display_name": "noise"})),
        (Method::PATCH, "/v1/me".into(), json!({"display_name": "noise"})),
        post("/v1/wallet/deposits", json!({"amount": 5})),
        post("/v1/lobby/seeks", json!({"game": "oware", "options": {"grand_slam": "forbidden"}, "stake": 5})),
        post("/v1/lobby/seeks", json!({"game": "oware", "preset": "wari", "stake": 5})),
        post(&format!("/v1/lobby/seeks/{seek}/accept"), json!({"stake": 7})),
        post(&format!("/v1/matches/{match_id}/moves"), json!({"ply": 1, "move": "a"})),
        post(&format!("/v1/matches/{match_id}/resign"), json!({"x": 1})),
        post(&format!("/v1/matches/{match_id}/draw"), json!({"action": "accept", "offer": 1})),
    ]
}

/// Those above, and every other one of the document with a body of the fields it names.
fn every_route(match_id: &str, seek: &str) -> Vec<(Method, String, Value)> {
    let document = serde_json::to_value(stakeboard_server::http::openapi::document()).unwrap();
    let mut routes = routes(match_id, seek);
    let known: Vec<(Method, String)> =
        self::routes("{id}", "{id}").into_iter().map(|(verb, path, _)| (verb, path)).collect();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            if !["POST", "PUT", "PATCH"].contains(&method.as_str()) || known.contains(&(method.clone(), path.clone())) {
                continue;
            }
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            let name = schema.as_str().unwrap_or_default().rsplit('/').next().unwrap();
            let fields = document["components"]["schemas"][name]["properties"].as_object().cloned().unwrap_or_default();
            let body: serde_json::Map<_, _> = fields.keys().map(|field| (field.clone(), json!(5))).collect();
            let path = path.replace("{id}", match_id).replace(['{', '}'], "x");
            routes.push((method, path, if body.is_empty() { json!({"x": 1}) } else { body.into() }));
        }
    }
    assert!(routes.len() >= known.len());
    routes
}

/// Whether an act can end the session of who asks for it.
fn ends_session(path: &str) -> bool {
    ["/logout", "/break", "/exclusion"].iter().any(|end| path.ends_with(end))
}

/// Sends `rounds` spoilt requests and demands that each is answered without a fault of ours.
async fn make_noise(client: Client, routes: Vec<(Method, String, Value)>, seed: u64, rounds: usize) {
    let mut dice = SmallRng::seed_from_u64(seed);
    for round in 0..rounds {
        let (method, path, right) = &routes[pick(&mut dice, routes.len())];
        let body = spoil(right, &mut dice);
        let shown = String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
        let request = client.request(method.clone(), path).header("content-type", "application/json").body(body);
        let answer = client.send(request.header("idempotency-key", format!("{seed}-{round}"))).await;
        assert!(answer.status < 500, "{method} {path} {shown}: {}", answer.text);
        if answer.status >= 400 {
            assert_eq!(answer.headers["content-type"], "application/problem+json", "{method} {path} {shown}");
            assert!(!answer.code().is_empty());
        }
        assert_discreet(&answer.text);
    }
}

/// T51, T52, T59.
#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_spoilt_bodies_bring_no_fault_of_ours_and_change_nothing() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let (_, poster) = server.player(100).await;
    let seek = poster.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 100})).await.expect(201).body;
    let routes = every_route(&match_id, seek["id"].as_str().unwrap());
    let mut making = JoinSet::new();
    for seed in 0..8 {
        // A stranger to the match, with a session of their own.
        let (_, client) = server.player(1_000).await;
        // The end of the session would be the end of the noise.
        let kept: Vec<_> = routes.iter().filter(|(_, path, _)| !ends_session(path)).cloned().collect();
        making.spawn(make_noise(client, kept, seed, 300));
        let endings = routes.iter().filter(|(_, path, _)| ends_session(path)).cloned().collect();
        making.spawn(make_noise(server.player(0).await.1, endings, seed, 20));
        making.spawn(make_noise(server.client(), routes.clone(), 100 + seed, 60));
    }
    making.join_all().await;
    server.client().get("/readyz").await.expect(200);
    let moves = format!("/v1/matches/{match_id}/moves");
    server.client().of(&first).post(&moves, &json!({"ply": 1, "move": "C"})).await.expect(200);
    server.client().of(&second).post(&moves, &json!({"ply": 2, "move": "b"})).await.expect(200);
    let snapshot = server.client().get(&format!("/v1/matches/{match_id}")).await.expect(200).body;
    assert_eq!((&snapshot["seq"], &snapshot["moves"]), (&json!(2), &json!(["C", "b"])));
    server.registrar.verify_ledger().await;
}

/// T52: a body and a head that never end, side by side since both take their time.
#[tokio::test(flavor = "multi_thread")]
async fn what_never_ends_is_cut_off_while_others_are_served() {
    let server = TestServer::start().await;
    let (player, client) = server.player(100).await;
    let address = server.address;
    let head = format!(
        "POST /v1/lobby/seeks HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        player.token
    );
    let body =
        tokio::spawn(drip(address, format!("{head}Content-Length: 60000\r\n\r\n"), b" ", Duration::from_secs(20)));
    let slow_head = tokio::spawn(drip(address, head.clone(), b"x-slow: 1\r\n", Duration::from_secs(15)));
    let silent = tokio::spawn(drip(address, String::new(), b"", Duration::from_secs(15)));
    while !(body.is_finished() && slow_head.is_finished() && silent.is_finished()) {
        let asked = Instant::now();
        client.get("/v1/wallet").await.expect(200);
        assert!(asked.elapsed() < Duration::from_secs(1), "others wait {:?}", asked.elapsed());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let answer = body.await.unwrap();
    assert!(answer.is_empty() || answer.contains("request_timeout"), "{answer}");
    let answer = slow_head.await.unwrap();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert_eq!(silent.await.unwrap(), "");
}

/// Sends `start`, then `part` again and again, until the server has closed; gives what it said.
async fn drip(address: std::net::SocketAddr, start: String, part: &'static [u8], patience: Duration) -> String {
    let mut line = Line::connect(address).await;
    line.send(start.as_bytes()).await.unwrap();
    let began = Instant::now();
    let mut said = Vec::new();
    while began.elapsed() < patience {
        let gone = line.send(part).await.is_err();
        let mut buffer = [0; 4_096];
        match tokio::time::timeout(
            Duration::from_millis(100),
            tokio::io::AsyncReadExt::read(&mut line.stream, &mut buffer),
        )
        .await
        {
            Ok(Ok(length)) if length > 0 => said.extend(&buffer[..length]),
            Ok(_) => return String::from_utf8_lossy(&said).into_owned(),
            Err(_) if gone => return String::from_utf8_lossy(&said).into_owned(),
            Err(_) => {}
        }
    }
    panic!("not cut off in {patience:?}: {}", String::from_utf8_lossy(&said));
}

/// T52.
#[tokio::test(flavor = "multi_thread")]
async fn ten_megabytes_are_refused_before_they_have_arrived() {
    let server = TestServer::start().await;
    let (player, client) = server.player(100).await;
    let head = format!(
        "POST /v1/lobby/seeks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        player.token
    );
    // Announced and not even sent.
    let mut announced = Line::connect(server.address).await;
    announced.send(format!("{head}Content-Length: 10485760\r\n\r\n").as_bytes()).await.unwrap();
    let answer = announced.rest(Duration::from_secs(5)).await.expect("refused at once");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("payload_too_large"), "{answer}");

    // Sent in pieces without saying how many.
    let mut endless = Line::connect(server.address).await;
    endless.send(format!("{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes()).await.unwrap();
    let piece = format!("400\r\n{}\r\n", " ".repeat(0x400));
    let mut sent = 0;
    while sent < 10_240 && endless.send(piece.as_bytes()).await.is_ok() {
        sent += 1;
    }
    assert!(sent < 10_240, "all ten megabytes were taken");
    client.get("/v1/wallet").await.expect(200);
}

/// T51.
#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_request_close_their_own_connection_and_nothing_else() {
    let server = TestServer::start().await;
    let long = "x".repeat(100_000);
    let garbage = [
        "\r\n\r\n\r\n".to_owned(),
        "hello\r\n\r\n".into(),
        "GET / HTTP/9.9\r\n\r\n".into(),
        format!("GET /{long} HTTP/1.1\r\nHost: x\r\n\r\n"),
        format!("GET /v1/games HTTP/1.1\r\nHost: x\r\nx-long: {long}\r\n\r\n"),
        "POST /v1/auth/guest HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".into(),
        "POST /v1/auth/guest HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}".into(),
        "POST /v1/auth/guest HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n".into(),
        "POST /v1/auth/guest HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{\"disp"
            .into(),
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}".into(),
    ];
    for text in garbage {
        let mut line = Line::connect(server.address).await;
        drop(line.send(text.as_bytes()).await);
        // Cut off in the middle, as by a lost line.
        drop(tokio::io::AsyncWriteExt::shutdown(&mut line.stream).await);
        let answer = line.rest(Duration::from_secs(5)).await;
        let answer = answer.unwrap_or_else(|| panic!("left open after {:?}", &text[..text.len().min(60)]));
        let answer = String::from_utf8_lossy(&answer).into_owned();
        assert!(!answer.contains("HTTP/1.1 5"), "{answer}");
        assert_discreet(&answer);
    }
    server.client().get("/healthz").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_null_character_in_a_parameter_is_refused_by_name() {
    let server = TestServer::start().await;
    let admin = server.registrar.with_roles(0, vec![stakeboard_server::role::Role::Admin]).await;
    let answer = server.client().of(&admin).get("/v1/admin/audit?action=a%00").await.refused(422, "invalid_request");
    assert_eq!(answer.fields(), [("action".to_owned(), "malformed".to_owned())]);
    server.stop().await;
}
