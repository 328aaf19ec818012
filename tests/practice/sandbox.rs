//! PR-1: friendly matches against a bot, over the same interface as against anybody.

use serde_json::{Value, json};
use stakeboard_engine::bot::Level;
use stakeboard_server::players::{DisplayName, bots};
use stakeboard_tests::{Client, Player, Socket, TestServer, play::play_side, server::start_match};

async fn begin(client: &Client, game: &str, level: &str) -> String {
    let made = client.post("/v1/practice/matches", &json!({"game": game, "level": level})).await.expect(201).body;
    made["match_id"].as_str().unwrap().to_owned()
}

async fn guest(server: &TestServer) -> Player {
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let id = guest["player"]["id"].as_str().unwrap().parse().unwrap();
    server.registrar.session(id, "guest".into()).await
}

async fn look(client: &Client, id: &str) -> Value {
    client.get(&format!("/v1/matches/{id}")).await.expect(200).body
}

/// Waits until it is the human's turn, and plays the first legal move. Gives the answer.
async fn play_first(socket: &mut Socket, client: &Client, id: &str, bot: &str) -> Value {
    let mut state = socket.watch(id).await;
    while state["players"][state["to_move"].as_str().unwrap()]["id"] == bot {
        socket.until("moved").await;
        state = look(client, id).await;
    }
    let ply = state["ply"].as_u64().unwrap() + 1;
    socket.play(id, ply, state["legal"][0].as_str().unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_plays_a_match_against_a_bot_to_its_end_as_against_anybody() {
    let server = TestServer::start().await;
    let guest = guest(&server).await;
    let client = server.client().of(&guest);
    for (game, level) in [("mu_torere", "hard"), ("oware", "easy"), ("morris", "easy")] {
        let id = begin(&client, game, level).await;
        let state = look(&client, &id).await;
        assert_eq!((&state["stake"], &state["payout"], &state["fee"]), (&json!(0), &json!(0), &json!(0)));
        let (ended, seen) = play_side(server.address, &id, &guest, 11).await;
        assert!(seen.windows(2).all(|pair| pair[1] == pair[0] + 1), "no gap and no repeat: {seen:?}");
        assert_eq!(ended["type"], "ended", "{ended}");
        let record = client.get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
        assert_eq!(record["game"], game);
    }
    let ratings = client.get(&format!("/v1/players/{}/ratings?game=oware", guest.id)).await;
    assert_eq!(ratings.body["items"].as_array().map_or(0, Vec::len), 0, "no rating comes of it: {}", ratings.text);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_declines_draws_and_goes_on_after_a_restart() {
    let server = TestServer::start().await;
    let (player, client) = server.player(0).await;
    let bot = bots::of_level(Level::Medium).to_string();
    let id = begin(&client, "oware", "medium").await;
    let mut socket = Socket::open(server.address, &player.token).await;
    assert_eq!(play_first(&mut socket, &client, &id, &bot).await["type"], "ok");
    let offered = socket.request(json!({"type": "draw", "match": id, "action": "offer"})).await;
    assert_eq!(offered["type"], "ok", "{offered}");
    // Its answer is a refusal, or its move, which turns the offer down as well.
    let answer = socket.until_one_of(&["draw_declined", "moved"]).await;
    assert_eq!(answer["match"], id.as_str());

    let server = server.restart().await;
    let client = server.client().of(&player);
    let mut socket = Socket::open(server.address, &player.token).await;
    assert_eq!(play_first(&mut socket, &client, &id, &bot).await["type"], "ok");
    assert_eq!(play_first(&mut socket, &client, &id, &bot).await["type"], "ok", "the bot has answered meanwhile");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pr_1_while_a_game_is_played_for_a_stake_its_bots_are_closed_also_in_matches_that_run() {
    let server = TestServer::start().await;
    let (player, client) = server.player(500).await;
    let rival = server.registrar.player(500).await;
    let bot = bots::of_level(Level::Easy).to_string();
    let id = begin(&client, "oware", "easy").await;
    let other_game = begin(&client, "morris", "easy").await;
    let mut socket = Socket::open(server.address, &player.token).await;
    assert_eq!(play_first(&mut socket, &client, &id, &bot).await["type"], "ok");

    let staked = start_match(&server.client(), &player, &rival, &json!({"game": "oware", "stake": 500})).await;
    let again = json!({"game": "oware", "level": "easy"});
    client.post("/v1/practice/matches", &again).await.refused(409, "playing_for_stakes");
    let ply = look(&client, &id).await["ply"].as_u64().unwrap() + 1;
    let the_move = json!({"ply": ply, "move": "A"});
    client.post(&format!("/v1/matches/{id}/moves"), &the_move).await.refused(409, "playing_for_stakes");
    client
        .post(&format!("/v1/matches/{id}/draw"), &json!({"action": "offer"}))
        .await
        .refused(409, "playing_for_stakes");
    let told = socket.play(&id, ply, "A").await;
    assert_eq!((&told["type"], &told["code"]), (&json!("error"), &json!("playing_for_stakes")));
    assert_eq!(play_first(&mut socket, &client, &other_game, &bot).await["type"], "ok", "another game stays open");

    client.post_empty(&format!("/v1/matches/{staked}/resign")).await.expect(200);
    assert_eq!(play_first(&mut socket, &client, &id, &bot).await["type"], "ok", "open again");
    begin(&client, "oware", "hard").await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_against_bots_are_bounded_for_the_player_and_for_the_bot() {
    let server = TestServer::with(&["--bot-matches-most=2", "--friendly-most=1"]).await;
    let limits = server.client().get("/v1/config").await.expect(200).body["limits"].clone();
    assert_eq!((&limits["bot_matches"], &limits["friendly_matches"]), (&json!(2), &json!(1)));
    let new = json!({"game": "oware", "level": "easy"});
    let clients = [server.player(0).await.1, server.player(0).await.1, server.player(0).await.1];
    let first = begin(&clients[0], "oware", "easy").await;
    clients[0].post("/v1/practice/matches", &new).await.refused(429, "too_many_matches");
    begin(&clients[1], "oware", "easy").await;
    let busy = clients[2].post("/v1/practice/matches", &new).await.refused(503, "bots_busy");
    assert_eq!(busy.headers["retry-after"], "10");
    begin(&clients[2], "oware", "medium").await;
    clients[0].post_empty(&format!("/v1/matches/{first}/resign")).await.expect(200);
    begin(&clients[0], "oware", "easy").await;
    for (body, field) in [
        (json!({"game": "oware", "level": "perfect"}), "level"),
        (json!({"game": "chess", "level": "easy"}), "game"),
        (json!({"game": "oware", "level": "easy", "stake": 5}), "stake"),
    ] {
        let answer = clients[0].post("/v1/practice/matches", &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
    server.client().post("/v1/practice/matches", &new).await.refused(401, "unauthenticated");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_lets_no_bot_into_a_staked_match_whoever_writes_it() {
    let server = TestServer::start().await;
    let (player, client) = server.player(500).await;
    let id = begin(&client, "oware", "easy").await;
    let mut owner = server.database.as_owner().await;
    let insert =
        "insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
                  values (gen_random_uuid(), 'oware', '{}', 5, $1, $2, 1000, now(), gen_random_uuid())";
    for level in Level::ALL {
        for (first, second) in [(player.id, bots::of_level(*level)), (bots::of_level(*level), player.id)] {
            let refused = sqlx::query(insert).bind(first.0).bind(second.0).execute(&mut owner).await.unwrap_err();
            assert!(refused.to_string().contains("a bot plays for nothing"), "{refused}");
        }
    }
    let raised = sqlx::query("update matches set stake = 5 where id::text = $1").bind(&id).execute(&mut owner).await;
    assert!(raised.unwrap_err().to_string().contains("a bot plays for nothing"));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bots_have_the_names_that_nobody_else_can_have() {
    let server = TestServer::start().await;
    let rows: Vec<(uuid::Uuid, String, String, String)> =
        sqlx::query_as("select id, bot, display_name, display_name_key from players where bot is not null")
            .fetch_all(&server.registrar.pool)
            .await
            .unwrap();
    assert_eq!(rows.len(), Level::ALL.len());
    for (id, level, name, key) in rows {
        assert_eq!(bots::of_level(level.parse().unwrap()).0, id);
        assert_eq!(DisplayName::parse(&name).unwrap().key(), key);
        assert!(DisplayName::of_player(&name).is_err(), "{name} is kept for the service");
    }
    server.stop().await;
}
