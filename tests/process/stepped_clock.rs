//! The clock of the machine is set forward and back by an hour, under a server and under its database. Both run with
//! Debian's `libfaketime`, so that the machine itself keeps its time.

use std::{
    fmt::Write as _,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use serde_json::{Value, json};
use stakeboard_tests::{Client, Socket, postgres::open_to_all};
use tempfile::TempDir;

use crate::{
    clocks::{AGAINST_MS, FAVOUR_MS},
    private::{Private, verify_in},
    support::{events, snapshot, time_of, wall},
};

/// A machine with a clock of its own, as the programs on it see it.
struct Machine {
    folder: TempDir,
    library: PathBuf,
}

impl Machine {
    /// One whose clock is right.
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        open_to_all(folder.path()).unwrap();
        let libraries = fs::read_dir("/usr/lib").unwrap().flatten().map(|entry| entry.path());
        let library = libraries.map(|folder| folder.join("faketime/libfaketime.so.1")).find(|path| path.exists());
        let machine = Self { folder, library: library.expect("Debian's package libfaketime") };
        machine.step(0);
        machine.wrap_postgres();
        machine
    }

    /// Sets its clock: so many seconds off from the right time.
    fn step(&self, seconds: i64) {
        let (new, path) = (self.folder.path().join("time.new"), self.time());
        fs::write(&new, format!("{seconds:+}\n")).unwrap();
        fs::set_permissions(&new, Permissions::from_mode(0o644)).unwrap();
        fs::rename(new, path).unwrap();
    }

    fn time(&self) -> PathBuf {
        self.folder.path().join("time")
    }

    /// Postgres gets no variables of the server: a script in its place sets them.
    fn wrap_postgres(&self) {
        let newest = |version: &PathBuf| version.file_name().unwrap().to_str().unwrap().parse::<u32>().ok();
        let versions = fs::read_dir("/usr/lib/postgresql").unwrap().flatten().map(|entry| entry.path());
        let real =
            versions.filter(|version| version.join("bin/initdb").exists()).max_by_key(newest).unwrap().join("bin");
        let folder = self.folder.path().join("bin");
        fs::create_dir(&folder).unwrap();
        let mut variables = String::new();
        for (name, value) in self.variables() {
            writeln!(variables, "export {name}='{}'", value.display()).unwrap();
        }
        for (program, variables) in [("postgres", variables.as_str()), ("initdb", "")] {
            let path = folder.join(program);
            let script = format!("#!/bin/sh\n{variables}exec {} \"$@\"\n", real.join(program).display());
            fs::write(&path, script).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        }
        open_to_all(&folder).unwrap();
    }

    /// What makes a program see this machine's clock; the monotonic one is never set.
    fn variables(&self) -> [(&'static str, PathBuf); 4] {
        [
            ("LD_PRELOAD", self.library.clone()),
            ("FAKETIME_TIMESTAMP_FILE", self.time()),
            ("FAKETIME_NO_CACHE", "1".into()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".into()),
        ]
    }

    /// A server on it with a Postgres of its own.
    async fn start(&self) -> Private {
        let bin = self.folder.path().join("bin");
        let variables = self.variables();
        let mut environment: Vec<(&str, &Path)> =
            variables.iter().map(|(name, value)| (*name, value.as_path())).collect();
        environment.push(("PG_BIN_DIR", &bin));
        let home = self.folder.path().join("home");
        fs::create_dir_all(&home).unwrap();
        open_to_all(&home).unwrap();
        Private::with(&home, &environment).await
    }
}

/// Tokens of one of the demo players.
struct Tokens {
    access: String,
    refresh: String,
}

async fn log_in(server: &Private, place: usize) -> Tokens {
    let (email, password) = &server.accounts()[place];
    let login = json!({"email": email, "password": password});
    tokens(&Client::new(server.address).post("/v1/auth/login", &login).await.expect(200).body)
}

fn tokens(answer: &Value) -> Tokens {
    let text = |name: &str| answer[name].as_str().unwrap().to_owned();
    Tokens { access: text("access_token"), refresh: text("refresh_token") }
}

/// Clients of both players, the one first who opens, and their match.
async fn begin(server: &Private, players: [&Tokens; 2]) -> (String, [Client; 2]) {
    let [one, two] = players.map(|tokens| Client::new(server.address).with_token(&tokens.access));
    let seek = one.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 500})).await.expect(201).body;
    let accept = format!("/v1/lobby/seeks/{}/accept", seek["id"].as_str().unwrap());
    let id = two.post_once(&accept, &json!({"stake": 500})).await.expect(201).body["match_id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let own = one.get("/v1/me").await.expect(200).body["id"].clone();
    let opens = snapshot(&one, &id).await["players"]["first"]["id"] == own;
    (id, if opens { [one, two] } else { [two, one] })
}

/// How far the server's clock is from the right time, in seconds.
async fn off(client: &Client, id: &str) -> i64 {
    (time_of(&snapshot(client, id).await["clocks"]["at"]) - wall()).whole_seconds()
}

/// Makes a move; its player's clock has run for so long as has really gone by since the move before.
async fn play(client: &Client, id: &str, ply: u64, text: &str, since: Instant) {
    let before = snapshot(client, id).await;
    let of = if before["to_move"] == "first" { "first_ms" } else { "second_ms" };
    // What the journal has of it: the clock as it was when the turn began.
    let began = before["clocks"][of].as_i64().unwrap();
    let began = began + i64::try_from(since.elapsed().as_millis()).unwrap();
    client.post(&format!("/v1/matches/{id}/moves"), &json!({"ply": ply, "move": text})).await.expect(200);
    let left = snapshot(client, id).await["clocks"][of].as_i64().unwrap();
    let (ran, real) = (began - left, i64::try_from(since.elapsed().as_millis()).unwrap());
    assert!((real - FAVOUR_MS..=real + AGAINST_MS).contains(&ran), "{ran} ms charged, {real} went by");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs libfaketime"]
async fn ma_5_a_step_of_the_machines_clock_reaches_no_clock_of_a_match_and_no_token() {
    let machine = Machine::new();
    let server = machine.start().await;
    let players = [log_in(&server, 0).await, log_in(&server, 1).await];
    let (id, clients) = begin(&server, [&players[0], &players[1]]).await;
    let mut watcher = Socket::open(server.address, &players[0].access).await;
    watcher.watch(&id).await;
    let moves = ["C", "b", "D", "a"];
    let mut since = Instant::now();
    for (step, ply) in [(3_600, 1), (-3_600, 3)] {
        play(&clients[0], &id, ply, moves[usize::try_from(ply).unwrap() - 1], since).await;
        since = Instant::now();
        machine.step(step);
        // Some heartbeats: what goes by the machine's clock has met the step by then.
        tokio::time::sleep(Duration::from_millis(1_600)).await;
        assert_eq!(off(&clients[0], &id).await, 0, "what the server shows goes on from its start");
        play(&clients[1], &id, ply + 1, moves[usize::try_from(ply).unwrap()], since).await;
        since = Instant::now();
        // Nobody is logged out, and money is moved as ever.
        for (number, client) in clients.iter().enumerate() {
            let key = format!("{step} {number}").replace(' ', "-");
            client.post_keyed("/v1/wallet/deposits", &key, &json!({"amount": 500})).await.expect(201);
            client.post_keyed("/v1/wallet/deposits", &key, &json!({"amount": 500})).await.expect(201);
        }
    }
    let kinds: Vec<Value> = events(&mut watcher, &id).await.iter().map(|event| event["type"].clone()).collect();
    assert_eq!(json!(kinds), json!(["moved", "moved", "moved", "moved"]), "no outage");
    server.end(Signal::SIGTERM).await;
    verify_in(&machine.folder.path().join("home"), None).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs libfaketime"]
async fn ma_5_a_restart_across_a_step_of_the_machines_clock_charges_what_was_served_and_no_more() {
    let machine = Machine::new();
    let mut server = machine.start().await;
    let mut players = [log_in(&server, 0).await, log_in(&server, 1).await];
    let (id, _) = begin(&server, [&players[0], &players[1]]).await;
    for step in [3_600, -3_600] {
        let began = snapshot(&Client::new(server.address), &id).await["clocks"]["first_ms"].as_i64().unwrap();
        let since = Instant::now();
        tokio::time::sleep(Duration::from_millis(1_300)).await;
        let served = i64::try_from(since.elapsed().as_millis()).unwrap();
        server.end(Signal::SIGKILL).await;
        machine.step(step);
        server = machine.start().await;
        let client = Client::new(server.address);
        let now = snapshot(&client, &id).await;
        let ran = began - now["clocks"]["first_ms"].as_i64().unwrap();
        println!("clock set by {step} s: {ran} ms charged, {served} ms served");
        // The start prints more than its first line, and the clock runs meanwhile.
        assert!((served - FAVOUR_MS..=served + AGAINST_MS + 2_000).contains(&ran), "{ran} ms charged of {served}");
        assert!((off(&client, &id).await - step).abs() <= 1, "a server that starts goes by the clock it finds");
        for tokens_then in &mut players {
            // Set forward by an hour, the quarter of an hour of an access token is over; set back, it lasts longer.
            let wallet = client.with_token(&tokens_then.access).get("/v1/wallet").await;
            assert_eq!(wallet.status, if step > 0 { 401 } else { 200 }, "{}", wallet.text);
            let refresh = json!({"refresh_token": tokens_then.refresh});
            *tokens_then = tokens(&client.post("/v1/auth/refresh", &refresh).await.expect(200).body);
            client.with_token(&tokens_then.access).get("/v1/wallet").await.expect(200);
        }
    }
    // Flags fall on time all the same, and a match ends as it should.
    let resign = format!("/v1/matches/{id}/resign");
    Client::new(server.address).with_token(&players[0].access).post_empty(&resign).await.expect(200);
    server.end(Signal::SIGTERM).await;
    verify_in(&machine.folder.path().join("home"), None).await;
}
