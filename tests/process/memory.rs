//! What is too large is not kept while it comes.

use std::time::Duration;

use stakeboard_tests::{Line, ServerProcess};
use tokio::task::JoinSet;

use crate::SERVER;

/// How many bodies come at once.
const BODIES: usize = 64;
/// How large each would be.
const LENGTH: usize = 10 << 20;

/// The most memory that a process has had so far, in kilobytes.
fn peak(server: &ServerProcess) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Sends a body without end in pieces, until it is refused; gives how much of it was taken.
async fn send(mut line: Line, head: String) -> usize {
    line.send(head.as_bytes()).await.unwrap();
    let piece = format!("4000\r\n{}\r\n", " ".repeat(0x4000));
    let mut sent = 0;
    while sent < LENGTH && line.send(piece.as_bytes()).await.is_ok() {
        sent += 0x4000;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    sent
}

#[tokio::test(flavor = "multi_thread")]
async fn t52_bodies_of_ten_megabytes_by_the_dozen_take_no_memory() {
    let server = ServerProcess::start(SERVER, &[]).await;
    let player = server.registrar.player(0).await;
    let head = format!(
        "POST /v1/lobby/seeks HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        player.token
    );
    // What the first requests make room for is not what is measured.
    send(Line::connect(server.address).await, head.clone()).await;
    let before = peak(&server);
    let mut sending = JoinSet::new();
    for _ in 0..BODIES {
        sending.spawn(send(Line::connect(server.address).await, head.clone()));
    }
    let taken: usize = sending.join_all().await.into_iter().sum();
    let grown = peak(&server) - before;
    println!("{BODIES} bodies of {} kB: {} kB were sent, memory grew by {grown} kB", LENGTH >> 10, taken >> 10);
    assert!(taken < BODIES * LENGTH / 10, "{taken} bytes were taken");
    // A tenth of what was to come, and far more than what a connection may hold.
    assert!(grown < (BODIES * LENGTH / 10 / 1_024) as u64, "{grown} kB");
    server.client().get("/readyz").await.expect(200);
}
