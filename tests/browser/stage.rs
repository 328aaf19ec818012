//! Servers for scripts, and the scripts as processes.

use std::{path::Path, process::Stdio, time::Duration};

use serde_json::json;
use stakeboard_tests::{Client, ServerProcess, TestCluster, TestDatabase, TestServer};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, Command},
};

/// How long a script may take, on a machine that is busy with other things.
const LONGEST: Duration = Duration::from_mins(10);

/// The password of everybody in the scripts, as `lib/api.js` has it.
const PASSWORD: &str = "seven seeds in a row";

/// Plays a script against a server with these further settings.
pub async fn play(scene: &str, flags: &[&str]) {
    let server = TestServer::with(&flags_for_scripts(flags)).await;
    hire(&server.client(), &server.database).await;
    let script = start(scene, &server.address.to_string());
    finish(scene, script, Backstage::Nothing).await;
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// The same against a server as a process, which the script can have killed and started again.
pub async fn play_with_a_server_that_dies(scene: &str) {
    let mut server = ServerProcess::start(env!("CARGO_BIN_EXE_server-under-test"), &[]).await;
    let script = start(scene, &server.address.to_string());
    finish(scene, script, Backstage::Server(&mut server)).await;
    server.registrar.verify_ledger().await;
}

/// The same with a Postgres of its own, which the script can have stand still and go on.
pub async fn play_with_a_database_that_hangs(scene: &str) {
    let cluster = TestCluster::start().await;
    let server = TestServer::on(cluster.database(), &flags_for_scripts(&[])).await;
    let script = start(scene, &server.address.to_string());
    finish(scene, script, Backstage::Postgres(&cluster)).await;
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// What a script may ask for.
enum Backstage<'a> {
    Nothing,
    Server(&'a mut ServerProcess),
    Postgres(&'a TestCluster),
}

impl Backstage<'_> {
    /// Does it, where there is such a thing.
    async fn does(&mut self, what: &str) -> bool {
        match (self, what) {
            (Self::Server(server), "kill") => server.kill(),
            (Self::Server(server), "start") => server.restart().await,
            (Self::Postgres(cluster), "hold") => cluster.freeze(),
            (Self::Postgres(cluster), "release") => cluster.thaw(),
            _ => return false,
        }
        true
    }
}

/// Everybody in a script comes from one address.
fn flags_for_scripts<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let mut all = vec!["--sign-ups-by-address=1000000"];
    all.extend(flags);
    all
}

/// An administrator, a cashier and an auditor, who sign in like everybody.
async fn hire(client: &Client, database: &TestDatabase) {
    let mut owner = database.as_owner().await;
    for role in ["admin", "cashier", "auditor"] {
        let email = format!("{role}@test.example");
        let name = format!("The {role}");
        let body = json!({"email": email, "password": PASSWORD, "display_name": name, "birth_date": "1980-01-01"});
        client.post("/v1/auth/register", &body).await.expect(201);
        sqlx::query("update players set roles = array[$1] where email = $2")
            .bind(role)
            .bind(email)
            .execute(&mut owner)
            .await
            .unwrap();
    }
}

fn start(scene: &str, address: &str) -> Child {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    Command::new("node")
        .arg(folder.join("scenes").join(format!("{scene}.js")))
        .env("STAKEBOARD_URL", format!("http://{address}"))
        .env("STAKEBOARD_PICTURES", Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("Node.js is there")
}

/// Waits for a script, does what it asks for with the server, and fails as it does.
async fn finish(scene: &str, mut script: Child, mut backstage: Backstage<'_>) {
    let mut asks = script.stdin.take().unwrap();
    let mut says = BufReader::new(script.stdout.take().unwrap()).lines();
    let mut complains = script.stderr.take().unwrap();
    let complaints = tokio::spawn(async move {
        let mut text = String::new();
        complains.read_to_string(&mut text).await.unwrap();
        text
    });
    let followed = async {
        while let Some(line) = says.next_line().await.unwrap() {
            let Some(what) = line.strip_prefix("@server ") else {
                println!("{line}");
                continue;
            };
            assert!(backstage.does(what).await, "{scene} asks for what there is not: {what}");
            asks.write_all(b"done\n").await.unwrap();
        }
        script.wait().await.unwrap()
    };
    let status = tokio::time::timeout(LONGEST, followed).await;
    let status = status.unwrap_or_else(|_| panic!("{scene}: not at its end after {LONGEST:?}"));
    let complaints = complaints.await.unwrap();
    assert!(status.success(), "{scene}:\n{complaints}");
}
