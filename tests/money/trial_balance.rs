//! The trial balance over HTTP, the gate that a failed one closes, and the nightly run (L-10).

use serde_json::{Value, json};
use sqlx::PgConnection;
use stakeboard_server::{ledger::trial, role::Role};
use stakeboard_tests::{Client, Player, TestServer, server::start_match};
use time::macros::{date, datetime};

use crate::support::{accept, end_in_draw, post_seek, text};

const TRIAL: &str = "/v1/admin/ledger/trial-balance";
const ACKNOWLEDGE: &str = "/v1/admin/ledger/trial-balance/acknowledge";

async fn staff(server: &TestServer, role: Role) -> (Player, Client) {
    let player = server.registrar.with_roles(0, vec![role]).await;
    let client = server.client().of(&player);
    (player, client)
}

/// As the schema's owner, behind the ledger's back.
async fn tamper(owner: &mut PgConnection, player: &Player, change: i64) {
    let statement = "update balances set balance = balance + $2
                     where account_id = (select id from accounts where player_id = $1 and kind = 'player')";
    sqlx::query(statement).bind(player.id.0).bind(change).execute(owner).await.unwrap();
}

fn failed(trial: &Value) -> Vec<&str> {
    let checks = trial["checks"].as_array().unwrap();
    checks.iter().filter(|check| check["passed"] == false).map(|check| check["name"].as_str().unwrap()).collect()
}

fn total(trial: &Value, kind: &str) -> (i64, i64) {
    let all = trial["accounts"].as_array().unwrap();
    let found = all.iter().find(|total| total["kind"] == kind).unwrap();
    (found["accounts"].as_i64().unwrap(), found["balance"].as_i64().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_the_trial_balance_has_a_total_for_each_kind_and_every_check_with_its_figure() {
    let server = TestServer::start().await;
    let (_, auditor) = staff(&server, Role::Auditor).await;
    let (one, client) = server.player(1_000).await;
    let (two, rival) = server.player(1_000).await;
    let terms = json!({"game": "oware", "stake": 200});
    let won = start_match(&client, &one, &two, &terms).await;
    rival.post_empty(&format!("/v1/matches/{won}/resign")).await.expect(200);
    let live = start_match(&client, &one, &two, &terms).await;

    let trial = auditor.get(TRIAL).await.expect(200).body;
    assert_eq!((&trial["passed"], &trial["sum"], &trial["stakes_closed"]), (&json!(true), &json!(0), &json!(false)));
    assert_eq!(failed(&trial), Vec::<&str>::new());
    // Of the pot of 400, 360 went to the winner and 40 to the house; then both put up 200 again.
    assert_eq!(total(&trial, "external"), (1, -2_000));
    assert_eq!(total(&trial, "house_fee").1, 40);
    assert_eq!(total(&trial, "escrow"), (2, 400));
    assert_eq!(total(&trial, "player"), (3, 1_160 + 800 - 400));
    assert_eq!(total(&trial, "withdrawal_hold"), (3, 0));
    let checks = trial["checks"].as_array().unwrap();
    assert!(checks.len() >= 16);
    assert!(checks.contains(&json!({"name": "all balances sum to zero", "passed": true, "figure": "sum 0"})));
    let fees = json!({"name": "the house has ten per cent of the decided pots", "passed": true, "figure": "40 of 400"});
    assert!(checks.contains(&fees));

    end_in_draw(&live, &client, &rival).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_the_trial_balance_at_a_time_is_that_of_then() {
    let server = TestServer::start().await;
    let (_, auditor) = staff(&server, Role::Auditor).await;
    let (one, client) = server.player(1_000).await;
    let (two, rival) = server.player(1_000).await;
    let live = start_match(&client, &one, &two, &json!({"game": "oware", "stake": 200})).await;
    let then = now(&server).await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    rival.post_empty(&format!("/v1/matches/{live}/resign")).await.expect(200);
    server.registrar.deposit(one.id, 500).await;

    let past = auditor.get(&format!("{TRIAL}?at={then}")).await.expect(200).body;
    assert_eq!((failed(&past), &past["sum"], &past["id"]), (vec![], &json!(0), &json!(null)));
    assert_eq!((total(&past, "external").1, total(&past, "escrow").1), (-2_000, 400));
    assert_eq!((total(&past, "player").1, total(&past, "house_fee").1), (1_600, 0));
    let before = auditor.get(&format!("{TRIAL}?at=2020-01-01T00:00:00Z")).await.expect(200).body;
    assert_eq!((before["passed"].as_bool(), total(&before, "external").1), (Some(true), 0));
    let today = auditor.get(TRIAL).await.expect(200).body;
    assert_eq!((total(&today, "external").1, total(&today, "escrow").1), (-2_500, 0));

    for query in ["at=yesterday", "at=", "at=2026-01-01", "at=1", "when=2026-01-01T00:00:00Z"] {
        auditor.get(&format!("{TRIAL}?{query}")).await.refused(422, "invalid_request");
    }
    server.stop().await;
}

async fn now(server: &TestServer) -> String {
    let format = r#"select to_char(clock_timestamp() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"#;
    sqlx::query_scalar(format).fetch_one(&server.registrar.pool).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_a_failed_check_stops_new_stakes_across_restarts_until_an_administrator_has_seen_it() {
    let server = TestServer::start().await;
    let (_, auditor) = staff(&server, Role::Auditor).await;
    let (boss, admin) = staff(&server, Role::Admin).await;
    let (one, client) = server.player(10_000).await;
    let (two, rival) = server.player(10_000).await;
    let (third, waiting) = server.player(10_000).await;
    let live = start_match(&client, &one, &two, &json!({"game": "oware", "stake": 500})).await;
    let seek = post_seek(&waiting, 100).await;
    let mut owner = server.database.as_owner().await;

    tamper(&mut owner, &third, 7).await;
    let trial = auditor.get(TRIAL).await.expect(200).body;
    assert_eq!((&trial["passed"], &trial["sum"], &trial["stakes_closed"]), (&json!(false), &json!(7), &json!(true)));
    let expected =
        ["all balances sum to zero", "every balance is its last entry", "every balance is the sum of its entries"];
    assert_eq!(failed(&trial), expected);

    let terms = json!({"game": "oware", "stake": 100});
    waiting.post("/v1/lobby/seeks", &terms).await.refused(409, "stakes_closed");
    let (_, fourth) = server.player(1_000).await;
    accept(&fourth, &seek, 100).await.refused(409, "stakes_closed");
    // What is under way goes on and is paid out.
    end_in_draw(&live, &client, &rival).await;

    let (clients, server) = restart(server, &[&third, &boss]).await;
    let [waiting, admin_again] = clients.as_slice() else { panic!("two clients") };
    waiting.post("/v1/lobby/seeks", &terms).await.refused(409, "stakes_closed");
    drop((auditor, admin));
    let (_, auditor) = staff(&server, Role::Auditor).await;
    auditor.post(ACKNOWLEDGE, &json!({"reason": "I looked"})).await.refused(403, "forbidden");
    for reason in [json!({}), json!({"reason": "  "}), json!({"reason": 5}), json!({"reason": "a\u{0}b"})] {
        let fields = admin_again.post(ACKNOWLEDGE, &reason).await.refused(422, "invalid_request").fields();
        assert_eq!(fields[0].0, "reason");
    }
    waiting.post("/v1/lobby/seeks", &terms).await.refused(409, "stakes_closed");

    let seen = admin_again.post(ACKNOWLEDGE, &json!({"reason": "a row was edited by hand 🖐"})).await.expect(200).body;
    assert_eq!(seen["stakes_closed"], false);
    assert_eq!(seen["trial_balances"], json!([trial["id"]]));
    waiting.post("/v1/lobby/seeks", &terms).await.expect(201);
    let acts = admin_again.get("/v1/admin/audit?action=ledger.acknowledge").await.expect(200).body;
    let act = &acts["items"][0];
    assert_eq!((text(&act["actor"]), text(&act["reason"])), (boss.id.to_string(), "a row was edited by hand 🖐".into()));
    server.stop().await;
}

/// Stops and starts the server; gives clients of the new one for these players.
async fn restart(server: TestServer, players: &[&Player]) -> (Vec<Client>, TestServer) {
    let server = server.restart().await;
    (players.iter().map(|player| server.client().of(player)).collect(), server)
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_what_was_seen_does_not_close_again_and_what_is_new_does() {
    let server = TestServer::start().await;
    let (_, admin) = staff(&server, Role::Admin).await;
    let (one, _) = server.player(1_000).await;
    let (two, client) = server.player(1_000).await;
    let mut owner = server.database.as_owner().await;
    let closed = async || admin.get(TRIAL).await.expect(200).body["stakes_closed"].as_bool().unwrap();
    let acknowledge = async || admin.post(ACKNOWLEDGE, &json!({"reason": "seen"})).await.expect(200).body;

    assert!(!closed().await);
    assert_eq!(acknowledge().await, json!({"trial_balances": [], "stakes_closed": false}));
    tamper(&mut owner, &one, 7).await;
    assert!(closed().await);
    assert!(closed().await, "not seen yet");
    assert_eq!(acknowledge().await["trial_balances"].as_array().unwrap().len(), 2);
    assert!(!closed().await, "the same failure with the same figures was seen");
    tamper(&mut owner, &two, 7).await;
    assert!(closed().await, "another balance is at fault");
    assert_eq!(acknowledge().await["stakes_closed"], false);
    tamper(&mut owner, &two, -7).await;
    assert!(closed().await, "another figure: nobody has seen how it came about");
    tamper(&mut owner, &one, -7).await;
    let mended = admin.get(TRIAL).await.expect(200).body;
    assert_eq!((failed(&mended), &mended["stakes_closed"]), (vec![], &json!(true)), "mended, but still to be seen");
    acknowledge().await;
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.expect(201);
    tamper(&mut owner, &one, 7).await;
    assert!(closed().await, "it was mended in between: this is a new failure");
    server.stop().await;
}

/// Only the nightly run looks at the seals: what it found and an administrator saw stays seen, whoever looked since.
#[tokio::test(flavor = "multi_thread")]
async fn l10_a_failed_seal_that_was_seen_does_not_close_again_after_a_run_that_makes_no_such_check() {
    let server = TestServer::start().await;
    let pool = &server.registrar.pool;
    let (_, admin) = staff(&server, Role::Admin).await;
    let mut owner = server.database.as_owner().await;
    // A seal of what was never there, above all that a sealer could add meanwhile.
    sqlx::query(
        "insert into seals (number, first_entry, last_entry, entries, sum, seal)
         values (1 + (select coalesce(max(number), 0) from seals), 1000000, 1000000, 1, 0,
                 decode(repeat('00', 32), 'hex'))",
    )
    .execute(&mut owner)
    .await
    .unwrap();
    let first = trial::take_nightly(pool, datetime!(2026-03-02 03:00 UTC)).await.unwrap().unwrap();
    assert!(!first.passed && first.stakes_closed);
    admin.post(ACKNOWLEDGE, &json!({"reason": "seen"})).await.expect(200);

    let asked = admin.get(TRIAL).await.expect(200).body;
    assert_eq!((&asked["passed"], &asked["stakes_closed"]), (&json!(true), &json!(false)));
    let second = trial::take_nightly(pool, datetime!(2026-03-03 03:00 UTC)).await.unwrap().unwrap();
    assert_eq!((second.passed, second.stakes_closed), (false, false), "the same failure was seen");
    // Nor does one that was seen hide another.
    let (one, _) = server.player(1_000).await;
    tamper(&mut owner, &one, 7).await;
    let third = trial::take_nightly(pool, datetime!(2026-03-04 03:00 UTC)).await.unwrap().unwrap();
    assert!(third.stakes_closed, "a balance is at fault as well");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_the_nightly_run_is_taken_once_and_kept() {
    let server = TestServer::start().await;
    let pool = &server.registrar.pool;
    let (one, client) = server.player(1_000).await;
    let evening = datetime!(2026-03-01 22:00 UTC);
    let taken = trial::take_nightly(pool, evening).await.unwrap().expect("it was missing");
    assert!(taken.passed);
    assert!(trial::take_nightly(pool, datetime!(2026-03-02 02:59 UTC)).await.unwrap().is_none(), "the same night");
    let mut owner = server.database.as_owner().await;
    tamper(&mut owner, &one, 1).await;
    let next = trial::take_nightly(pool, datetime!(2026-03-02 03:00 UTC)).await.unwrap().expect("the next night");
    assert!(!next.passed && next.stakes_closed);
    client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": 5})).await.refused(409, "stakes_closed");
    let kept: Vec<(time::Date, bool, i64)> = sqlx::query_as(
        "select night, passed, (result ->> 'sum')::bigint from trial_balances where night is not null order by night",
    )
    .fetch_all(pool)
    .await
    .unwrap();
    let expected = [(date!(2026 - 03 - 01), true, 0), (date!(2026 - 03 - 02), false, 1)];
    // The server takes the one of today by itself a minute after its start.
    assert_eq!(kept[..2], expected);
    let metrics = server.client().get("/metrics").await.expect(200).text;
    assert!(metrics.contains(r#"stakeboard_ledger_check_failures_total{check="all balances sum to zero"}"#));
    for table in ["trial_balances", "trial_acknowledgements"] {
        for statement in [format!("delete from {table}"), format!("truncate {table} cascade")] {
            let refused = sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&mut owner).await;
            assert!(refused.unwrap_err().to_string().contains("is refused"), "L-5, also for the owner");
        }
    }
    server.stop().await;
}
