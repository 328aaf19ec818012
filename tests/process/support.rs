//! What these tests ask in the same way.

use std::{
    process::Command,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};
use sqlx::PgPool;
use stakeboard_tests::{Client, Player, ServerProcess, Socket, play::seat_of, server::start_match};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// For what should happen at once, on a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_mins(1);

/// The machine's time, as the server's events have it.
pub fn wall() -> OffsetDateTime {
    SystemTime::now().into()
}

/// A time out of an answer.
pub fn time_of(text: &Value) -> OffsetDateTime {
    OffsetDateTime::parse(text.as_str().unwrap(), &Rfc3339).unwrap()
}

/// Whole milliseconds of a difference of times.
pub fn milliseconds(difference: time::Duration) -> i64 {
    i64::try_from(difference.whole_milliseconds()).unwrap()
}

/// A match between two new players: its id, and the two with the one first who opens.
pub async fn new_match(server: &ServerProcess, stake: i64) -> (String, [Player; 2]) {
    let (one, two) = (server.registrar.player(stake * 2).await, server.registrar.player(stake * 2).await);
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": stake})).await;
    let snapshot = snapshot(&server.client(), &id).await;
    if seat_of(&snapshot, &one) == "first" { (id, [one, two]) } else { (id, [two, one]) }
}

/// A match as anybody can read it.
pub async fn snapshot(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/matches/{id}")).await.expect(200).body
}

/// Every event of a match from its beginning.
pub async fn events(socket: &mut Socket, id: &str) -> Vec<Value> {
    let answer = socket.request(json!({"type": "watch", "match": id, "since": 0})).await;
    assert_eq!(answer["type"], "events", "{answer}");
    socket.request(json!({"type": "unwatch", "match": id})).await;
    answer["events"].as_array().unwrap().clone()
}

/// Asks again and again until there is an answer.
pub async fn eventually<T, F: Future<Output = Option<T>>>(what: &str, mut ask: impl FnMut() -> F) -> T {
    let found = async {
        loop {
            if let Some(found) = ask().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.unwrap_or_else(|_| panic!("not in a minute: {what}"))
}

/// Plays random legal moves over HTTP until so many have been made in all; gives the snapshot then.
pub async fn play_some(server: &ServerProcess, id: &str, players: &[Player; 2], moves: u64) -> Value {
    loop {
        let now = snapshot(&server.client(), id).await;
        let ply = now["ply"].as_u64().unwrap();
        if ply >= moves {
            return now;
        }
        let mover = &players[usize::from(now["to_move"] == "second")];
        let text = now["legal"][0].as_str().unwrap();
        let path = format!("/v1/matches/{id}/moves");
        server.client().of(mover).post(&path, &json!({"ply": ply + 1, "move": text})).await.expect(200);
    }
}

/// How often a match has been settled.
pub async fn settlements(pool: &PgPool, id: &str) -> i64 {
    let id: uuid::Uuid = id.parse().unwrap();
    sqlx::query_scalar("select count(*) from settlements where match_id = $1").bind(id).fetch_one(pool).await.unwrap()
}

/// What a command prints and whether it succeeds, without holding up the tests around it.
pub async fn output(mut command: Command) -> (bool, String, String) {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// `ledger verify` as a process of its own, which has to find everything in order.
pub async fn verify_by_program(server: &ServerProcess) {
    let (passed, lines, errors) = output(server.command(&["ledger", "verify"])).await;
    assert!(passed, "{lines}{errors}");
    assert!(lines.lines().count() > 10, "one line a check: {lines}");
    assert!(lines.lines().all(|line| line.starts_with("ok ")), "{lines}");
}
