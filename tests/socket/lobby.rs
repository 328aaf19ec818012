//! The lobby on the socket.

use serde_json::{Value, json};
use stakeboard_tests::TestServer;

use crate::{open, so_far};

const SEEKS: &str = "/v1/lobby/seeks";

#[tokio::test(flavor = "multi_thread")]
async fn the_lobby_is_sent_whole_and_then_every_change() {
    let server = TestServer::start().await;
    let (_, one) = server.player(1_000).await;
    let (_, two) = server.player(1_000).await;
    let (spectator, _) = server.player(0).await;
    let post = async |stake: i64| one.post(SEEKS, &json!({"game": "oware", "stake": stake})).await.expect(201).body;
    let (old, newer) = (post(5).await, post(10).await);
    let mut socket = open(&server, &spectator).await;
    let listed = server.client().get(SEEKS).await.expect(200).body["items"].clone();
    // The news of a post may still be on its way to the board when its answer is there.
    let lobby = loop {
        let lobby = socket.request(json!({"type": "watch_lobby"})).await;
        if lobby["seeks"].as_array().unwrap().len() == 2 {
            break lobby;
        }
    };
    assert_eq!((&lobby["type"], &lobby["seeks"]), (&json!("lobby"), &listed));
    assert_eq!(listed, json!([newer, old]));

    let change = |added: Value, removed: Value| json!({"type": "lobby_change", "added": added, "removed": removed});
    let fresh = post(100).await;
    assert_eq!(socket.until("lobby_change").await, change(json!([fresh]), json!([])));
    one.delete(&format!("{SEEKS}/{}", old["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(socket.until("lobby_change").await, change(json!([]), json!([old["id"]])));
    // A pairing takes the seek and every other one of both players.
    let theirs = two.post(SEEKS, &json!({"game": "oware", "stake": 5})).await.expect(201).body;
    assert_eq!(socket.until("lobby_change").await, change(json!([theirs]), json!([])));
    let path = format!("{SEEKS}/{}/accept", fresh["id"].as_str().unwrap());
    two.post_once(&path, &json!({"stake": 100})).await.expect(201);
    let mut removed = Vec::new();
    while removed.len() < 3 {
        let frame = socket.until("lobby_change").await;
        assert_eq!(frame["added"], json!([]));
        removed.extend(frame["removed"].as_array().unwrap().clone());
    }
    let mut expected = [fresh["id"].clone(), newer["id"].clone(), theirs["id"].clone()];
    removed.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    assert_eq!(removed, expected);

    assert_eq!(socket.request(json!({"type": "unwatch_lobby"})).await["type"], "ok");
    let (_, three) = server.player(1_000).await;
    let mut other = open(&server, &spectator).await;
    other.request(json!({"type": "watch_lobby"})).await;
    three.post(SEEKS, &json!({"game": "oware", "stake": 5})).await.expect(201);
    other.until("lobby_change").await;
    assert!(so_far(&mut socket).await.is_empty());
}
