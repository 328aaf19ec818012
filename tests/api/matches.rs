//! Matches over HTTP: snapshots, lists, records, and the twins of the socket's acts.

use reqwest::{
    Method,
    header::{ACCEPT_LANGUAGE, HeaderMap},
};
use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, Player, TestServer, server::start_match};

use crate::{assert_id, assert_time, keys};

/// A live match with a client for each seat and one without a token.
struct Table {
    server: TestServer,
    id: String,
    first: Client,
    second: Client,
    anybody: Client,
}

impl Table {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let (id, [first, second]) = server.start_match(250).await;
        let anybody = server.client();
        Self { id, first: anybody.of(&first), second: anybody.of(&second), anybody, server }
    }

    fn path(&self, act: &str) -> String {
        format!("/v1/matches/{}{act}", self.id)
    }

    async fn snapshot(&self) -> Value {
        self.anybody.get(&self.path("")).await.expect(200).body
    }

    async fn record(&self) -> Value {
        self.anybody.get(&self.path("/record")).await.expect(200).body
    }

    async fn play(&self, by: &Client, ply: u32, text: &str) -> Answer {
        by.post(&self.path("/moves"), &json!({"ply": ply, "move": text})).await
    }

    async fn draw(&self, by: &Client, body: Value) -> Answer {
        by.post(&self.path("/draw"), &body).await
    }

    async fn resign(&self, by: &Client) -> Answer {
        by.post_empty(&self.path("/resign")).await
    }
}

#[track_caller]
fn acknowledged(answer: Answer, seq: u32) {
    assert_eq!(answer.expect(200).body, json!({"seq": seq}));
}

const SNAPSHOT: [&str; 21] = [
    "clocks",
    "draw_offer",
    "fee",
    "game",
    "id",
    "legal",
    "moves",
    "next_match",
    "occurrences",
    "options",
    "outcome",
    "payout",
    "players",
    "ply",
    "position",
    "quiet",
    "rematch",
    "seq",
    "stake",
    "status",
    "to_move",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_has_the_documented_shape_and_is_for_everybody() {
    let table = Table::new().await;
    let start = table.snapshot().await;
    assert_eq!(keys(&start), SNAPSHOT);
    assert_id(&start["id"]);
    assert_eq!(start["id"], table.id);
    assert_eq!((&start["game"], &start["status"]), (&json!("oware"), &json!("live")));
    assert_eq!(start["options"], json!({"grand_slam": "no_capture"}));
    // MA-2: what a winner would receive of a pot of 500, and the house take.
    assert_eq!((&start["stake"], &start["payout"], &start["fee"]), (&json!(250), &json!(450), &json!(50)));
    for seat in ["first", "second"] {
        assert_eq!(keys(&start["players"][seat]), ["display_name", "id"]);
        assert_id(&start["players"][seat]["id"]);
    }
    assert_eq!(start["position"], "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
    assert_eq!((&start["ply"], &start["seq"], &start["to_move"]), (&json!(0), &json!(0), &json!("first")));
    assert_eq!(start["legal"], json!(["A", "B", "C", "D", "E", "F"]));
    assert_eq!((&start["occurrences"], &start["quiet"]), (&json!(1), &json!(0)));
    assert_eq!((&start["draw_offer"], &start["outcome"], &start["moves"]), (&Value::Null, &Value::Null, &json!([])));
    assert_eq!(keys(&start["clocks"]), ["at", "first_ms", "running", "second_ms"]);
    assert_time(&start["clocks"]["at"]);
    // MA-13: the first clock has run since the match was made.
    assert_eq!((&start["clocks"]["running"], &start["clocks"]["second_ms"]), (&json!("first"), &json!(600_000)));
    let left = start["clocks"]["first_ms"].as_u64().unwrap();
    assert!((540_000..=600_000).contains(&left), "{left}");

    // OW-2: four seeds of C go to D, E, F and a.
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    let after = table.snapshot().await;
    assert_eq!(after["position"], "4,4,0,5,5,5/5,4,4,4,4,4 0-0 N");
    assert_eq!((&after["ply"], &after["seq"], &after["to_move"]), (&json!(1), &json!(1), &json!("second")));
    assert_eq!(after["legal"], json!(["a", "b", "c", "d", "e", "f"]));
    assert_eq!((&after["moves"], &after["quiet"]), (&json!(["C"]), &json!(1)));
    assert_eq!(after["clocks"]["running"], "second");
    // The same for every viewer.
    for client in [&table.first, &table.second] {
        let seen = client.get(&table.path("")).await.expect(200).body;
        assert_eq!((&seen["legal"], &seen["position"]), (&after["legal"], &after["position"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ended_snapshot_shows_what_was_paid_and_nobody_to_move() {
    let table = Table::new().await;
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    // MA-8: on the rival's turn too.
    acknowledged(table.resign(&table.first).await, 2);
    let ended = table.snapshot().await;
    assert_eq!(keys(&ended), SNAPSHOT);
    // MA-14: totals are the seeds captured so far.
    let outcome = json!({"winner": "second", "ending": "resignation", "first": 0, "second": 0});
    assert_eq!((&ended["status"], &ended["outcome"]), (&json!("ended"), &outcome));
    assert_eq!((&ended["payout"], &ended["fee"]), (&json!(450), &json!(50)));
    assert_eq!((&ended["to_move"], &ended["legal"]), (&Value::Null, &json!([])));
    assert_eq!(ended["clocks"]["running"], Value::Null);
    assert_eq!((&ended["ply"], &ended["seq"]), (&json!(1), &json!(2)));
    for (client, available) in [(&table.first, 0), (&table.second, 450)] {
        let wallet = client.get("/v1/wallet").await.expect(200).body;
        assert_eq!((&wallet["available"], &wallet["in_play"]), (&json!(available), &json!(0)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_the_game_with_players_stakes_and_the_clocks_after_each_ply() {
    let table = Table::new().await;
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    acknowledged(table.play(&table.second, 2, "b").await, 2);
    let live = table.record().await;
    assert_eq!((&live["outcome"], &live["ended_at"]), (&Value::Null, &Value::Null));
    acknowledged(table.resign(&table.second).await, 3);
    let record = table.record().await;
    let documented = ["game", "options", "start", "plies", "outcome", "players", "stake", "payout", "fee"];
    assert!(documented.iter().all(|key| keys(&record).contains(key)), "{record}");
    assert_eq!(record["start"], "4,4,4,4,4,4/4,4,4,4,4,4 0-0 S");
    let plies = record["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 2);
    assert_eq!((&plies[0]["move"], &plies[1]["move"]), (&json!("C"), &json!("b")));
    assert_eq!(plies[0]["legal"], json!(["A", "B", "C", "D", "E", "F"]));
    // b held four seeds: c, d, e and f get one each.
    assert_eq!(plies[1]["after"], "4,4,0,5,5,5/5,0,5,5,5,5 0-0 S");
    for ply in plies {
        assert!(ply["first_ms"].as_u64().unwrap() <= 600_000 && ply["second_ms"].as_u64().unwrap() <= 600_000);
    }
    assert_eq!(plies[0]["second_ms"], 600_000, "the second clock had not run");
    assert_eq!(plies[1]["first_ms"], plies[0]["first_ms"], "the first clock stood meanwhile");
    assert_eq!(record["outcome"]["winner"], "first");
    assert_eq!((&record["stake"], &record["payout"], &record["fee"]), (&json!(250), &json!(450), &json!(50)));
    assert_time(&record["ended_at"]);
    assert_eq!(record["players"], table.snapshot().await["players"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_move_is_answered_with_its_place_also_after_the_end() {
    let table = Table::new().await;
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    acknowledged(table.play(&table.second, 2, "b").await, 2);
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    acknowledged(table.resign(&table.first).await, 3);
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    acknowledged(table.play(&table.second, 2, "b").await, 2);
    // Another move there, or the rival's, is no repeat.
    table.play(&table.first, 1, "D").await.refused(409, "match_over");
    table.play(&table.second, 1, "C").await.refused(409, "match_over");
    assert_eq!(table.snapshot().await["moves"], json!(["C", "b"]));
}

/// T29.
#[tokio::test(flavor = "multi_thread")]
async fn each_way_to_get_a_move_wrong_has_its_own_answer() {
    let table = Table::new().await;
    table.play(&table.second, 1, "a").await.refused(409, "not_your_turn");
    let illegal = table.play(&table.first, 1, "a").await.refused(422, "illegal_move");
    assert_eq!(illegal.body["reason"], "not_your_house");
    for ply in [0, 2, 3, u32::MAX] {
        let stale = table.play(&table.first, ply, "A").await.refused(409, "stale_ply");
        assert_eq!(stale.body["ply"], 0, "the number of moves made");
    }
    acknowledged(table.play(&table.first, 1, "A").await, 1);
    acknowledged(table.play(&table.second, 2, "f").await, 2);
    let stale = table.play(&table.first, 1, "B").await.refused(409, "stale_ply");
    assert_eq!(stale.body["ply"], 2);
    table.play(&table.second, 3, "a").await.refused(409, "not_your_turn");
    // f sowed A again, so A is not empty; B was sown from A and is emptied here.
    acknowledged(table.play(&table.first, 3, "B").await, 3);
    acknowledged(table.play(&table.second, 4, "a").await, 4);
    let illegal = table.play(&table.first, 5, "B").await.refused(422, "illegal_move");
    assert_eq!(illegal.body["reason"], "empty_house");
    for unreadable in ["", "G", "AA", " A", "A ", "4-c", "\u{0}", "🎲", &"A".repeat(10_000)] {
        let answer = table.play(&table.first, 5, unreadable).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [("move".into(), "unreadable".into())], "{unreadable}");
    }
    // How a move is written is told in the language that is asked for.
    for (language, expected) in [("pt-BR", "a letra de uma casa"), ("en", "the letter of a house")] {
        let asked = HeaderMap::from_iter([(ACCEPT_LANGUAGE, language.parse().unwrap())]);
        let request = table.first.request(Method::POST, &table.path("/moves")).headers(asked);
        let answer = table.first.send(request.json(&json!({"ply": 5, "move": "d2"}))).await;
        let detail = answer.body["errors"][0]["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{language}: {detail}");
    }
    let seq = table.snapshot().await["seq"].clone();
    assert_eq!(seq, 4, "no refusal has left a trace");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_acts_are_exactly_as_documented() {
    let table = Table::new().await;
    let moves = table.path("/moves");
    let cases = [
        (json!({"ply": 1}), "move", "missing_field"),
        (json!({"move": "C"}), "ply", "missing_field"),
        (json!({"ply": "1", "move": "C"}), "ply", "wrong_type"),
        (json!({"ply": -1, "move": "C"}), "ply", "wrong_type"),
        (json!({"ply": 1.0, "move": "C"}), "ply", "wrong_type"),
        (json!({"ply": 4_294_967_296_u64, "move": "C"}), "ply", "wrong_type"),
        (json!({"ply": 1, "move": ["C"]}), "move", "wrong_type"),
        // T11: there is no lag credit to be claimed.
        (json!({"ply": 1, "move": "C", "lag_ms": 500}), "lag_ms", "unknown_field"),
    ];
    for (body, field, rule) in cases {
        let answer = table.first.post(&moves, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())], "{body}");
    }
    let cases = [
        (json!({}), "action"),
        (json!({"action": "claim"}), "action"),
        (json!({"action": "offer", "offer": 1}), "offer"),
        (json!({"action": "accept"}), "offer"),
        (json!({"action": "decline"}), "offer"),
        (json!({"action": "accept", "offer": "1"}), "offer"),
        (json!({"action": "accept", "offer": -1}), "offer"),
    ];
    for (body, field) in cases {
        let answer = table.draw(&table.first, body.clone()).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field, "{body}");
    }
    let answer = table.first.post(&table.path("/resign"), &json!({"reason": "bored"})).await;
    assert_eq!(answer.refused(422, "invalid_request").fields(), [("reason".into(), "unknown_field".into())]);
    assert_eq!(table.snapshot().await["seq"], 0);
    acknowledged(table.first.post(&table.path("/resign"), &json!({})).await, 1);
}

/// T49, T50.
#[tokio::test(flavor = "multi_thread")]
async fn only_the_two_players_act_and_each_only_for_their_own_seat() {
    let table = Table::new().await;
    let (_, stranger) = table.server.player(1_000).await;
    let guest = table.anybody.post("/v1/auth/guest", &json!({})).await.expect(201);
    let guest = table.anybody.with_token(guest.body["access_token"].as_str().unwrap());
    for client in [&stranger, &guest] {
        table.play(client, 1, "C").await.refused(403, "not_a_player");
        table.resign(client).await.refused(403, "not_a_player");
        table.draw(client, json!({"action": "offer"})).await.refused(403, "not_a_player");
    }
    table.play(&table.anybody, 1, "C").await.refused(401, "unauthenticated");
    table.resign(&table.anybody).await.refused(401, "unauthenticated");
    table.draw(&table.anybody, json!({"action": "offer"})).await.refused(401, "unauthenticated");
    // The second player can't make the first one's move.
    table.play(&table.second, 1, "C").await.refused(409, "not_your_turn");
    acknowledged(table.play(&table.first, 1, "C").await, 1);
    // A recorded move is repeated by who made it, not by the rival.
    table.play(&table.second, 1, "C").await.refused(409, "stale_ply");
    acknowledged(table.resign(&table.first).await, 2);
    table.play(&stranger, 1, "C").await.refused(403, "not_a_player");
    assert_eq!(table.snapshot().await["outcome"]["winner"], "second");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_names_no_match_is_not_found() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let unknown = uuid::Uuid::now_v7().to_string();
    for id in [unknown.as_str(), "1", "nobody", "..%2f..", "%00", "%ff", &"a".repeat(3_000)] {
        let path = format!("/v1/matches/{id}");
        client.get(&path).await.refused(404, "not_found");
        client.get(&format!("{path}/record")).await.refused(404, "not_found");
        client.post(&format!("{path}/moves"), &json!({"ply": 1, "move": "C"})).await.refused(404, "not_found");
        client.post_empty(&format!("{path}/resign")).await.refused(404, "not_found");
        client.post(&format!("{path}/draw"), &json!({"action": "offer"})).await.refused(404, "not_found");
    }
}

/// MA-7, T33–T35.
#[tokio::test(flavor = "multi_thread")]
async fn a_draw_offer_is_answered_by_its_name_and_not_repeated_before_the_rival_has_moved() {
    let table = Table::new().await;
    let offer = || json!({"action": "offer"});
    let answer = |action: &str, offer: u32| json!({"action": action, "offer": offer});
    table.draw(&table.second, answer("accept", 1)).await.refused(409, "no_open_offer");
    acknowledged(table.draw(&table.first, offer()).await, 1);
    assert_eq!(table.snapshot().await["draw_offer"], json!({"by": "first", "offer": 1}));
    table.draw(&table.first, offer()).await.refused(409, "offer_open");
    for action in ["accept", "decline"] {
        table.draw(&table.first, answer(action, 1)).await.refused(409, "no_open_offer");
        table.draw(&table.second, answer(action, 7)).await.refused(409, "offer_gone");
    }
    acknowledged(table.draw(&table.second, answer("decline", 1)).await, 2);
    assert_eq!(table.snapshot().await["draw_offer"], Value::Null);
    table.draw(&table.second, answer("accept", 1)).await.refused(409, "offer_gone");
    table.draw(&table.first, offer()).await.refused(409, "offer_too_soon");
    acknowledged(table.play(&table.first, 1, "C").await, 3);
    table.draw(&table.first, offer()).await.refused(409, "offer_too_soon");
    acknowledged(table.play(&table.second, 2, "b").await, 4);
    acknowledged(table.draw(&table.first, offer()).await, 5);
    // It stays open through the offerer's own move.
    acknowledged(table.play(&table.first, 3, "A").await, 6);
    table.draw(&table.second, answer("accept", 1)).await.refused(409, "offer_gone");
    acknowledged(table.draw(&table.second, answer("accept", 5)).await, 7);
    let ended = table.snapshot().await;
    assert_eq!((&ended["outcome"]["winner"], &ended["outcome"]["ending"]), (&Value::Null, &json!("agreement")));
    // MA-3.
    assert_eq!((&ended["payout"], &ended["fee"]), (&json!(0), &json!(0)));
    for client in [&table.first, &table.second] {
        assert_eq!(client.get("/v1/wallet").await.expect(200).body["available"], 250);
        table.draw(client, offer()).await.refused(409, "match_over");
        table.draw(client, answer("accept", 5)).await.refused(409, "match_over");
        table.resign(client).await.refused(409, "match_over");
        table.play(client, 4, "a").await.refused(409, "match_over");
    }
    table.server.registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_while_the_rivals_is_open_agrees_to_it_and_a_move_declines_it() {
    let table = Table::new().await;
    acknowledged(table.draw(&table.second, json!({"action": "offer"})).await, 1);
    acknowledged(table.play(&table.first, 1, "C").await, 2);
    assert_eq!(table.snapshot().await["draw_offer"], Value::Null);
    table.draw(&table.first, json!({"action": "accept", "offer": 1})).await.refused(409, "offer_gone");
    acknowledged(table.draw(&table.first, json!({"action": "offer"})).await, 3);
    acknowledged(table.draw(&table.second, json!({"action": "offer"})).await, 4);
    assert_eq!(table.snapshot().await["outcome"]["ending"], "agreement");
}

#[tokio::test(flavor = "multi_thread")]
async fn ones_own_matches_are_listed_newest_first_with_filters_and_pages() {
    let server = TestServer::start().await;
    let (one, client) = server.player(1_000).await;
    let (two, other) = server.player(1_000).await;
    let mut played = Vec::new();
    for number in 0..5 {
        let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 50})).await;
        if number < 4 {
            client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
        }
        played.insert(0, id);
    }
    let list = async |query: &str| -> Vec<String> {
        let page = client.get(&format!("/v1/matches?{query}")).await.expect(200).body;
        page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(list("").await, played);
    assert_eq!(list("status=live").await, played[..1]);
    assert_eq!(list("status=ended&game=oware").await, played[1..]);
    let page = client.get("/v1/matches?limit=2").await.expect(200).body;
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(list(&format!("limit=2&cursor={cursor}")).await, played[2..4]);
    let elsewhere =
        client.get(&format!("/v1/matches?status=ended&cursor={cursor}")).await.refused(422, "invalid_request");
    assert_eq!(elsewhere.fields(), [("cursor".to_owned(), "malformed".to_owned())], "a place in another list");

    let all = other.get("/v1/matches").await.expect(200).body;
    assert_eq!(all["next_cursor"], Value::Null);
    let (live, ended) = (&all["items"][0], &all["items"][1]);
    assert_eq!((&live["status"], &live["outcome"], &live["ended_at"]), (&json!("live"), &Value::Null, &Value::Null));
    assert_eq!((&ended["status"], &ended["outcome"]["ending"]), (&json!("ended"), &json!("resignation")));
    assert_eq!(ended["outcome"]["winner"], ended["seat"], "the other one resigned");
    assert_eq!((&ended["stake"], &ended["payout"], &ended["fee"]), (&json!(50), &json!(90), &json!(10)));
    assert_time(&ended["started_at"]);
    assert_time(&ended["ended_at"]);

    let (_, stranger) = server.player(0).await;
    assert_eq!(stranger.get("/v1/matches").await.expect(200).body["items"], json!([]));
    server.client().get("/v1/matches").await.refused(401, "unauthenticated");
    for (query, field) in [
        ("status=open", "status"),
        ("game=chess", "game"),
        ("player=x", "player"),
        ("cursor=1", "cursor"),
        ("opponent=me", "opponent"),
        ("result=void", "result"),
        ("staked=perhaps", "staked"),
        ("from=monday", "from"),
        ("to=2026-01-01", "to"),
    ] {
        let answer = client.get(&format!("/v1/matches?{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].0, field);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ones_own_matches_are_found_by_rival_result_stake_and_time() {
    let server = TestServer::start().await;
    let (one, client) = server.player(1_000).await;
    let (two, second) = server.player(1_000).await;
    let (three, third) = server.player(1_000).await;
    let admin = server.registrar.with_roles(0, vec![stakeboard_server::role::Role::Admin]).await;
    let start =
        async |rival: &Player| start_match(&server.client(), &one, rival, &json!({"game": "oware", "stake": 50})).await;
    let resign = async |who: &Client, id: &str| who.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);

    let lost = start(&two).await;
    resign(&client, &lost).await;
    let won = start(&two).await;
    resign(&second, &won).await;
    let drawn = start(&three).await;
    for side in [&client, &third] {
        side.post(&format!("/v1/matches/{drawn}/draw"), &json!({"action": "offer"})).await.expect(200);
    }
    let void = start(&three).await;
    let reason = json!({"reason": "a test"});
    server.client().of(&admin).post(&format!("/v1/admin/matches/{void}/void"), &reason).await.expect(200);
    let live = start(&two).await;

    let own = client.get("/v1/matches").await.expect(200).body;
    let began = |id: &str| -> String {
        let items = own["items"].as_array().unwrap();
        items.iter().find(|item| item["id"] == id).unwrap()["started_at"].as_str().unwrap().to_owned()
    };
    let cases = [
        (format!("opponent={}", two.id), vec![&live, &won, &lost]),
        (format!("opponent={}", three.id), vec![&void, &drawn]),
        // Nobody is their own rival.
        (format!("opponent={}&result=won", three.id), vec![]),
        ("result=won".to_owned(), vec![&won]),
        ("result=lost".to_owned(), vec![&lost]),
        ("result=drawn".to_owned(), vec![&drawn]),
        ("staked=true".to_owned(), vec![&live, &void, &drawn, &won, &lost]),
        ("staked=false".to_owned(), vec![]),
        (format!("to={}", began(&won)), vec![&lost]),
        (format!("from={}&to={}", began(&won), began(&void)), vec![&drawn, &won]),
        (format!("from={}&status=ended&opponent={}", began(&won), two.id), vec![&won]),
    ];
    for (query, expected) in cases {
        let page = client.get(&format!("/v1/matches?{query}")).await.expect(200).body;
        let found: Vec<_> = page["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{query}");
    }
    server.stop().await;
}
