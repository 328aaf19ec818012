//! Other players: profiles, ratings one by one, leaderboards.

use serde_json::{Value, json};
use stakeboard_tests::{Client, Player, TestServer, server::start_match};

use crate::{assert_time, keys, leave, open};

async fn play(client: &Client, loser: &Player, winner: &Player, game: &str) -> String {
    let id = start_match(client, loser, winner, &json!({"game": game, "stake": 5})).await;
    client.of(loser).post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    id
}

/// Gives a player a rating that a long history would have led to.
async fn plant_rating(server: &TestServer, player: &Player, game: &str, rating: f64, settled: bool) {
    sqlx::query(
        "insert into ratings (player_id, game, rating, deviation, volatility, won, rated_at, settled_until)
         values ($1, $2, $3, case when $4 then 60 else 200 end, 0.06, 20, now(),
                 case when $4 then now() + interval '390 days' end)",
    )
    .bind(player.id.0)
    .bind(game)
    .bind(rating)
    .bind(settled)
    .execute(&server.registrar.pool)
    .await
    .unwrap();
}

fn names(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|line| line["player"]["display_name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_profile_says_who_somebody_is_and_what_became_of_their_staked_matches() {
    let server = TestServer::start().await;
    let ((one, client), (two, _)) = (server.player(1_000).await, server.player(1_000).await);
    let path = format!("/v1/players/{}", one.id);
    let new = client.get(&path).await.expect(200).body;
    assert_eq!(keys(&new), ["display_name", "games", "guest", "id", "since"]);
    assert_eq!((&new["id"], &new["display_name"]), (&json!(one.id), &json!(one.name)));
    assert_eq!((&new["guest"], &new["games"]), (&json!(false), &json!([])));
    assert_time(&new["since"]);

    play(&server.client(), &two, &one, "oware").await;
    play(&server.client(), &two, &one, "oware").await;
    play(&server.client(), &one, &two, "morris").await;
    let profile = client.get(&path).await.expect(200).body;
    let games = profile["games"].as_array().unwrap();
    let told: Vec<_> = games
        .iter()
        .map(|line| (line["game"].as_str().unwrap(), &line["matches"], &line["won"], &line["lost"]))
        .collect();
    assert_eq!(told, [("morris", &json!(1), &json!(0), &json!(1)), ("oware", &json!(2), &json!(2), &json!(0))]);
    assert_eq!(
        keys(&games[0]),
        ["deviation", "drawn", "game", "lost", "matches", "provisional", "rated_at", "rating", "won"]
    );

    server.client().get(&path).await.refused(401, "unauthenticated");
    for nobody in [format!("/v1/players/{}", uuid::Uuid::now_v7()), "/v1/players/me".to_owned()] {
        client.get(&nobody).await.refused(404, "not_found");
        client.get(&format!("{nobody}/ratings")).await.refused(404, "not_found");
    }
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201).body;
    let guests_view = client.get(&format!("/v1/players/{}", guest["player"]["id"].as_str().unwrap())).await.expect(200);
    assert_eq!(guests_view.body["guest"], true);
    let guest = server.client().with_token(guest["access_token"].as_str().unwrap());
    assert_eq!(guest.get(&path).await.expect(200).body["games"], profile["games"], "guests see it too");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_match_of_a_players_history_says_what_it_did_to_the_rating() {
    let server = TestServer::start().await;
    let ((one, client), (two, _)) = (server.player(1_000).await, server.player(1_000).await);
    let mut oware = Vec::new();
    for _ in 0..3 {
        oware.push(play(&server.client(), &two, &one, "oware").await);
    }
    let morris = play(&server.client(), &one, &two, "morris").await;
    let path = format!("/v1/players/{}/ratings", one.id);
    let all = client.get(&path).await.expect(200).body;
    let lines = all["items"].as_array().unwrap();
    let told: Vec<_> = lines.iter().map(|line| line["match_id"].as_str().unwrap()).collect();
    assert_eq!(told, [&morris, &oware[2], &oware[1], &oware[0]], "newest first");
    assert_eq!(keys(&lines[0]), ["after", "before", "game", "match_id", "opponent", "rated_at", "result"]);
    assert_eq!((&lines[0]["result"], &lines[1]["result"]), (&json!("lost"), &json!("won")));
    assert_eq!(lines[3]["before"], json!({"rating": 1500, "deviation": 350, "provisional": true}));
    assert_eq!(lines[3]["opponent"], json!({"id": two.id, "display_name": two.name, "rating": 1500, "deviation": 350}));
    for (older, newer) in [(3, 2), (2, 1)] {
        assert_eq!(lines[older]["after"], lines[newer]["before"]);
    }

    let first = client.get(&format!("{path}?game=oware&limit=2")).await.expect(200).body;
    let cursor = first["next_cursor"].as_str().unwrap();
    let rest = client.get(&format!("{path}?game=oware&limit=2&cursor={cursor}")).await.expect(200).body;
    let paged: Vec<_> = [&first, &rest].iter().flat_map(|page| page["items"].as_array().unwrap().clone()).collect();
    assert_eq!(paged, lines[1..]);
    assert_eq!(rest["next_cursor"], Value::Null);
    let refused = client.get(&format!("{path}?game=chess")).await.refused(422, "invalid_request");
    assert_eq!(refused.fields(), [("game".to_owned(), "not_one_of".to_owned())]);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leaderboard_has_the_well_known_by_rating_and_nobody_who_left_for_good() {
    let server = TestServer::start().await;
    let mut players = Vec::new();
    for (rating, settled) in [(1900.0, true), (2100.5, true), (2500.0, false), (1900.0, true), (1200.0, true)] {
        let player = server.registrar.player(0).await;
        plant_rating(&server, &player, "oware", rating, settled).await;
        players.push(player);
    }
    // Strong in another game only.
    plant_rating(&server, &players[4], "morris", 2900.0, true).await;
    let board = server.client().get("/v1/leaderboards/oware").await.expect(200).body;
    let name = |place: usize| players[place].name.as_str();
    // Equal ratings: whoever was here first.
    assert_eq!(names(&board), [name(1), name(0), name(3), name(4)]);
    let ranks: Vec<_> = board["items"].as_array().unwrap().iter().map(|line| line["rank"].as_i64().unwrap()).collect();
    assert_eq!(ranks, [1, 2, 3, 4]);
    let best = &board["items"][0];
    assert_eq!(keys(best), ["drawn", "lost", "matches", "player", "rank", "won"]);
    assert_eq!((&best["player"]["rating"], &best["player"]["deviation"]), (&json!(2101), &json!(60)));

    let mut paged = Vec::new();
    let mut path = "/v1/leaderboards/oware?limit=1".to_owned();
    loop {
        let page = server.client().get(&path).await.expect(200).body;
        paged.extend(page["items"].as_array().unwrap().clone());
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/v1/leaderboards/oware?limit=1&cursor={cursor}");
        let elsewhere = format!("/v1/leaderboards/morris?cursor={cursor}");
        server.client().get(&elsewhere).await.refused(422, "invalid_request");
    }
    assert_eq!(json!(paged), board["items"]);

    let mut owner = server.database.as_owner().await;
    sqlx::query("update players set deleted_at = now() where id = $1")
        .bind(players[1].id.0)
        .execute(&mut owner)
        .await
        .unwrap();
    sqlx::query("update ratings set settled_until = now() - interval '1 second' where player_id = $1")
        .bind(players[0].id.0)
        .execute(&mut owner)
        .await
        .unwrap();
    let board = server.client().get("/v1/leaderboards/oware").await.expect(200).body;
    assert_eq!(names(&board), [name(3), name(4)], "one left, the other has not played for too long");
    let (_, client) = server.player(0).await;
    client.get(&format!("/v1/players/{}", players[1].id)).await.refused(404, "not_found");
    server.client().get("/v1/leaderboards/chess").await.refused(404, "not_found");
    assert_eq!(server.client().get("/v1/leaderboards/mu_torere").await.expect(200).body["items"], json!([]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dozen_matches_make_a_rating_known_well_enough_for_the_leaderboard() {
    let server = TestServer::start().await;
    let ((one, client), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    plant_rating(&server, &two, "oware", 1500.0, true).await;
    let mut played = 0;
    let provisional = async || {
        let profile = client.get(&format!("/v1/players/{}", one.id)).await.expect(200).body;
        profile["games"][0]["provisional"] == true
    };
    loop {
        let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 5})).await;
        for side in [&client, &second] {
            side.post(&format!("/v1/matches/{id}/draw"), &json!({"action": "offer"})).await.expect(200);
        }
        played += 1;
        if !provisional().await {
            break;
        }
        let board = server.client().get("/v1/leaderboards/oware").await.expect(200).body;
        assert!(!names(&board).contains(&one.name.as_str()), "after {played}");
        assert!(played < 20);
    }
    // Each draw against an equal who is well known adds 1/v = g²/4, about 0.24 in the system's own unit, to 1/phi², until
    // phi is 110/173.7: (1/0.633² − 1/2.015²) / 0.24 = 9.4, a little more since phi grows by the volatility each time.
    assert!((10..=13).contains(&played), "{played}");
    let board = server.client().get("/v1/leaderboards/oware").await.expect(200).body;
    assert!(names(&board).contains(&one.name.as_str()));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seek_shows_how_strong_its_poster_is_in_its_game() {
    let server = TestServer::start().await;
    let (one, client) = server.player(1_000).await;
    plant_rating(&server, &one, "morris", 1777.4, true).await;
    let morris = client.post("/v1/lobby/seeks", &json!({"game": "morris", "stake": 5})).await.expect(201).body;
    assert_eq!((&morris["player"]["rating"], &morris["player"]["deviation"]), (&json!(1777), &json!(60)));
    let oware = client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.expect(201).body;
    assert_eq!((&oware["player"]["rating"], &oware["player"]["deviation"]), (&Value::Null, &Value::Null));
    let listed = server.client().get("/v1/lobby/seeks").await.expect(200).body;
    assert_eq!(listed["items"], json!([oware, morris]));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_there_is_listed_once_with_a_rating_a_game_and_whether_they_play() {
    let server = TestServer::start().await;
    let ((one, client), (two, _), (three, _)) =
        (server.player(1_000).await, server.player(1_000).await, server.player(0).await);
    plant_rating(&server, &one, "morris", 1777.4, true).await;
    assert_eq!(client.get("/v1/lobby/players").await.expect(200).body["items"], json!([]), "a request is no presence");
    let _sockets = [open(&server, &one).await, open(&server, &one).await, open(&server, &two).await];
    let there = |player: &Player, playing: bool, ratings: Value| json!({"id": player.id, "display_name": player.name, "guest": false, "playing": playing, "ratings": ratings});
    let morris = json!([{"game": "morris", "rating": 1777, "deviation": 60, "provisional": false}]);
    let listed = client.get("/v1/lobby/players").await.expect(200).body;
    assert_eq!(listed["items"], json!([there(&one, false, morris.clone()), there(&two, false, json!([]))]));

    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 5})).await;
    let _third = open(&server, &three).await;
    let listed = client.get("/v1/lobby/players?limit=2").await.expect(200).body;
    assert_eq!(listed["items"], json!([there(&one, true, morris), there(&two, true, json!([]))]));
    let cursor = listed["next_cursor"].as_str().unwrap();
    let rest = client.get(&format!("/v1/lobby/players?cursor={cursor}")).await.expect(200).body;
    assert_eq!(rest, json!({"items": [there(&three, false, json!([]))], "next_cursor": null}));

    client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    leave(open(&server, &three).await).await;
    let three_who_are_free = async || {
        let listed = client.get("/v1/lobby/players").await.expect(200).body;
        let playing: Vec<_> =
            listed["items"].as_array().unwrap().iter().map(|player| player["playing"].clone()).collect();
        playing == [false, false, false]
    };
    // The third has closed one socket of two. An ended match is let go of a moment after its end.
    for _ in 0..500 {
        if three_who_are_free().await {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert!(three_who_are_free().await);
    server.client().get("/v1/lobby/players").await.refused(401, "unauthenticated");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_looks_like_somebody_else_or_like_the_service() {
    let server = TestServer::start().await;
    let named = async |name: &str| server.client().post("/v1/auth/guest", &json!({"display_name": name})).await;
    named("Tomás Moreira").await.expect(201);
    for name in
        ["tomás moreira", "Tornás Moreira", "Tomás М\u{43e}reira", "Tomás More\u{131}ra", "Toma\u{301}s Moreira"]
    {
        named(name).await.refused(409, "display_name_taken");
    }
    for name in ["Stakeboard", "Suporte", "Аdmin", "St4keboard Support"] {
        let refused = named(name).await.refused(422, "invalid_request");
        assert_eq!(refused.fields(), [("display_name".to_owned(), "reserved".to_owned())], "{name}");
    }
    // What is written as it should be is stored as it was written.
    for name in ["Ngā Ruahine", "Οδυσσέας", "佐藤 花子", "Zé da Ilha 🎲", "محمد"] {
        let made = named(name).await.expect(201).body;
        assert_eq!(made["player"]["display_name"], name);
    }
    let (_, client) = server.player(0).await;
    let patch = |name: &str| client.request(reqwest::Method::PATCH, "/v1/me").json(&json!({"display_name": name}));
    client.send(patch("Tornás Moreira")).await.refused(409, "display_name_taken");
    client.send(patch("suporte")).await.refused(422, "invalid_request");
    server.stop().await;
}

/// Players of before the server kept what names look like.
#[tokio::test(flavor = "multi_thread")]
async fn what_names_look_like_is_filled_in_at_the_start() {
    let server = TestServer::start().await;
    let named = async |server: &TestServer, name: &str| {
        server.client().post("/v1/auth/guest", &json!({"display_name": name})).await
    };
    named(&server, "Tom").await.expect(201);
    sqlx::query("update players set display_name_skeleton = null").execute(&server.registrar.pool).await.unwrap();
    named(&server, "Torn").await.expect(201);
    sqlx::query("update players set display_name_skeleton = null").execute(&server.registrar.pool).await.unwrap();
    // Two who look the same already: the start does not fail for it, and nobody else can look like them.
    let server = server.restart().await;
    named(&server, "TOM").await.refused(409, "display_name_taken");
    server.stop().await;
}
