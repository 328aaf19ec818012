//! Play over real sockets.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod closing;
mod events;
mod floods;
mod greeting;
mod lobby;
mod matches;
mod rematch;
mod seats;
mod watching;

use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use stakeboard_tests::{Player, Socket, TestServer};
use tokio::time::timeout;

/// Longer than anything should take, for what is promised at once.
const AT_ONCE: Duration = Duration::from_secs(1);

/// A socket of a player.
async fn open(server: &TestServer, player: &Player) -> Socket {
    Socket::open(server.address, &player.token).await
}

/// Closes a socket and waits until the server has let go of it.
async fn leave(mut socket: Socket) {
    socket.stream.close(None).await.unwrap();
    while socket.stream.next().await.is_some() {}
}

/// Demands that the server closes a socket, and tells why in a last frame and in the close itself.
#[track_caller]
fn assert_told(
    ended: &(Vec<Value>, Option<tokio_tungstenite::tungstenite::protocol::CloseFrame>),
    code: &str,
    number: u16,
) {
    let (frames, close) = ended;
    let last = frames.last().unwrap_or_else(|| panic!("no frame says {code}"));
    assert_eq!((&last["type"], &last["code"]), (&json!("error"), &json!(code)), "{frames:?}");
    let close = close.as_ref().unwrap();
    assert_eq!((close.reason.as_str(), u16::from(close.code)), (code, number));
}

/// Demands that a socket serves its player.
async fn assert_serves(socket: &mut Socket) {
    let pong = timeout(AT_ONCE, socket.request(json!({"type": "ping"}))).await.expect("answered at once");
    assert_eq!(pong["type"], "pong", "{pong}");
}

/// Everything that comes before the answer to a ping: what was sent before it and not yet read.
async fn so_far(socket: &mut Socket) -> Vec<Value> {
    socket.send(&json!({"type": "ping", "id": "so far"})).await;
    let mut frames = Vec::new();
    loop {
        let frame = socket.next().await;
        if frame["id"] == "so far" {
            return frames;
        }
        frames.push(frame);
    }
}
