//! A database that is there and can't do its work: read-only, out of connections, restarted, slow, its disk full.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use stakeboard_tests::{Player, TestCluster};
use time::OffsetDateTime;

use crate::{
    scene::Scene,
    support::{eventually, milliseconds, new_match, snapshot, wall},
};

/// Longer than every patience in the server: nothing may give up for good.
const LONG: Duration = Duration::from_secs(4);

/// Statements outside a transaction, as the owner of everything.
async fn as_owner(scene: &Scene, statements: &[&str]) {
    let mut owner = scene.cluster.database().as_owner().await;
    for statement in statements {
        sqlx::raw_sql(AssertSqlSafe((*statement).to_owned())).execute(&mut owner).await.unwrap();
    }
}

/// Both are told that the match stands, soon after the failure, and every act is refused by name.
async fn stands(scene: &mut Scene, failed: OffsetDateTime) {
    let paused = scene.sockets[1].until("paused").await;
    let told_after = milliseconds(wall() - failed);
    println!("told after {told_after} ms");
    assert!(told_after < 3_000, "told after {told_after} ms");
    assert_eq!(paused["clocks"]["running"], json!(null));
    let id = scene.id.clone();
    scene.refuses(json!({"type": "move", "match": id, "ply": 2, "move": "b"})).await;
    scene.refuses(json!({"type": "resign", "match": id})).await;
    scene.refuses(json!({"type": "draw", "match": id, "action": "offer"})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_database_is_read_only_clocks_stand_and_nothing_is_a_fault_of_ours() {
    let mut scene = Scene::new().await;
    let before = scene.open().await;
    as_owner(&scene, &["alter system set default_transaction_read_only = on", "select pg_reload_conf()"]).await;
    let failed = wall();
    stands(&mut scene, failed).await;
    assert_eq!(scene.readiness().await, 503);
    // What only reads goes on; what writes is refused as what it is.
    let client = scene.server.client().of(&scene.players[0]);
    client.get("/v1/wallet").await.expect(200);
    client.get(&format!("/v1/matches/{}", scene.id)).await.expect(200);
    client.post_keyed("/v1/wallet/deposits", "k", &json!({"amount": 500})).await.refused(503, "paused");
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 100})).await.refused(503, "paused");
    let guest = json!({"display_name": "Somebody new"});
    scene.server.client().post("/v1/auth/guest", &guest).await.refused(503, "paused");
    tokio::time::sleep(LONG).await;
    as_owner(&scene, &["alter system reset default_transaction_read_only", "select pg_reload_conf()"]).await;
    scene.goes_on(before, failed).await;
    scene.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_without_a_connection_to_spare_is_waited_for() {
    let cluster = TestCluster::start_in(tempfile::TempDir::new().unwrap(), &[("max_connections", "40")]).await;
    let mut scene = Scene::on(cluster, &[]).await;
    let before = scene.open().await;
    let mut owner = scene.cluster.database().as_owner().await;
    let options = scene.cluster.database().server;
    let mut taken: Vec<PgConnection> = Vec::new();
    let failed = wall();
    let taking = async {
        loop {
            sqlx::query(
                "select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'taken'",
            )
            .execute(&mut owner)
            .await
            .unwrap();
            // Until there is none left: then nobody else has one either.
            while let Ok(connection) = PgConnection::connect_with(&options.clone().application_name("taken")).await {
                taken.push(connection);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let looking = async {
        stands(&mut scene, failed).await;
        let client = scene.server.client().of(&scene.players[0]);
        client.post_keyed("/v1/wallet/deposits", "k", &json!({"amount": 500})).await.refused(503, "paused");
        tokio::time::sleep(LONG).await;
    };
    tokio::select! {
        () = taking => {}
        () = looking => {}
    }
    println!("{} connections taken", taken.len());
    for connection in taken {
        let _ = connection.close().await;
    }
    scene.goes_on(before, failed).await;
    scene.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_restarted_in_order_costs_nobody_anything() {
    let mut scene = Scene::new().await;
    let before = scene.open().await;
    let failed = wall();
    scene.cluster.restart().await;
    scene.goes_on(before, failed).await;
    scene.is_well().await;
}

/// How long a move took to be written is on nobody's clock, short of an outage.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_database_slows_play_and_runs_on_nobodys_clock() {
    const MOVES: u64 = 12;
    let mut scene = Scene::new().await;
    let id = scene.id.clone();
    let (mut charged, mut took) = (0, 0);
    let mut before = scene.sockets[0].watch(&id).await;
    for ply in 1..=MOVES {
        let seat = usize::from(before["to_move"] == "second");
        let mine = ["first_ms", "second_ms"][seat];
        let text = before["legal"][0].as_str().unwrap().to_owned();
        let shown = before["clocks"][mine].as_i64().unwrap();
        let sent = wall();
        // It stands still while the move is on its way, for less than what counts as an outage.
        scene.cluster.freeze();
        scene.sockets[seat].send(&json!({"type": "move", "match": id, "ply": ply, "move": text})).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
        scene.cluster.thaw();
        before = scene.sockets[1 - seat].until("moved").await;
        took += milliseconds(wall() - sent);
        charged += shown - before["clocks"][mine].as_i64().unwrap();
        assert_eq!(before["ply"], ply);
        // Its own event too, so that the next one found is the next one.
        scene.sockets[seat].until("moved").await;
    }
    println!("{MOVES} moves took {took} ms; {charged} ms were charged");
    assert!(took >= 400 * i64::try_from(MOVES).unwrap());
    assert!(charged < took / 4, "{charged} ms charged of {took} ms");
    let kinds: Vec<_> = scene.journal().await.iter().map(|event| event["type"].clone()).collect();
    assert_eq!(json!(kinds), json!(vec!["moved"; kinds.len()]), "slow is no outage");
}

/// A file system of its own for a database, as large as said. Only root can have one.
struct SmallDisk {
    folder: PathBuf,
    _parent: tempfile::TempDir,
}

impl SmallDisk {
    fn of(megabytes: u32) -> Self {
        let parent = tempfile::TempDir::new().unwrap();
        stakeboard_tests::postgres::open_to_all(parent.path()).unwrap();
        let folder = parent.path().join("disk");
        fs::create_dir(&folder).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m,mode=755"), "stakeboard-test"]).arg(&folder);
        assert!(mount.status().unwrap().success(), "only root can mount a small file system");
        Self { folder, _parent: parent }
    }

    /// Leaves nothing of it free.
    fn fill(&self) {
        let zeros = vec![0; 1 << 20];
        let mut filler = fs::File::create(self.filler()).unwrap();
        // In ever smaller pieces, to the last page.
        for size in [1 << 20, 1 << 16, 1 << 12] {
            while std::io::Write::write_all(&mut filler, &zeros[..size]).is_ok() {}
        }
    }

    fn free(&self) {
        fs::remove_file(self.filler()).unwrap();
    }

    fn filler(&self) -> PathBuf {
        self.folder.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(&self.folder).status());
    }
}

/// A scene on a disk that can be filled.
async fn on_a_small_disk() -> (Scene, SmallDisk) {
    let disk = SmallDisk::of(220);
    let folder = tempfile::TempDir::new_in(&disk.folder).unwrap();
    let settings = [("min_wal_size", "32MB"), ("max_wal_size", "32MB"), ("shared_buffers", "32MB")];
    (Scene::on(TestCluster::start_in(folder, &settings).await, &[]).await, disk)
}

/// A match with the moves of it that were acknowledged.
struct Played {
    id: String,
    players: [Player; 2],
    moves: Vec<String>,
}

/// Plays matches, each a move in turn, until one is refused since it can't be written.
async fn play_until_refused(scene: &Scene, matches: &mut [Played]) {
    for number in 0.. {
        let Played { id, players, moves } = &mut matches[number % 30];
        let now = snapshot(&scene.server.client(), id).await;
        let mover = &players[usize::from(now["to_move"] == "second")];
        let text = now["legal"][0].as_str().unwrap().to_owned();
        let act = json!({"ply": moves.len() + 1, "move": text});
        let answer = scene.server.client().of(mover).post(&format!("/v1/matches/{id}/moves"), &act).await;
        if answer.status != 200 {
            answer.refused(503, "paused");
            println!("refused after {number} moves");
            return;
        }
        moves.push(text);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs root"]
async fn a_full_disk_stops_all_clocks_loses_nothing_and_is_got_over_once_there_is_room() {
    let (mut scene, disk) = on_a_small_disk().await;
    let mut matches = Vec::new();
    for _ in 0..30 {
        let (id, players) = new_match(&scene.server, 100).await;
        matches.push(Played { id, players, moves: Vec::new() });
    }
    // Nobody moves in this one: that others can't is enough for its clock to stand.
    let before = scene.open().await;
    disk.fill();
    play_until_refused(&scene, &mut matches).await;
    let failed = wall();
    stands(&mut scene, failed).await;
    tokio::time::sleep(LONG).await;
    disk.free();
    scene.goes_on(before, failed).await;
    scene.is_well().await;
    for Played { id, moves, .. } in &matches {
        // The one that was refused may have been written.
        let made = snapshot(&scene.server.client(), id).await["moves"].clone();
        assert_eq!(json!(made.as_array().unwrap()[..moves.len()]), json!(moves), "{id}");
        eventually("it goes on", async || {
            let now = snapshot(&scene.server.client(), id).await;
            (!now["clocks"]["running"].is_null()).then_some(())
        })
        .await;
    }
}

/// Without room for its own log Postgres gives up at once, and does not start again before there is some.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs root"]
async fn a_database_that_a_full_disk_brings_down_loses_nothing() {
    let (mut scene, disk) = on_a_small_disk().await;
    let before = scene.open().await;
    disk.fill();
    let mut owner = scene.cluster.database().as_owner().await;
    let filling = "select pg_logical_emit_message(false, 'filling', repeat('x', 1000000)) from generate_series(1, 500)";
    let error = sqlx::raw_sql(filling).execute(&mut owner).await.unwrap_err();
    println!("{error}");
    let failed = wall();
    stands(&mut scene, failed).await;
    tokio::time::sleep(LONG).await;
    disk.free();
    // Where it is not kept by somebody who starts it again.
    scene.cluster.restart().await;
    scene.goes_on(before, failed).await;
    scene.is_well().await;
}
