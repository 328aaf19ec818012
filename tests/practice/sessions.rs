//! PR-1: practice against a bot.

use rand::{SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_engine::{Game, Move, Play};
use stakeboard_tests::{Client, TestServer, play::pick, server::start_match};

async fn begin(client: &Client, request: Value) -> Value {
    client.post("/v1/practice", &request).await.expect(201).body
}

fn path(session: &Value, rest: &str) -> String {
    format!("/v1/practice/{}{rest}", session["id"].as_str().unwrap())
}

async fn play(client: &Client, session: &Value, text: &str) -> Value {
    let ply = session["ply"].as_u64().unwrap() + 1;
    client.post(&path(session, "/moves"), &json!({"ply": ply, "move": text})).await.expect(200).body
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_1_a_bot_of_any_level_plays_every_ruleset_to_the_end_from_either_seat() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let mut dice = SmallRng::seed_from_u64(7);
    for game in Game::ALL {
        for (preset, options) in game.presets() {
            for (level, seat) in [("easy", "first"), ("medium", "second")] {
                let request = json!({"game": game.code(), "preset": preset, "level": level, "seat": seat});
                let mut session = begin(&client, request).await;
                assert_eq!(session["made"].as_array().unwrap().len(), usize::from(seat == "second"));
                for _ in 0..400 {
                    if session["status"] == "ended" {
                        break;
                    }
                    assert_eq!(session["to_move"], seat);
                    let legal = session["legal"].as_array().unwrap();
                    let text = legal[pick(&mut dice, legal.len())].as_str().unwrap().to_owned();
                    session = play(&client, &session, &text).await;
                    let made = session["made"].as_array().unwrap();
                    assert_eq!((made[0]["by"].as_str(), made[0]["move"].as_str()), (Some(seat), Some(text.as_str())));
                }
                assert_eq!(session["status"], "ended", "random play against a bot ends");
                // What was told is what the rules make of the moves.
                let mut replayed = Play::new(*options);
                for text in session["moves"].as_array().unwrap() {
                    replayed.play(Move::parse(*game, text.as_str().unwrap()).unwrap()).unwrap();
                }
                assert_eq!(session["position"], replayed.position().to_string());
                assert_eq!(session["outcome"]["ending"], replayed.outcome().unwrap().ending.code());
            }
        }
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_1_a_guest_practises_without_money_or_record() {
    let server = TestServer::start().await;
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let client = server.client().with_token(guest["access_token"].as_str().unwrap());
    let session = begin(&client, json!({"game": "oware", "level": "easy", "seat": "first"})).await;
    let after = play(&client, &session, "C").await;
    assert_eq!(after["ply"], 2);
    assert_eq!(client.get("/v1/matches").await.expect(200).body["items"], json!([]));
    let looked = client.get(&path(&session, "")).await.expect(200).body;
    assert_eq!(
        (&looked["moves"], &looked["made"]),
        (&after["moves"], &after["made"]),
        "both moves, with what they did"
    );
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hint_is_a_legal_move_and_a_move_can_be_taken_back() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    for game in Game::ALL {
        let session = begin(&client, json!({"game": game.code(), "level": "medium", "seat": "first"})).await;
        client.post_empty(&path(&session, "/undo")).await.refused(409, "nothing_to_undo");
        let hint = client.post_empty(&path(&session, "/hint")).await.expect(200).body["move"].clone();
        assert!(session["legal"].as_array().unwrap().contains(&hint), "{hint}");
        let after = play(&client, &session, hint.as_str().unwrap()).await;
        assert_eq!(after["ply"], 2);
        let back = client.post_empty(&path(&session, "/undo")).await.expect(200).body;
        assert_eq!((&back["position"], &back["ply"]), (&session["position"], &json!(0)));
    }
    let second = begin(&client, json!({"game": "oware", "level": "easy", "seat": "second"})).await;
    let mut after = play(&client, &second, second["legal"][0].as_str().unwrap()).await;
    after = play(&client, &after, after["legal"][0].as_str().unwrap()).await;
    client.post_empty(&path(&after, "/undo")).await.expect(200);
    let back = client.post_empty(&path(&after, "/undo")).await.expect(200).body;
    assert_eq!((&back["position"], &back["ply"]), (&second["position"], &json!(1)), "the bot's opening stands");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_requests_are_refused_by_name_and_change_nothing() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let (_, stranger) = server.player(0).await;
    for (request, field) in [
        (json!({"game": "chess", "level": "easy"}), "game"),
        (json!({"game": "oware", "level": "perfect"}), "level"),
        (json!({"game": "oware", "level": "easy", "seat": "third"}), "seat"),
        (json!({"game": "oware", "level": "easy", "preset": "gin"}), "preset"),
        (json!({"game": "oware", "level": "easy", "stake": 5}), "stake"),
        (json!({"game": "morris", "level": "easy", "options": {"flying": "yes"}}), "options"),
    ] {
        let answer = client.post("/v1/practice", &request).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{}", answer.text);
    }
    let session = begin(&client, json!({"game": "oware", "level": "easy", "seat": "first"})).await;
    let moves = path(&session, "/moves");
    let illegal = client.post(&moves, &json!({"ply": 1, "move": "a"})).await.refused(422, "illegal_move");
    assert_eq!(illegal.body["reason"], "not_your_house");
    client.post(&moves, &json!({"ply": 1, "move": "Z"})).await.refused(422, "invalid_request");
    let stale = client.post(&moves, &json!({"ply": 3, "move": "A"})).await.refused(409, "stale_ply");
    assert_eq!(stale.body["ply"], 0);
    stranger.post(&moves, &json!({"ply": 1, "move": "A"})).await.refused(404, "not_found");
    stranger.get(&path(&session, "")).await.refused(404, "not_found");
    server.client().get(&path(&session, "")).await.refused(401, "unauthenticated");
    let unchanged = client.get(&path(&session, "")).await.expect(200).body;
    assert_eq!(unchanged["position"], session["position"]);

    let after = play(&client, &session, "A").await;
    let again = client.post(&moves, &json!({"ply": 1, "move": "A"})).await.expect(200).body;
    assert_eq!(again["moves"], after["moves"], "a repeat changes nothing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_has_twenty_sessions_and_one_more_drops_the_oldest() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let mut sessions = Vec::new();
    for _ in 0..21 {
        sessions.push(begin(&client, json!({"game": "mu_torere", "level": "easy", "seat": "first"})).await);
    }
    client.get(&path(&sessions[0], "")).await.refused(404, "not_found");
    for session in &sessions[1..] {
        client.get(&path(session, "")).await.expect(200);
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_1_while_a_staked_match_of_a_game_is_live_its_bots_are_closed() {
    let server = TestServer::start().await;
    let (one, client) = server.player(1_000).await;
    let (two, _) = server.player(1_000).await;
    let oware = begin(&client, json!({"game": "oware", "level": "easy", "seat": "first"})).await;
    let streak = client.post_empty("/v1/streaks").await.expect(201).body;

    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 5})).await;
    client.post("/v1/practice", &json!({"game": "oware", "level": "easy"})).await.refused(409, "playing_for_stakes");
    for (rest, body) in [("/moves", json!({"ply": 1, "move": "A"})), ("/hint", json!({})), ("/undo", json!({}))] {
        client.post(&path(&oware, rest), &body).await.refused(409, "playing_for_stakes");
    }
    // Another game's bots stay open.
    begin(&client, json!({"game": "morris", "level": "easy"})).await;
    let moves = format!("/v1/streaks/{}/moves", streak["id"].as_str().unwrap());
    client.post(&moves, &json!({"ply": 1, "move": "1-c"})).await.expect(200);
    client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    play(&client, &oware, "A").await;

    let id = start_match(&server.client(), &one, &two, &json!({"game": "mu_torere", "stake": 5})).await;
    client.post_empty("/v1/streaks").await.refused(409, "playing_for_stakes");
    client.post(&moves, &json!({"ply": 3, "move": "4-c"})).await.refused(409, "playing_for_stakes");
    client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

/// P-3: what is owed and nothing else. What has been played can still be read.
#[tokio::test(flavor = "multi_thread")]
async fn p_3_nobody_practises_during_a_break() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    let wanted = json!({"game": "mu_torere", "level": "easy", "seat": "first"});
    let session = client.post("/v1/practice", &wanted).await.expect(201).body;
    let run = client.post_empty("/v1/streaks").await.expect(201).body;
    client.post("/v1/me/break", &json!({"days": 1})).await.expect(200);

    let back = server.client().of(&server.registrar.session(player.id, player.name.clone()).await);
    let practice = format!("/v1/practice/{}", session["id"].as_str().unwrap());
    let streak = format!("/v1/streaks/{}", run["id"].as_str().unwrap());
    let step = json!({"ply": 1, "move": session["legal"][0]});
    back.post("/v1/practice", &wanted).await.refused(403, "on_break");
    back.post(&format!("{practice}/moves"), &step).await.refused(403, "on_break");
    for act in ["hint", "undo"] {
        back.post_empty(&format!("{practice}/{act}")).await.refused(403, "on_break");
    }
    back.post_empty("/v1/streaks").await.refused(403, "on_break");
    back.post(&format!("{streak}/moves"), &step).await.refused(403, "on_break");
    assert_eq!(back.get(&practice).await.expect(200).body["ply"], 0);
    assert_eq!(back.get(&streak).await.expect(200).body["ply"], 0);
    server.stop().await;
}
