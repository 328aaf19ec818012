//! Seeks over HTTP: posting, listing, withdrawing, accepting.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::Connection as _;
use stakeboard_tests::{Answer, Client, Player, TestServer, server::start_match};

use crate::{assert_id, assert_time, keys, leave, open, with};

const SEEKS: &str = "/v1/lobby/seeks";

fn terms(stake: i64) -> Value {
    json!({"game": "oware", "stake": stake})
}

async fn post(client: &Client, stake: i64) -> String {
    let seek = client.post(SEEKS, &terms(stake)).await.expect(201).body;
    seek["id"].as_str().unwrap().to_owned()
}

async fn accept(client: &Client, seek: &str, stake: i64) -> Answer {
    client.post_once(&format!("{SEEKS}/{seek}/accept"), &json!({"stake": stake})).await
}

/// The identifiers of the seeks on a page, in its order.
fn ids(page: &Answer) -> Vec<String> {
    page.body["items"].as_array().unwrap().iter().map(|seek| seek["id"].as_str().unwrap().to_owned()).collect()
}

async fn open_seeks(server: &TestServer) -> Vec<String> {
    ids(&server.client().get(SEEKS).await.expect(200))
}

/// A seek that no call could have posted any more: its poster has since spent the money, or plays.
async fn plant_seek(server: &TestServer, poster: &Player, stake: i64) -> String {
    let id = uuid::Uuid::now_v7();
    let mut owner = server.database.as_owner().await;
    sqlx::query(
        "insert into seeks (id, player_id, game, options, stake, created_at) values ($1, $2, 'oware', $3, $4, now())",
    )
    .bind(id)
    .bind(poster.id.0)
    .bind(json!({"grand_slam": "no_capture"}))
    .bind(stake)
    .execute(&mut owner)
    .await
    .unwrap();
    owner.close().await.unwrap();
    id.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seek_shows_stake_payout_and_fee_and_moves_nothing() {
    let server = TestServer::start().await;
    let (player, client) = server.player(1_000).await;
    let before = client.get("/v1/wallet").await.expect(200).body;
    let seek = client.post(SEEKS, &json!({"game": "oware", "preset": "wari", "stake": 250})).await.expect(201).body;
    assert_eq!(keys(&seek), ["created_at", "fee", "game", "id", "options", "payout", "player", "stake"]);
    assert_id(&seek["id"]);
    assert_time(&seek["created_at"]);
    // MA-2: 90 % of a pot of 500.
    assert_eq!((&seek["stake"], &seek["payout"], &seek["fee"]), (&json!(250), &json!(450), &json!(50)));
    assert_eq!((&seek["game"], &seek["options"]), (&json!("oware"), &json!({"grand_slam": "forbidden"})));
    assert_eq!(
        seek["player"],
        json!({"id": player.id, "display_name": player.name, "rating": null, "deviation": null})
    );
    let listed = server.client().get(SEEKS).await.expect(200).body;
    assert_eq!(listed, json!({"items": [seek], "next_cursor": null}));
    assert_eq!(client.get("/v1/wallet").await.expect(200).body, before);

    client.delete(&format!("{SEEKS}/{}", seek["id"].as_str().unwrap())).await.expect(204);
    assert_eq!(client.get("/v1/wallet").await.expect(200).body, before);
    assert_eq!(client.get("/v1/wallet/transfers").await.expect(200).body["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn presets_and_options_say_the_same_and_the_default_is_abapa() {
    let server = TestServer::start().await;
    let (_, client) = server.player(1_000).await;
    for (preset, option) in [("abapa", "no_capture"), ("wari", "forbidden"), ("caribbean", "captures_all")] {
        let options = json!({"grand_slam": option});
        let by_preset = with(terms(5), "preset", preset);
        let by_options = with(terms(5), "options", options.clone());
        for body in [by_preset, by_options] {
            assert_eq!(client.post(SEEKS, &body).await.expect(201).body["options"], options);
        }
    }
    for body in [terms(5), with(terms(5), "options", json!({}))] {
        assert_eq!(client.post(SEEKS, &body).await.expect(201).body["options"], json!({"grand_slam": "no_capture"}));
    }
}

/// T59.
#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_a_seek_is_refused_with_the_field_and_the_rule() {
    let server = TestServer::start().await;
    let (_, client) = server.player(2_000_000).await;
    let stake = |value: Value| with(terms(5), "stake", value);
    let cases = [
        (with(terms(5), "game", "chess"), "game", "not_one_of"),
        (with(terms(5), "game", ""), "game", "not_one_of"),
        (with(terms(5), "game", 7), "game", "wrong_type"),
        (with(terms(5), "preset", "house rules"), "preset", "not_one_of"),
        (with(terms(5), "options", json!({"grand_slam": "sometimes"})), "options", "unreadable"),
        (with(terms(5), "options", json!({"grand_slum": "forbidden"})), "options", "unreadable"),
        (with(terms(5), "options", json!([])), "options", "unreadable"),
        (with(with(terms(5), "options", json!({})), "preset", "wari"), "preset", "excludes"),
        (with(terms(5), "clock_ms", 1), "clock_ms", "unknown_field"),
        (with(terms(5), "seat", "first"), "seat", "unknown_field"),
        (json!({"game": "oware"}), "stake", "missing_field"),
        (json!({"stake": 5}), "game", "missing_field"),
        (json!(["oware", null, null, 5]), "body", "wrong_type"),
        (stake(json!(0)), "stake", "out_of_range"),
        (stake(json!(-5)), "stake", "out_of_range"),
        (stake(json!(1_000_005)), "stake", "out_of_range"),
        (stake(json!(9_007_199_254_740_993_i64)), "stake", "out_of_range"),
        (stake(json!(i64::MAX)), "stake", "out_of_range"),
        (stake(json!(i64::MIN)), "stake", "out_of_range"),
        (stake(json!(7)), "stake", "off_grid"),
        (stake(json!(999_999)), "stake", "off_grid"),
        (stake(json!(u64::MAX)), "stake", "wrong_type"),
        (stake(json!(5.0)), "stake", "wrong_type"),
        (stake(json!(0.1)), "stake", "wrong_type"),
        (stake(json!(1e-37)), "stake", "wrong_type"),
        (stake(json!("100")), "stake", "wrong_type"),
        (stake(json!(true)), "stake", "wrong_type"),
        (stake(Value::Null), "stake", "wrong_type"),
    ];
    for (body, field, rule) in cases {
        let answer = client.post(SEEKS, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())], "{body}");
        assert!(!answer.body["errors"][0]["detail"].as_str().unwrap().is_empty());
    }
    // What is wrong with several fields is told at once.
    let wrong = json!({"game": 7, "stake": "5", "clock_ms": 1, "preset": ["wari"]});
    let answer = client.post(SEEKS, &wrong).await.refused(422, "invalid_request");
    let mut told = answer.fields();
    told.sort();
    let all =
        [("clock_ms", "unknown_field"), ("game", "wrong_type"), ("preset", "wrong_type"), ("stake", "wrong_type")];
    assert_eq!(told, all.map(|(field, rule)| (field.to_owned(), rule.to_owned())));
    let wrong = with(with(terms(7), "game", "oware"), "preset", "house rules");
    let answer = client.post(SEEKS, &wrong).await.refused(422, "invalid_request");
    assert_eq!(answer.fields(), [("preset".into(), "not_one_of".into()), ("stake".into(), "off_grid".into())]);
    // Options of a game are listed where they are others.
    let wrong = with(terms(5), "options", json!({"grand_slam": "sometimes"}));
    let answer = client.post(SEEKS, &wrong).await.refused(422, "invalid_request");
    let detail = answer.body["errors"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("grand_slam") && detail.contains("forbidden"), "{detail}");
    assert!(open_seeks(&server).await.is_empty());
    for stake in [5, 1_000_000] {
        client.post(SEEKS, &terms(stake)).await.expect(201);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn posting_needs_the_stake_and_no_live_staked_match_and_has_a_limit() {
    let server = TestServer::with(&["--seeks-most=3"]).await;
    server.client().post(SEEKS, &terms(5)).await.refused(401, "unauthenticated");
    let (_, poor) = server.player(99).await;
    poor.post(SEEKS, &terms(100)).await.refused(409, "insufficient_funds");
    // Seeks may add up to more than there is: only one of them can come to be a match.
    for _ in 0..3 {
        poor.post(SEEKS, &terms(95)).await.expect(201);
    }
    let refused = poor.post(SEEKS, &terms(5)).await.refused(429, "too_many_seeks");
    assert!(refused.headers.contains_key("retry-after"));
    poor.delete(&format!("{SEEKS}/{}", open_seeks(&server).await[0])).await.expect(204);
    poor.post(SEEKS, &terms(5)).await.expect(201);

    let (one, client) = server.player(1_000).await;
    let (two, _) = server.player(1_000).await;
    start_match(&server.client(), &one, &two, &terms(100)).await;
    client.post(SEEKS, &terms(5)).await.refused(409, "already_playing");
    server.client().of(&two).post(SEEKS, &terms(5)).await.refused(409, "already_playing");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_newest_first_filtered_and_in_pages() {
    let server = TestServer::start().await;
    let (_, one) = server.player(10_000).await;
    let (_, two) = server.player(10_000).await;
    let mut posted = Vec::new();
    for (client, stake) in [(&one, 5), (&two, 10), (&one, 50), (&two, 100), (&one, 100), (&two, 500), (&one, 1_000)] {
        posted.push((post(client, stake).await, stake));
    }
    posted.reverse();
    let expected = |wanted: fn(i64) -> bool| -> Vec<String> {
        posted.iter().filter(|(_, stake)| wanted(*stake)).map(|(id, _)| id.clone()).collect()
    };
    let client = server.client();
    let list = async |query: &str| ids(&client.get(&format!("{SEEKS}?{query}")).await.expect(200));
    assert_eq!(list("").await, expected(|_| true));
    assert_eq!(list("game=oware").await, expected(|_| true));
    assert_eq!(list("stake_min=50").await, expected(|stake| stake >= 50));
    assert_eq!(list("stake_max=100").await, expected(|stake| stake <= 100));
    assert_eq!(list("stake_min=50&stake_max=100&game=oware").await, expected(|stake| (50..=100).contains(&stake)));
    assert_eq!(list("stake_min=101&stake_max=499").await, expected(|_| false));

    let mut seen = Vec::new();
    let mut query = "limit=3".to_owned();
    loop {
        let page = client.get(&format!("{SEEKS}?{query}")).await.expect(200);
        let items = ids(&page);
        assert!(items.len() == 3 || page.body["next_cursor"].is_null(), "only the last page is shorter");
        seen.extend(items);
        match page.body["next_cursor"].as_str() {
            Some(cursor) => query = format!("limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, expected(|_| true));
    let whole = client.get(&format!("{SEEKS}?limit=7")).await.expect(200);
    assert_eq!((ids(&whole).len(), &whole.body["next_cursor"]), (7, &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_that_is_not_documented_is_refused_by_name() {
    let server = TestServer::start().await;
    let (_, client) = server.player(0).await;
    let cases = [
        ("stake=5", "stake", "unknown_field"),
        ("Game=oware", "Game", "unknown_field"),
        ("game=chess", "game", "not_one_of"),
        ("stake_min=much", "stake_min", "wrong_type"),
        ("stake_min=1.5", "stake_min", "wrong_type"),
        ("stake_min=", "stake_min", "wrong_type"),
        ("stake_max=99999999999999999999", "stake_max", "wrong_type"),
        ("limit=0", "limit", "out_of_range"),
        ("limit=201", "limit", "out_of_range"),
        ("limit=-1", "limit", "out_of_range"),
        ("cursor=next", "cursor", "malformed"),
        ("limit=5&limit=6", "limit", "repeated_field"),
    ];
    for (query, field, rule) in cases {
        let answer = client.get(&format!("{SEEKS}?{query}")).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())], "{query}");
    }
    // A value that is none of a few names them; one that is no identifier says what one is.
    let answer = client.get("/v1/matches?status=over").await.refused(422, "invalid_request");
    let error = &answer.body["errors"][0];
    assert_eq!((&error["field"], &error["code"]), (&json!("status"), &json!("not_one_of")));
    assert_eq!(error["detail"], "One of: live, ended.");
    // Where nothing can be asked for, a parameter is a typo as well.
    for path in ["/v1/config?limit=5", "/v1/games?game=oware", "/v1/me?full=true", "/v1/wallet?currency=EUR"] {
        let answer = client.get(path).await.refused(422, "invalid_request");
        assert_eq!(answer.fields()[0].1, "unknown_field", "{path}");
    }
    let answer = client.post(&format!("{SEEKS}?stake=5"), &terms(5)).await.refused(422, "invalid_request");
    assert_eq!(answer.fields(), [("stake".into(), "unknown_field".into())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seek_is_withdrawn_by_its_poster_once_and_by_nobody_else() {
    let server = TestServer::start().await;
    let (_, poster) = server.player(100).await;
    let (_, other) = server.player(100).await;
    let seek = post(&poster, 100).await;
    let path = format!("{SEEKS}/{seek}");
    other.delete(&path).await.refused(404, "not_found");
    server.client().delete(&path).await.refused(401, "unauthenticated");
    assert_eq!(open_seeks(&server).await, [seek.as_str()]);
    poster.delete(&path).await.expect(204);
    poster.delete(&path).await.refused(404, "not_found");
    for nonsense in ["1", "nobody", "%00", "00000000-0000-0000-0000-00000000000g"] {
        poster.delete(&format!("{SEEKS}/{nonsense}")).await.refused(404, "not_found");
        accept(&other, nonsense, 100).await.refused(404, "not_found");
    }
    accept(&other, &seek, 100).await.refused(409, "seek_gone");
    accept(&other, &uuid::Uuid::now_v7().to_string(), 100).await.refused(409, "seek_gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accepted_seek_is_a_match_with_both_stakes_held() {
    let server = TestServer::start().await;
    let (one, poster) = server.player(1_000).await;
    let (two, accepter) = server.player(300).await;
    let seek = post(&poster, 250).await;
    let accepted = accept(&accepter, &seek, 250).await.expect(201).body;
    assert_eq!(keys(&accepted), ["match_id"]);
    assert_id(&accepted["match_id"]);
    for (client, available) in [(&poster, 750), (&accepter, 50)] {
        let wallet = client.get("/v1/wallet").await.expect(200).body;
        assert_eq!((&wallet["available"], &wallet["in_play"]), (&json!(available), &json!(250)));
    }
    let snapshot = server.client().get(&format!("/v1/matches/{}", accepted["match_id"].as_str().unwrap())).await;
    let players = &snapshot.expect(200).body["players"];
    let mut seated = [players["first"]["id"].clone(), players["second"]["id"].clone()];
    let mut expected = [json!(one.id), json!(two.id)];
    seated.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    assert_eq!(seated, expected);
    assert!(open_seeks(&server).await.is_empty());
    server.registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stake_that_the_caller_saw_is_compared_before_anything_else() {
    let server = TestServer::start().await;
    let (_, poster) = server.player(1_000).await;
    let (_, poor) = server.player(5).await;
    let seek = post(&poster, 100).await;
    for client in [&poster, &poor] {
        accept(client, &seek, 95).await.refused(409, "stake_changed");
    }
    accept(&poster, &seek, 100).await.refused(422, "own_seek");
    accept(&poor, &seek, 100).await.refused(409, "insufficient_funds");
    let (playing, _) = server.player(100).await;
    let (rival, _) = server.player(100).await;
    start_match(&server.client(), &rival, &playing, &terms(100)).await;
    let playing = server.client().of(&playing);
    accept(&playing, &seek, 95).await.refused(409, "stake_changed");
    accept(&playing, &seek, 100).await.refused(409, "already_playing");
    // Every refusal has left the seek as it was.
    assert_eq!(open_seeks(&server).await, [seek.as_str()]);
    let (_, rich) = server.player(100).await;
    accept(&rich, &seek, 100).await.expect(201);
    server.registrar.verify_ledger().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_accept_needs_an_account_a_key_and_exactly_the_documented_body() {
    let server = TestServer::start().await;
    let (_, poster) = server.player(100).await;
    let (_, client) = server.player(100).await;
    let seek = post(&poster, 100).await;
    let path = format!("{SEEKS}/{seek}/accept");
    let right = json!({"stake": 100});
    let guest = server.client().post("/v1/auth/guest", &json!({})).await.expect(201);
    let guest = server.client().with_token(guest.body["access_token"].as_str().unwrap());
    guest.post_once(&path, &right).await.refused(403, "account_needed");
    guest.delete(&format!("{SEEKS}/{seek}")).await.refused(403, "account_needed");
    server.client().post_once(&path, &right).await.refused(401, "unauthenticated");
    client.post(&path, &right).await.refused(400, "idempotency_key_missing");
    client.post_keyed(&path, "", &right).await.refused(400, "bad_idempotency_key");
    client.post_keyed(&path, &"k".repeat(256), &right).await.refused(400, "bad_idempotency_key");
    for (body, field, rule) in [
        (json!({}), "stake", "missing_field"),
        (json!({"stake": "100"}), "stake", "wrong_type"),
        (json!({"stake": 100, "seat": "first"}), "seat", "unknown_field"),
    ] {
        let answer = client.post_once(&path, &body).await.refused(422, "invalid_request");
        assert_eq!(answer.fields(), [(field.to_owned(), rule.to_owned())]);
    }
    assert_eq!(open_seeks(&server).await, [seek]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_gives_the_first_answer_and_a_refused_request_leaves_it_free() {
    let server = TestServer::start().await;
    let (_, poster) = server.player(100).await;
    let (poor, client) = server.player(0).await;
    let path = format!("{SEEKS}/{}/accept", post(&poster, 100).await);
    let body = json!({"stake": 100});
    client.post_keyed(&path, "mine", &body).await.refused(409, "insufficient_funds");
    server.registrar.deposit(poor.id, 100).await;
    let first = client.post_keyed(&path, "mine", &body).await.expect(201).body;
    assert_eq!(client.post_keyed(&path, "mine", &body).await.expect(201).body, first);
    client.post_keyed(&path, "mine", &json!({"stake": 95})).await.refused(422, "idempotency_key_reused");
    client.post_keyed(&path, "another", &body).await.refused(409, "seek_gone");
    // B41: another player's key of the same name is another key.
    poster.post_keyed(&path, "mine", &body).await.refused(409, "seek_gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_poster_who_opened_a_socket_and_left_is_away_at_once() {
    let server = TestServer::start().await;
    let (host, poster) = server.player(100).await;
    let (_, client) = server.player(100).await;
    let seek = post(&poster, 100).await;
    let socket = open(&server, &host).await;
    leave(socket).await;
    accept(&client, &seek, 100).await.refused(409, "host_away");
    assert_eq!(client.get("/v1/wallet").await.expect(200).body["available"], 100);
    assert_eq!(open_seeks(&server).await, [seek.as_str()], "the host may come back");
    let (one, two) = (open(&server, &host).await, open(&server, &host).await);
    leave(one).await;
    accept(&client, &seek, 100).await.expect(201);
    drop(two);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_a_poster_without_a_socket_is_away() {
    let server = TestServer::start().await;
    let (host, poster) = server.player(100).await;
    let (_, client) = server.player(100).await;
    let seek = post(&poster, 100).await;
    let server = server.restart().await;
    let client = server.client().of(&Player { token: token_of(&client), ..host.clone() });
    assert_eq!(open_seeks(&server).await, [seek.as_str()]);
    accept(&client, &seek, 100).await.refused(409, "host_away");
    let socket = open(&server, &host).await;
    accept(&client, &seek, 100).await.expect(201);
    drop(socket);
}

/// The token a client was made with: a restarted server has another address.
fn token_of(client: &Client) -> String {
    let request = client.request(reqwest::Method::GET, "/").build().unwrap();
    let header = request.headers()["authorization"].to_str().unwrap();
    header.strip_prefix("Bearer ").unwrap().to_owned()
}

/// L-8, AWAY.
#[tokio::test(flavor = "multi_thread")]
async fn a_posting_is_withdrawn_after_fifteen_seconds_without_a_socket_and_not_before() {
    const AWAY: Duration = Duration::from_secs(15);
    let server = TestServer::start().await;
    let (present, stays) = server.player(100).await;
    let (_, leaves) = server.player(100).await;
    let socket = open(&server, &present).await;
    let kept = post(&stays, 100).await;
    let began = Instant::now();
    let left = post(&leaves, 100).await;
    let posted = Instant::now();
    loop {
        let asked = Instant::now();
        let open = open_seeks(&server).await;
        assert!(open.contains(&kept), "its poster has a socket");
        if !open.contains(&left) {
            assert!(began.elapsed() >= AWAY, "gone too early: {:?}", began.elapsed());
            break;
        }
        assert!(asked - posted < AWAY + Duration::from_secs(3), "still there after {:?}", asked - posted);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    leaves.delete(&format!("{SEEKS}/{left}")).await.refused(404, "not_found");
    drop(socket);
}

/// L-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_seek_whose_poster_can_no_longer_stake_goes_when_somebody_accepts() {
    let server = TestServer::start().await;
    let (host, _) = server.player(100).await;
    let (_, client) = server.player(1_000).await;
    let spent = plant_seek(&server, &host, 105).await;
    accept(&client, &spent, 105).await.refused(409, "seek_gone");
    assert!(open_seeks(&server).await.is_empty());

    let (rival, _) = server.player(100).await;
    start_match(&server.client(), &rival, &host, &terms(50)).await;
    let playing = plant_seek(&server, &host, 5).await;
    accept(&client, &playing, 5).await.refused(409, "seek_gone");
    assert!(open_seeks(&server).await.is_empty());
    let wallet = client.get("/v1/wallet").await.expect(200).body;
    assert_eq!((&wallet["available"], &wallet["in_play"]), (&json!(1_000), &json!(0)));
    server.registrar.verify_ledger().await;
}

/// L-8.
#[tokio::test(flavor = "multi_thread")]
async fn a_pairing_withdraws_every_other_seek_of_both_players() {
    let server = TestServer::start().await;
    let (_, one) = server.player(1_000).await;
    let (_, two) = server.player(1_000).await;
    let (_, three) = server.player(1_000).await;
    let wanted = post(&one, 100).await;
    for (client, stake) in [(&one, 5), (&one, 100), (&two, 100), (&two, 10)] {
        post(client, stake).await;
    }
    let kept = post(&three, 100).await;
    accept(&two, &wanted, 100).await.expect(201);
    assert_eq!(open_seeks(&server).await, [kept]);
}

/// MA-12.
#[tokio::test(flavor = "multi_thread")]
async fn who_opens_is_drawn_by_chance_whoever_posted() {
    let server = TestServer::start().await;
    let (one, client) = server.player(100_000).await;
    let (two, _) = server.player(100_000).await;
    let mut poster_opened = 0;
    for _ in 0..40 {
        let id = start_match(&server.client(), &one, &two, &terms(5)).await;
        let first = client.get(&format!("/v1/matches/{id}")).await.expect(200).body["players"]["first"]["id"].clone();
        poster_opened += u32::from(first == json!(one.id));
        client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    }
    // All forty on one side: once in 550,000,000,000 runs.
    assert!((1..40).contains(&poster_opened), "{poster_opened} of 40");
}
