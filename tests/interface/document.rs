//! `openapi.yaml` against the server that it describes, by Schemathesis: what it makes of the document is sent, and
//! every answer must be one that the document has.

use std::{io::Write as _, path::Path, process::Stdio};

use serde_json::{Value, json};
use stakeboard_server::{
    http::{asyncapi, openapi},
    role::Role,
};
use stakeboard_tests::{Client, Player, TestServer};
use tempfile::TempDir;
use tokio::process::Command;

/// Requests for each operation beside those that are worked out from its schema.
const EXAMPLES: &str = "8";
/// The same requests in every run.
const SEED: &str = "20261130";
/// Calls after which the token is good for nothing: they have a run and a token of their own.
const LAST: &str = "^(post_v1_auth_logout|delete_v1_me|post_v1_me_break|post_v1_me_exclusion)$";

/// Who asks.
#[derive(Clone, Copy)]
enum Who {
    Nobody,
    Guest,
    Player,
    Staff(Role),
}

macro_rules! everybody {
    ($($name:ident = $who:expr;)*) => {$(
        #[ignore = "needs Python with Schemathesis"]
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            answers_are_those_of_the_document($who).await;
        }
    )*};
}

everybody! {
    nobody_gets_an_answer_that_the_document_does_not_have = Who::Nobody;
    no_guest_gets_an_answer_that_the_document_does_not_have = Who::Guest;
    no_player_gets_an_answer_that_the_document_does_not_have = Who::Player;
    no_auditor_gets_an_answer_that_the_document_does_not_have = Who::Staff(Role::Auditor);
    no_cashier_gets_an_answer_that_the_document_does_not_have = Who::Staff(Role::Cashier);
    no_admin_gets_an_answer_that_the_document_does_not_have = Who::Staff(Role::Admin);
}

async fn answers_are_those_of_the_document(who: Who) {
    let limits = ["--login-failures=1000000", "--tables-most=1000", "--seeks-most=1000", "--friendly-most=1000"];
    let server = TestServer::with(&limits).await;
    let caller = enter(&server, who).await;
    let known = furnish(&server, caller.as_ref()).await;
    ask(&server, caller.as_ref(), ["--exclude-operation-id-regex", LAST], &known).await;
    let another = enter(&server, who).await;
    ask(&server, another.as_ref(), ["--include-operation-id-regex", LAST], &known).await;
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// A new session of somebody new.
async fn enter(server: &TestServer, who: Who) -> Option<Player> {
    match who {
        Who::Nobody => None,
        Who::Guest => {
            let guest = server.client().post_empty("/v1/auth/guest").await.expect(201).body;
            let id = guest["player"]["id"].as_str().unwrap().parse().unwrap();
            let session = server.registrar.session(id, "guest".into()).await;
            Some(session)
        }
        Who::Player => Some(server.registrar.player(1_000_000).await),
        Who::Staff(role) => Some(server.registrar.with_roles(1_000_000, vec![role]).await),
    }
}

/// Sends what Schemathesis makes of the document, and fails where it does.
async fn ask(server: &TestServer, caller: Option<&Player>, selection: [&str; 2], known: &Value) {
    let folder = TempDir::new().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("schemathesis");
    command
        .args(["--config-file", here.join("interface/schemathesis/schemathesis.toml").to_str().unwrap()])
        .args(["run", here.parent().unwrap().join("openapi.yaml").to_str().unwrap()])
        .args(["--url", &format!("http://{}", server.address)])
        .args(selection)
        .args(["--phases", "coverage,fuzzing", "--continue-on-failure", "--warnings", "off"])
        .args(["--max-examples", EXAMPLES, "--seed", SEED, "--no-shrink"])
        // Data that fits the schema may still be refused: by the state of things, or by what no schema can say.
        .args(["--checks", "all", "--exclude-checks", "positive_data_acceptance"])
        .env("SCHEMATHESIS_HOOKS", here.join("interface/schemathesis/hooks.py"))
        .env("STAKEBOARD_KNOWN", known.to_string())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    if let Some(caller) = caller {
        command.args(["--header", &format!("Authorization: Bearer {}", caller.token)]);
    }
    let done = command.output().await.expect("Schemathesis is there");
    let said = String::from_utf8_lossy(&done.stdout);
    let (findings, summary) = said.split_once("SUMMARY").unwrap_or((&said, ""));
    assert!(done.status.success(), "{findings}\n{}", String::from_utf8_lossy(&done.stderr));
    println!(
        "{}",
        summary.lines().filter(|line| line.contains("Tested:") || line.contains("generated")).collect::<String>()
    );
}

/// Plays, posts, pays in and asks for money back, so that there is something of each kind, of the caller's and of others.
/// Gives its names by the paths that take them.
async fn furnish(server: &TestServer, caller: Option<&Player>) -> Value {
    let client = server.client();
    let (ended, [one, two]) = server.start_match(500).await;
    client.of(&one).post_empty(&format!("/v1/matches/{ended}/resign")).await.expect(200);
    let (live, [third, _]) = server.start_match(500).await;
    server.registrar.deposit(two.id, 10_000).await;
    let ana = client.of(&two);
    let withdrawal = made(&ana, "/v1/wallet/withdrawals", &json!({"amount": 100})).await;
    let seek = made(&ana, "/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await;
    let table = made(&ana, "/v1/tables", &json!({"game": "mu_torere", "stake": 0})).await;
    let mut known = json!({
        "/v1/lobby/seeks/": [seek],
        "/v1/tables/": [table],
        "/v1/admin/withdrawals/": [withdrawal],
        "/v1/wallet/withdrawals/": [withdrawal],
        "/v1/admin/players/": [third.id, two.id],
        "/v1/players/": [one.id, two.id],
        "/v1/admin/ledger/transfers/": ledger_names(server, "transfers").await,
        "/v1/admin/ledger/accounts/": ledger_names(server, "accounts").await,
        "/v1/admin/matches/": [ended, live],
        "/v1/matches/": [ended, live],
    });
    if let Some(caller) = caller {
        let own = client.of(caller);
        let joined = own.post_once(&format!("/v1/tables/{table}/join"), &json!({"stake": 0})).await.expect(201).body;
        known["/v1/matches/"] = json!([ended, joined["match_id"]]);
        let practice = made(&own, "/v1/practice", &json!({"game": "mu_torere", "level": "easy"})).await;
        known["/v1/practice/"] = json!([practice]);
        known["/v1/streaks/"] = json!([made(&own, "/v1/streaks", &json!({})).await]);
    }
    known
}

/// The name of what a call makes.
async fn made(client: &Client, path: &str, body: &Value) -> String {
    let made = client.post_once(path, body).await.expect(201).body;
    made["id"].as_str().or(made["code"].as_str()).unwrap().to_owned()
}

async fn ledger_names(server: &TestServer, table: &str) -> Vec<String> {
    let mut owner = server.database.as_owner().await;
    sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select id::text from {table} limit 20")))
        .fetch_all(&mut owner)
        .await
        .unwrap()
}

/// Many tools still read YAML 1.1, where a bare `on` is a switch and a bare day a date. Python's library is one of them.
#[ignore = "needs Python with PyYAML"]
#[test]
fn the_documents_say_the_same_to_who_reads_yaml_1_1() {
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
    let openapi = serde_json::to_value(openapi::document()).unwrap();
    for (written, meant) in [(openapi::yaml(), openapi), (asyncapi::yaml(), asyncapi::document())] {
        let mut python = std::process::Command::new("python3")
            .args(["-c", read])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python is there");
        python.stdin.take().unwrap().write_all(written.as_bytes()).unwrap();
        let read = python.wait_with_output().unwrap();
        assert!(read.status.success(), "what is no JSON was read");
        assert_eq!(serde_json::from_slice::<Value>(&read.stdout).unwrap(), meant);
    }
}
