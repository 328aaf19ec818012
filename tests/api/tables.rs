//! Tables by link (MA-10, MA-11), and the friendly matches that come of them.

use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, Player, TestServer, play::seat_of};

use crate::{PASSWORD, assert_time, keys, leave, open, registration, with};

/// Opens a table for this stake and gives it.
async fn table(host: &Client, stake: i64) -> Value {
    host.post("/v1/tables", &json!({"game": "oware", "stake": stake})).await.expect(201).body
}

fn code(table: &Value) -> String {
    table["code"].as_str().unwrap().to_owned()
}

async fn join(client: &Client, code: &str, stake: i64) -> Answer {
    client.post_once(&format!("/v1/tables/{code}/join"), &json!({"stake": stake})).await
}

/// A guest with a client.
async fn guest(server: &TestServer) -> (Value, Client) {
    let entered = server.client().post_empty("/v1/auth/guest").await.expect(201).body;
    let client = server.client().with_token(entered["access_token"].as_str().unwrap());
    (entered["player"].clone(), client)
}

async fn pool_says(server: &TestServer, statement: &'static str) -> i64 {
    sqlx::query_scalar(statement).fetch_one(&server.registrar.pool).await.unwrap()
}

/// Lets an hour and some go by for every table.
async fn an_hour_later(server: &TestServer) {
    let mut owner = server.database.as_owner().await;
    sqlx::query("update tables set created_at = created_at - interval '61 minutes'").execute(&mut owner).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_11_a_table_shows_its_terms_and_a_free_seat_to_anybody_and_moves_nothing() {
    let server = TestServer::start().await;
    let (host, client) = server.player(1_000).await;
    let request = json!({"game": "oware", "preset": "wari", "stake": 500});
    let made = client.post("/v1/tables", &request).await.expect(201).body;
    assert_eq!(
        keys(&made),
        ["code", "created_at", "expires_at", "fee", "game", "link", "match_id", "options", "payout", "seats", "stake"]
    );
    assert_eq!((&made["stake"], &made["payout"], &made["fee"]), (&json!(500), &json!(900), &json!(100)));
    assert_eq!(made["options"], json!({"grand_slam": "forbidden"}));
    assert_eq!(made["seats"], json!([{"id": host.id.to_string(), "display_name": host.name}, "free"]));
    assert_eq!(made["match_id"], Value::Null);
    assert_eq!(made["link"], format!("/table/{}", code(&made)));
    assert_time(&made["created_at"]);
    assert_time(&made["expires_at"]);
    assert!(code(&made).bytes().all(|sign| !b"BGILOSVZ01258".contains(&sign)), "{made}");
    // Read aloud, it is typed in any case; nobody has to say who they are to see it.
    for spelling in [code(&made), code(&made).to_lowercase()] {
        let seen = server.client().get(&format!("/v1/tables/{spelling}")).await.expect(200).body;
        assert_eq!(seen, made);
    }
    assert_eq!(client.get("/v1/wallet").await.expect(200).body["available"], 1_000, "MA-6: nothing has moved");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_joined_for_a_stake_is_a_match_with_both_stakes_held_and_its_link_leads_there() {
    let server = TestServer::start().await;
    let (one, host) = server.player(500).await;
    let (two, friend) = server.player(500).await;
    let mut socket = open(&server, &one).await;
    let table = table(&host, 500).await;
    let made = join(&friend, &code(&table), 500).await.expect(201).body;
    assert_eq!(socket.until("match_started").await["match"], made["match_id"]);
    let id = made["match_id"].as_str().unwrap();
    let snapshot = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
    assert_eq!((&snapshot["stake"], &snapshot["payout"], &snapshot["fee"]), (&json!(500), &json!(900), &json!(100)));
    for (player, client) in [(&one, &host), (&two, &friend)] {
        let wallet = client.get("/v1/wallet").await.expect(200).body;
        assert_eq!(
            (&wallet["available"], &wallet["in_play"]),
            (&json!(0), &json!(500)),
            "{}",
            seat_of(&snapshot, player)
        );
    }
    let used = server.client().get(&format!("/v1/tables/{}", code(&table))).await.expect(200).body;
    assert_eq!(used["match_id"], made["match_id"]);
    assert_eq!(used["seats"][1], json!({"id": two.id.to_string(), "display_name": two.name}));
    let (_, late) = server.player(500).await;
    join(&late, &code(&table), 500).await.refused(409, "table_gone");
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_10_two_guests_play_a_friendly_match_and_the_ledger_never_hears_of_it() {
    let server = TestServer::start().await;
    let (ana, host) = guest(&server).await;
    let (_, friend) = guest(&server).await;
    let table = table(&host, 0).await;
    assert_eq!((&table["stake"], &table["payout"], &table["fee"]), (&json!(0), &json!(0), &json!(0)));
    let id = join(&friend, &code(&table), 0).await.expect(201).body["match_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/matches/{id}");
    let snapshot = server.client().get(&path).await.expect(200).body;
    assert_eq!((&snapshot["status"], &snapshot["stake"], &snapshot["payout"]), (&json!("live"), &json!(0), &json!(0)));
    assert_eq!(snapshot["clocks"]["running"], "first", "the clocks are those of every match");
    let (first, second) =
        if snapshot["players"]["first"]["id"] == ana["id"] { (&host, &friend) } else { (&friend, &host) };
    first.post(&format!("{path}/moves"), &json!({"ply": 1, "move": "C"})).await.expect(200);
    second.post(&format!("{path}/moves"), &json!({"ply": 1, "move": "c"})).await.refused(409, "stale_ply");
    second.post_empty(&format!("{path}/resign")).await.expect(200);
    let record = server.client().get(&format!("{path}/record")).await.expect(200).body;
    assert_eq!(record["outcome"], json!({"winner": "first", "ending": "resignation", "first": 0, "second": 0}));
    assert_eq!((&record["stake"], &record["payout"], &record["fee"]), (&json!(0), &json!(0), &json!(0)));
    server.client().get(&format!("{path}/receipt")).await.refused(404, "no_receipt");
    for nothing in [
        "select count(*) from live_stakes",
        "select count(*) from settlements",
        "select count(*) from transfers",
        "select count(*) from rating_changes",
        "select count(*) from accounts where kind in ('escrow', 'player')",
    ] {
        assert_eq!(pool_says(&server, nothing).await, 0, "{nothing}");
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_friendly_match_is_played_beside_a_staked_one_and_both_go_on_after_a_restart() {
    let server = TestServer::start().await;
    let (staked, [one, _]) = server.start_match(500).await;
    let host = server.client().of(&one);
    let (_, friend) = guest(&server).await;
    let friendly = join(&friend, &code(&table(&host, 0).await), 0).await.expect(201).body;
    let friendly = friendly["match_id"].as_str().unwrap().to_owned();
    let server = server.restart().await;
    for id in [&staked, &friendly] {
        let snapshot = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
        assert_eq!(snapshot["status"], "live");
    }
    let host = server.client().of(&one);
    host.post_empty(&format!("/v1/matches/{friendly}/resign")).await.expect(200);
    host.post_empty(&format!("/v1/matches/{staked}/resign")).await.expect(200);
    assert_eq!(pool_says(&server, "select count(*) from settlements").await, 1);
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ma_10_a_friendly_match_is_kept_for_a_day_and_nothing_else_is_ever_forgotten() {
    let server = TestServer::start().await;
    let (_, host) = guest(&server).await;
    let (_, friend) = guest(&server).await;
    let mut ended = Vec::new();
    for ends in [true, true, true, false] {
        let id = join(&friend, &code(&table(&host, 0).await), 0).await.expect(201).body["match_id"].clone();
        if ends {
            host.post_empty(&format!("/v1/matches/{}/resign", id.as_str().unwrap())).await.expect(200);
        }
        ended.push(id.as_str().unwrap().to_owned());
    }
    let (staked, [one, _]) = server.start_match(500).await;
    server.client().of(&one).post_empty(&format!("/v1/matches/{staked}/resign")).await.expect(200);
    // The first ended 23 hours ago, the second 25; the third as well, and was reported.
    let report = json!({"text": "they knew every answer"});
    friend.post(&format!("/v1/matches/{}/report", ended[2]), &report).await.expect(201);
    let mut owner = server.database.as_owner().await;
    // The database lets nobody age a match that was played for a stake.
    sqlx::query("set session_replication_role = replica").execute(&mut owner).await.unwrap();
    for (id, hours) in [(&ended[0], 23.0), (&ended[1], 25.0), (&ended[2], 25.0), (&staked, 25.0)] {
        for aged in [
            "update matches set ended_at = ended_at - make_interval(secs => 3600 * $2) where id = $1::uuid",
            "update match_events set at = at - make_interval(secs => 3600 * $2) where match_id = $1::uuid",
        ] {
            sqlx::query(aged).bind(id).bind(hours).execute(&mut owner).await.unwrap();
        }
    }
    // It is a chore of every start, and of every hour.
    let server = server.restart().await;
    let forgotten = format!("/v1/matches/{}", ended[1]);
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while server.client().get(&forgotten).await.status == 200 {
        assert!(std::time::Instant::now() < deadline, "it is forgotten");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    server.client().get(&forgotten).await.refused(404, "not_found");
    server.client().get(&format!("{forgotten}/record")).await.refused(404, "not_found");
    for kept in [&ended[0], &ended[2], &ended[3], &staked] {
        server.client().get(&format!("/v1/matches/{kept}")).await.expect(200);
        server.client().get(&format!("/v1/matches/{kept}/record")).await.expect(200);
    }
    assert_eq!(
        pool_says(
            &server,
            "select count(*) from match_events e where not exists (select from matches where id = e.match_id)"
        )
        .await,
        0,
        "its journal went with it"
    );
    for statement in ["delete from matches", "delete from match_events", "truncate matches cascade"] {
        let refused = sqlx::raw_sql(statement).execute(&server.registrar.pool).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().code().unwrap(), "42501", "{statement}");
    }
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_signs_up_keeps_identity_table_and_running_match() {
    let server = TestServer::start().await;
    let (me, host) = guest(&server).await;
    let (_, friend) = guest(&server).await;
    let id = join(&friend, &code(&table(&host, 0).await), 0).await.expect(201).body["match_id"].clone();
    let waiting = table(&host, 0).await;
    let signed_up = host.post("/v1/auth/register", &registration("ana")).await.expect(201).body;
    assert_eq!(signed_up["player"]["id"], me["id"]);
    let client = server.client().with_token(signed_up["access_token"].as_str().unwrap());
    let seen = server.client().get(&format!("/v1/tables/{}", code(&waiting))).await.expect(200).body;
    assert_eq!(seen["seats"][0], json!({"id": me["id"], "display_name": "ana"}));
    client.post_empty(&format!("/v1/matches/{}/resign", id.as_str().unwrap())).await.expect(200);
    join(&friend, &code(&waiting), 0).await.expect(201);
    let again = with(registration("ana"), "password", PASSWORD);
    client.post("/v1/auth/register", &again).await.refused(409, "already_registered");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_a_table_is_refused_by_name() {
    let server = TestServer::start().await;
    let (_, host) = server.player(100).await;
    for (stake, rule) in [(-5, "out_of_range"), (4, "out_of_range"), (1_000_005, "out_of_range"), (7, "off_grid")] {
        let answer = host.post("/v1/tables", &json!({"game": "oware", "stake": stake})).await;
        answer.clone().refused(422, "invalid_request");
        assert_eq!(answer.fields(), [("stake".to_owned(), rule.to_owned())], "{stake}");
    }
    for body in [
        json!({"game": "chess", "stake": 0}),
        json!({"game": "oware"}),
        json!({"game": "oware", "stake": "0"}),
        json!({"game": "oware", "stake": 0, "seat": "first"}),
        json!({"game": "oware", "stake": 0, "preset": "wari", "options": {}}),
    ] {
        host.post("/v1/tables", &body).await.refused(422, "invalid_request");
    }
    host.post("/v1/tables", &json!({"game": "oware", "stake": 105})).await.refused(409, "insufficient_funds");
    let (_, guest) = guest(&server).await;
    guest.post("/v1/tables", &json!({"game": "oware", "stake": 5})).await.refused(403, "account_needed");
    server.client().post("/v1/tables", &json!({"game": "oware", "stake": 0})).await.refused(401, "unauthenticated");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_staked_table_can_not_be_opened_while_playing_for_a_stake_and_a_friendly_one_can() {
    let server = TestServer::start().await;
    let (_, [one, _]) = server.start_match(500).await;
    server.registrar.deposit(one.id, 500).await;
    let host = server.client().of(&one);
    host.post("/v1/tables", &json!({"game": "oware", "stake": 500})).await.refused(409, "already_playing");
    table(&host, 0).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn open_tables_and_friendly_matches_of_a_player_are_bounded() {
    let server = TestServer::with(&["--tables-most=2", "--friendly-most=1"]).await;
    let limits = server.client().get("/v1/config").await.expect(200).body["limits"].clone();
    assert_eq!((&limits["tables"], &limits["friendly_matches"]), (&json!(2), &json!(1)));
    let (_, host) = guest(&server).await;
    let (one, two) = (table(&host, 0).await, table(&host, 0).await);
    let request = json!({"game": "oware", "stake": 0});
    host.post("/v1/tables", &request).await.refused(429, "too_many_tables");
    let (_, friend) = guest(&server).await;
    let (_, other) = guest(&server).await;
    join(&friend, &code(&one), 0).await.expect(201);
    // The host is in one friendly match, and so is the friend.
    join(&other, &code(&two), 0).await.refused(409, "host_playing");
    let (_, third) = guest(&server).await;
    let third = table(&third, 0).await;
    join(&friend, &code(&third), 0).await.refused(429, "too_many_matches");
    // A used table is none that is open; an expired one neither.
    table(&host, 0).await;
    host.post("/v1/tables", &request).await.refused(429, "too_many_tables");
    an_hour_later(&server).await;
    table(&host, 0).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_expired_was_closed_or_never_was_says_so() {
    let server = TestServer::start().await;
    let (_, host) = server.player(500).await;
    let (_, friend) = server.player(500).await;
    let closed = code(&table(&host, 0).await);
    friend.delete(&format!("/v1/tables/{closed}")).await.refused(404, "not_found");
    host.delete(&format!("/v1/tables/{closed}")).await.expect(204);
    host.delete(&format!("/v1/tables/{closed}")).await.refused(404, "not_found");
    let expired = code(&table(&host, 500).await);
    an_hour_later(&server).await;
    for code in [&closed, &expired, "ACDEFHJK"] {
        server.client().get(&format!("/v1/tables/{code}")).await.refused(404, "not_found");
        join(&friend, code, 0).await.refused(409, "table_gone");
        host.delete(&format!("/v1/tables/{code}")).await.refused(404, "not_found");
    }
    assert_eq!(host.get("/v1/wallet").await.expect(200).body["available"], 500, "T63: nothing was moved");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_with_odd_characters_name_nothing() {
    let server = TestServer::start().await;
    let (_, friend) = server.player(500).await;
    let long = "A".repeat(2_000);
    for odd in [
        "A",
        "%00",
        "ACDEFHJ%00",
        "ACDEFHJ%27",
        "..%2F..%2Fetc",
        "%C3%81CDEFHJ",
        "%FF%FE",
        "ACDE%20HJK",
        "0O1IL5SB",
        &long,
    ] {
        for path in [format!("/v1/tables/{odd}"), format!("/v1/tables/{odd}/join")] {
            let joins = path.ends_with("/join");
            let answer =
                if joins { friend.post_once(&path, &json!({"stake": 0})).await } else { friend.get(&path).await };
            answer.refused(404, "not_found");
        }
        friend.delete(&format!("/v1/tables/{odd}")).await.refused(404, "not_found");
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stake_that_the_caller_saw_comes_first_then_whose_table_it_is() {
    let server = TestServer::start().await;
    let (one, host) = server.player(1_000).await;
    let table = code(&table(&host, 500).await);
    let (_, guest) = guest(&server).await;
    for stake in [0, 505, -500, i64::MAX] {
        join(&host, &table, stake).await.refused(409, "stake_changed");
        join(&guest, &table, stake).await.refused(409, "stake_changed");
    }
    // T39: nobody plays against themselves, on whichever device.
    let elsewhere = server.client().of(&server.registrar.session(one.id, one.name.clone()).await);
    for client in [&host, &elsewhere] {
        join(client, &table, 500).await.refused(422, "own_table");
    }
    join(&guest, &table, 500).await.refused(403, "account_needed");
    let (_, poor) = server.player(495).await;
    join(&poor, &table, 500).await.refused(409, "insufficient_funds");
    let keyless = poor.post(&format!("/v1/tables/{table}/join"), &json!({"stake": 500})).await;
    keyless.refused(400, "idempotency_key_missing");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_key_joins_once_and_gives_the_first_answer() {
    let server = TestServer::start().await;
    let (_, host) = server.player(1_000).await;
    let (_, friend) = server.player(1_000).await;
    let path = format!("/v1/tables/{}/join", code(&table(&host, 500).await));
    let first = friend.post_keyed(&path, "mine", &json!({"stake": 500})).await.expect(201).body;
    assert_eq!(friend.post_keyed(&path, "mine", &json!({"stake": 500})).await.expect(201).body, first);
    friend.post_keyed(&path, "mine", &json!({"stake": 0})).await.refused(422, "idempotency_key_reused");
    friend.post_keyed(&path, "another", &json!({"stake": 500})).await.refused(409, "table_gone");
    assert_eq!(friend.get("/v1/wallet").await.expect(200).body["available"], 500);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_staked_table_waits_while_its_host_is_away_or_plays_and_a_pairing_leaves_it() {
    let server = TestServer::start().await;
    let (one, host) = server.player(1_000).await;
    let (two, friend) = server.player(1_000).await;
    let invitation = code(&table(&host, 500).await);
    let socket = open(&server, &one).await;
    leave(socket).await;
    join(&friend, &invitation, 500).await.refused(409, "host_away");
    let socket = open(&server, &one).await;
    let (other, _) = server.player(500).await;
    let terms = json!({"game": "oware", "stake": 500});
    let playing = stakeboard_tests::server::start_match(&host, &one, &other, &terms).await;
    join(&friend, &invitation, 500).await.refused(409, "host_playing");
    host.post_empty(&format!("/v1/matches/{playing}/resign")).await.expect(200);
    join(&friend, &invitation, 500).await.expect(201);
    drop(socket);
    // Who joins for a stake is in one staked match as well.
    let (_, third) = server.player(1_000).await;
    let another = code(&table(&third, 500).await);
    join(&server.client().of(&two), &another, 500).await.refused(409, "already_playing");
    server.registrar.verify_ledger().await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l8_a_table_whose_host_can_no_longer_stake_goes_when_somebody_joins() {
    let server = TestServer::start().await;
    let (_, host) = server.player(500).await;
    let (_, friend) = server.player(500).await;
    let table = code(&table(&host, 500).await);
    host.post_once("/v1/wallet/withdrawals", &json!({"amount": 100})).await.expect(201);
    join(&friend, &table, 500).await.refused(409, "table_gone");
    server.client().get(&format!("/v1/tables/{table}")).await.refused(404, "not_found");
    assert_eq!(friend.get("/v1/wallet").await.expect(200).body["available"], 500);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn p_3_a_break_withdraws_every_table_and_closes_friendly_play() {
    let server = TestServer::start().await;
    let (one, host): (Player, Client) = server.player(500).await;
    let (_, friend) = server.player(500).await;
    let (staked, friendly) = (code(&table(&host, 500).await), code(&table(&host, 0).await));
    let theirs = code(&table(&friend, 0).await);
    host.post("/v1/me/break", &json!({"days": 1})).await.expect(200);
    join(&friend, &staked, 500).await.refused(409, "table_gone");
    join(&friend, &friendly, 0).await.refused(409, "table_gone");
    let host = server.client().of(&server.registrar.session(one.id, one.name.clone()).await);
    for stake in [0, 500] {
        host.post("/v1/tables", &json!({"game": "oware", "stake": stake})).await.refused(403, "on_break");
    }
    join(&host, &theirs, 0).await.refused(403, "on_break");
    server.stop().await;
}
