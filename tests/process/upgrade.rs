//! This server on what an earlier one left: its schema, and matches in the middle of play.

use std::path::Path;

use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use stakeboard_server::ids::PlayerId;
use stakeboard_tests::{Client, ServerProcess, TestDatabase};

use crate::{
    SERVER,
    support::{settlements, snapshot, verify_by_program},
};

/// The last migration of the earlier server.
const EARLIER: i64 = 20_261_130_000_021;

// As in `release_21.sql`.
const ENDED: &str = "01930000-0000-7000-8000-0000000000f0";
const OFFERED: &str = "01930000-0000-7000-8000-0000000000f1";
const BEGUN: &str = "01930000-0000-7000-8000-0000000000f2";
const FRIENDLY: &str = "01930000-0000-7000-8000-0000000000f3";

/// A database as it was left then.
async fn left_behind() -> TestDatabase {
    let database = TestDatabase::empty().await;
    let mut owner = database.as_owner().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    Migrator::new(folder).await.unwrap().run_to(EARLIER, &mut owner).await.unwrap();
    sqlx::raw_sql(include_str!("release_21.sql")).execute(&mut owner).await.unwrap();
    database
}

/// A client of a player of then, by the last digit of their identifier.
async fn client(server: &ServerProcess, digit: char) -> Client {
    let id: uuid::Uuid = format!("01930000-0000-7000-8000-00000000000{digit}").parse().unwrap();
    let player = server.registrar.session(PlayerId(id), digit.to_string()).await;
    server.client().of(&player)
}

async fn available(client: &Client) -> Value {
    client.get("/v1/wallet").await.expect(200).body["available"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_under_way_on_an_earlier_schema_go_on_and_are_settled_on_this_one() {
    // The server is given the owner's way in, and migrates by itself.
    let server = ServerProcess::on(left_behind().await, SERVER, &[]).await;
    let [ana, bia, caio, davi] = [
        client(&server, 'a').await,
        client(&server, 'b').await,
        client(&server, 'c').await,
        client(&server, 'd').await,
    ];
    let now = snapshot(&ana, OFFERED).await;
    assert_eq!((&now["status"], &now["moves"]), (&json!("live"), &json!(["C", "b", "D", "a"])));
    assert_eq!(
        (&now["seq"], &now["to_move"], &now["clocks"]["running"]),
        (&json!(6), &json!("first"), &json!("first"))
    );
    assert_eq!(now["draw_offer"], json!({"by": "second", "offer": 5}));
    // Charged up to the last heartbeat, five seconds after the last event, and for as long as it is served again.
    let left = now["clocks"]["first_ms"].as_i64().unwrap();
    assert!((535_000 - 30_000..=535_000).contains(&left), "{left}");
    assert_eq!(now["clocks"]["second_ms"], 540_000);
    let accept = json!({"action": "accept", "offer": 5});
    ana.post(&format!("/v1/matches/{OFFERED}/draw"), &accept).await.expect(200);

    let now = snapshot(&caio, BEGUN).await;
    assert_eq!((&now["status"], &now["seq"]), (&json!("live"), &json!(1)), "{now}");
    let left = now["clocks"]["first_ms"].as_i64().unwrap();
    assert!((598_000 - 30_000..=598_000).contains(&left), "{left}");
    caio.post(&format!("/v1/matches/{BEGUN}/moves"), &json!({"ply": 1, "move": "C"})).await.expect(200);
    davi.post_empty(&format!("/v1/matches/{BEGUN}/resign")).await.expect(200);
    caio.post_empty(&format!("/v1/matches/{FRIENDLY}/resign")).await.expect(200);

    // 1,000 each; 50 were lost by one and 90 of the pot paid to the other before; then a draw, and 360 of a pot of 400.
    let all = [available(&ana).await, available(&bia).await, available(&caio).await, available(&davi).await];
    assert_eq!(all, [json!(950), json!(1_040), json!(1_160), json!(800)]);
    for (id, settled) in [(ENDED, 1), (OFFERED, 1), (BEGUN, 1), (FRIENDLY, 0)] {
        assert_eq!(settlements(&server.registrar.pool, id).await, settled, "{id}");
        let record = ana.get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
        assert!(!record["outcome"].is_null(), "{record}");
    }
    verify_by_program(&server).await;
}
