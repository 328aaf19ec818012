//! How players of staked matches played, as the staff sees it.

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_engine::{
    Move, Options, Play,
    bot::{self, Level},
};
use stakeboard_server::role::Role;
use stakeboard_tests::{Player, TestServer, play::pick, server::start_match};

use crate::support::eventually;

/// Plays a staked match of Mū tōrere of somebody who plays as well as can be played with somebody who plays by chance.
/// After a while the second gives up, so that the match is long enough to be looked at and ends.
async fn play(server: &TestServer, perfect: &Player, random: &Player, seed: u64) -> String {
    let (nobody, terms) = (server.client(), json!({"game": "mu_torere", "stake": 500}));
    let id = start_match(&nobody, perfect, random, &terms).await;
    let snapshot = nobody.get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let perfect_opens = snapshot["players"]["first"]["id"] == perfect.id.to_string();
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut game = Play::new(Options::MuTorere);
    while game.outcome().is_none() && game.ply() < 30 {
        let is_perfect = game.ply().is_multiple_of(2) == perfect_opens;
        let the_move: Move = if is_perfect {
            bot::choose(&game, Level::Hard, 1, &mut || dice.next_u64()).unwrap()
        } else {
            let legal = game.legal();
            legal[pick(&mut dice, legal.len())]
        };
        let client = nobody.of(if is_perfect { perfect } else { random });
        let body = json!({"ply": game.ply() + 1, "move": the_move.to_string()});
        client.post(&format!("/v1/matches/{id}/moves"), &body).await.expect(200);
        game.play(the_move).unwrap();
    }
    if game.outcome().is_none() {
        nobody.of(random).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    }
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn who_plays_perfectly_is_told_from_who_plays_by_chance_with_the_matches_behind_it() {
    let server = TestServer::with(&["--fair-play-seconds=1"]).await;
    let (perfect, random) = (server.registrar.player(5_000).await, server.registrar.player(5_000).await);
    let mut played = Vec::new();
    for seed in 1..=3 {
        played.push(play(&server, &perfect, &random, seed).await);
    }
    // One that goes on is nobody's business yet.
    start_match(&server.client(), &perfect, &random, &json!({"game": "mu_torere", "stake": 500})).await;
    let auditor = server.client().of(&server.registrar.with_roles(0, vec![Role::Auditor]).await);
    let path = "/v1/admin/reports/fair-play";
    let mut lines: Vec<Value> = Vec::new();
    eventually("all three matches have been looked at", async || {
        let page = auditor.get(&format!("{path}?choices_min=1&game=mu_torere")).await.expect(200).body;
        lines = page["items"].as_array().unwrap().clone();
        lines.iter().map(|line| line["matches"].as_i64().unwrap()).sum::<i64>() == 6
    })
    .await;

    // The largest share first.
    let players: Vec<&Value> = lines.iter().map(|line| &line["player"]).collect();
    assert_eq!(players, [&json!(perfect.id), &json!(random.id)]);
    assert_eq!((&lines[0]["best_permille"], &lines[0]["best"]), (&json!(1_000), &lines[0]["choices"]));
    assert!(lines[1]["best_permille"].as_i64().unwrap() < 1_000, "{lines:?}");
    assert!(lines.iter().all(|line| line["rival"].is_null() && line["choices"].as_i64() <= line["moves"].as_i64()));

    let pairs = auditor.get(&format!("{path}?by=pair&choices_min=1&player={}", perfect.id)).await.expect(200).body;
    assert_eq!((&pairs["items"][0]["rival"], pairs["items"].as_array().unwrap().len()), (&json!(random.id), 1));
    let behind = format!("{path}/matches?player={}&rival={}", perfect.id, random.id);
    let first = auditor.get(&format!("{behind}&limit=2")).await.expect(200).body;
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = auditor.get(&format!("{behind}&limit=2&cursor={cursor}")).await.expect(200).body;
    let ids = [&first, &rest].into_iter().flat_map(|page| page["items"].as_array().unwrap());
    let ids: Vec<&str> = ids.map(|line| line["match_id"].as_str().unwrap()).collect();
    played.reverse();
    assert_eq!((ids, &rest["next_cursor"]), (played.iter().map(String::as_str).collect(), &Value::Null));

    // Nothing has happened to anybody, and who has looked is in the log.
    server.client().of(&perfect).get("/v1/wallet").await.expect(200);
    let admin = server.client().of(&server.registrar.with_roles(0, vec![Role::Admin]).await);
    let log = admin.get("/v1/admin/audit?action=reports.fair_play").await.expect(200).body;
    assert!(log["items"].as_array().unwrap().len() >= 4);
    for (query, field) in [("by=team", "by"), ("choices_min=-1", "choices_min"), ("game=chess", "game"), ("x=1", "x")] {
        let answer = auditor.get(&format!("{path}?{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{query}");
    }
    server.stop().await;
}
