//! The server itself stands still, as on a machine that slept or has no time for it, and goes on.

use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::json;
use stakeboard_tests::{ServerProcess, Socket, TestCluster};

use crate::{
    scene::Scene,
    support::{eventually, new_match, settlements, snapshot, wall},
};

/// Stops a server where it stands.
async fn stop(server: &ServerProcess) {
    server.signal(Signal::SIGSTOP);
    let stat = format!("/proc/{}/stat", server.pid());
    // After the name, which can hold anything, comes the state: the signal is sent before all threads have stopped.
    eventually("it stands", async || {
        let stat = std::fs::read_to_string(&stat).unwrap();
        stat.rsplit(')').next().unwrap().trim_start().starts_with('T').then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn t04_nobody_is_charged_for_a_server_that_stood_still_whether_or_not_they_moved_meanwhile() {
    let mut scene = Scene::new().await;
    // In this match nobody does anything meanwhile.
    let (idle, players) = new_match(&scene.server, 100).await;
    let mut watcher = Socket::open(scene.server.address, &players[0].token).await;
    let had = watcher.watch(&idle).await["clocks"].clone();
    let before = scene.open().await;
    stop(&scene.server).await;
    let stood = wall();
    // What waits at the door is read before the server has had time to notice anything.
    let act = json!({"type": "move", "match": scene.id, "ply": 2, "move": "b", "id": 7});
    scene.sockets[1].send(&act).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let woke = wall();
    scene.server.signal(Signal::SIGCONT);
    scene.goes_on(before, stood).await;
    println!("goes on {} ms after it woke", crate::support::milliseconds(wall() - woke));

    let credited = watcher.until("clock_credited").await;
    let ran = had["first_ms"].as_i64().unwrap() - credited["clocks"]["first_ms"].as_i64().unwrap();
    let served = crate::support::milliseconds(stood - crate::support::time_of(&had["at"]));
    assert!((served - 1_000..=served + 250).contains(&ran), "{ran} ms charged, {served} served");
    scene.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_5_a_clock_that_would_have_run_out_while_the_server_stood_goes_on_when_it_wakes() {
    let mut scene = Scene::on(TestCluster::start().await, &[("STAKEBOARD_CLOCK_MS", "3000")]).await;
    let before = scene.open().await;
    stop(&scene.server).await;
    let stood = wall();
    tokio::time::sleep(Duration::from_secs(4)).await;
    scene.server.signal(Signal::SIGCONT);
    scene.goes_on(before, stood).await;
    let act = json!({"type": "move", "match": scene.id, "ply": 2, "move": "b"});
    assert_eq!(scene.sockets[1].request(act).await["seq"], 3, "there is time left");
    // From here on the clock runs out, and nobody gives it back.
    let end = eventually("the end", async || {
        let now = snapshot(&scene.server.client(), &scene.id).await;
        (now["status"] == "ended").then_some(now)
    })
    .await;
    assert_eq!((&end["outcome"]["ending"], &end["outcome"]["winner"]), (&json!("timeout"), &json!("second")));
    assert_eq!(settlements(&scene.server.registrar.pool, &scene.id).await, 1);
    scene.server.registrar.verify_ledger().await;
}
