//! What the moves of a finished game of Mū tōrere were worth, and who may ask.

use serde_json::{Value, json};
use stakeboard_engine::{
    Game, Position,
    mu_torere::{Solution, Verdict},
};
use stakeboard_tests::{Client, TestServer, play::seat_of, server::start_match};

fn position(text: &str) -> stakeboard_engine::mu_torere::Position {
    match Position::parse(Game::MuTorere, text).unwrap() {
        Position::MuTorere(position) => position,
        other => panic!("{other} is of another game"),
    }
}

fn worth(text: &str) -> &'static str {
    match Solution::shared().verdict(position(text)) {
        Verdict::Won { .. } => "won",
        Verdict::Drawn => "drawn",
        Verdict::Lost { .. } => "lost",
    }
}

/// Each ply says what its position was worth before and after the move, to whoever made it.
fn check(plies: &[Value], positions: &[String]) {
    assert_eq!(plies.len() + 1, positions.len());
    for (ply, pair) in plies.iter().zip(positions.windows(2)) {
        assert_eq!(ply["before"], worth(&pair[0]), "{ply}");
        // After it the rival is to move: what is won to them is lost to the mover.
        let turned = match worth(&pair[1]) {
            "won" => "lost",
            "lost" => "won",
            same => same,
        };
        assert_eq!(ply["after"], turned, "{ply}");
    }
}

/// Plays the first legal move again and again, or the blunder there is, until the match is over.
async fn play_out(clients: [&Client; 2], id: &str) {
    let path = format!("/v1/matches/{id}");
    loop {
        let state = clients[0].get(&path).await.expect(200).body;
        if state["status"] == "ended" {
            return;
        }
        let blunders = Solution::shared().blunders(position(state["position"].as_str().unwrap()));
        let text = match blunders.first() {
            Some(blunder) => blunder.to_string(),
            None => state["legal"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned(),
        };
        let mover = usize::from(state["to_move"] == "second");
        let request = json!({"ply": state["ply"].as_u64().unwrap() + 1, "move": text});
        clients[mover].post(&format!("{path}/moves"), &request).await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_match_is_analysed_move_by_move_and_a_live_one_is_not() {
    let server = TestServer::start().await;
    let (one, client) = server.player(1_000).await;
    let (two, other) = server.player(1_000).await;
    let id = start_match(&server.client(), &one, &two, &json!({"game": "mu_torere", "stake": 5})).await;
    let path = format!("/v1/matches/{id}/analysis");
    let (_, spectator) = server.player(0).await;
    spectator.get(&path).await.refused(409, "match_not_over");
    client.get(&path).await.refused(409, "playing_for_stakes");
    server.client().get(&path).await.refused(401, "unauthenticated");

    let snapshot = client.get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let seated = if seat_of(&snapshot, &one) == "first" { [&client, &other] } else { [&other, &client] };
    play_out(seated, &id).await;
    let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    let mut positions = vec![record["start"].as_str().unwrap().to_owned()];
    for ply in record["plies"].as_array().unwrap() {
        positions.push(ply["after"].as_str().unwrap().to_owned());
    }
    let analysis = spectator.get(&path).await.expect(200).body;
    let plies = analysis["plies"].as_array().unwrap();
    check(plies, &positions);
    for (ply, recorded) in plies.iter().zip(record["plies"].as_array().unwrap()) {
        assert_eq!((&ply["move"], &ply["by"]), (&recorded["move"], &recorded["by"]));
    }
    if record["outcome"]["ending"] == "blocked" {
        assert!(plies.iter().any(|ply| ply["before"] == "drawn" && ply["after"] == "lost"), "the start is a draw");
    }

    // Whoever plays for a stake again gets no help, not even about an old match.
    let next = start_match(&server.client(), &one, &two, &json!({"game": "mu_torere", "stake": 5})).await;
    client.get(&path).await.refused(409, "playing_for_stakes");
    spectator.get(&path).await.expect(200);
    client.post_empty(&format!("/v1/matches/{next}/resign")).await.expect(200);

    let oware = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 5})).await;
    client.post_empty(&format!("/v1/matches/{oware}/resign")).await.expect(200);
    client.get(&format!("/v1/matches/{oware}/analysis")).await.refused(404, "not_found");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_practice_session_is_analysed_for_its_player_only() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let (_, stranger) = server.player(0).await;
    let request = json!({"game": "mu_torere", "level": "hard", "seat": "first"});
    let mut session = client.post("/v1/practice", &request).await.expect(201).body;
    let path = format!("/v1/practice/{}", session["id"].as_str().unwrap());
    client.get(&format!("{path}/analysis")).await.refused(409, "match_not_over");
    let mut positions = vec![session["position"].as_str().unwrap().to_owned()];
    while session["status"] == "live" {
        let request = json!({"ply": session["ply"].as_u64().unwrap() + 1, "move": session["legal"][0]});
        session = client.post(&format!("{path}/moves"), &request).await.expect(200).body;
        for made in session["made"].as_array().unwrap() {
            positions.push(made["position"].as_str().unwrap().to_owned());
        }
    }
    let analysis = client.get(&format!("{path}/analysis")).await.expect(200).body;
    check(analysis["plies"].as_array().unwrap(), &positions);
    stranger.get(&format!("{path}/analysis")).await.refused(404, "not_found");
    let oware = client.post("/v1/practice", &json!({"game": "oware", "level": "easy"})).await.expect(201).body;
    let path = format!("/v1/practice/{}/analysis", oware["id"].as_str().unwrap());
    client.get(&path).await.refused(404, "not_found");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_of_a_streak_brings_its_analysis_with_its_end() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let mut run = client.post_empty("/v1/streaks").await.expect(201).body;
    let path = format!("/v1/streaks/{}/moves", run["id"].as_str().unwrap());
    while run["ended_game"].is_null() {
        let text = run["legal"][0].clone();
        let request = json!({"ply": run["ply"].as_u64().unwrap() + 1, "move": text, "confirm": true});
        run = client.post(&path, &request).await.expect(200).body;
    }
    let ended = &run["ended_game"];
    let texts: Vec<&Value> = ended["analysis"].as_array().unwrap().iter().map(|ply| &ply["move"]).collect();
    assert_eq!(texts, ended["moves"].as_array().unwrap().iter().collect::<Vec<_>>());
    server.stop().await;
}
