//! PR-2 to PR-5: streaks of Mū tōrere.

use serde_json::{Value, json};
use stakeboard_engine::{Position, mu_torere::Solution};
use stakeboard_tests::{Client, TestServer};

fn solution_of(text: &str) -> (stakeboard_engine::mu_torere::Position, &'static Solution) {
    match Position::parse(stakeboard_engine::Game::MuTorere, text).unwrap() {
        Position::MuTorere(position) => (position, Solution::shared()),
        other => panic!("{other} is of another game"),
    }
}

/// Moves that do not hand over a win, the quickest way to win first.
fn good_move(run: &Value) -> String {
    let (position, solution) = solution_of(run["position"].as_str().unwrap());
    solution.best_moves(position)[0].to_string()
}

async fn play(client: &Client, run: &Value, text: &str, confirm: bool) -> Value {
    let path = format!("/v1/streaks/{}/moves", run["id"].as_str().unwrap());
    let ply = run["ply"].as_u64().unwrap() + 1;
    client.post(&path, &json!({"ply": ply, "move": text, "confirm": confirm})).await.expect(200).body
}

/// Plays the best moves until a game ends. Against a computer that errs at level 1 that wins or draws.
async fn play_game(client: &Client, mut run: Value) -> Value {
    loop {
        run = play(client, &run, &good_move(&run), true).await;
        if !run["ended_game"].is_null() {
            return run;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_2_pr_4_wins_add_up_and_a_draw_or_loss_ends_and_saves_the_run() {
    let server = TestServer::start().await;
    let mut best = 0;
    for _ in 0..12 {
        let (player, client) = server.player(0).await;
        let mut run = client.post_empty("/v1/streaks").await.expect(201).body;
        let id = run["id"].clone();
        assert_eq!((&run["level"], &run["wins"], &run["seat"]), (&json!(1), &json!(0), &json!("first")));
        let mut bonus = 0;
        let mut wins = 0;
        while run["status"] == "live" {
            run = play_game(&client, run).await;
            let ended = run["ended_game"].clone();
            assert_eq!(ended["game_no"], wins + 1);
            assert_eq!(ended["seat"], if wins % 2 == 0 { "first" } else { "second" });
            if ended["won"] == true {
                wins += 1;
                let own = ended["moves"].as_array().unwrap().len().div_ceil(2);
                // Who opens makes the odd moves; who wins made the last one.
                bonus = (bonus + (40 - i64::try_from(own).unwrap()).max(1)).min(999);
                assert_eq!(run["ply"], u64::from(wins % 2 == 1), "the computer opens every other game at once");
            }
            assert_eq!(run["wins"], wins);
            assert_eq!(run["bonus"], bonus);
            assert_eq!(run["score"], wins * 1_000 + bonus);
        }
        // The first move again would be a repeat of what is recorded; any further one comes too late.
        let next = json!({"ply": run["ply"].as_u64().unwrap() + 1, "move": "1-c"});
        client.post(&format!("/v1/streaks/{}/moves", id.as_str().unwrap()), &next).await.refused(409, "match_over");
        best = best.max(wins * 1_000 + bonus);
        // The next run is a new one.
        assert_ne!(client.post_empty("/v1/streaks").await.expect(201).body["id"], id);
        drop(player);
    }
    let table = server.client().get("/v1/streaks/best").await.expect(200).body;
    let scores: Vec<i64> =
        table["items"].as_array().unwrap().iter().map(|run| run["score"].as_i64().unwrap()).collect();
    assert!(scores.is_sorted_by(|one, two| one >= two), "{scores:?}");
    if best > 0 {
        assert_eq!(scores[0], best);
    }
    server.stop().await;
}

/// A position of a run at level 1 with a move that hands over a win and one that does not, reached by safe moves.
async fn risky(client: &Client) -> (Value, String) {
    loop {
        let mut run = client.post_empty("/v1/streaks").await;
        while run.body["status"] == "live" && run.body["level"] == 1 {
            let (position, solution) = solution_of(run.body["position"].as_str().unwrap());
            if let Some(blunder) = solution.blunders(position).first() {
                return (run.body, blunder.to_string());
            }
            // No move here hands over a win: any will do.
            let text = solution.moves(position).map(|(the_move, _)| the_move.to_string()).last().unwrap();
            run.body = play(client, &run.body, &text, true).await;
        }
        // Won: play on until the run ends, then try again.
        while run.body["status"] == "live" {
            run.body = play_game(client, run.body).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_5_a_move_that_hands_over_a_win_is_warned_of_until_it_is_confirmed() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let (run, blunder) = risky(&client).await;
    for _ in 0..3 {
        let warned = play(&client, &run, &blunder, false).await;
        assert_eq!(warned["warning"], "gives_forced_win");
        assert_eq!((&warned["position"], &warned["ply"]), (&run["position"], &run["ply"]), "nothing was played");
    }
    let played = play(&client, &run, &blunder, true).await;
    assert!(played["warning"].is_null());
    assert_eq!(played["made"][0]["move"], blunder);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_survives_a_restart_and_belongs_to_its_player() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    let run = client.post_empty("/v1/streaks").await.expect(201).body;
    let run = play(&client, &run, &good_move(&run), false).await;
    let (_, stranger) = server.player(0).await;
    let path = format!("/v1/streaks/{}", run["id"].as_str().unwrap());
    stranger.get(&path).await.refused(404, "not_found");
    stranger.post(&format!("{path}/moves"), &json!({"ply": 3, "move": "1-c"})).await.refused(404, "not_found");

    let server = server.restart().await;
    let client = server.client().of(&player);
    let same = client.get(&path).await.expect(200).body;
    assert_eq!((&same["moves"], &same["position"]), (&run["moves"], &run["position"]));
    assert_eq!(client.post_empty("/v1/streaks").await.expect(200).body["id"], run["id"], "it is still under way");
    let first = run["moves"][0].clone();
    let repeated = client.post(&format!("{path}/moves"), &json!({"ply": 1, "move": first})).await.expect(200).body;
    assert_eq!(repeated["moves"], run["moves"], "a repeat changes nothing");
    let stale =
        client.post(&format!("{path}/moves"), &json!({"ply": 2, "move": "8-1"})).await.refused(409, "stale_ply");
    assert_eq!(stale.body["ply"], run["ply"]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_4_a_run_left_alone_for_a_day_ends_as_it_stands() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let run = client.post_empty("/v1/streaks").await.expect(201).body;
    let mut owner = server.database.as_owner().await;
    sqlx::query("update streaks set changed_at = changed_at - interval '25 hours'").execute(&mut owner).await.unwrap();
    let path = format!("/v1/streaks/{}", run["id"].as_str().unwrap());
    assert_eq!(client.get(&path).await.expect(200).body["status"], "ended");
    assert_ne!(client.post_empty("/v1/streaks").await.expect(201).body["id"], run["id"]);
    server.stop().await;
}
