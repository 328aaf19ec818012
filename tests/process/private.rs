//! The server without any setting: its own Postgres, demo accounts, and one match to copy and paste.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::SocketAddr,
    os::unix::{
        fs::{PermissionsExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, Uid, User},
};
use serde_json::{Value, json};
use stakeboard_tests::{Client, Socket, postgres::open_to_all};
use tempfile::TempDir;

use crate::{
    SERVER,
    support::{eventually, output},
};

/// The program in a folder, with nothing said but a free port.
fn program(folder: &Path, user: Option<&User>) -> Command {
    let mut command = Command::new(SERVER);
    command.env_clear().current_dir(folder).env("STAKEBOARD_LISTEN", "127.0.0.1:0").env("STAKEBOARD_LOG", "warn");
    if let Some(user) = user {
        command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
    }
    command
}

/// A server that runs without settings.
pub struct Private {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// What it printed.
    lines: Vec<String>,
    /// From the start of the program to its readiness.
    took: Duration,
}

impl Private {
    async fn start(folder: &Path, user: Option<&User>) -> Self {
        Self::run(program(folder, user)).await
    }

    /// Starts one in a folder, with a few variables more.
    pub async fn with(folder: &Path, environment: &[(&str, &Path)]) -> Self {
        let mut command = program(folder, None);
        command.envs(environment.iter().copied());
        Self::run(command).await
    }

    async fn run(mut command: Command) -> Self {
        let began = Instant::now();
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let out = child.stdout.take().unwrap();
        let (lines, took) = tokio::task::spawn_blocking(move || {
            let mut reader = BufReader::new(out);
            let (mut lines, mut took) = (Vec::new(), None);
            while lines.last().is_none_or(|line: &String| !line.contains("90 %")) {
                let mut line = String::new();
                assert!(reader.read_line(&mut line).unwrap() > 0, "it ended: {lines:?}");
                took.get_or_insert_with(|| began.elapsed());
                lines.push(line.trim_end().to_owned());
            }
            std::thread::spawn(move || reader.read_to_end(&mut Vec::new()));
            (lines, took.unwrap())
        })
        .await
        .unwrap();
        let address = lines[0].split("http://").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
        Self { child, address: address.parse().unwrap(), lines, took }
    }

    /// Sends a signal and waits for the end.
    pub async fn end(mut self, signal: Signal) -> std::process::ExitStatus {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
        tokio::task::spawn_blocking(move || self.child.wait().unwrap()).await.unwrap()
    }

    /// The demo accounts as they were printed, the two players first: address and password.
    pub fn accounts(&self) -> Vec<(String, String)> {
        let printed = self.lines.iter().filter_map(|line| line.strip_prefix("  ")?.split_once(' '));
        let accounts = printed.filter(|(address, _)| address.ends_with("@demo.example"));
        accounts.map(|(address, password)| (address.to_owned(), password.to_owned())).collect()
    }

    pub async fn log_in(&self, (email, password): &(String, String)) -> Client {
        let client = Client::new(self.address);
        let answer = client.post("/v1/auth/login", &json!({"email": email, "password": password})).await.expect(200);
        client.with_token(answer.body["access_token"].as_str().unwrap())
    }

    /// What is to be copied and pasted.
    fn walk(&self) -> String {
        let from = self.lines.iter().position(|line| line.contains("copy and paste")).unwrap();
        self.lines[from + 1..].join("\n")
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Processes of Postgres that work below a folder.
fn postgres_below(folder: &Path) -> Vec<PathBuf> {
    let folder = fs::canonicalize(folder).unwrap();
    let below = |process: &PathBuf| fs::read_link(process.join("cwd")).is_ok_and(|place| place.starts_with(&folder));
    let postgres = |process: &PathBuf| fs::read_to_string(process.join("comm")).is_ok_and(|it| it.trim() == "postgres");
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes.filter(|process| postgres(process) && below(process)).collect()
}

/// `ledger verify` in the folder of such a server, which has to find everything in order.
pub async fn verify_in(folder: &Path, user: Option<&User>) {
    let mut command = program(folder, user);
    command.args(["ledger", "verify"]);
    let (passed, lines, errors) = output(command).await;
    assert!(passed, "{lines}{errors}");
    assert!(lines.lines().count() > 10 && lines.lines().all(|line| line.starts_with("ok ")), "{lines}{errors}");
}

/// Plays the printed match as a person would, and checks what it says.
async fn play_the_printed_match(server: &Private) {
    let mut command = Command::new("bash");
    command.arg("-c").arg(server.walk());
    let (_, said, errors) = output(command).await;
    let answers: Vec<Value> = said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [moves @ .., snapshot, resigned, wallet] = &answers[..] else { panic!("{said}{errors}") };
    let made = moves.iter().filter(|answer| **answer == json!({"seq": 1})).count();
    let refused = moves.iter().filter(|answer| answer["code"].is_string()).count();
    assert_eq!((moves.len(), made, refused), (2, 1, 1), "{said}");
    assert_eq!((&snapshot["ply"], &snapshot["status"]), (&json!(1), &json!("live")), "{said}");
    assert!(resigned["seq"].is_u64(), "{said}");
    // A stake of 500 from 100,000, and 90 % of a pot of 1,000 back.
    assert_eq!((&wallet["available"], &wallet["in_play"]), (&json!(100_400), &json!(0)), "{said}");
}

fn has_curl() -> bool {
    Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_setting_the_server_serves_a_whole_match_and_keeps_everything_over_restarts() {
    let folder = TempDir::new().unwrap();
    open_to_all(folder.path()).unwrap();
    let server = Private::start(folder.path(), None).await;
    println!("first start: {} ms", server.took.as_millis());
    assert!(server.took < Duration::from_secs(30), "{:?}", server.took);
    let accounts = server.accounts();
    let players: Vec<&str> = accounts.iter().take(2).map(|(address, _)| address.as_str()).collect();
    assert_eq!(players, ["ana@demo.example", "bia@demo.example"], "{:?}", server.lines);
    let kept = folder.path().join(".stakeboard/demo-accounts.json");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o777, 0o600);
    if has_curl() {
        play_the_printed_match(&server).await;
    } else {
        println!("SKIPPED: the printed match needs curl");
    }
    let client = server.log_in(&accounts[1]).await;
    let wallet = client.get("/v1/wallet").await.expect(200).body;
    verify_in(folder.path(), None).await;

    let began = Instant::now();
    assert!(server.end(Signal::SIGTERM).await.success());
    println!("SIGTERM to the end, Postgres included: {} ms", began.elapsed().as_millis());
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(postgres_below(folder.path()), Vec::<PathBuf>::new(), "its Postgres stopped with it");
    verify_in(folder.path(), None).await;
    assert_eq!(postgres_below(folder.path()), Vec::<PathBuf>::new(), "what `ledger verify` started it stopped");

    let server = Private::start(folder.path(), None).await;
    println!("warm start: {} ms", server.took.as_millis());
    assert!(server.took < Duration::from_secs(10), "{:?}", server.took);
    assert_eq!(server.accounts(), accounts, "the same accounts");
    // T48: the token of before, over HTTP and on the socket.
    let token = client.token().unwrap().to_owned();
    let again = Client::new(server.address).with_token(&token);
    assert_eq!(again.get("/v1/wallet").await.expect(200).body, wallet);
    drop(Socket::open(server.address, &token).await);

    server.end(Signal::SIGKILL).await;
    eventually("the end of Postgres", async || postgres_below(folder.path()).is_empty().then_some(())).await;
    let server = Private::start(folder.path(), None).await;
    println!("start after a kill: {} ms", server.took.as_millis());
    let again = Client::new(server.address).with_token(&token);
    assert_eq!(again.get("/v1/wallet").await.expect(200).body, wallet);
    assert!(server.end(Signal::SIGINT).await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ordinary_user_starts_it_in_a_folder_of_their_own() {
    let folder = TempDir::new().unwrap();
    let nobody = User::from_name("nobody").unwrap().unwrap();
    let user = Uid::effective().is_root().then(|| {
        chown(folder.path(), Some(nobody.uid.as_raw()), Some(nobody.gid.as_raw())).unwrap();
        &nobody
    });
    let server = Private::start(folder.path(), user).await;
    let client = server.log_in(&server.accounts()[0]).await;
    assert_eq!(client.get("/v1/wallet").await.expect(200).body["available"], 100_000);
    verify_in(folder.path(), user).await;
    assert!(server.end(Signal::SIGTERM).await.success());
    assert_eq!(postgres_below(folder.path()), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_postgres_that_is_killed_is_started_again_and_play_goes_on() {
    let folder = TempDir::new().unwrap();
    open_to_all(folder.path()).unwrap();
    let server = Private::start(folder.path(), None).await;
    let account = server.accounts()[0].clone();
    let before = server.log_in(&account).await.get("/v1/wallet").await.expect(200).body;
    let pid_file = folder.path().join(".stakeboard/postgres/data/postmaster.pid");
    let pid = || fs::read_to_string(&pid_file).ok().and_then(|text| text.lines().next()?.parse::<i32>().ok());
    let killed = pid().unwrap();
    kill(Pid::from_raw(killed), Signal::SIGKILL).unwrap();
    eventually("another postmaster runs", async || pid().filter(|now| *now != killed)).await;
    let client = Client::new(server.address);
    eventually("the server is ready", async || (client.get("/readyz").await.status == 200).then_some(())).await;
    let login = json!({"email": account.0, "password": account.1});
    let after = eventually("requests are served", async || {
        let token = client.post("/v1/auth/login", &login).await.body["access_token"].as_str()?.to_owned();
        let wallet = client.with_token(&token).get("/v1/wallet").await;
        (wallet.status == 200).then_some(wallet.body)
    })
    .await;
    assert_eq!(after, before, "nothing was lost");
    assert!(server.end(Signal::SIGTERM).await.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_money_is_real_nobody_is_there_with_a_password_out_of_a_file() {
    let folder = TempDir::new().unwrap();
    open_to_all(folder.path()).unwrap();
    let mut command = program(folder.path(), None);
    command.env("STAKEBOARD_PAYMENTS", "webhook");
    command.env("STAKEBOARD_WEBHOOK_SECRETS", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let printed = tokio::task::spawn_blocking(move || {
        let mut lines = String::new();
        assert!(out.read_line(&mut lines).unwrap() > 0, "it did not start");
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
        out.read_to_string(&mut lines).unwrap();
        assert!(child.wait().unwrap().success());
        lines
    });
    let printed = printed.await.unwrap();
    assert!(printed.starts_with("listening on "), "{printed}");
    assert!(!printed.contains("demo"), "{printed}");
    assert!(!folder.path().join(".stakeboard/demo-accounts.json").exists());
}
