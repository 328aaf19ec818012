//! The rehearsal of a restore: players play, a base backup is taken, everything is lost, and a new cluster is made of
//! the backup and the archive by the scripts of `deploy/backup/`. Once to a point in time, from the archive alone; once
//! to the last commit, where the disk survived. `tests/restore-rehearsal` runs it for longer and prints the report that
//! docs/backup.md keeps.

use std::{
    collections::HashMap,
    fs,
    os::unix::{
        fs::{MetadataExt as _, PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgConnection;
use stakeboard_server::db::private_postgres::OWNER;
use stakeboard_tests::{
    Answer, Client, Player, ServerProcess, TestCluster, play::replay, postgres::open_to_all, server::start_match,
};
use tempfile::TempDir;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{SERVER, eventually, root};

/// A move that was acknowledged: of which match, the how manieth, and when its answer had come.
type Acknowledged = (String, u64, OffsetDateTime);

/// Players who play one match after the other, over HTTP, until they are told to stop or the server is gone.
struct Play {
    moves: Arc<Mutex<Vec<Acknowledged>>>,
    stop: Arc<AtomicBool>,
    pairs: Vec<tokio::task::JoinHandle<Option<()>>>,
}

impl Play {
    async fn begin(server: &ServerProcess, pairs: usize) -> Self {
        let mut play = Self { moves: Arc::default(), stop: Arc::default(), pairs: Vec::new() };
        for _ in 0..pairs {
            let players = [server.registrar.player(1_000_000).await, server.registrar.player(1_000_000).await];
            let (client, moves, stop) = (server.client(), Arc::clone(&play.moves), Arc::clone(&play.stop));
            play.pairs.push(tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    one_match(&client, &players, &moves, &stop).await?;
                }
                Some(())
            }));
        }
        play
    }

    fn acknowledged(&self) -> Vec<Acknowledged> {
        self.moves.lock().unwrap().clone()
    }

    async fn until_moves(&self, count: usize) {
        eventually("moves", || async { (self.moves.lock().unwrap().len() >= count).then_some(()) }).await;
    }

    /// What was acknowledged, once nobody plays any more.
    async fn end(self) -> Vec<Acknowledged> {
        self.stop.store(true, Ordering::Relaxed);
        for pair in self.pairs {
            pair.await.unwrap();
        }
        self.moves.lock().unwrap().clone()
    }
}

async fn ask(client: &Client, method: Method, path: &str, body: Option<&Value>) -> Option<Answer> {
    let mut request = client.request(method, path).header("idempotency-key", Uuid::now_v7().to_string());
    if let Some(body) = body {
        request = request.json(body);
    }
    let answer = client.try_send(request).await.ok()?;
    // While the database is gone there is no answer to be had, and no more play.
    (answer.status < 500).then_some(answer)
}

/// One match of Mū tōrere of some twenty moves, ended by resignation; nothing where the server is gone.
async fn one_match(
    client: &Client,
    players: &[Player; 2],
    moves: &Mutex<Vec<Acknowledged>>,
    stop: &AtomicBool,
) -> Option<()> {
    let [one, two] = players.each_ref().map(|player| client.of(player));
    let terms = json!({"game": "mu_torere", "stake": 100});
    let seek = ask(&one, Method::POST, "/v1/lobby/seeks", Some(&terms)).await?.expect(201).body;
    let accept = format!("/v1/lobby/seeks/{}/accept", seek["id"].as_str()?);
    let accepted = ask(&two, Method::POST, &accept, Some(&json!({"stake": 100}))).await?.expect(201).body;
    let id = accepted["match_id"].as_str()?.to_owned();
    let path = format!("/v1/matches/{id}");
    let mut snapshot = ask(client, Method::GET, &path, None).await?.expect(200).body;
    let first = snapshot["players"]["first"]["id"] == players[0].id.to_string();
    let sides = if first { [&one, &two] } else { [&two, &one] };
    for ply in 1..=20 {
        if snapshot["status"] == "ended" || stop.load(Ordering::Relaxed) {
            break;
        }
        let mover = sides[usize::from(snapshot["to_move"] == "second")];
        let body = json!({"ply": ply, "move": snapshot["legal"][0]});
        let answer = ask(mover, Method::POST, &format!("{path}/moves"), Some(&body)).await?.expect(200);
        assert!(answer.body["seq"].is_u64());
        moves.lock().unwrap().push((id.clone(), ply, OffsetDateTime::now_utc()));
        snapshot = ask(client, Method::GET, &path, None).await?.expect(200).body;
    }
    if snapshot["status"] == "live" {
        ask(sides[0], Method::POST, &format!("{path}/resign"), None).await?.expect(200);
    }
    Some(())
}

/// A folder that Postgres' own user may write to, and runs scripts in.
struct Site {
    folder: TempDir,
    user: (u32, u32),
}

impl Site {
    fn of(cluster_user: (u32, u32)) -> Self {
        let folder = TempDir::new().unwrap();
        open_to_all(folder.path()).unwrap();
        chown(folder.path(), Some(cluster_user.0), Some(cluster_user.1)).unwrap();
        let site = Self { folder, user: cluster_user };
        // The workspace may lie where that user can't enter.
        for name in ["archive-wal", "base-backup", "receive-wal", "restore"] {
            fs::copy(root().join("deploy/backup").join(name), site.path(name)).unwrap();
            fs::set_permissions(site.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// One of the scripts, as that user.
    fn command(&self, script: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path(script));
        command.args(arguments).current_dir(self.folder.path());
        if nix::unistd::geteuid().is_root() {
            command.uid(self.user.0).gid(self.user.1);
        }
        command
    }

    /// Runs one of the scripts to its end.
    async fn run(&self, script: &str, arguments: &[&str]) {
        let mut command = self.command(script, arguments);
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Puts what a dead cluster had written and the archive lacks into the archive.
    fn save_the_log_of(&self, cluster: &TestCluster) {
        for entry in fs::read_dir(cluster.data().join("pg_wal")).unwrap().map(|entry| entry.unwrap()) {
            let kept = self.path("archive").join(entry.file_name());
            if entry.file_type().unwrap().is_file() && !kept.exists() {
                fs::copy(entry.path(), &kept).unwrap();
                chown(&kept, Some(self.user.0), Some(self.user.1)).unwrap();
            }
        }
    }

    /// A cluster out of the base backup and an archive.
    async fn restored(&self, archive: &str, time: Option<&str>) -> TestCluster {
        let folder = TempDir::new().unwrap();
        open_to_all(folder.path()).unwrap();
        let home = folder.path().join("postgres");
        fs::create_dir(&home).unwrap();
        open_to_all(&home).unwrap();
        chown(&home, Some(self.user.0), Some(self.user.1)).unwrap();
        let data = home.join("data");
        let mut arguments = vec!["base", archive, data.to_str().unwrap()];
        arguments.extend(time);
        self.run("restore", &arguments).await;
        TestCluster::start_in(folder, &[]).await
    }
}

/// Every match of a server: replayed from its record by the rules, from its first move to its last. Gives how many
/// moves of each there are.
async fn replay_all(server: &ServerProcess) -> HashMap<String, u64> {
    let ids: Vec<Uuid> =
        sqlx::query_scalar("select id from matches order by id").fetch_all(&server.registrar.pool).await.unwrap();
    let mut moves = HashMap::new();
    for id in &ids {
        let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
        moves.insert(id.to_string(), replay(&record) as u64);
    }
    moves
}

async fn verify(server: &ServerProcess) -> usize {
    let mut command = server.command(&["ledger", "verify"]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{lines}{}", String::from_utf8_lossy(&output.stderr));
    lines.lines().filter(|line| line.starts_with("ok ")).count()
}

/// Makes sure that the archive holds everything up to now.
async fn archive(owner: &mut PgConnection) {
    let last: String =
        sqlx::query_scalar("select pg_walfile_name(pg_switch_wal())").fetch_one(&mut *owner).await.unwrap();
    for _ in 0..600 {
        let archived: Option<String> =
            sqlx::query_scalar("select last_archived_wal from pg_stat_archiver").fetch_one(&mut *owner).await.unwrap();
        if archived.is_some_and(|archived| archived >= last) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{last} was not archived in a minute");
}

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// The size of what a folder holds, in megabytes.
fn megabytes(folder: &Path) -> u64 {
    let size = |path: &Path| -> u64 {
        let mut waiting = vec![path.to_owned()];
        let mut bytes = 0;
        while let Some(path) = waiting.pop() {
            match fs::read_dir(&path) {
                Ok(entries) => waiting.extend(entries.map(|entry| entry.unwrap().path())),
                Err(_) => bytes += fs::metadata(&path).map_or(0, |file| file.len()),
            }
        }
        bytes
    };
    size(folder) / 1_000_000
}

/// A live match of the restored server goes on, is won, and is paid.
async fn play_on(server: &ServerProcess) {
    let [one, two] = [server.registrar.player(500).await, server.registrar.player(500).await];
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 500})).await;
    server.client().of(&one).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    assert_eq!(server.registrar.available(two.id).await, 900);
}

/// What was there, and what is left of it.
struct Lost {
    site: Site,
    /// Dead, with its disk.
    cluster: TestCluster,
    acknowledged: Vec<Acknowledged>,
    backup_took: Duration,
    /// The time to go back to, as it is and as the script is told.
    point: (OffsetDateTime, String),
}

/// Whom Postgres runs as, which is known once it has run.
async fn user_of_postgres() -> (u32, u32) {
    let probe = TestCluster::start().await;
    let data = fs::metadata(probe.data()).unwrap();
    (data.uid(), data.gid())
}

/// How the scripts reach a cluster, as a connection string.
fn way_in(cluster: &TestCluster) -> String {
    format!("host={} port=5432 user={OWNER}", cluster.database().owner.get_socket().unwrap().display())
}

/// Players play; a base backup is taken, a point in time goes by, and under play everything dies.
async fn lost_under_play(pairs: usize, moves: usize) -> Lost {
    let site = Site::of(user_of_postgres().await);
    let command = format!("{} %p {}/%f", site.path("archive-wal").display(), site.path("archive").display());
    let settings = [("archive_mode", "on"), ("archive_command", command.as_str())];
    let cluster = TestCluster::start_in(TempDir::new().unwrap(), &settings).await;
    let mut server = ServerProcess::on(cluster.database(), SERVER, &[]).await;
    let mut owner = cluster.database().as_owner().await;

    let play = Play::begin(&server, pairs).await;
    play.until_moves(moves).await;
    let began = Instant::now();
    site.run("base-backup", &["base", &format!("--dbname={}", way_in(&cluster))]).await;
    let backup_took = began.elapsed();
    play.until_moves(play.acknowledged().len() + moves).await;
    let point =
        sqlx::query_as("select now, now::text from clock_timestamp() as now").fetch_one(&mut owner).await.unwrap();
    play.until_moves(play.acknowledged().len() + moves).await;
    archive(&mut owner).await;
    // What comes now is in no archived segment.
    play.until_moves(play.acknowledged().len() + moves).await;
    cluster.kill();
    server.kill();
    Lost { site, cluster, acknowledged: play.end().await, backup_took, point }
}

/// What a restore brought back.
struct Back {
    took: Duration,
    checks: usize,
    matches: usize,
    /// How many moves of each match there are.
    moves: HashMap<String, u64>,
}

impl Back {
    /// A server on the restored cluster: its ledger passes, its records replay, and it plays on.
    async fn from(site: &Site, archive: &str, time: Option<&str>) -> Self {
        let began = Instant::now();
        let restored = site.restored(archive, time).await;
        let took = began.elapsed();
        let server = ServerProcess::on(restored.database(), SERVER, &[]).await;
        let checks = verify(&server).await;
        let moves = replay_all(&server).await;
        let matches = moves.len();
        play_on(&server).await;
        verify(&server).await;
        Self { took, checks, matches, moves }
    }

    fn has(&self, (id, ply, _): &Acknowledged) -> bool {
        self.moves.get(id).is_some_and(|plies| plies >= ply)
    }

    fn total(&self) -> u64 {
        self.moves.values().sum()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_lost_under_play_is_restored_to_a_point_in_time_and_to_the_last_commit() {
    let (pairs, moves) = (number("STAKEBOARD_REHEARSAL_PAIRS", 4), number("STAKEBOARD_REHEARSAL_MOVES", 60));
    let Lost { site, cluster, acknowledged, backup_took, point: (point, text) } = lost_under_play(pairs, moves).await;

    // The machine is gone: the archive is all there is.
    let to_the_point = Back::from(&site, "archive", Some(&text)).await;
    let (before, later): (Vec<_>, Vec<_>) = acknowledged.iter().partition(|(_, _, at)| *at < point);
    for acknowledged in &before {
        assert!(to_the_point.has(acknowledged), "{acknowledged:?} is gone, and {point} was restored to");
    }
    let of_later = later.iter().filter(|acknowledged| to_the_point.has(acknowledged)).count();
    // A move that was committed just before has its answer just after; the rest of the tail is gone.
    assert!(of_later <= pairs, "{of_later} moves are there of after {point}");

    // The machine is gone, but its disk is not: what the archive lacks is in it.
    site.save_the_log_of(&cluster);
    let to_the_end = Back::from(&site, "archive", None).await;
    for acknowledged in &acknowledged {
        assert!(to_the_end.has(acknowledged), "{acknowledged:?} is gone");
    }

    println!("| what | came out |\n| --- | --- |");
    println!("| play meanwhile | {pairs} pairs, {} acknowledged moves |", acknowledged.len());
    println!("| base backup under play | {} MB in {} ms |", megabytes(&site.path("base")), backup_took.as_millis());
    println!("| archive | {} MB |", megabytes(&site.path("archive")));
    println!("| restore to a point in time, until Postgres served | {} ms |", to_the_point.took.as_millis());
    println!("| … moves acknowledged before it, and missing | {}, 0 |", before.len());
    println!("| … acknowledged after it, and gone as they should be | {} |", later.len() - of_later);
    println!("| … matches and moves replayed by the rules | {}, {} |", to_the_point.matches, to_the_point.total());
    println!("| … checks of `ledger verify` | {} passed |", to_the_point.checks);
    println!("| restore to the last commit, with the disk's own log | {} ms |", to_the_end.took.as_millis());
    println!("| … moves acknowledged at all, and missing | {}, 0 |", acknowledged.len());
    println!("| … matches and moves replayed by the rules | {}, {} |", to_the_end.matches, to_the_end.total());
    println!("| … checks of `ledger verify` | {} passed |", to_the_end.checks);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_another_place_takes_every_commit_nothing_is_lost_with_the_machine() {
    let site = Site::of(user_of_postgres().await);
    let cluster = TestCluster::start().await;
    let mut server = ServerProcess::on(cluster.database(), SERVER, &[]).await;
    let mut owner = cluster.database().as_owner().await;
    let elsewhere = format!("--dbname={} application_name=elsewhere", way_in(&cluster));
    let mut receiver = site.command("receive-wal", &["received", &elsewhere]).spawn().unwrap();
    let streams =
        "select count(*) from pg_stat_replication where application_name = 'elsewhere' and state = 'streaming'";
    while sqlx::query_scalar::<_, i64>(streams).fetch_one(&mut owner).await.unwrap() == 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for statement in ["alter system set synchronous_standby_names = 'elsewhere'", "select pg_reload_conf()"] {
        sqlx::raw_sql(statement).execute(&mut owner).await.unwrap();
    }
    let play = Play::begin(&server, 4).await;
    play.until_moves(40).await;
    site.run("base-backup", &["base", &format!("--dbname={}", way_in(&cluster))]).await;
    play.until_moves(play.acknowledged().len() + 100).await;
    cluster.kill();
    server.kill();
    receiver.kill().unwrap();
    receiver.wait().unwrap();
    let acknowledged = play.end().await;
    drop(cluster);

    for entry in fs::read_dir(site.path("received")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_some_and(|ending| ending == "partial") {
            fs::rename(&entry, entry.with_extension("")).unwrap();
        }
    }
    let back = Back::from(&site, "received", None).await;
    for acknowledged in &acknowledged {
        assert!(back.has(acknowledged), "{acknowledged:?} is gone");
    }
}
