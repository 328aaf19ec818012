//! Servers that may not share a database.

use std::{path::Path, process::Command, time::Duration};

use serde_json::json;
use stakeboard_server::signing;
use stakeboard_tests::{Client, Nats, ServerProcess, server::start_match, webhook};

use crate::{
    SERVER,
    support::{eventually, snapshot},
};

/// Longer than any start takes that comes to nothing.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a start says that comes to nothing.
async fn refused(server: &ServerProcess, bus: Option<&str>) -> String {
    let mut command = server.command(&["--listen=127.0.0.1:0"]);
    command.env_remove("STAKEBOARD_BUS");
    if let Some(bus) = bus {
        command.env("STAKEBOARD_BUS", bus);
    }
    said(command).await
}

/// The same of one that is set to something else.
async fn refused_with(server: &ServerProcess, own: &[(&str, &str)]) -> String {
    let mut command = server.command(&["--listen=127.0.0.1:0"]);
    command.envs(own.iter().copied());
    said(command).await
}

async fn said(command: Command) -> String {
    let mut command = tokio::process::Command::from(command);
    // One that serves after all is killed, and not waited for.
    let output = tokio::time::timeout(PATIENCE, command.kill_on_drop(true).output());
    let output = output.await.expect("it should not have started").unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

async fn plays_on(client: &Client, server: &ServerProcess) {
    let (one, two) = (server.registrar.player(100).await, server.registrar.player(100).await);
    let id = start_match(client, &one, &two, &json!({"game": "oware", "stake": 100})).await;
    assert_eq!(snapshot(client, &id).await["status"], "live");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_server_without_a_bus_and_one_with_a_bus_do_not_share_a_database_and_are_told_what_to_set() {
    let nats = Nats::start().await;
    let alone = ServerProcess::start(SERVER, &[]).await;
    let said = refused(&alone, Some(&nats.url())).await;
    assert!(said.contains("another server is serving this database") && said.contains("STAKEBOARD_BUS"), "{said}");
    plays_on(&alone.client(), &alone).await;

    let url = nats.url();
    let shared = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &url)]).await;
    let said = refused(&shared, None).await;
    assert!(said.contains("another server is serving this database") && said.contains("STAKEBOARD_BUS"), "{said}");
    let other = shared.another().await;
    plays_on(&other.client(), &shared).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bus_that_can_not_be_reached_is_named_at_the_start_and_needs_a_database_of_its_own() {
    let server = ServerProcess::start(SERVER, &[]).await;
    let began = std::time::Instant::now();
    let said = refused(&server, Some("nats://127.0.0.1:1")).await;
    assert!(said.contains("STAKEBOARD_BUS"), "{said}");
    assert!(began.elapsed() < Duration::from_secs(20));
    let mut command = server.command(&["--bus=nats://127.0.0.1:1"]);
    command.env_remove("DATABASE_URL").env_remove("STAKEBOARD_OWNER_DATABASE_URL");
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("STAKEBOARD_BUS needs DATABASE_URL"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_bus_that_asks_for_a_user_and_a_password_gets_them_from_its_address() {
    let nats = Nats::guarded("stakeboard", "s3cret").await;
    let shared = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &nats.url())]).await;
    let other = shared.another().await;
    plays_on(&other.client(), &shared).await;
    let said = refused(&shared, Some(&nats.url().replace("s3cret", "guess"))).await;
    assert!(said.contains("STAKEBOARD_BUS") && !said.contains("guess"), "{said}");
}

/// A new key in a file of this folder.
fn new_key(folder: &Path, name: &str) -> String {
    let path = folder.join(name);
    signing::write(&path, &signing::new_pem().unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn a_server_with_other_keys_or_another_provider_does_not_join_and_is_told_what_differs() {
    let (nats, folder) = (Nats::start().await, tempfile::TempDir::new().unwrap());
    let (url, foreign) = (nats.url(), new_key(folder.path(), "foreign.pem"));
    let shared = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &url)]).await;
    for name in ["STAKEBOARD_SIGNING_KEYS", "STAKEBOARD_RECEIPT_KEYS"] {
        let said = refused_with(&shared, &[(name, &foreign)]).await;
        assert!(said.contains("have to agree") && said.contains(&format!("{name} (")), "{said}");
    }
    let provider = [("STAKEBOARD_PAYMENTS", "webhook"), ("STAKEBOARD_WEBHOOK_SECRETS", webhook::SECRET)];
    let said = refused_with(&shared, &provider).await;
    assert!(said.contains("STAKEBOARD_PAYMENTS (webhook here, sandbox there)"), "{said}");
    assert!(said.contains("STAKEBOARD_WEBHOOK_SECRETS (") && !said.contains("whsec_"), "{said}");
    plays_on(&shared.client(), &shared).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn keys_are_replaced_one_server_after_another_in_steps_of_which_none_can_be_left_out() {
    let (nats, folder) = (Nats::start().await, tempfile::TempDir::new().unwrap());
    let [old, new] = ["old.pem", "new.pem"].map(|name| new_key(folder.path(), name));
    let (url, key) = (nats.url(), "STAKEBOARD_SIGNING_KEYS");
    let first = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &url), (key, &old)]).await;
    let early = refused_with(&first, &[(key, &format!("{new},{old}"))]).await;
    assert!(early.contains(key), "it would sign what the other one does not know: {early}");
    let second = first.another_with(&[(key, &format!("{old},{new}"))]).await;
    drop(first);
    let third = second.another_with(&[(key, &format!("{new},{old}"))]).await;
    drop(second);
    let last = third.another_with(&[(key, &new)]).await;
    last.client().get("/readyz").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn what_breaks_nothing_may_differ_for_a_while_and_is_told() {
    let nats = Nats::start().await;
    let shared = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &nats.url())]).await;
    let other = shared.another_with(&[("STAKEBOARD_CLOCK_MS", "5000")]).await;
    let differs = |setting: &str, value: u8| format!("stakeboard_settings_differ{{setting=\"{setting}\"}} {value}");
    for server in [&shared, &other] {
        eventually("it is told", async || {
            let told = server.client().get("/metrics").await.expect(200).text;
            told.contains(&differs("STAKEBOARD_CLOCK_MS", 1)).then_some(())
        })
        .await;
        let told = server.client().get("/metrics").await.expect(200).text;
        assert!(told.contains(&differs("STAKEBOARD_STAKE_MAX", 0)), "and nothing else");
    }
    drop(other);
    eventually("it ends with the other one", async || {
        let told = shared.client().get("/metrics").await.expect(200).text;
        told.contains(&differs("STAKEBOARD_CLOCK_MS", 0)).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn one_that_died_without_a_word_forbids_nothing() {
    let (nats, folder) = (Nats::start().await, tempfile::TempDir::new().unwrap());
    let (url, foreign) = (nats.url(), new_key(folder.path(), "foreign.pem"));
    let mut dead = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", &url), ("STAKEBOARD_LEASE_MS", "1000")]).await;
    dead.kill();
    let next = dead.another_with(&[("STAKEBOARD_SIGNING_KEYS", &foreign)]).await;
    next.client().get("/readyz").await.expect(200);
}
