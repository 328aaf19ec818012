//! How a server with `DATABASE_URL` starts, and what it refuses.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use serde_json::json;
use sqlx::AssertSqlSafe;
use stakeboard_tests::ServerProcess;

use crate::{
    SERVER,
    support::{new_match, output, play_some, snapshot, verify_by_program},
};

type Variables = &'static [(&'static str, &'static str)];

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_can_t_be_used_are_refused_by_name_and_nothing_is_begun() {
    let cases: [(Variables, &[&str]); 5] = [
        (
            &[("DATABASE_URL", "postgres://nowhere.invalid/stakeboard")],
            &["DATABASE_URL", "STAKEBOARD_PAYMENTS", "STAKEBOARD_DEVELOPMENT"],
        ),
        (&[("STAKEBOARD_LISTEN", "0.0.0.0:0")], &["STAKEBOARD_LISTEN", "STAKEBOARD_DEVELOPMENT"]),
        (&[("DATABASE_URL", "http://elsewhere"), ("STAKEBOARD_DEVELOPMENT", "true")], &["DATABASE_URL"]),
        (&[("STAKEBOARD_CLOCK_MS", "soon")], &["--clock-ms"]),
        (&[("STAKEBOARD_CLOCK", "5000")], &["STAKEBOARD_CLOCK ", "STAKEBOARD_CLOCK_MS"]),
    ];
    for (environment, names) in cases {
        let folder = tempfile::TempDir::new().unwrap();
        let mut command = Command::new(SERVER);
        command.env_clear().current_dir(folder.path()).envs(environment.iter().copied());
        let (started, lines, errors) = output(command).await;
        assert!(!started, "{environment:?}: {lines}");
        assert_eq!(lines, "", "{environment:?}: nothing is announced");
        for name in names {
            assert!(errors.contains(name), "{environment:?}: {name} is not in {errors:?}");
        }
        assert!(!errors.contains("panicked"), "{errors}");
        // In development a key is made up as soon as there is a database to be asked for.
        if !environment.contains(&("STAKEBOARD_DEVELOPMENT", "true")) {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{environment:?}: nothing is left behind");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_can_not_be_reached_is_named_with_the_reason_and_without_its_password() {
    let url = |role: &str| format!("postgres://stakeboard_{role}:ocean@127.0.0.1:1/boards");
    let (server, owner) = (url("server"), url("owner"));
    let real = [
        ("DATABASE_URL", server.as_str()),
        ("STAKEBOARD_PAYMENTS", "webhook"),
        ("STAKEBOARD_WEBHOOK_SECRETS", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        ("STAKEBOARD_SIGNING_KEYS", "signing.pem"),
        ("STAKEBOARD_RECEIPT_KEYS", "receipts.pem"),
    ];
    let migrating = [real[0], ("STAKEBOARD_OWNER_DATABASE_URL", owner.as_str())];
    let cases = [
        (&real[..], &[] as &[&str]),
        (&real, &["ledger", "verify"]),
        (&migrating, &["migrate"]),
        (&migrating, &["archive", "--older-than-days=1"]),
    ];
    for (environment, arguments) in cases {
        let folder = tempfile::TempDir::new().unwrap();
        let mut command = Command::new(SERVER);
        command.env_clear().current_dir(folder.path()).envs(environment.iter().copied()).args(arguments);
        let (succeeded, lines, errors) = output(command).await;
        assert!(!succeeded, "{arguments:?}: {lines}");
        assert!(errors.contains("127.0.0.1:1/boards"), "{arguments:?}: {errors}");
        assert!(errors.contains("Connection refused"), "{arguments:?}: {errors}");
        assert!(!errors.contains("ocean"), "{arguments:?}: {errors}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_with_a_bus_says_which_node_it_is() {
    let server = ServerProcess::start(SERVER, &[("STAKEBOARD_BUS", "memory:alone")]).await;
    let mut command = server.command(&["--listen=127.0.0.1:0"]);
    let mut second = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let out = std::io::BufReader::new(second.stdout.take().unwrap());
    let lines =
        tokio::task::spawn_blocking(move || std::io::BufRead::lines(out).take(2).collect::<Result<Vec<_>, _>>());
    let lines = lines.await.unwrap().unwrap();
    second.kill().unwrap();
    second.wait().unwrap();
    let named = lines[1].strip_prefix("this is node ").and_then(|rest| rest.split(' ').next()).expect("a node");
    let known: Vec<uuid::Uuid> =
        sqlx::query_scalar("select id from nodes").fetch_all(&server.registrar.pool).await.unwrap();
    assert_eq!(known.len(), 2);
    assert!(known.contains(&named.parse().unwrap()), "{named} is none of {known:?}");
}

#[test]
fn a_seal_that_is_none_is_a_mistake_of_who_asks_and_no_finding() {
    let seal = "0".repeat(64);
    for (text, is_seal) in
        [("abc", false), ("1:abc", false), (&format!("0:{seal}"), false), (&format!("1:{seal}"), true)]
    {
        let folder = tempfile::TempDir::new().unwrap();
        let mut command = Command::new(SERVER);
        let output = command.env_clear().current_dir(folder.path()).args(["ledger", "verify", "--seal", text]).output();
        let output = output.unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        // Of what is a seal it is said that there is no ledger here.
        assert_eq!(output.status.code(), Some(if is_seal { 1 } else { 2 }), "{text}: {errors}");
        assert_eq!(errors.contains("64 hexadecimal digits"), !is_seal, "{text}: {errors}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_server_on_the_same_database_is_refused_and_disturbs_nobody() {
    let server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    play_some(&server, &id, &players, 2).await;
    let began = Instant::now();
    let (started, lines, errors) = output(server.command(&["--listen=127.0.0.1:0"])).await;
    println!("a second server gave up after {} ms", began.elapsed().as_millis());
    assert!(!started, "{lines}");
    assert!(errors.contains("another server is serving this database"), "{errors}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    // The match was not taken away from its owner.
    let now = play_some(&server, &id, &players, 4).await;
    assert_eq!((&now["seq"], &now["status"]), (&json!(4), &json!("live")), "no credit, no gap: {now}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_waits_for_another_to_go_takes_over_when_it_is_killed() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let before = play_some(&server, &id, &players, 3).await;
    let mut command = server.command(&["--listen=127.0.0.1:0"]);
    let mut second = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    server.kill();
    let out = second.stdout.take().unwrap();
    // Nobody reads on after the first line, which is no reason for a server to end.
    let line = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).map(|_| line)
    });
    let line = line.await.unwrap().unwrap();
    let address = line.split("http://").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap();
    let client = stakeboard_tests::Client::new(address.parse().unwrap());
    let after = snapshot(&client, &id).await;
    second.kill().unwrap();
    second.wait().unwrap();
    assert_eq!((&after["moves"], &after["status"]), (&before["moves"], &json!("live")));
}

/// What somebody with the owner's password could do, how it is undone, and the check that tells.
const TAMPERING: [(&str, &str, &str); 6] = [
    (
        "update balances set balance = balance + 5 where balance = (select max(balance) from balances)",
        "update balances set balance = balance - 5 where balance = (select max(balance) from balances)",
        "every balance is its last entry",
    ),
    (
        "update entries set change = change + 5 where change = 180",
        "update entries set change = change - 5 where change = 185",
        "every balance is the sum of its entries",
    ),
    (
        "update transfers set amount = amount + 5 where kind = 'payout'",
        "update transfers set amount = amount - 5 where kind = 'payout'",
        "every transfer has its two entries",
    ),
    (
        "update entries set version = version + 10 where change = 180",
        "update entries set version = version - 10 where change = 180",
        "versions count up by one",
    ),
    (
        "create table kept as select * from settlements; delete from settlements",
        "insert into settlements select * from kept; drop table kept",
        "each ended staked match has an empty escrow and one settlement",
    ),
    (
        "create table kept as select ended_at from matches; \
         update matches set status = 'live', winner = null, ending = null, ended_at = null, payout = null, fee = null",
        "update matches set status = 'ended', winner = 'second', ending = 'resignation', ended_at = kept.ended_at, \
         payout = 180, fee = 20 from kept; \
         drop table kept",
        "each live staked match holds exactly both stakes",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn ledger_verify_tells_what_was_tampered_with_and_fails() {
    let mut server = ServerProcess::start(SERVER, &[]).await;
    let (id, players) = new_match(&server, 100).await;
    let path = format!("/v1/matches/{id}/resign");
    server.client().of(&players[0]).post_empty(&path).await.expect(200);
    verify_by_program(&server).await;
    server.kill();
    let mut owner = server.database.as_owner().await;
    sqlx::raw_sql("set session_replication_role = replica").execute(&mut owner).await.unwrap();
    for (tamper, undo, check) in TAMPERING {
        sqlx::raw_sql(AssertSqlSafe(tamper.to_owned())).execute(&mut owner).await.unwrap();
        let (passed, lines, errors) = output(server.command(&["ledger", "verify"])).await;
        assert!(!passed, "{tamper}: {lines}");
        let told = lines.lines().any(|line| line.starts_with("FAIL ") && line.contains(check));
        assert!(told, "{tamper}: {lines}{errors}");
        sqlx::raw_sql(AssertSqlSafe(undo.to_owned())).execute(&mut owner).await.unwrap();
        verify_by_program(&server).await;
    }
}
