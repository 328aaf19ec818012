//! Growth: a journal by month, an archive that changes nothing that can be asked for, and a move that reads its own match.

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use stakeboard_server::matches;
use stakeboard_tests::{Client, Player, ServerProcess, TestDatabase, TestServer, server::start_match};
use uuid::Uuid;

const SERVER: &str = env!("CARGO_BIN_EXE_server-under-test");

async fn run(connection: &mut PgConnection, statement: &str) {
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(connection).await.expect(statement);
}

async fn text(connection: &mut PgConnection, statement: &str) -> String {
    let row = sqlx::query(AssertSqlSafe(statement.to_owned())).fetch_one(connection).await.expect(statement);
    row.try_get::<Option<String>, _>(0).unwrap().unwrap_or_default()
}

async fn number(connection: &mut PgConnection, statement: &str) -> i64 {
    text(connection, &format!("select ({statement})::text")).await.parse().unwrap_or(0)
}

/// Every entry of the journal, as text, in an order.
const ENTRIES: &str = "select string_agg(e::text, ' ' order by match_id, seq) from match_events e";

/// Plays the first legal move again and again.
async fn play(clients: [&Client; 2], id: &str, plies: u64) {
    for ply in 1..=plies {
        let snapshot = clients[0].get(&format!("/v1/matches/{id}")).await.expect(200).body;
        let first = snapshot["to_move"] == "first";
        let mover = if first { clients[0] } else { clients[1] };
        let body = json!({"ply": ply, "move": snapshot["legal"][0]});
        mover.post(&format!("/v1/matches/{id}/moves"), &body).await.expect(200);
    }
}

async fn seated<'c>(client: &Client, id: &str, players: [(&Player, &'c Client); 2]) -> [&'c Client; 2] {
    let snapshot = client.get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let [(one, first), (_, second)] = players;
    if snapshot["players"]["first"]["id"] == one.id.to_string() { [first, second] } else { [second, first] }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_looks_its_match_up_by_key_however_many_are_live() {
    const OTHERS: i64 = 2_000;
    const MOVES: u64 = 6;
    let server = TestServer::start().await;
    let ((one, first), (two, second)) = (server.player(1_000).await, server.player(1_000).await);
    let id = start_match(&first, &one, &two, &json!({"game": "oware", "stake": 50})).await;
    let mut owner = server.database.as_owner().await;
    run(
        &mut owner,
        &format!(
            "insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
             select gen_random_uuid(), game, options, 0, first_player, second_player, clock_ms, started_at, owner
             from matches, generate_series(1, {OTHERS})"
        ),
    )
    .await;
    let by_key = "select idx_scan from pg_stat_user_indexes where indexrelname = 'matches_pkey'";
    let others = "select sum(r) from (
             select idx_tup_read as r from pg_stat_user_indexes where relname = 'matches' and indexrelname <> 'matches_pkey'
             union all
             select seq_tup_read from pg_stat_user_tables where relname = 'matches') r";
    let (found, read) = (number(&mut owner, by_key).await, number(&mut owner, others).await);
    let clients = seated(&first, &id, [(&one, &first), (&two, &second)]).await;
    play(clients, &id, MOVES).await;
    // Postgres tells of what a session has read after some seconds.
    let moves = i64::try_from(MOVES).unwrap();
    for _ in 0..300 {
        if number(&mut owner, by_key).await >= found + moves {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(number(&mut owner, by_key).await >= found + moves, "each move was looked up by the key of its match");
    assert!(number(&mut owner, others).await < read + OTHERS, "and no move read the others");
    server.stop().await;
}

/// Applies a file of the migrations.
async fn migrate(owner: &mut PgConnection, file: &Path) {
    run(owner, &fs::read_to_string(file).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_journal_of_before_becomes_its_first_partition_and_loses_nothing() {
    let database = TestDatabase::create().await;
    let mut owner = database.as_owner().await;
    run(&mut owner, "drop schema public cascade; create schema public").await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sql"));
    files.sort();
    let split = files.iter().position(|file| file.to_string_lossy().ends_with("journal_by_month.sql")).unwrap();
    for file in &files[..split] {
        migrate(&mut owner, file).await;
    }
    // Of long ago, of now, and such as no server makes.
    let ids = ["018bcfe5-6800-7000-8000-000000000001".parse().unwrap(), Uuid::now_v7(), Uuid::from_u128(u128::MAX)];
    for id in ids {
        run(
            &mut owner,
            &format!(
                "insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
                 select '{id}', s, 1, 'moved', 'first', 'C', 600000 - s, 600000, '2026-01-01'
                 from generate_series(1, 100) s"
            ),
        )
        .await;
    }
    let before = text(&mut owner, ENTRIES).await;
    for file in &files[split..] {
        migrate(&mut owner, file).await;
    }
    assert_eq!(text(&mut owner, ENTRIES).await, before);
    let journal = text(&mut owner, &ENTRIES.replace("match_events e", "match_journal e")).await;
    assert_eq!(journal, before, "and is read as it was");
    assert_eq!(number(&mut owner, "select count(*) from match_events_rest").await, 100, "what fits no month");
    owner.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_before_its_partition_is_moved_into_it() {
    let database = TestDatabase::create().await;
    let mut owner = database.as_owner().await;
    let next = "'match_events_' || to_char(now() at time zone 'UTC' + interval '1 month', 'YYYY_MM')";
    let next = text(&mut owner, &format!("select {next}")).await;
    run(
        &mut owner,
        &format!(
            "drop table {next};
             insert into match_events (match_id, seq, epoch, kind, first_ms, second_ms, at)
             select first_id((date_trunc('month', now() at time zone 'UTC') + interval '1 month') at time zone 'UTC'),
                    s, 1, 'moved', 1, 1, now()
             from generate_series(1, 50) s"
        ),
    )
    .await;
    let before = text(&mut owner, ENTRIES).await;
    let pool = database.pool().await;
    let made = || sqlx::query_scalar::<_, i32>("select prepare_journal()").fetch_one(&pool);
    assert_eq!(made().await.unwrap(), 1, "the one that was missing");
    assert_eq!(number(&mut owner, &format!("select count(*) from {next}")).await, 50);
    assert_eq!(text(&mut owner, ENTRIES).await, before);
    assert_eq!(made().await.unwrap(), 0, "none is made twice");
    owner.close().await.unwrap();
}

/// Gives a match that was just played another name and the times of 40 days ago, as the owner could not by accident.
async fn age(owner: &mut PgConnection, id: &str) -> String {
    let old =
        text(owner, "select overlay(first_id(now() - interval '40 days')::text placing '7000-8' from 15 for 6)").await;
    run(
        owner,
        &format!(
            "insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
             select '{old}', game, options, stake, first_player, second_player, clock_ms, started_at - interval '40 days',
                    owner
             from matches where id = '{id}';
             select hold_stakes('{old}', gen_random_uuid(), array[gen_random_uuid(), gen_random_uuid()]);
             insert into match_events
             select '{old}', seq, epoch, kind, seat, detail, first_ms, second_ms, at - interval '40 days'
             from match_events where match_id = '{id}';
             update matches o set status = 'ended', ended_at = m.ended_at - interval '40 days', winner = m.winner,
                 ending = m.ending, first_total = m.first_total, second_total = m.second_total, payout = m.payout,
                 fee = m.fee
             from matches m where o.id = '{old}' and m.id = '{id}';
             select settle_stakes(m.id, 'win', case winner when 'first' then first_player else second_player end,
                 array[gen_random_uuid(), gen_random_uuid()])
             from matches m where id = '{old}'"
        ),
    )
    .await;
    old
}

async fn archive(server: &ServerProcess, days: &str) -> String {
    let mut command = server.command(&["archive", "--older-than-days", days]);
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_match_is_what_it_was_to_everybody_who_asks() {
    let server = ServerProcess::start(SERVER, &[]).await;
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(1_000).await);
    let (first, second) = (server.client().of(&one), server.client().of(&two));
    let terms = json!({"game": "oware", "stake": 50});
    let id = start_match(&first, &one, &two, &terms).await;
    let clients = seated(&first, &id, [(&one, &first), (&two, &second)]).await;
    play(clients, &id, 12).await;
    second.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
    let mut owner = server.database.as_owner().await;
    let old = age(&mut owner, &id).await;
    let live = start_match(&first, &one, &two, &terms).await;
    let clients = seated(&first, &live, [(&one, &first), (&two, &second)]).await;
    play(clients, &live, 3).await;

    let ask = async |path: &str| -> Value { first.get(&format!("/v1/matches/{old}{path}")).await.expect(200).body };
    let snapshot = async || {
        let mut snapshot = ask("").await;
        // When it was asked for.
        snapshot["clocks"]["at"].take();
        snapshot
    };
    let before = [snapshot().await, ask("/record").await, ask("/receipt").await];
    assert_eq!(before[1]["plies"].as_array().unwrap().len(), 12);
    let journal = "select string_agg(e::text, ' ' order by match_id, seq) from match_journal e";
    let entries = text(&mut owner, journal).await;
    assert_eq!(archive(&server, "41").await, "0 entries were archived\n", "it ended 40 days ago");
    assert_eq!(archive(&server, "39").await, "13 entries were archived\n", "twelve moves and the end");
    assert_eq!(archive(&server, "39").await, "0 entries were archived\n");

    let left = format!("select count(*) from match_events where match_id = '{old}'");
    assert_eq!(number(&mut owner, &left).await, 0, "it has left the journal");
    assert_eq!(text(&mut owner, journal).await, entries, "nothing else has");
    let after = [snapshot().await, ask("/record").await, ask("/receipt").await];
    assert!(after == before, "{after:?}");
    first.post_empty(&format!("/v1/matches/{live}/resign")).await.expect(200);
    let proposed = first.post(&format!("/v1/matches/{old}/rematch"), &json!({"action": "propose"})).await.expect(200);
    assert_eq!(proposed.body["seq"], 14, "the journal of an archived match goes on where it ended");
    server.registrar.verify_ledger().await;
    let kept = "archived_entries";
    for statement in [format!("update {kept} set at = at"), format!("delete from {kept}"), format!("truncate {kept}")] {
        let refused = sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(&mut owner).await.unwrap_err();
        assert_eq!(refused.as_database_error().unwrap().code().unwrap(), "23001", "{statement}");
    }
    let refused = sqlx::query("select archive_matches(now() - interval '2 days', null, 1)")
        .execute(&server.registrar.pool)
        .await
        .unwrap_err();
    assert_eq!(refused.as_database_error().unwrap().code().unwrap(), "42501", "not as the server's role");
    owner.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_servers_that_are_long_gone_go_once_nobody_plays_there() {
    let server = TestServer::start().await;
    let (one, two) = (server.registrar.player(1_000).await, server.registrar.player(1_000).await);
    let id = start_match(&server.client(), &one, &two, &json!({"game": "oware", "stake": 50})).await;
    let mut owner = server.database.as_owner().await;
    let stopped = [("gone", "25 hours"), ("gone lately", "23 hours"), ("left a match", "25 hours")];
    let mut rows = Vec::new();
    for (what, ago) in stopped {
        let row = Uuid::now_v7();
        let at = format!("now() - interval '{ago}'");
        let values = format!("values ('{row}', {at}, {at}, {at})");
        run(&mut owner, &format!("insert into nodes (id, started_at, heartbeat_at, stopped_at) {values}")).await;
        rows.push((what, row));
    }
    run(&mut owner, &format!("update matches set owner = '{}' where id = '{id}'", rows[2].1)).await;
    matches::forget_nodes(&server.registrar.pool).await.unwrap();
    for (what, row) in &rows {
        let left = number(&mut owner, &format!("select count(*) from nodes where id = '{row}'")).await;
        assert_eq!(left, i64::from(*what != "gone"), "{what}");
    }
    assert_eq!(number(&mut owner, "select count(*) from nodes where stopped_at is null").await, 1, "who serves stays");
    owner.close().await.unwrap();
}
