//! What is told of a match as it happens, and to whom.

use serde_json::{Value, json};
use stakeboard_tests::{TestServer, server::start_match};

use crate::{leave, open, so_far};

fn keys(object: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_tells_what_it_did_so_that_a_page_need_not_know_the_rules() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let mut socket = open(&server, &second).await;
    socket.watch(&match_id).await;
    let mut player = open(&server, &first).await;
    assert_eq!(player.play(&match_id, 1, "C").await, json!({"type": "ok", "id": 1, "seq": 1}));
    let moved = socket.until("moved").await;
    assert_eq!(
        keys(&moved),
        [
            "by",
            "captured",
            "clocks",
            "legal",
            "match",
            "move",
            "occurrences",
            "ply",
            "position",
            "quiet",
            "seq",
            "sown",
            "to_move",
            "type"
        ]
    );
    assert_eq!((&moved["match"], &moved["seq"], &moved["ply"]), (&json!(match_id), &json!(1), &json!(1)));
    assert_eq!((&moved["by"], &moved["move"], &moved["to_move"]), (&json!("first"), &json!("C"), &json!("second")));
    assert_eq!(moved["position"], "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N");
    assert_eq!(moved["sown"], json!(["D", "E", "F", "a"]));
    assert_eq!((&moved["captured"], &moved["quiet"]), (&json!([]), &json!(1)));
    assert_eq!(moved["legal"], json!(["a", "b", "c", "d", "e", "f"]));
    assert_eq!(keys(&moved["clocks"]), ["at", "first_ms", "running", "second_ms"]);
    assert_eq!(moved["clocks"]["running"], "second");
}

/// OW-3: a capture, worked out by hand: F puts a fifth seed in a, b, c, d; b runs on to c, d, e, f and A.
#[tokio::test(flavor = "multi_thread")]
async fn a_capture_names_houses_and_seeds() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let mut sockets = [open(&server, &first).await, open(&server, &second).await];
    sockets[0].watch(&match_id).await;
    // 1 F: 4,4,4,4,4,0/5,5,5,5,4,4   2 f: A B C D to 5: 5,5,5,5,4,0/5,5,5,5,4,0
    // 3 B: C 6, D 6, E 5, F 1, a 6   4 b: c 6, d 6, e 5, f 1, A 6
    // 5 A: B 1, C 7, D 7, E 6, F 2, a 7   6 a: b 1, c 7, d 7, e 6, f 2, A 1, B 2: B was 1 and holds two, A was 0 and holds one
    for (ply, text) in (1..).zip(["F", "f", "B", "b", "A", "a"]) {
        let mover = usize::from(ply % 2 == 0);
        assert_eq!(sockets[mover].play(&match_id, ply, text).await["type"], "ok");
    }
    let captured = loop {
        let moved = sockets[0].until("moved").await;
        if moved["ply"] == 6 {
            break moved;
        }
    };
    assert_eq!(captured["sown"], json!(["b", "c", "d", "e", "f", "A", "B"]));
    assert_eq!(captured["captured"], json!([{"house": "B", "seeds": 2}]));
    assert_eq!(captured["position"], "1,0,7,7,6,2/0,1,7,7,6,2 0-2 S");
    assert_eq!(captured["quiet"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn draw_offers_and_the_end_are_told_with_their_places() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(250).await;
    let mut spectator = open(&server, &server.registrar.player(0).await).await;
    spectator.watch(&match_id).await;
    let (mut one, mut two) = (open(&server, &first).await, open(&server, &second).await);
    let draw = |action: &str, offer: Option<u32>| match offer {
        Some(offer) => json!({"type": "draw", "match": match_id, "action": action, "offer": offer}),
        None => json!({"type": "draw", "match": match_id, "action": action}),
    };
    assert_eq!(two.request(draw("accept", Some(1))).await["code"], "no_open_offer");
    assert_eq!(one.request(draw("offer", None)).await["seq"], 1);
    assert_eq!(one.request(draw("offer", None)).await["code"], "offer_open");
    assert_eq!(two.request(draw("accept", Some(9))).await["code"], "offer_gone");
    assert_eq!(two.request(draw("decline", Some(1))).await["seq"], 2);
    assert_eq!(one.request(draw("offer", None)).await["code"], "offer_too_soon");
    assert_eq!(two.request(draw("offer", None)).await["seq"], 3);
    assert_eq!(one.request(draw("accept", Some(3))).await["seq"], 4);
    let mut told = Vec::new();
    while told.last().is_none_or(|frame: &Value| frame["type"] != "ended") {
        let frame = spectator.next().await;
        if frame["seq"].is_u64() {
            told.push(frame);
        }
    }
    assert_eq!(told[0], json!({"type": "draw_offered", "match": match_id, "seq": 1, "by": "first"}));
    assert_eq!(told[1], json!({"type": "draw_declined", "match": match_id, "seq": 2, "by": "second"}));
    assert_eq!(told[2], json!({"type": "draw_offered", "match": match_id, "seq": 3, "by": "second"}));
    let ended = &told[3];
    assert_eq!(keys(ended), ["clocks", "fee", "match", "outcome", "payout", "seq", "type"]);
    assert_eq!((&ended["type"], &ended["seq"]), (&json!("ended"), &json!(4)));
    assert_eq!(ended["outcome"], json!({"winner": null, "ending": "agreement", "first": 0, "second": 0}));
    assert_eq!((&ended["payout"], &ended["fee"], &ended["clocks"]["running"]), (&json!(0), &json!(0), &Value::Null));
    assert_eq!(told.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_and_the_money_in_it_are_told_to_every_socket_of_both_players() {
    let server = TestServer::start().await;
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(500).await);
    let mut ones = [open(&server, &one).await, open(&server, &one).await];
    let mut twos = [open(&server, &two).await, open(&server, &two).await];
    let mut stranger = open(&server, &server.registrar.player(0).await).await;
    let match_id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 250})).await;
    for (sockets, available) in [(&mut ones, 750), (&mut twos, 250)] {
        for socket in sockets {
            assert_eq!(socket.until("match_started").await, json!({"type": "match_started", "match": match_id}));
            let wallet = json!({"type": "wallet", "available": available, "in_play": 250, "pending_withdrawal": 0});
            assert_eq!(socket.until("wallet").await, wallet);
        }
    }
    server.client().of(&one).post_empty(&format!("/v1/matches/{match_id}/resign")).await.expect(200);
    for (sockets, available) in [(&mut ones, 750), (&mut twos, 700)] {
        for socket in sockets {
            let wallet = json!({"type": "wallet", "available": available, "in_play": 0, "pending_withdrawal": 0});
            assert_eq!(socket.until("wallet").await, wallet);
        }
    }
    let deposited = server.client().of(&two).post_once("/v1/wallet/deposits", &json!({"amount": 7})).await;
    deposited.expect(201);
    assert_eq!(twos[1].until("wallet").await["available"], 707);
    assert!(so_far(&mut stranger).await.is_empty(), "money is nobody else's business");
}

/// T21: several sockets of a player count as one presence.
#[tokio::test(flavor = "multi_thread")]
async fn presence_is_told_when_the_first_socket_opens_and_when_the_last_one_closes() {
    let server = TestServer::start().await;
    let (match_id, [first, second]) = server.start_match(100).await;
    let (_, [elsewhere, _]) = server.start_match(100).await;
    let mut watcher = open(&server, &server.registrar.player(0).await).await;
    watcher.watch(&match_id).await;
    let presence =
        |seat: &str, online: bool| json!({"type": "presence", "match": match_id, "seat": seat, "online": online});
    let one = open(&server, &first).await;
    assert_eq!(watcher.next().await, presence("first", true));
    let two = open(&server, &first).await;
    leave(one).await;
    let three = open(&server, &first).await;
    leave(two).await;
    let other = open(&server, &elsewhere).await;
    let rival = open(&server, &second).await;
    assert_eq!(watcher.next().await, presence("second", true), "nothing was told in between");
    // Cut off without a word.
    drop(three);
    assert_eq!(watcher.next().await, presence("first", false));
    leave(rival).await;
    assert_eq!(watcher.next().await, presence("second", false));
    drop(other);
}
