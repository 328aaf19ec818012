//! The log and the traces: what they say of a request, and what they never say.

use std::{
    collections::BTreeMap,
    fs,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Json, Router, routing::post};
use serde_json::{Value, json};
use stakeboard_server::db;
use stakeboard_tests::{Client, Player, ServerProcess, Socket, TestCluster, server::logged};
use tempfile::TempDir;

use crate::{SERVER, eventually};

const PASSWORD: &str = "vento norte 81 pedras";
const WRONG_PASSWORD: &str = "vento sul 18 pedras";
const ADDRESS: &str = "203.0.113.77";
const WEBHOOK_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// What a session left behind: who played which match, the id of the request that made a move, and everything that is
/// nobody else's business.
struct Session {
    player: String,
    match_id: String,
    request: String,
    secrets: Vec<String>,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}")).to_owned()
}

/// Signs up, guesses wrong, logs in, refreshes, pays in, plays over both doors, asks for money, is called back badly.
async fn a_whole_session(server: &ServerProcess) -> Session {
    let client = server.client();
    let send = |client: &Client, path: &str, body: &Value| {
        let request = client.request(reqwest::Method::POST, path).header("x-forwarded-for", ADDRESS);
        let request = request.header("idempotency-key", uuid::Uuid::now_v7().to_string()).json(body);
        let client = client.clone();
        async move { client.send(request).await }
    };
    let mut secrets: Vec<String> =
        [PASSWORD, WRONG_PASSWORD, ADDRESS, "1990-05-17"].iter().map(|secret| (*secret).to_owned()).collect();
    secrets.extend(WEBHOOK_SECRET.strip_prefix("whsec_").map(str::to_owned));
    let mut players = Vec::new();
    for name in ["Iracema", "Jandira"] {
        let email = format!("{name}@secret.example");
        let account = json!({
            "email": email, "password": PASSWORD, "display_name": name, "birth_date": "1990-05-17",
        });
        let opened = send(&client, "/v1/auth/register", &account).await.expect(201).body;
        let credentials = |password: &str| json!({"email": email, "password": password});
        send(&client, "/v1/auth/login", &credentials(WRONG_PASSWORD)).await.expect(401);
        let again = send(&client, "/v1/auth/login", &credentials(PASSWORD)).await.expect(200).body;
        let refresh = json!({"refresh_token": again["refresh_token"]});
        let fresh = send(&client, "/v1/auth/refresh", &refresh).await.expect(200).body;
        for tokens in [&opened, &again, &fresh] {
            secrets.extend([text(&tokens["access_token"]), text(&tokens["refresh_token"])]);
        }
        secrets.extend([email, name.to_owned()]);
        let id = text(&opened["player"]["id"]).parse().unwrap();
        server.registrar.deposit(id, 5_000).await;
        let session = server.registrar.session(id, name.to_owned()).await.session;
        players.push(Player { id, session, token: text(&fresh["access_token"]), name: name.to_owned() });
    }
    let [one, two] = [client.of(&players[0]), client.of(&players[1])];
    send(&one, "/v1/wallet/deposits", &json!({"amount": 700})).await.expect(201);
    let callback = json!({"type": "payment.succeeded", "data": {"reference": "x"}});
    send(&client, "/v1/webhooks/payments", &callback).await.expect(401);

    let seek = send(&one, "/v1/lobby/seeks", &json!({"game": "oware", "stake": 500})).await.expect(201).body;
    let path = format!("/v1/lobby/seeks/{}/accept", text(&seek["id"]));
    let match_id = text(&send(&two, &path, &json!({"stake": 500})).await.expect(201).body["match_id"]);
    let path = format!("/v1/matches/{match_id}");
    let snapshot = client.get(&path).await.expect(200).body;
    let first = usize::from(text(&snapshot["players"]["first"]["id"]) != players[0].id.to_string());
    let opens = client.of(&players[first]);
    let moved = send(&opens, &format!("{path}/moves"), &json!({"ply": 1, "move": "C"})).await.expect(200);
    let mut socket = Socket::open(server.address, &players[1 - first].token).await;
    let snapshot = socket.watch(&match_id).await;
    let answer = socket.play(&match_id, 2, snapshot["legal"][0].as_str().unwrap()).await;
    assert_eq!(answer["type"], "ok", "{answer}");
    send(&opens, &format!("{path}/resign"), &json!({})).await.expect(200);
    send(&one, "/v1/wallet/withdrawals", &json!({"amount": 100})).await.expect(201);
    send(&one, "/v1/auth/logout", &json!({})).await;
    let request = moved.headers["x-request-id"].to_str().unwrap().to_owned();
    Session { player: players[first].id.to_string(), match_id, request, secrets }
}

#[track_caller]
fn assert_discreet(said: &str, secrets: &[String]) {
    assert!(secrets.len() > 15, "{secrets:?}");
    for secret in secrets {
        // Of a token, already the part that signs it.
        let telling = secret.rsplit('.').next().unwrap();
        let telling = if telling.len() > 20 { telling } else { secret.as_str() };
        if let Some(line) = said.lines().find(|line| line.to_lowercase().contains(&telling.to_lowercase())) {
            panic!("{telling} is in {line}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_says_whose_request_it_was_about_which_match_and_nothing_that_is_nobodys_business() {
    let folder = TempDir::new().unwrap();
    let (program, log) = logged(SERVER, folder.path());
    let environment = [
        ("STAKEBOARD_LOG", "trace"),
        ("STAKEBOARD_LOG_FORMAT", "json"),
        ("STAKEBOARD_PAYMENTS", "webhook"),
        ("STAKEBOARD_WEBHOOK_SECRETS", WEBHOOK_SECRET),
        ("STAKEBOARD_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let mut server = ServerProcess::start(&program, &environment).await;
    let session = a_whole_session(&server).await;
    // A fault of our own is told with its causes, and no more than those.
    let mut owner = server.database.as_owner().await;
    sqlx::raw_sql("alter table streaks rename to gone").execute(&mut owner).await.unwrap();
    server.client().get("/v1/streaks/best").await.refused(500, "internal");
    server.signal(nix::sys::signal::Signal::SIGTERM);
    assert!(server.wait().await.success());

    let said = fs::read_to_string(log).unwrap();
    assert_discreet(&said, &session.secrets);
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let of_request: Vec<&Value> =
        lines.iter().filter(|line| line["span"]["request_id"] == session.request.as_str()).collect();
    let answered = of_request.iter().find(|line| line["message"] == "answered").expect("a line for the move");
    assert_eq!(answered["span"]["player"], session.player.as_str());
    assert_eq!(answered["span"]["match_id"], session.match_id.as_str());
    assert_eq!((&answered["status"], &answered["span"]["method"]), (&json!(200), &json!("POST")));
    let fault = lines.iter().find(|line| line["level"] == "ERROR").expect("a line for the fault");
    assert_eq!(fault["span"]["route"], "/v1/streaks/best");
    assert!(fault["error"].as_str().unwrap().contains("streaks"), "{fault}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_of_postgres_is_told_when_it_begins_and_when_it_ends_with_the_place_and_not_at_every_try() {
    let folder = TempDir::new().unwrap();
    let (program, log) = logged(SERVER, folder.path());
    let mut cluster = TestCluster::start().await;
    let environment = [("STAKEBOARD_LOG", "stakeboard_server=debug"), ("STAKEBOARD_LOG_FORMAT", "json")];
    let server = ServerProcess::on(cluster.database(), &program, &environment).await;
    let said = |message: &str| -> Vec<Value> {
        let text = fs::read_to_string(&log).unwrap();
        // A line may be half-written while it is read.
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| line["message"].as_str().is_some_and(|said| said.starts_with(message))).collect()
    };
    let is_said = async |message: &'static str, times: usize| {
        eventually(message, || async { (said(message).len() >= times).then_some(()) }).await;
    };
    cluster.kill();
    // At first as a warning, and from then on for who looks closely.
    is_said("those who wait in the queue can't be looked at", 3).await;
    is_said("the heartbeat can't be written", 1).await;
    cluster.restart().await;
    is_said("the queue is looked at again", 1).await;
    is_said("the heartbeat is written again", 1).await;
    let mut began = said("those who wait in the queue can't be looked at");
    began.retain(|line| line["level"] == "WARN");
    assert_eq!(began.len(), 1, "{began:?}");
    let paused = said("the heartbeat can't be written");
    assert_eq!(paused.len(), 1, "{paused:?}");
    assert!(paused[0]["error"].as_str().unwrap().contains("database"), "the reason too: {paused:?}");
    let place = db::place(&cluster.database().server);
    assert!(place.ends_with(&format!(":5432/{}", cluster.database().name)), "{place}");
    assert_eq!((&paused[0]["database"], &paused[0]["level"]), (&json!(place), &json!("ERROR")));
    drop(server);
}

/// A collector that keeps what it is sent.
async fn collector() -> (String, Arc<Mutex<Vec<Value>>>) {
    let kept: Arc<Mutex<Vec<Value>>> = Arc::default();
    let keep = Arc::clone(&kept);
    let router = Router::new().route(
        "/v1/traces",
        post(async move |Json(sent): Json<Value>| {
            keep.lock().unwrap().push(sent);
            Json(json!({}))
        }),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (endpoint, kept)
}

fn all(sent: &[Value], path: &[&str]) -> Vec<Value> {
    path.iter().fold(sent.to_vec(), |values, name| {
        values.iter().flat_map(|value| value[*name].as_array().cloned().unwrap_or_default()).collect()
    })
}

fn attribute(of: &Value, name: &str) -> Value {
    let attributes = of["attributes"].as_array().cloned().unwrap_or_default();
    let found = attributes.iter().find(|attribute| attribute["key"] == name);
    found.map_or(Value::Null, |attribute| attribute["value"]["stringValue"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn traces_go_to_the_collector_with_a_request_its_transaction_and_an_act_with_its_commit() {
    let (endpoint, kept) = collector().await;
    let environment = [
        ("STAKEBOARD_OTLP_ENDPOINT", endpoint.as_str()),
        // Those of OpenTelemetry count too: here, how long spans are gathered.
        ("OTEL_BSP_SCHEDULE_DELAY", "200"),
        ("STAKEBOARD_PAYMENTS", "webhook"),
        ("STAKEBOARD_WEBHOOK_SECRETS", WEBHOOK_SECRET),
        ("STAKEBOARD_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let mut server = ServerProcess::start(SERVER, &environment).await;
    let session = a_whole_session(&server).await;
    eventually("traces while it runs", || async { (!kept.lock().unwrap().is_empty()).then_some(()) }).await;
    server.signal(nix::sys::signal::Signal::SIGTERM);
    assert!(server.wait().await.success(), "and the rest before it ends");

    let sent = kept.lock().unwrap().clone();
    assert_discreet(&Value::from(sent.clone()).to_string(), &session.secrets);
    for resource in all(&sent, &["resourceSpans"]) {
        assert_eq!(attribute(&resource["resource"], "service.name"), "stakeboard-server");
    }
    let spans = all(&sent, &["resourceSpans", "scopeSpans", "spans"]);
    let with = |name: &str, key: &str, value: &str| {
        let found = spans.iter().find(|span| span["name"] == name && attribute(span, key) == value);
        found.unwrap_or_else(|| panic!("no span {name} with {key} = {value}")).clone()
    };
    let child = |parent: &Value, name: &str| {
        let is_child = |span: &&Value| span["name"] == name && span["parentSpanId"] == parent["spanId"];
        let found = spans.iter().find(is_child).unwrap_or_else(|| panic!("no {name} in {parent}"));
        assert_eq!(found["traceId"], parent["traceId"]);
    };
    let request = with("POST /v1/matches/{id}/moves", "request_id", &session.request);
    assert_eq!(attribute(&request, "match_id"), session.match_id.as_str());
    assert_eq!(attribute(&request, "player"), session.player.as_str());
    let accept = spans.iter().find(|span| span["name"] == "POST /v1/lobby/seeks/{id}/accept").expect("the accept");
    child(accept, "transaction");
    let act = with("act", "match_id", &session.match_id);
    child(&act, "commit");
}

/// Whatever is tried again and again while the database is gone is told when it begins to fail and when it works again. A
/// line right after a query, which is where failures are found, is told like any other.
#[tokio::test(flavor = "multi_thread")]
async fn an_outage_is_told_once_when_it_begins_and_once_when_it_ends() {
    let folder = TempDir::new().unwrap();
    let (program, log) = logged(SERVER, folder.path());
    let environment = [("STAKEBOARD_LOG", "info"), ("STAKEBOARD_LOG_FORMAT", "json")];
    let mut cluster = TestCluster::start().await;
    let server = ServerProcess::on(cluster.database(), &program, &environment).await;
    let client = server.client();
    let begins = ["those who wait in the queue can't be looked at", "the lobby can't be swept"];
    let ends = ["the queue is looked at again", "the lobby is swept again"];
    let said = async |words: &str| {
        eventually(words, || async { fs::read_to_string(&log).unwrap().contains(words).then_some(()) }).await;
    };
    cluster.kill();
    for words in begins {
        said(words).await;
    }
    // Each of them is tried again in this time, the queue several times a second.
    tokio::time::sleep(Duration::from_secs(3)).await;
    cluster.restart().await;
    for words in ends {
        said(words).await;
    }
    eventually("it serves again", || async { (client.get("/readyz").await.status == 200).then_some(()) }).await;
    let said = fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.iter().filter(|line| line["target"].as_str().is_some_and(|of| of.starts_with("stakeboard"))) {
        *times.entry(line["message"].as_str().unwrap()).or_default() += 1;
    }
    println!("{times:?}");
    for words in begins.into_iter().chain(ends) {
        assert_eq!(times.get(words), Some(&1), "{words}");
    }
    let repeated: Vec<_> = times.iter().filter(|(_, times)| **times > 1).collect();
    assert!(repeated.is_empty(), "{repeated:?}");
}
