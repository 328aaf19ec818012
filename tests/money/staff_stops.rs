//! O-2, P-3: what keeps new stakes from being made, and what goes on all the same.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use stakeboard_server::role::Role;
use stakeboard_tests::{Answer, Client, Player, Socket, TestServer};

use crate::support::{accept, check_books, eventually, post_seek, settlements, text, together};

async fn put(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(client.request(Method::PUT, path).json(body)).await
}

async fn admin(server: &TestServer) -> Client {
    server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await)
}

async fn seeks(client: &Client) -> usize {
    client.get("/v1/lobby/seeks").await.expect(200).body["items"].as_array().unwrap().len()
}

/// The same player after logging in again.
async fn again(server: &TestServer, player: &Player) -> (Player, Client) {
    let player = server.registrar.session(player.id, player.name.clone()).await;
    let client = server.client().of(&player);
    (player, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn o_2_switches_stop_new_stakes_of_all_of_a_game_or_of_a_player_and_nothing_else() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    let (_, [running, _]) = server.start_match(100).await;
    let ((one, first), (_, second)) = (server.player(1_000).await, server.player(1_000).await);
    let stops = |all: bool, games: Value, players: Value| json!({"all": all, "games": games, "players": players, "reason": "test"});
    let oware = json!({"game": "oware", "stake": 50});

    // A seek from before waits while all is stopped, and can be accepted when that is over.
    let seek = post_seek(&first, 50).await;
    let set = put(&admin, "/v1/admin/switches", &stops(true, json!([]), json!([]))).await.expect(200).body;
    assert_eq!((&set["stopped"]["all"], &set["stops"][0]["reason"]), (&json!(true), &json!("test")));
    first.post("/v1/lobby/seeks", &oware).await.refused(409, "stakes_closed");
    accept(&second, &seek, 50).await.refused(409, "stakes_closed");
    first.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.expect(201);

    put(&admin, "/v1/admin/switches", &stops(false, json!(["oware"]), json!([]))).await.expect(200);
    first.post("/v1/lobby/seeks", &oware).await.refused(409, "stakes_closed");
    let morris = first.post("/v1/lobby/seeks", &json!({"game": "morris", "stake": 50})).await;
    morris.expect(201);
    accept(&second, &seek, 50).await.refused(409, "stakes_closed");

    // The poster's stop is the poster's affair: the seek goes.
    put(&admin, "/v1/admin/switches", &stops(false, json!([]), json!([one.id]))).await.expect(200);
    first.post("/v1/lobby/seeks", &oware).await.refused(409, "stakes_closed");
    second.post("/v1/lobby/seeks", &oware).await.expect(201);
    accept(&second, &seek, 50).await.refused(409, "seek_gone");
    let other = post_seek(&second, 50).await;
    accept(&first, &other, 50).await.refused(409, "stakes_closed");

    put(&admin, "/v1/admin/switches", &stops(false, json!([]), json!([]))).await.expect(200);
    accept(&first, &other, 50).await.expect(201);
    // The match from before was never in question.
    server.client().of(&running).get("/v1/wallet").await.expect(200);
    let read = admin.get("/v1/admin/switches").await.expect(200).body;
    assert_eq!(read, json!({"stopped": {"all": false, "games": [], "players": []}, "stops": []}));
    let lines = admin.get("/v1/admin/audit?action=switches.set").await.expect(200).body;
    assert_eq!(lines["items"].as_array().unwrap().len(), 4);
    assert_eq!(lines["items"][3]["detail"]["after"]["all"], true);
    check_books(&server.registrar, 2 * 100 + 2 * 1_000 + 5).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_2_no_match_begins_once_a_stop_is_answered() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    for _ in 0..5 {
        let mut acts = Vec::new();
        for _ in 0..6 {
            let ((_, one), (_, two)) = (server.player(50).await, server.player(50).await);
            let seek = post_seek(&one, 50).await;
            acts.push((two, seek));
        }
        let accepts =
            acts.into_iter().map(|(client, seek)| tokio::spawn(async move { accept(&client, &seek, 50).await.status }));
        let accepts: Vec<_> = accepts.collect();
        let stop = json!({"all": true, "games": [], "players": [], "reason": "race"});
        put(&admin, "/v1/admin/switches", &stop).await.expect(200);
        let begun: i64 =
            sqlx::query_scalar("select count(*) from matches").fetch_one(&server.registrar.pool).await.unwrap();
        for accepted in accepts {
            let status = accepted.await.unwrap();
            assert!([201, 409].contains(&status), "{status}");
        }
        let after: i64 =
            sqlx::query_scalar("select count(*) from matches").fetch_one(&server.registrar.pool).await.unwrap();
        assert_eq!(begun, after, "a match began after the stop was answered");
        let go_on = json!({"all": false, "games": [], "players": [], "reason": "race"});
        put(&admin, "/v1/admin/switches", &go_on).await.expect(200);
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn o_2_bad_switches_are_refused_by_field() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    let nobody = uuid::Uuid::now_v7();
    for (body, field) in [
        (json!({"all": 1, "games": [], "players": [], "reason": "x"}), "all"),
        (json!({"games": [], "players": [], "reason": "x"}), "all"),
        (json!({"all": false, "games": ["chess"], "players": [], "reason": "x"}), "games"),
        (json!({"all": false, "games": [], "players": [nobody], "reason": "x"}), "players"),
        (json!({"all": false, "games": [], "players": [], "reason": ""}), "reason"),
        (json!({"all": false, "games": [], "players": [], "reason": "x", "until": 1}), "until"),
    ] {
        let answer = put(&admin, "/v1/admin/switches", &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{body}");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_3_a_voided_match_gives_both_stakes_back_once_and_tells_its_watchers() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    let (id, [first, second]) = server.start_match(100).await;
    let mut socket = Socket::open(server.address, &second.token).await;
    socket.watch(&id).await;
    let path = format!("/v1/admin/matches/{id}/void");

    admin.post(&path, &json!({})).await.refused(422, "invalid_request");
    let voided = admin.post(&path, &json!({"reason": "a fault of ours"})).await.expect(200).body;
    let ended = socket.until("ended").await;
    assert_eq!((&ended["outcome"]["winner"], &ended["outcome"]["ending"]), (&Value::Null, &json!("void")));
    assert_eq!((&ended["payout"], &ended["fee"], &ended["seq"]), (&json!(0), &json!(0), &voided["seq"]));
    admin.post(&path, &json!({"reason": "again"})).await.refused(409, "match_over");
    admin
        .post(&format!("/v1/admin/matches/{}/void", uuid::Uuid::now_v7()), &json!({"reason": "x"}))
        .await
        .refused(404, "not_found");

    for player in [&first, &second] {
        assert_eq!(server.registrar.available(player.id).await, 100);
    }
    assert_eq!(settlements(&server.registrar.pool, &id).await, ["void"]);
    let lines = admin.get("/v1/admin/audit?action=match.void").await.expect(200).body;
    let lines = lines["items"].as_array().unwrap().clone();
    assert_eq!(lines.len(), 1, "a refused one leaves no line");
    assert_eq!((&lines[0]["subject"], &lines[0]["reason"]), (&json!(format!("match:{id}")), &json!("a fault of ours")));
    let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    assert_eq!(record["outcome"]["ending"], "void");
    check_books(&server.registrar, 200).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn b5_voids_and_a_resignation_at_once_are_one_end_and_one_settlement() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    let (mut voided, mut resigned) = (0, 0);
    for round in 0..12 {
        let (id, [first, second]) = server.start_match(100).await;
        let mut acts = Vec::new();
        for number in 0..10 {
            let (client, path, body) = if number == round % 10 {
                (server.client().of(&first), format!("/v1/matches/{id}/resign"), None)
            } else {
                (admin.clone(), format!("/v1/admin/matches/{id}/void"), Some(json!({"reason": "race"})))
            };
            acts.push(async move {
                match body {
                    Some(body) => ("void", client.post(&path, &body).await),
                    None => ("resignation", client.post_empty(&path).await),
                }
            });
        }
        let answers = together(acts).await;
        let done: Vec<_> = answers.iter().filter(|(_, answer)| answer.status == 200).map(|(what, _)| *what).collect();
        assert_eq!(done.len(), 1, "one of them ends the match");
        for (_, answer) in answers.iter().filter(|(_, answer)| answer.status != 200) {
            assert_eq!((answer.status, answer.code()), (409, "match_over"));
        }
        let (outcome, money) = if done[0] == "void" {
            voided += 1;
            ("void", [100, 100])
        } else {
            resigned += 1;
            ("win", [0, 180])
        };
        assert_eq!(settlements(&server.registrar.pool, &id).await, [outcome]);
        let have = [server.registrar.available(first.id).await, server.registrar.available(second.id).await];
        assert_eq!(have, money);
    }
    assert_eq!(voided + resigned, 12);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_void_and_a_flag_at_once_are_one_end() {
    let server = TestServer::with(&["--clock-ms=1000"]).await;
    let admin = admin(&server).await;
    for late in [0, 5, 10, 20, 30, 60] {
        let (id, players) = server.start_match(100).await;
        tokio::time::sleep(Duration::from_millis(985 + late)).await;
        let answer = admin.post(&format!("/v1/admin/matches/{id}/void"), &json!({"reason": "race"})).await;
        let client = server.client();
        eventually("the match ends", || async {
            client.get(&format!("/v1/matches/{id}")).await.body["status"] == "ended"
        })
        .await;
        let outcome = if answer.status == 200 { "void" } else { "win" };
        assert!(answer.status == 200 || answer.code() == "match_over", "{}", answer.text);
        assert_eq!(settlements(&server.registrar.pool, &id).await, [outcome]);
        let mut have =
            [server.registrar.available(players[0].id).await, server.registrar.available(players[1].id).await];
        have.sort_unstable();
        assert_eq!(have, if outcome == "void" { [100, 100] } else { [0, 180] });
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// What everybody who is shut out may and may not do, whoever shut them out.
async fn shut_out(server: &TestServer, player: &Player, seek_of_other: &str, code: &str) -> Client {
    server.client().of(player).get("/v1/me").await.refused(401, "unauthenticated");
    let (_, client) = again(server, player).await;
    client.get("/v1/wallet").await.expect(200);
    client.get("/v1/matches").await.expect(200);
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 50})).await.refused(403, code);
    accept(&client, seek_of_other, 50).await.refused(403, code);
    client.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.refused(403, code);
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_a_frozen_player_is_out_within_a_second_and_may_do_what_is_owed_to_them() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    let ((player, client), (_, other)) = (server.player(1_000).await, server.player(1_000).await);
    let seek = post_seek(&client, 50).await;
    let others = post_seek(&other, 50).await;
    let mut socket = Socket::open(server.address, &player.token).await;
    let path = |act: &str| format!("/v1/admin/players/{}/{act}", player.id);

    let frozen = admin.post(&path("freeze"), &json!({"reason": "a complaint"})).await.expect(200).body;
    assert_eq!(frozen, json!({"frozen": true, "voided": null}));
    let asked = Instant::now();
    let (_, close) = socket.closed().await;
    assert_eq!(close.map(|close| close.reason.to_string()), Some("unauthenticated".into()));
    assert!(asked.elapsed() < Duration::from_secs(1));
    accept(&other, &seek, 50).await.refused(409, "seek_gone");
    let client = shut_out(&server, &player, &others, "frozen").await;
    assert_eq!(client.get("/v1/me").await.expect(200).body["frozen"], true);

    admin.post(&path("unfreeze"), &json!({"reason": "cleared up"})).await.expect(200);
    client.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await.expect(201);
    accept(&client, &others, 50).await.expect(201);
    let lines = admin.get(&format!("/v1/admin/audit?player={}", player.id)).await.expect(200).body;
    let lines = lines["items"].as_array().unwrap().iter().filter(|line| line["action"] != "audit.read");
    let acts: Vec<_> = lines.map(|line| (text(&line["action"]), text(&line["reason"]))).collect();
    let acts: Vec<_> = acts.iter().map(|(act, reason)| (act.as_str(), reason.as_str())).collect();
    assert_eq!(acts, [("player.unfreeze", "cleared up"), ("player.freeze", "a complaint")]);

    for (body, field) in [(json!({"reason": ""}), "reason"), (json!({"reason": "x", "running": "pause"}), "running")] {
        let answer = admin.post(&path("freeze"), &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    check_books(&server.registrar, 2_005).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_the_running_match_of_a_frozen_player_is_played_on_or_voided_as_asked() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    let (id, [first, _]) = server.start_match(100).await;
    let freeze = json!({"reason": "x", "running": "play_on"});
    let path = format!("/v1/admin/players/{}/freeze", first.id);
    assert_eq!(admin.post(&path, &freeze).await.expect(200).body["voided"], Value::Null);
    let (_, client) = again(&server, &first).await;
    let legal = client.get(&format!("/v1/matches/{id}")).await.expect(200).body["legal"][0].clone();
    client.post(&format!("/v1/matches/{id}/moves"), &json!({"ply": 1, "move": legal})).await.expect(200);

    let freeze = json!({"reason": "x", "running": "void"});
    assert_eq!(admin.post(&path, &freeze).await.expect(200).body, json!({"frozen": true, "voided": id}));
    assert_eq!(settlements(&server.registrar.pool, &id).await, ["void"]);
    assert_eq!(admin.post(&path, &freeze).await.expect(200).body["voided"], Value::Null);
    check_books(&server.registrar, 200).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_a_break_and_an_exclusion_work_at_once_and_never_become_shorter() {
    let server = TestServer::start().await;
    let ((player, client), (_, other)) = (server.player(1_000).await, server.player(1_000).await);
    let seek = post_seek(&client, 50).await;
    let others = post_seek(&other, 50).await;
    let mut socket = Socket::open(server.address, &player.token).await;
    for (path, body, field) in [
        ("break", json!({"days": 0}), "days"),
        ("break", json!({"days": 93}), "days"),
        ("break", json!({"days": "1"}), "days"),
        ("exclusion", json!({"months": 5}), "months"),
        ("exclusion", json!({"months": 61}), "months"),
    ] {
        let answer = client.post(&format!("/v1/me/{path}"), &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    assert_eq!(seeks(&other).await, 2);

    let begun = client.post("/v1/me/break", &json!({"days": 10})).await.expect(200).body;
    assert_eq!(begun["kind"], "break");
    assert!(socket.closed().await.1.is_some());
    accept(&other, &seek, 50).await.refused(409, "seek_gone");
    let client = shut_out(&server, &player, &others, "on_break").await;
    let refused = client.post_once("/v1/wallet/deposits", &json!({"amount": 5})).await;
    assert_eq!(refused.body["until"], begun["until"]);

    let shorter = client.post("/v1/me/break", &json!({"days": 1})).await.expect(200).body;
    assert_eq!(shorter, begun);
    let (_, client) = again(&server, &player).await;
    let excluded = client.post("/v1/me/exclusion", &json!({"months": 6})).await.expect(200).body;
    assert!(excluded["kind"] == "exclusion" && text(&excluded["until"]) > text(&begun["until"]), "{excluded}");
    let (_, client) = again(&server, &player).await;
    assert_eq!(client.post("/v1/me/break", &json!({"days": 92})).await.expect(200).body, excluded);
    let (_, client) = again(&server, &player).await;
    assert_eq!(client.get("/v1/me").await.expect(200).body["pause"], excluded);

    // It ends by itself.
    let mut owner = server.database.as_owner().await;
    sqlx::query("update players set break_until = now() where id = $1")
        .bind(player.id.0)
        .execute(&mut owner)
        .await
        .unwrap();
    assert_eq!(client.get("/v1/me").await.expect(200).body["pause"], Value::Null);
    accept(&client, &others, 50).await.expect(201);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_of_a_freeze_and_an_accept_at_once_either_comes_first() {
    let server = TestServer::start().await;
    let admin = admin(&server).await;
    for _ in 0..15 {
        let ((player, client), (_, other)) = (server.player(50).await, server.player(50).await);
        let seek = post_seek(&other, 50).await;
        let path = format!("/v1/admin/players/{}/freeze", player.id);
        let freezer = admin.clone();
        let froze = tokio::spawn(async move { freezer.post(&path, &json!({"reason": "race"})).await.expect(200) });
        let accepted = accept(&client, &seek, 50).await;
        froze.await.unwrap();
        match accepted.status {
            201 => assert_eq!(server.registrar.available(player.id).await, 0),
            403 => assert_eq!((accepted.code(), server.registrar.available(player.id).await), ("frozen", 50)),
            401 => assert_eq!(server.registrar.available(player.id).await, 50),
            other => panic!("{other}: {}", accepted.text),
        }
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}
