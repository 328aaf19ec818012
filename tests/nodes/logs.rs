//! What nodes write down of an outage of the bus.

use std::{collections::BTreeMap, fs, time::Duration};

use serde_json::Value;
use stakeboard_tests::{Nats, ServerProcess, TestDatabase, server::logged};

use crate::{SERVER, support::eventually};

/// There and back is tried ten times a second meanwhile.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nats-server"]
async fn an_outage_of_the_bus_is_told_once_when_it_begins_and_once_when_it_ends() {
    let folder = tempfile::TempDir::new().unwrap();
    let (program, log) = logged(SERVER, folder.path());
    let mut nats = Nats::start().await;
    let url = nats.url();
    let environment = [("STAKEBOARD_BUS", url.as_str()), ("STAKEBOARD_LOG", "info"), ("STAKEBOARD_LOG_FORMAT", "json")];
    let server = ServerProcess::on(TestDatabase::create().await, &program, &environment).await;
    let client = server.client();
    nats.kill();
    eventually("it says so", async || (client.get("/readyz").await.code() == "paused").then_some(())).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    let before = fs::read_to_string(&log).unwrap().len();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let while_gone = fs::read_to_string(&log).unwrap()[before..].to_owned();
    assert_eq!(while_gone, "", "all has been said");
    nats.restart().await;
    eventually("it serves again", async || (client.get("/readyz").await.status == 200).then_some(())).await;
    let said = fs::read_to_string(&log).unwrap();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for line in said.lines().map(|line| serde_json::from_str::<Value>(line).expect(line)) {
        *times.entry(format!("{} {}", line["message"], line["event"])).or_default() += 1;
    }
    println!("{times:?}");
    assert_eq!(times["\"the heartbeat can't be written; clocks stand\" null"], 1);
    assert_eq!(times["\"the heartbeat is written again; play goes on\" null"], 1);
    assert_eq!(times["\"the bus\" \"disconnected\""], 1);
    let tries = times.iter().filter(|(line, _)| line.contains("client error"));
    assert!(tries.map(|(_, times)| times).sum::<usize>() <= 1, "{times:?}");
}
