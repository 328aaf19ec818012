//! Tokens: rotation, log-out, restarts, and everything that is not a token of ours.

use std::{collections::HashSet, fs, time::Duration};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, dangerous::insecure_decode};
use serde_json::{Value, json};
use stakeboard_server::auth::Keys;
use stakeboard_tests::{Answer, Client, Socket, TestServer};
use tokio::{task::JoinSet, time::timeout};

use crate::registration;

async fn guest(client: &Client) -> Answer {
    client.post("/v1/auth/guest", &json!({})).await.expect(201)
}

async fn refresh(client: &Client, token: &Value) -> Answer {
    client.post("/v1/auth/refresh", &json!({"refresh_token": token})).await
}

fn access(answer: &Answer) -> &str {
    answer.body["access_token"].as_str().unwrap()
}

fn session(answer: &Answer) -> Value {
    insecure_decode::<Value>(access(answer)).unwrap().claims["sid"].clone()
}

/// Demands that a token opens no socket.
async fn opens_no_socket(server: &TestServer, token: &str) {
    let mut socket = Socket::connect(server.address).await;
    socket.send(&json!({"type": "hello", "token": token})).await;
    let (frames, close) = socket.closed().await;
    assert_eq!(frames.len(), 1, "{frames:?}");
    assert_eq!((&frames[0]["type"], &frames[0]["code"]), (&json!("error"), &json!("unauthenticated")));
    assert_eq!(close.unwrap().reason.as_str(), "unauthenticated");
}

/// Demands that a socket is closed within a second since its session has ended.
async fn closes_at_once(mut socket: Socket) {
    let (frames, close) = timeout(Duration::from_secs(1), socket.closed()).await.expect("closed within a second");
    assert_eq!(frames.last().unwrap()["code"], "unauthenticated");
    assert_eq!(u16::from(close.unwrap().code), 4401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_gives_a_new_pair_of_the_same_session_also_again_within_the_grace() {
    let server = TestServer::start().await;
    let client = server.client();
    let first = guest(&client).await;
    let second = refresh(&client, &first.body["refresh_token"]).await.expect(200);
    let again = refresh(&client, &first.body["refresh_token"]).await.expect(200);
    assert_eq!(second.body["player"], first.body["player"]);
    assert_eq!((session(&second), session(&again)), (session(&first), session(&first)));
    let tokens: HashSet<&str> =
        [&first, &second, &again].iter().map(|answer| answer.body["refresh_token"].as_str().unwrap()).collect();
    assert_eq!(tokens.len(), 3, "each token is new");
    for answer in [&first, &second, &again] {
        client.with_token(access(answer)).get("/v1/me").await.expect(200);
    }
    refresh(&client, &second.body["refresh_token"]).await.expect(200);
    for (body, field) in [
        (json!({}), "refresh_token"),
        (json!({"refresh_token": 7}), "refresh_token"),
        (json!({"refresh_token": "x", "scope": "all"}), "scope"),
    ] {
        let answer = client.post("/v1/auth/refresh", &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    for unknown in ["", "x", "a\0b", access(&first)] {
        refresh(&client, &json!(unknown)).await.refused(401, "unauthenticated");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_used_again_after_the_grace_ends_the_family_with_its_access_tokens_and_sockets() {
    let server = TestServer::with(&["--refresh-grace-ms=0"]).await;
    let client = server.client();
    let first = guest(&client).await;
    let bystander = guest(&client).await;
    let second = refresh(&client, &first.body["refresh_token"]).await.expect(200);
    let socket = Socket::open(server.address, access(&first)).await;
    let mut other = Socket::open(server.address, access(&bystander)).await;

    refresh(&client, &first.body["refresh_token"]).await.refused(401, "unauthenticated");
    closes_at_once(socket).await;
    refresh(&client, &second.body["refresh_token"]).await.refused(401, "unauthenticated");
    for answer in [&first, &second] {
        client.with_token(access(answer)).get("/v1/me").await.refused(401, "unauthenticated");
        opens_no_socket(&server, access(answer)).await;
    }
    assert_eq!(other.request(json!({"type": "ping"})).await["type"], "pong");
    refresh(&client, &bystander.body["refresh_token"]).await.expect(200);
}

/// B43.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_refreshes_of_one_token_at_once_stay_one_family_and_log_nobody_out() {
    let server = TestServer::start().await;
    let first = guest(&server.client()).await;
    let socket = Socket::open(server.address, access(&first)).await;
    let mut racing = JoinSet::new();
    for _ in 0..20 {
        let (client, token) = (server.client(), first.body["refresh_token"].clone());
        racing.spawn(async move { refresh(&client, &token).await });
    }
    let answers: Vec<Answer> = racing.join_all().await.into_iter().map(|answer| answer.expect(200)).collect();
    assert!(answers.iter().all(|answer| session(answer) == session(&first)), "one family");
    for answer in &answers {
        server.client().with_token(access(answer)).get("/v1/me").await.expect(200);
        refresh(&server.client(), &answer.body["refresh_token"]).await.expect(200);
    }
    let mut socket = socket;
    assert_eq!(socket.request(json!({"type": "ping"})).await["type"], "pong");
    // One family: its end is the end of all of them.
    server.client().with_token(access(&first)).post_empty("/v1/auth/logout").await.expect(204);
    for answer in &answers {
        refresh(&server.client(), &answer.body["refresh_token"]).await.refused(401, "unauthenticated");
    }
}

/// T46.
#[tokio::test(flavor = "multi_thread")]
async fn a_logged_out_token_opens_no_socket_and_does_nothing_while_another_session_goes_on() {
    let server = TestServer::start().await;
    let (match_id, [first, _]) = server.start_match(100).await;
    let other = server.registrar.session(first.id, first.name.clone()).await;
    let client = server.client().of(&first);
    let socket = Socket::open(server.address, &first.token).await;
    let mut kept = Socket::open(server.address, &other.token).await;
    client.post_empty("/v1/auth/logout").await.expect(204);
    closes_at_once(socket).await;
    opens_no_socket(&server, &first.token).await;

    let moves = format!("/v1/matches/{match_id}/moves");
    let a_move = json!({"ply": 1, "move": "A"});
    client.get("/v1/me").await.refused(401, "unauthenticated");
    client.get("/v1/wallet").await.refused(401, "unauthenticated");
    client.post(&moves, &a_move).await.refused(401, "unauthenticated");
    client.post_empty(&format!("/v1/matches/{match_id}/resign")).await.refused(401, "unauthenticated");
    client.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.refused(401, "unauthenticated");
    client.post_empty("/v1/auth/logout").await.refused(401, "unauthenticated");
    let snapshot = server.client().get(&format!("/v1/matches/{match_id}")).await.expect(200).body;
    assert_eq!((&snapshot["seq"], &snapshot["status"]), (&json!(0), &json!("live")));

    // A new log-in still acts in the running match.
    assert_eq!(kept.play(&match_id, 1, "A").await["type"], "ok");
}

/// T48.
#[tokio::test(flavor = "multi_thread")]
async fn tokens_outlive_a_restart() {
    let server = TestServer::start().await;
    let first = guest(&server.client()).await;
    let server = server.restart().await;
    let client = server.client().with_token(access(&first));
    client.get("/v1/me").await.expect(200);
    drop(Socket::open(server.address, access(&first)).await);
    refresh(&server.client(), &first.body["refresh_token"]).await.expect(200);
    client.post_empty("/v1/auth/logout").await.expect(204);
    let server = server.restart().await;
    let client = server.client().with_token(access(&first));
    client.get("/v1/me").await.refused(401, "unauthenticated");
    opens_no_socket(&server, access(&first)).await;
}

/// B44, T50.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_access_token_of_ours_is_refused_on_every_path_and_on_the_socket() {
    let folder = tempfile::tempdir().unwrap();
    Keys::load_or_create(folder.path()).unwrap();
    let pem = folder.path().join("signing-key.pem");
    let server = TestServer::with(&[&format!("--signing-keys={}", pem.display())]).await;
    let signed_up = server.client().post("/v1/auth/register", &registration("Ana Lima")).await.expect(201);
    let real = access(&signed_up);
    let data = insecure_decode::<Value>(real).unwrap();
    let ours = EncodingKey::from_ed_pem(&fs::read(&pem).unwrap()).unwrap();
    let encode =
        |header: &Header, claims: &Value, key: &EncodingKey| jsonwebtoken::encode(header, claims, key).unwrap();
    let changed = |name: &str, value: Value| {
        let mut claims = data.claims.clone();
        claims[name] = value;
        encode(&data.header, &claims, &ours)
    };
    let resigned = encode(&data.header, &data.claims, &ours);
    server.client().with_token(&resigned).get("/v1/me").await.expect(200);

    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let unsigned = |algorithm: &str| {
        let header = json!({"alg": algorithm, "typ": data.header.typ, "kid": data.header.kid});
        format!("{}.{}.", part(&header), part(&data.claims))
    };
    let secret = EncodingKey::from_secret(&fs::read(&pem).unwrap()).unwrap();
    let strangers = tempfile::tempdir().unwrap();
    Keys::load_or_create(strangers.path()).unwrap();
    let stranger = EncodingKey::from_ed_pem(&fs::read(strangers.path().join("signing-key.pem")).unwrap()).unwrap();
    let expires = data.claims["exp"].as_i64().unwrap();
    let forged = [
        unsigned("none"),
        unsigned("NONE"),
        unsigned("EdDSA"),
        encode(&Header { alg: Algorithm::HS256, ..data.header.clone() }, &data.claims, &secret),
        encode(&data.header, &data.claims, &stranger),
        encode(&Header { kid: Some("../../etc/passwd".into()), ..data.header.clone() }, &data.claims, &ours),
        encode(&Header { typ: Some("rt+jwt".into()), ..data.header.clone() }, &data.claims, &ours),
        changed("aud", json!("another-service")),
        changed("iss", json!("somebody")),
        changed("exp", json!(expires.to_string())),
        changed("exp", json!(expires - 100_000)),
        changed("exp", Value::Null),
        changed("sub", json!(uuid::Uuid::now_v7())),
        changed("sid", json!(uuid::Uuid::now_v7())),
        signed_up.body["refresh_token"].as_str().unwrap().to_owned(),
        "x".to_owned(),
        "x".repeat(20_000),
    ];
    for token in &forged {
        let client = server.client().with_token(token);
        client.get("/v1/me").await.refused(401, "unauthenticated");
        client.get("/v1/matches").await.refused(401, "unauthenticated");
        client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.refused(401, "unauthenticated");
        // Where no token is needed, a wrong one still is no way in as somebody.
        client.post("/v1/auth/register", &registration("Other")).await.refused(401, "unauthenticated");
        if token.len() < 4_000 {
            opens_no_socket(&server, token).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_sent_as_one_bearer_header_and_in_no_other_way() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    let bare = server.client();
    let ask = |path: &str| bare.request(reqwest::Method::GET, path);
    client.get("/v1/me").await.expect(200);
    let answer = bare.send(ask("/v1/me")).await.refused(401, "unauthenticated");
    assert_eq!(answer.headers["www-authenticate"], "Bearer");
    bare.send(ask("/v1/me").header("authorization", format!("bearer {}", player.token))).await.expect(200);
    for header in [format!("Basic {}", player.token), player.token.clone(), "Bearer".into(), "Bearer ".into()] {
        bare.send(ask("/v1/me").header("authorization", header)).await.refused(401, "unauthenticated");
    }
    let twice = ask("/v1/me").bearer_auth(&player.token).header("authorization", format!("Bearer {}", player.token));
    bare.send(twice).await.refused(401, "unauthenticated");
    bare.send(ask("/v1/me").header("cookie", format!("token={}", player.token))).await.refused(401, "unauthenticated");
}
