//! The programs that a newcomer copies, as they stand in `clients/` and in `docs/clients.md`.

use std::{path::Path, process::Stdio};

use stakeboard_tests::TestServer;
use tempfile::TempDir;
use tokio::process::Command;

/// The root of the workspace.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// What a program prints, which ends well.
async fn output(command: &mut Command) -> String {
    let folder = TempDir::new().unwrap();
    let done = command.current_dir(folder.path()).stdin(Stdio::null()).kill_on_drop(true).output().await;
    let done = done.expect("the program is there");
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    said
}

/// Runs a program that plays, and looks at the match it says it has played.
async fn plays(program: &mut Command) {
    let server = TestServer::start().await;
    let said = output(program.arg(format!("http://{}", server.address))).await;
    let practice = said.lines().find_map(|line| line.strip_prefix("practice: ")).expect("it has practised");
    assert!(practice.contains("moves"), "{said}");
    let told = said.lines().find_map(|line| line.strip_prefix("match: ")).expect("it has played a match");
    let id = told.split_whitespace().next().unwrap();
    let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    assert_eq!(
        (&record["game"], told.split_whitespace().nth(1)),
        (&"mu_torere".into(), record["outcome"]["ending"].as_str())
    );
    server.stop().await;
}

#[ignore = "needs Python with websockets"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_in_python_practises_and_plays_a_match() {
    plays(Command::new("python3").arg(root().join("clients/play.py"))).await;
}

#[ignore = "needs Node.js"]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_client_in_javascript_practises_and_plays_a_match() {
    // Node.js 22 has the socket without being asked, and leaves the flag alone.
    plays(Command::new("node").arg("--experimental-websocket").arg(root().join("clients/play.mjs"))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_quick_start_in_a_shell_does_what_it_says() {
    let server = TestServer::start().await;
    let page = std::fs::read_to_string(root().join("docs/clients.md")).unwrap();
    let script = page.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it begins with one");
    let mut shell = Command::new("bash");
    let said = output(shell.args(["-euo", "pipefail", "-c", script]).env("S", server.client().url(""))).await;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[1].contains("\"made\":[{\"ply\":1,\"by\":\"first\",\"move\":\"C\""), "{}", lines[1]);
    assert!(lines[2].contains("\"move\""), "{}", lines[2]);
    assert!(lines[5].contains("\"ending\":\"resignation\""), "{}", lines[5]);
    server.stop().await;
}

#[ignore = "needs Node.js"]
#[tokio::test]
async fn the_document_of_the_socket_is_one_that_others_tools_understand() {
    let check = root().join("tests/interface/asyncapi/check.js");
    let said = output(Command::new("node").arg(check).arg(root().join("asyncapi.yaml"))).await;
    assert!(said.contains("valid"), "{said}");
}
