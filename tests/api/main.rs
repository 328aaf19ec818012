//! The interface over HTTP: shapes, refusals, limits.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod accounts;
mod hostile;
mod lobby;
mod matches;
mod passwords;
mod players;
mod queue;
mod second_factor;
mod service;
mod tables;
mod tokens;
mod web;

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use stakeboard_tests::{Player, Socket, TestServer};

/// A password nobody guesses.
const PASSWORD: &str = "vento norte 81 pedras";

/// A registration that is right in every field.
fn registration(name: &str) -> Value {
    json!({
        "email": format!("{}@test.example", name.to_lowercase().replace(' ', ".")),
        "password": PASSWORD,
        "display_name": name,
        "birth_date": "1990-05-17",
    })
}

/// The same object with one field set.
fn with(mut object: Value, field: &str, value: impl Into<Value>) -> Value {
    object[field] = value.into();
    object
}

/// The names of an object's fields, sorted.
#[track_caller]
fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Demands RFC 3339 in UTC with milliseconds.
#[track_caller]
fn assert_time(value: &Value) {
    let text = value.as_str().unwrap();
    let digits = |from: usize, to: usize| text[from..to].bytes().all(|byte| byte.is_ascii_digit());
    assert!(
        text.len() == 24 && &text[10..11] == "T" && &text[19..20] == "." && digits(20, 23) && text.ends_with('Z'),
        "{text}"
    );
}

/// Demands a `UUIDv7`.
#[track_caller]
fn assert_id(value: &Value) {
    let id: uuid::Uuid = value.as_str().unwrap().parse().unwrap();
    assert_eq!(id.get_version_num(), 7, "{id}");
}

/// A socket of a player that the server counts as open.
async fn open(server: &TestServer, player: &Player) -> Socket {
    Socket::open(server.address, &player.token).await
}

/// Closes a socket and waits until the server has let go of it.
async fn leave(mut socket: Socket) {
    socket.stream.close(None).await.unwrap();
    while socket.stream.next().await.is_some() {}
}
