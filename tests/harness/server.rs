//! Servers: in this process, and as one that can be killed.

use std::{
    ffi::OsString,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    net::SocketAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use serde_json::{Value, json};
use stakeboard_server::{
    app::{App, Database},
    cli,
    config::{self, Settings},
};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{Client, Player, Registrar, TestDatabase};

/// A server in this process, on a database of its own.
pub struct TestServer {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its database.
    pub database: TestDatabase,
    /// Makes players in it.
    pub registrar: Registrar,
    settings: Vec<String>,
    secrets: Arc<TempDir>,
    stop: CancellationToken,
    running: JoinHandle<()>,
}

/// Settings as from a command line, on a free port, without limits that tests run into by their speed.
fn settings(arguments: &[String]) -> Settings {
    let fixed = ["stakeboard-server", "--listen=127.0.0.1:0", "--http-per-second=1000000", "--http-burst=1000000"];
    let arguments: Vec<OsString> = fixed.iter().map(Into::into).chain(arguments.iter().map(Into::into)).collect();
    // A flag of the test comes after ours and counts instead of it.
    config::parse(cli::command().args_override_self(true), arguments).unwrap().1
}

impl TestServer {
    /// Starts one with the settings that tests have.
    pub async fn start() -> Self {
        Self::with(&[]).await
    }

    /// Starts one with further flags, such as `--clock-ms=1000`.
    pub async fn with(flags: &[&str]) -> Self {
        let database = TestDatabase::create().await;
        Self::on(database, flags).await
    }

    /// Starts one on a database that is there.
    pub async fn on(database: TestDatabase, flags: &[&str]) -> Self {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Self::run(database, flags, Arc::new(TempDir::new().unwrap())).await
    }

    async fn run(database: TestDatabase, flags: Vec<String>, secrets: Arc<TempDir>) -> Self {
        let ways_in = Database { server: database.server.clone(), owner: None };
        // In a box: to start everything takes more room than a test's own steps.
        let app = Box::pin(App::build(&settings(&flags), ways_in, Some(secrets.path().to_owned()))).await.unwrap();
        let address = app.address().unwrap();
        let registrar = Registrar::new(&database, secrets.path()).await;
        let stop = CancellationToken::new();
        let running = tokio::spawn(app.run_until(stop.clone()));
        Self { address, database, registrar, settings: flags, secrets, stop, running }
    }

    /// Starts another one on the same database, with the same secrets and flags: they share a bus where the flags name one.
    pub async fn another(&self) -> Self {
        Self::run(self.database.clone(), self.settings.clone(), Arc::clone(&self.secrets)).await
    }

    /// Stops it in order and starts another one on the same database, at another port.
    pub async fn restart(self) -> Self {
        let settings = self.settings.clone();
        self.restart_with(settings).await
    }

    /// The same, with these flags instead of its own.
    pub async fn restart_with(self, flags: Vec<String>) -> Self {
        self.stop.cancel();
        self.running.await.unwrap();
        Self::run(self.database, flags, self.secrets).await
    }

    /// Stops it in order.
    pub async fn stop(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// A player with this much available, and a client for them.
    pub async fn player(&self, money: i64) -> (Player, Client) {
        let player = self.registrar.player(money).await;
        let client = self.client().of(&player);
        (player, client)
    }

    /// A match between two new players over HTTP: its id, and the player who opens first.
    pub async fn start_match(&self, stake: i64) -> (String, [Player; 2]) {
        let (one, two) = (self.registrar.player(stake).await, self.registrar.player(stake).await);
        let id = start_match(&self.client(), &one, &two, &json!({"game": "oware", "stake": stake})).await;
        let snapshot = self.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
        let opens = snapshot["players"]["first"]["id"] == one.id.to_string();
        (id, if opens { [one, two] } else { [two, one] })
    }
}

/// One player posts a seek, the other accepts it. Gives the match.
pub async fn start_match(client: &Client, poster: &Player, accepter: &Player, terms: &Value) -> String {
    let seek = client.of(poster).post("/v1/lobby/seeks", terms).await.expect(201).body;
    let path = format!("/v1/lobby/seeks/{}/accept", seek["id"].as_str().unwrap());
    let accepted = client.of(accepter).post_once(&path, &json!({"stake": terms["stake"]})).await.expect(201).body;
    accepted["match_id"].as_str().unwrap().to_owned()
}

/// A server as a process of its own, which can be killed and started again on the same database and port.
pub struct ServerProcess {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its database.
    pub database: TestDatabase,
    /// Makes players in it.
    pub registrar: Registrar,
    environment: Vec<(String, String)>,
    folder: Arc<TempDir>,
    child: Child,
}

impl ServerProcess {
    /// Starts one on a database of its own, with further variables such as `("STAKEBOARD_CLOCK_MS", "5000")`.
    pub async fn start(program: &str, environment: &[(&str, &str)]) -> Self {
        Self::on(TestDatabase::create().await, program, environment).await
    }

    /// Starts one on a database that is there.
    pub async fn on(database: TestDatabase, program: &str, environment: &[(&str, &str)]) -> Self {
        let folder = Arc::new(TempDir::new().unwrap());
        let secrets = folder.path().join(".stakeboard");
        std::fs::create_dir(&secrets).unwrap();
        let registrar = Registrar::new(&database, &secrets).await;
        let mut all: Vec<(String, String)> = [
            ("DATABASE_URL", database.url().as_str()),
            ("STAKEBOARD_OWNER_DATABASE_URL", &database.owner_url()),
            ("STAKEBOARD_DEVELOPMENT", "true"),
            ("STAKEBOARD_LOG", "warn"),
            ("STAKEBOARD_HTTP_PER_SECOND", "1000000"),
            ("STAKEBOARD_HTTP_BURST", "1000000"),
            ("STAKEBOARD_SIGN_UPS_BY_ADDRESS", "1000000"),
        ]
        .iter()
        .chain(environment)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
        all.push(("SERVER".into(), program.into()));
        let (child, address) = launch(&all, folder.path(), "127.0.0.1:0").await;
        Self { address, database, registrar, environment: all, folder, child }
    }

    /// Starts another one on the same database, with the same secrets and settings.
    pub async fn another(&self) -> Self {
        self.another_with(&[]).await
    }

    /// The same with some variables of its own.
    pub async fn another_with(&self, own: &[(&str, &str)]) -> Self {
        let mut environment = self.environment.clone();
        environment.extend(own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let (child, address) = launch(&environment, self.folder.path(), "127.0.0.1:0").await;
        Self {
            address,
            database: self.database.clone(),
            registrar: self.registrar.clone(),
            environment,
            folder: Arc::clone(&self.folder),
            child,
        }
    }

    /// The program with the settings of this server, for another command of it.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = command(&self.environment, self.folder.path());
        command.args(arguments);
        command
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it with SIGKILL and waits until it is gone.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    /// Waits for its end.
    pub async fn wait(&mut self) -> std::process::ExitStatus {
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Starts it again, on the same database and port.
    pub async fn restart(&mut self) {
        let (child, address) = launch(&self.environment, self.folder.path(), &self.address.to_string()).await;
        assert_eq!(address, self.address);
        self.child = child;
    }

    /// Starts it, as [`ServerProcess::restart`] does, and kills it after so long, wherever it is by then.
    pub async fn kill_a_start_after(&self, delay: Duration) {
        let mut command = self.command(&[]);
        command.env("STAKEBOARD_LISTEN", self.address.to_string());
        let mut child = command.stdout(Stdio::null()).stdin(Stdio::null()).spawn().unwrap();
        tokio::time::sleep(delay).await;
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        // A test that fails half-way leaves nothing behind.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A program with its standard error in a file: what to start in its place, and the file.
pub fn logged(program: &str, folder: &Path) -> (String, PathBuf) {
    let (script, log) = (folder.join("program"), folder.join("log"));
    fs::write(&script, format!("#!/bin/sh\nexec '{program}' \"$@\" 2>>'{}'\n", log.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    (script.to_str().unwrap().to_owned(), log)
}

fn command(environment: &[(String, String)], folder: &Path) -> Command {
    let program = &environment.iter().find(|(name, _)| name == "SERVER").unwrap().1;
    let mut command = Command::new(program);
    command.env_clear().current_dir(folder);
    command.envs(environment.iter().filter(|(name, _)| name != "SERVER").cloned());
    command
}

async fn launch(environment: &[(String, String)], folder: &Path, listen: &str) -> (Child, SocketAddr) {
    let mut command = command(environment, folder);
    command.env("STAKEBOARD_LISTEN", listen);
    let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    let listening = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(out);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        // What is printed later must not fill the pipe.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        line
    });
    let line = listening.await.unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next());
    let address = address.unwrap_or_else(|| panic!("the server did not start: {line:?}"));
    (child, address.parse().unwrap())
}
