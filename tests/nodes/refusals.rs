//! Servers that may not share a database.

use std::time::Duration;

use serde_json::json;
use stakeboard_tests::{Client, Nats, ServerProcess, server::start_match};

use crate::{SERVER, support::snapshot};

/// What a start says that comes to nothing.
async fn refused(server: &ServerProcess, bus: Option<&str>) -> String {
    let mut command = server.command(&["--listen=127.0.0.1:0"]);
    command.env_remove("STAKEBOARD_BUS");
    if let Some(bus) = bus {
        command.env("STAKEBOARD_BUS", bus);
    }
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
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
