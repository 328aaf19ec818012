//! The service about itself: health, metrics, documents, and what every answer carries.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, TestServer, noise::assert_discreet};

use crate::keys;

/// Demands what every answer carries, whatever it is.
#[track_caller]
fn assert_dressed(answer: &Answer) {
    for (name, value) in
        [("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"), ("referrer-policy", "no-referrer")]
    {
        assert_eq!(answer.headers[name], value, "{}", answer.text);
    }
    assert!(answer.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'"));
    assert!(!answer.headers["x-request-id"].is_empty());
    assert!(answer.headers.contains_key("cache-control"));
}

/// Demands a whole RFC 9457 problem.
#[track_caller]
fn assert_problem(answer: &Answer, status: u16, code: &str) {
    assert_dressed(answer);
    assert_eq!((answer.status, answer.code()), (status, code), "{}", answer.text);
    assert_eq!(answer.headers["content-type"], "application/problem+json");
    assert_eq!((&answer.body["status"], &answer.body["type"]), (&json!(status), &json!("about:blank")));
    for member in ["title", "detail"] {
        assert!(!answer.body[member].as_str().unwrap().is_empty());
    }
    assert_discreet(&answer.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_readiness_and_metrics_are_told() {
    let server = TestServer::start().await;
    let client = server.client();
    for path in ["/healthz", "/readyz"] {
        let answer = client.get(path).await.expect(200);
        assert_dressed(&answer);
    }
    let (id, [first, _]) = server.start_match(100).await;
    client.of(&first).post(&format!("/v1/matches/{id}/moves"), &json!({"ply": 1, "move": "C"})).await.expect(200);
    client.of(&first).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    drop(stakeboard_tests::Socket::open(server.address, &first.token).await);
    client.get("/nowhere").await.expect(404);
    let answer = client.get("/metrics").await.expect(200);
    assert!(answer.headers["content-type"].to_str().unwrap().starts_with("text/plain"));
    for name in [
        "stakeboard_matches_live",
        "stakeboard_sockets",
        "stakeboard_heartbeat_lag_seconds",
        "stakeboard_commit_seconds_bucket",
        "stakeboard_journal_batch_rows_bucket",
        "stakeboard_http_request_seconds_bucket",
        "stakeboard_settlements_total",
        "stakeboard_refusals_total",
    ] {
        let lines = answer.text.lines().filter(|line| line.starts_with(name));
        assert!(lines.count() > 0, "{name} in {}", answer.text);
    }
    assert!(answer.text.contains("route=\"/v1/matches/{id}/moves\""), "routes, not paths: one series a route");
    assert!(!answer.text.contains(&id));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_served_documents_are_those_that_are_checked_in() {
    let server = TestServer::start().await;
    for name in ["openapi.yaml", "asyncapi.yaml"] {
        let served = server.client().get(&format!("/{name}")).await.expect(200);
        assert_dressed(&served);
        let path = format!("{}/../{name}", env!("CARGO_MANIFEST_DIR"));
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(served.text == kept, "{name} is stale: run tests/prepare and commit the result");
    }
}

fn document() -> Value {
    serde_json::to_value(stakeboard_server::http::openapi::document()).unwrap()
}

/// What outside clients rely on.
const PROMISED: [&str; 35] = [
    "POST /v1/auth/register",
    "POST /v1/auth/login",
    "POST /v1/auth/refresh",
    "POST /v1/auth/logout",
    "POST /v1/auth/guest",
    "GET /v1/me",
    "PATCH /v1/me",
    "GET /v1/players/{id}",
    "GET /v1/players/{id}/ratings",
    "GET /v1/leaderboards/{game}",
    "GET /v1/wallet",
    "GET /v1/wallet/transfers",
    "POST /v1/wallet/deposits",
    "GET /v1/config",
    "GET /v1/games",
    "GET /v1/lobby/seeks",
    "POST /v1/lobby/seeks",
    "DELETE /v1/lobby/seeks/{id}",
    "POST /v1/lobby/seeks/{id}/accept",
    "GET /v1/lobby/players",
    "GET /v1/lobby/queue",
    "POST /v1/lobby/queue",
    "DELETE /v1/lobby/queue",
    "GET /v1/matches",
    "GET /v1/matches/{id}",
    "GET /v1/matches/{id}/record",
    "POST /v1/matches/{id}/moves",
    "POST /v1/matches/{id}/resign",
    "POST /v1/matches/{id}/draw",
    "GET /v1/ws",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /openapi.yaml",
    "GET /docs",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_documented_path_exists_for_its_method_and_every_public_one_is_documented() {
    let server = TestServer::with(&["--seeks-most=1000"]).await;
    let (match_id, [player, _]) = server.start_match(100).await;
    let (_, poster) = server.player(1_000).await;
    let (_, client) = server.player(1_000).await;
    // What can be left.
    poster.post_once("/v1/lobby/queue", &json!({"game": "oware", "stake": 10})).await.expect(200);
    let document = document();
    let mut seen = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let seek = poster.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.expect(201).body;
            let id = if path.contains("/matches/") { match_id.as_str() } else { seek["id"].as_str().unwrap() };
            let caller = match (method.as_str(), path.contains("/matches/")) {
                ("DELETE", _) => &poster,
                (_, true) => &client.of(&player),
                _ => &client,
            };
            let request = caller.request(method.clone(), &path.replace("{id}", id)).header("idempotency-key", "k");
            let request = if operation.get("requestBody").is_some() { request.json(&json!({})) } else { request };
            let answer = caller.send(request).await;
            // What a path names may not be there, such as what follows the end of a match that goes on; the path itself is.
            let is_there = !["/receipt", "/analysis"].iter().any(|end| path.ends_with(end))
                && (path.contains("/matches/") || path.contains("/seeks/"));
            let named = path.contains('{') && !is_there;
            let missing = if named { &[405][..] } else { &[404, 405] };
            assert!(!missing.contains(&answer.status), "{method} {path}: {}", answer.text);
            assert_dressed(&answer);
            assert!(
                operation["responses"].get(answer.status.to_string()).is_some(),
                "{method} {path} answers {} and does not say so",
                answer.status
            );
            seen.insert(format!("{method} {path}"));
        }
    }
    for promised in PROMISED {
        assert!(seen.contains(promised), "{promised} is not documented");
    }
}

/// The schemas that one leads to, by name.
fn reachable<'a>(schemas: &'a Value, name: &'a str, seen: &mut BTreeSet<&'a str>) {
    if !seen.insert(name) {
        return;
    }
    let mut waiting = vec![&schemas[name]];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => waiting.extend(fields.values()),
            Value::String(text) => {
                if let Some(other) = text.strip_prefix("#/components/schemas/") {
                    assert!(!schemas[other].is_null(), "{other} is not described");
                    reachable(schemas, other, seen);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn the_document_describes_every_frame_of_the_socket() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    let told = |root: &str, kinds: &[&str]| {
        assert!(!schemas[root].is_null(), "{root} is described");
        let mut names = BTreeSet::new();
        reachable(schemas, root, &mut names);
        let text: String = names.iter().map(|name| schemas[*name].to_string()).collect();
        for kind in kinds {
            // A constant of the field `type`, or its description.
            let described = [format!("\"{kind}\""), format!("`{kind}`")];
            assert!(described.iter().any(|form| text.contains(form)), "{kind} is not described by {root}");
        }
    };
    told(
        "SocketRequest",
        &["hello", "watch", "unwatch", "watch_lobby", "unwatch_lobby", "move", "resign", "draw", "ping"],
    );
    let frames = [
        "welcome",
        "ok",
        "error",
        "pong",
        "match",
        "events",
        "moved",
        "draw_offered",
        "draw_declined",
        "clock_credited",
        "ended",
        "presence",
        "paused",
        "resumed",
        "lobby",
        "lobby_change",
        "match_started",
        "wallet",
    ];
    told("SocketMessage", &frames);
    // What a client calls its request is a number or a text, and so is what comes back.
    let id = schemas["OkFrame"]["properties"]["id"].to_string() + &schemas["RequestName"].to_string();
    assert!(id.contains("number") && id.contains("string"), "{id}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_is_one_page_with_every_path_and_no_outside_assets() {
    let server = TestServer::start().await;
    let answer = server.client().get("/docs").await.expect(200);
    assert_dressed(&answer);
    assert!(answer.headers["content-type"].to_str().unwrap().starts_with("text/html"));
    for path in document()["paths"].as_object().unwrap().keys() {
        assert!(answer.text.contains(path.as_str()), "{path} is not in the reference");
    }
    for attribute in ["src", "href"] {
        for part in answer.text.split(&format!("{attribute}=")).skip(1) {
            let target = part.trim_start_matches(['"', '\'']);
            assert!(!target.starts_with("http") && !target.starts_with("//"), "{attribute}={}", &target[..40]);
        }
    }
    for outside in ["@import", "url(http", "cdn."] {
        assert!(!answer.text.contains(outside));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_refusal_is_a_problem_with_all_headers() {
    let server = TestServer::start().await;
    let (_, client) = server.player(100).await;
    let bare = server.client();
    for path in ["/nowhere", "/v1", "/v1/", "/v1/nowhere", "/v1/me/", "/V1/me", "//v1/me", "/v1/ws/x", "/.env"] {
        assert_problem(&client.get(path).await, 404, "not_found");
    }
    for (method, path) in [
        (Method::PUT, "/v1/me"),
        (Method::DELETE, "/v1/lobby/seeks"),
        (Method::GET, "/v1/auth/login"),
        (Method::POST, "/healthz"),
        (Method::from_bytes(b"BREW").unwrap(), "/v1/games"),
        (Method::TRACE, "/v1/config"),
    ] {
        let answer = client.send(client.request(method.clone(), path)).await;
        assert_problem(&answer, 405, "method_not_allowed");
        assert!(!answer.headers["allow"].is_empty(), "{method} {path}");
    }
    assert_problem(&bare.get("/v1/me").await, 401, "unauthenticated");
    assert_problem(&client.get("/v1/ws").await, 422, "invalid_request");
    let post = |kind: &str, body: Vec<u8>| {
        let request = client.request(Method::POST, "/v1/lobby/seeks").header("content-type", kind).body(body);
        let client = client.clone();
        async move { client.send(request).await }
    };
    let json = br#"{"game":"oware","stake":5}"#.to_vec();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data", ""] {
        assert_problem(&post(kind, json.clone()).await, 415, "unsupported_media_type");
    }
    let bare_post = client.request(Method::POST, "/v1/lobby/seeks").body(json.clone());
    assert_problem(&client.send(bare_post).await, 415, "unsupported_media_type");
    for kind in ["application/json", "Application/JSON", "application/json; charset=utf-8"] {
        post(kind, json.clone()).await.expect(201);
    }
    for broken in [&b"{"[..], b"", b"\xff\xfe", b"{\"game\":\"\xc3\x28\",\"stake\":5}", b"{'game':'oware'}", b"\0"] {
        assert_problem(&post("application/json", broken.to_vec()).await, 422, "invalid_request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_up_to_the_limit_is_read_and_one_byte_more_is_refused() {
    let server = TestServer::start().await;
    let (_, client) = server.player(100).await;
    let limit = client.get("/v1/config").await.expect(200).body["limits"]["body_bytes"].as_u64().unwrap();
    let sized = |length: u64| {
        let body = r#"{"game":"oware","stake":5}"#;
        body.to_owned() + &" ".repeat(usize::try_from(length).unwrap() - body.len())
    };
    let post = |body: String| {
        let request = client.request(Method::POST, "/v1/lobby/seeks").header("content-type", "application/json");
        client.send(request.body(body))
    };
    post(sized(limit)).await.expect(201);
    assert_problem(&post(sized(limit + 1)).await, 413, "payload_too_large");
    // T52: an array of 100,000 elements.
    let array = json!({"game": "oware", "stake": vec![5; 100_000]});
    assert_problem(&client.post("/v1/lobby/seeks", &array).await, 413, "payload_too_large");
}

#[tokio::test(flavor = "multi_thread")]
async fn details_are_in_the_language_asked_for_and_codes_in_none() {
    let server = TestServer::start().await;
    let client = server.client();
    let ask = async |language: Option<&str>| {
        let request = reqwest::Client::new().get(format!("http://{}/v1/lobby/seeks?limit=0", server.address));
        let request = match language {
            Some(language) => request.header("accept-language", language),
            None => request,
        };
        client.send(request).await.refused(422, "invalid_request")
    };
    let (english, portuguese) = (ask(Some("en")).await, ask(Some("pt-BR")).await);
    assert_eq!(
        (&english.headers["content-language"], &portuguese.headers["content-language"]),
        (&"en".parse().unwrap(), &"pt-BR".parse().unwrap())
    );
    assert_eq!(english.headers["vary"], "accept-language");
    assert_eq!(portuguese.body["detail"], "O pedido tem campos inválidos.");
    assert_eq!(portuguese.body["errors"][0]["detail"], "Um número inteiro de 1 a 200.");
    assert_eq!(english.body["errors"][0]["detail"], "A whole number from 1 to 200.");
    for member in ["title", "detail"] {
        assert_ne!(english.body[member], portuguese.body[member]);
    }
    assert_eq!(english.fields(), portuguese.fields());
    assert_eq!(ask(Some("en-GB,en;q=0.9,pt;q=0.5")).await.body["detail"], english.body["detail"]);
    for language in [None, Some("fr"), Some("*"), Some("pt;q=1,en;q=0.1")] {
        assert_eq!(ask(language).await.body["detail"], portuguese.body["detail"], "{language:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_keeps_the_name_its_client_gives_it() {
    let server = TestServer::start().await;
    let client = server.client();
    let named = client.request(Method::GET, "/nowhere").header("x-request-id", "mine-7");
    assert_eq!(client.send(named).await.headers["x-request-id"], "mine-7");
    let (one, two) = (client.get("/healthz").await, client.get("/healthz").await);
    assert_ne!(one.headers["x-request-id"], two.headers["x-request-id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_limits_that_are_told_are_those_that_hold() {
    let flags = [
        "--stake-min=50",
        "--stake-max=500",
        "--deposit-max=700",
        "--seeks-most=2",
        "--minimum-age=30",
        "--clock-ms=60000",
        "--heartbeat-ms=700",
    ];
    let server = TestServer::with(&flags).await;
    let (player, client) = server.player(10_000).await;
    let config = server.client().get("/v1/config").await.expect(200).body;
    assert_eq!((&config["fee_percent"], &config["stake_step"]), (&json!(10), &json!(5)));
    assert_eq!((&config["stake_min"], &config["stake_max"]), (&json!(50), &json!(500)));
    assert_eq!((&config["minimum_age"], &config["away_ms"]), (&json!(30), &json!(15_000)));
    assert_eq!(client.get("/v1/wallet").await.expect(200).body["currency"], config["currency"]);
    for (stake, status) in [(45, 422), (505, 422), (50, 201), (500, 201), (50, 429)] {
        client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": stake})).await.expect(status);
    }
    assert_eq!(config["limits"]["seeks"], 2);
    let deposit_max = config["deposit_max"].as_i64().unwrap();
    assert_eq!(deposit_max, 700);
    client.post_once("/v1/wallet/deposits", &json!({"amount": deposit_max + 1})).await.expect(422);
    let deposit_min = config["deposit_min"].as_i64().unwrap();
    assert_eq!(deposit_min, 1);
    client.post_once("/v1/wallet/deposits", &json!({"amount": deposit_min - 1})).await.expect(422);
    client.post_once("/v1/wallet/deposits", &json!({"amount": deposit_max})).await.expect(201);
    let mut socket = stakeboard_tests::Socket::connect(server.address).await;
    let hello = json!({"type": "hello", "token": player.token});
    let welcome = socket.request(hello).await;
    assert_eq!((&welcome["heartbeat_ms"], &config["heartbeat_ms"]), (&json!(700), &json!(700)));
    let (id, _) = server.start_match(50).await;
    let clocks = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body["clocks"].clone();
    assert_eq!((&clocks["second_ms"], &config["clock_ms"]), (&json!(60_000), &json!(60_000)));
    let defaults = TestServer::start().await.client().get("/v1/config").await.expect(200).body;
    // The documented defaults (the harness lifts those of HTTP).
    assert_eq!((&defaults["stake_min"], &defaults["stake_max"]), (&json!(5), &json!(1_000_000)));
    assert_eq!((&defaults["clock_ms"], &defaults["minimum_age"]), (&json!(600_000), &json!(18)));
    let limits = &defaults["limits"];
    let frames = (&limits["socket_frames_per_second"], &limits["socket_frames_burst"], &limits["socket_frame_bytes"]);
    assert_eq!(frames, (&json!(50), &json!(200), &json!(4_096)));
    assert_eq!(limits["sockets"], 10);
    let patience = (&limits["socket_hello_ms"], &limits["request_ms"], &defaults["away_ms"]);
    assert_eq!(patience, (&json!(10_000), &json!(15_000), &json!(15_000)));
    assert_eq!((&limits["idempotency_key_hours"], &limits["refreshes"]), (&json!(24), &json!(100)));
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_matches_and_practice_sessions_as_are_told_are_taken_and_one_more_is_not() {
    let server = TestServer::start().await;
    let limits = server.client().get("/v1/config").await.expect(200).body["limits"].clone();
    let watches = limits["socket_watches"].as_u64().unwrap();
    let mut ids = Vec::new();
    for _ in 0..=watches {
        ids.push(server.start_match(50).await.0);
    }
    let (player, client) = server.player(0).await;
    let mut socket = stakeboard_tests::Socket::open(server.address, &player.token).await;
    let last = ids.pop().unwrap();
    for id in &ids {
        socket.watch(id).await;
    }
    let refused = socket.request(json!({"type": "watch", "match": last})).await;
    assert_eq!(refused["type"], "error", "{refused}");
    socket.request(json!({"type": "unwatch", "match": ids[0]})).await;
    socket.watch(&last).await;

    let mut sessions = Vec::new();
    for _ in 0..=limits["practice_sessions"].as_u64().unwrap() {
        let wanted = json!({"game": "mu_torere", "level": "easy", "seat": "first"});
        let opened = client.post("/v1/practice", &wanted).await.expect(201).body;
        sessions.push(opened["id"].as_str().unwrap().to_owned());
    }
    client.get(&format!("/v1/practice/{}", sessions[0])).await.refused(404, "not_found");
    client.get(&format!("/v1/practice/{}", sessions[1])).await.expect(200);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_are_described_completely_in_both_languages() {
    let server = TestServer::start().await;
    let fetch = async |language: &str| {
        let request = reqwest::Client::new().get(format!("http://{}/v1/games", server.address));
        let client = server.client();
        client.send(request.header("accept-language", language)).await.expect(200).body
    };
    let (english, portuguese) = (fetch("en").await, fetch("pt-BR").await);
    assert_eq!(english["next_cursor"], Value::Null);
    let (english, portuguese) = (&english["items"], &portuguese["items"]);
    let oware = english.as_array().unwrap().iter().find(|game| game["game"] == "oware").unwrap();
    assert_eq!(
        oware["options"],
        json!([{
            "name": "grand_slam", "allowed": ["no_capture", "forbidden", "captures_all"], "default": "no_capture"
        }])
    );
    assert_eq!(
        oware["presets"],
        json!([
            {"name": "abapa", "options": {"grand_slam": "no_capture"}},
            {"name": "wari", "options": {"grand_slam": "forbidden"}},
            {"name": "caribbean", "options": {"grand_slam": "captures_all"}},
        ])
    );
    // OW-9 is a constant shown to players.
    assert!(oware["constants"].as_object().unwrap().values().any(|value| value == 100), "{oware}");
    for (one, other) in english.as_array().unwrap().iter().zip(portuguese.as_array().unwrap()) {
        assert_eq!(keys(one), ["constants", "game", "name", "options", "presets", "rules"]);
        assert_ne!(one["rules"], other["rules"]);
        for game in [one, other] {
            assert!(game["rules"].as_str().unwrap().len() > 200);
            assert!(!game["name"].as_str().unwrap().is_empty());
            for text in [one, other].map(|game| game["rules"].as_str().unwrap()) {
                // OW-5, OW-6, OW-9 decide money: readable before play.
                let told = ["100", "24", "grand_slam"].iter().all(|word| text.contains(word));
                assert!(one["game"] != "oware" || told, "{text}");
            }
        }
    }
}

async fn statuses(client: &Client, count: usize) -> Vec<u16> {
    let mut statuses = Vec::new();
    for _ in 0..count {
        statuses.push(client.get("/v1/wallet").await.status);
    }
    statuses
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_over_the_limit_on_requests_waits_and_nobody_else_does() {
    let server = TestServer::with(&["--http-per-second=1", "--http-burst=5"]).await;
    let (player, client) = server.player(0).await;
    let (_, other) = server.player(0).await;
    assert_eq!(statuses(&client, 5).await, [200; 5]);
    let refused = client.get("/v1/wallet").await;
    assert_problem(&refused, 429, "rate_limited");
    assert_eq!(refused.headers["retry-after"], "1");
    // Another session, another path, a path that is not there: all of the same player.
    let session = server.registrar.session(player.id, player.name.clone()).await;
    server.client().of(&session).get("/nowhere").await.refused(429, "rate_limited");
    assert_eq!(statuses(&other, 5).await, [200; 5]);
    // Without a token nobody is counted, as long as there is no limit by address.
    for _ in 0..20 {
        server.client().get("/healthz").await.expect(200);
    }
    tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    client.get("/v1/wallet").await.expect(200);

    let flags = ["--http-per-second=1", "--http-burst=5", "--database-url=postgres://somewhere/else"];
    let public = TestServer::with(&flags).await;
    let mut answers = Vec::new();
    for _ in 0..6 {
        answers.push(public.client().get("/v1/games").await.status);
    }
    assert_eq!(answers, [200, 200, 200, 200, 200, 429]);
}
