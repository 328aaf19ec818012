//! Who may act in a match, and what everybody else may not.

use serde_json::{Value, json};
use stakeboard_tests::{Socket, TestServer};

use crate::{assert_serves, open};

async fn act(socket: &mut Socket, frame: &Value) -> String {
    let answer = socket.request(frame.clone()).await;
    answer["code"].as_str().unwrap_or("ok").to_owned()
}

/// T49, T50.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_two_players_act_and_neither_for_the_other_seat() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let stranger = server.registrar.player(1_000).await;
    let acts = [
        json!({"type": "move", "match": match_id, "ply": 1, "move": "C"}),
        json!({"type": "resign", "match": match_id}),
        json!({"type": "draw", "match": match_id, "action": "offer"}),
        json!({"type": "draw", "match": match_id, "action": "accept", "offer": 1}),
    ];
    for token in [stranger.token.as_str(), guest["access_token"].as_str().unwrap()] {
        let mut socket = Socket::open(server.address, token).await;
        assert_eq!(socket.watch(&match_id).await["status"], "live", "everybody may watch");
        for frame in &acts {
            assert_eq!(act(&mut socket, frame).await, "not_a_player", "{frame}");
        }
        assert_serves(&mut socket).await;
    }
    // Two sockets of one player are the same seat; the other one is not to be had.
    let (mut one, mut again, mut rival) =
        (open(&server, &first).await, open(&server, &first).await, open(&server, &second).await);
    assert_eq!(act(&mut rival, &acts[0]).await, "not_your_turn");
    assert_eq!(act(&mut one, &acts[0]).await, "ok");
    assert_eq!(
        act(&mut again, &json!({"type": "move", "match": match_id, "ply": 2, "move": "a"})).await,
        "not_your_turn"
    );
    assert_eq!(act(&mut rival, &acts[0]).await, "stale_ply", "a repeat is by who made the move");
    assert_eq!(act(&mut again, &acts[0]).await, "ok");
    let resigned = again.request(acts[1].clone()).await;
    assert_eq!(resigned["seq"], 2);
    let ended = rival.watch(&match_id).await;
    assert_eq!((&ended["outcome"]["winner"], &ended["moves"]), (&json!("second"), &json!(["C"])));
}

/// T26, T29, T31.
#[tokio::test(flavor = "multi_thread")]
async fn a_move_is_acknowledged_again_and_every_other_mistake_has_its_own_answer() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let (mut one, mut two) = (open(&server, &first).await, open(&server, &second).await);
    let illegal = one.play(&match_id, 1, "a").await;
    assert_eq!((&illegal["code"], &illegal["reason"]), (&json!("illegal_move"), &json!("not_your_house")));
    for _ in 0..10 {
        let answer = one.play(&match_id, 1, "C").await;
        assert_eq!((&answer["type"], &answer["seq"]), (&json!("ok"), &json!(1)));
    }
    assert_eq!(two.play(&match_id, 2, "b").await["seq"], 2);
    assert_eq!(one.play(&match_id, 1, "C").await["seq"], 1, "also after the reply");
    let stale = one.play(&match_id, 1, "D").await;
    assert_eq!((&stale["code"], &stale["ply"]), (&json!("stale_ply"), &json!(2)));
    let ahead = one.play(&match_id, 5, "D").await;
    assert_eq!((&ahead["code"], &ahead["ply"]), (&json!("stale_ply"), &json!(2)));
    assert_eq!(two.play(&match_id, 3, "a").await["code"], "not_your_turn");
    assert_eq!(two.request(json!({"type": "resign", "match": match_id})).await["seq"], 3);
    for socket in [&mut one, &mut two] {
        for frame in [
            json!({"type": "move", "match": match_id, "ply": 3, "move": "A"}),
            json!({"type": "resign", "match": match_id}),
            json!({"type": "draw", "match": match_id, "action": "offer"}),
            json!({"type": "draw", "match": match_id, "action": "decline", "offer": 1}),
        ] {
            assert_eq!(act(socket, &frame).await, "match_over", "{frame}");
        }
    }
    assert_eq!(one.play(&match_id, 1, "C").await["seq"], 1, "also after the end");
    server.registrar.verify_ledger().await;
}
