//! What the database refuses by itself, whoever asks.

use sqlx::{AssertSqlSafe, PgPool, Postgres};
use stakeboard_server::ledger;
use stakeboard_tests::{Player, TestServer, server::start_match};
use uuid::Uuid;

use crate::support::{accept, available, check_books, end_in_draw, post_seek, text, together};

const STAKE: i64 = 500;

/// A server whose ledger has a row in every table: a decided match, a drawn one, a live one.
async fn played() -> (TestServer, Played) {
    let server = TestServer::start().await;
    let (one, first) = server.player(10_000).await;
    let (two, second) = server.player(10_000).await;
    let terms = serde_json::json!({"game": "oware", "stake": STAKE});
    let decided = start_match(&first, &one, &two, &terms).await;
    first.post_empty(&format!("/v1/matches/{decided}/resign")).await.expect(200);
    let drawn = start_match(&first, &one, &two, &terms).await;
    end_in_draw(&drawn, &first, &second).await;
    let live = start_match(&first, &one, &two, &terms).await;
    (server, Played { one, two, decided: id(&decided), live: id(&live) })
}

struct Played {
    one: Player,
    two: Player,
    decided: Uuid,
    live: Uuid,
}

fn id(text: &str) -> Uuid {
    text.parse().unwrap()
}

async fn account(pool: &PgPool, player: &Player) -> Uuid {
    sqlx::query_scalar("select id from accounts where player_id = $1 and kind = 'player'")
        .bind(player.id.0)
        .fetch_one(pool)
        .await
        .unwrap()
}

async fn house(pool: &PgPool, kind: &str) -> Uuid {
    sqlx::query_scalar("select id from accounts where kind = $1 and currency = 'BRL' order by stripe limit 1")
        .bind(kind)
        .fetch_one(pool)
        .await
        .unwrap()
}

/// How the database refuses a statement: the SQLSTATE, and the constraint where one is named.
async fn refused<'e>(statement: &str, executor: impl sqlx::Executor<'e, Database = Postgres>) -> (String, String) {
    let error = sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(executor).await.expect_err(statement);
    let error = error.as_database_error().expect(statement);
    (error.code().unwrap().into_owned(), error.constraint().unwrap_or_default().to_owned())
}

const NO_RIGHT: &str = "42501";
const APPEND_ONLY: &str = "23001";
const CHECK: &str = "23514";
const UNIQUE: &str = "23505";
const FOREIGN_KEY: &str = "23503";
const NOT_IN_RANGE: &str = "22003";
const NO_ROW: &str = "P0002";
const RESTRICTED: &str = "23001";

#[tokio::test(flavor = "multi_thread")]
async fn l5_the_servers_role_can_write_to_no_ledger_table_but_through_its_functions() {
    let (server, _) = played().await;
    let pool = &server.registrar.pool;
    let writes = [
        ("transfers", "amount = amount + 5"),
        ("entries", "change = 0"),
        ("settlements", "payout = 0"),
        ("accounts", "currency = 'USD'"),
        ("balances", "balance = balance + 1"),
    ];
    for (table, change) in writes {
        for statement in [
            format!("update {table} set {change}"),
            format!("delete from {table}"),
            format!("truncate {table} cascade"),
            format!("insert into {table} overriding system value select * from {table} limit 1"),
            format!("merge into {table} using (select 1) x on true when matched then delete"),
            format!("select * from {table} for update"),
            format!("alter table {table} disable trigger all"),
            format!("drop table {table} cascade"),
            format!("copy {table} from stdin"),
        ] {
            assert_eq!(refused(&statement, pool).await.0, NO_RIGHT, "{statement}");
        }
    }
    for statement in [
        "set session_replication_role = replica",
        "set role stakeboard_owner",
        "drop function settle_stakes",
        "create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'",
        "create table public.balances_of_mine (x int)",
        "create function public.clock_timestamp() returns timestamptz language sql as 'select now()'",
    ] {
        assert_eq!(refused(statement, pool).await.0, NO_RIGHT, "{statement}");
    }
    check_books(&server.registrar, 20_000).await;
    server.stop().await;
}

/// The functions of the ledger run as its owner: nothing that a caller can make stands in their way of finding tables.
#[tokio::test(flavor = "multi_thread")]
async fn l5_a_temporary_table_of_the_callers_is_not_what_the_ledgers_functions_write_to() {
    let (server, played) = played().await;
    let account = account(&server.registrar.pool, &played.one).await;
    let outside = house(&server.registrar.pool, "external").await;
    let (deposit, player) = (Uuid::now_v7(), played.one.id);
    let mut connection = server.registrar.pool.acquire().await.unwrap();
    let statement = AssertSqlSafe(format!(
        "create temporary table balances (like public.balances);
         create temporary table transfers (like public.transfers);
         set search_path = pg_temp, public;
         insert into deposits (id, player_id, amount, status, ended_at)
         values ('{deposit}', '{player}', 7, 'completed', now());
         select post_transfers('deposit:{deposit}', null, array['{deposit}'::uuid], array['deposit'],
             array['{outside}'::uuid], array['{account}'::uuid], array[7::bigint])",
    ));
    sqlx::raw_sql(statement).execute(&mut *connection).await.unwrap();
    connection.close().await.unwrap();
    check_books(&server.registrar, 20_007).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l5_even_the_owner_can_change_or_remove_nothing_that_was_written() {
    let (server, _) = played().await;
    let mut owner = server.database.as_owner().await;
    for table in ["transfers", "entries", "settlements"] {
        let column = if table == "entries" { "change" } else { "match_id" };
        for statement in [
            format!("update {table} set {column} = {column}"),
            format!("update {table} set {column} = {column} where false"),
            format!("delete from {table}"),
            format!("truncate {table} cascade"),
        ] {
            assert_eq!(refused(&statement, &mut owner).await.0, APPEND_ONLY, "{statement}");
        }
    }
    for table in ["accounts", "balances"] {
        for statement in [format!("delete from {table}"), format!("truncate {table} cascade")] {
            assert_eq!(refused(&statement, &mut owner).await.0, APPEND_ONLY, "{statement}");
        }
    }
    check_books(&server.registrar, 20_000).await;
    server.stop().await;
}

/// Kind, debit, credit, amount.
type Transfer = (&'static str, Uuid, Uuid, i64);

/// What a case is about, its group of transfers, the SQLSTATE of the refusal, and the constraint where one is named.
type RefusedGroup<'t> = (&'static str, &'t [Transfer], &'static str, &'static str);

/// A call of `post_transfers` with these transfers.
fn post(reference: &str, transfers: &[Transfer]) -> String {
    let list = |of: &dyn Fn(&Transfer) -> String| {
        transfers.iter().map(|transfer| format!("'{}'", of(transfer))).collect::<Vec<_>>().join(",")
    };
    format!(
        "select post_transfers('{reference}', null, array[{}]::uuid[], array[{}], array[{}]::uuid[],
             array[{}]::uuid[], array[{}]::bigint[])",
        list(&|_| Uuid::now_v7().to_string()),
        list(&|transfer| transfer.0.to_owned()),
        list(&|transfer| transfer.1.to_string()),
        list(&|transfer| transfer.2.to_string()),
        list(&|transfer| transfer.3.to_string()),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn l1_l2_l4_a_transfer_is_above_zero_between_two_accounts_of_one_currency_with_a_new_reference_and_keeps_floors()
{
    let (server, played) = played().await;
    let pool = &server.registrar.pool;
    let (one, two) = (account(pool, &played.one).await, account(pool, &played.two).await);
    let outside = house(pool, "external").await;
    let escrow: Uuid = sqlx::query_scalar("select id from accounts where match_id = $1")
        .bind(played.live)
        .fetch_one(pool)
        .await
        .unwrap();
    // Players and the house have one currency. What comes in from outside in another is kept apart.
    let open = |kind: &str, player: &str, stripe: &str| {
        format!("select open_account('{}', '{kind}', 'USD', {player}, null, {stripe})", Uuid::now_v7())
    };
    let player = format!("'{}'", played.one.id.0);
    for foreign in
        [open("player", &player, "null"), open("adjustment", "null", "null"), open("house_fee", "null", "0::smallint")]
    {
        assert_eq!(refused(&foreign, pool).await.0, NO_ROW, "{foreign}");
    }
    let foreign: Uuid = sqlx::query_scalar("select open_account($1, 'external', 'USD', null, null, null)")
        .bind(Uuid::now_v7())
        .fetch_one(pool)
        .await
        .unwrap();
    let before: i64 = sqlx::query_scalar("select count(*) from transfers").fetch_one(pool).await.unwrap();
    let has = server.registrar.available(played.one.id).await;
    let cases: &[RefusedGroup] = &[
        ("no amount", &[("deposit", outside, one, 0)], CHECK, "transfers_amount_positive"),
        ("a negative one", &[("deposit", outside, one, -5)], CHECK, "transfers_amount_positive"),
        ("to oneself", &[("adjustment", one, one, 5)], CHECK, "transfers_two_accounts"),
        ("of no known kind", &[("gift", outside, one, 5)], CHECK, "transfers_kind_known"),
        ("below a player's floor", &[("withdrawal", one, outside, has + 1)], CHECK, "balances_floor"),
        ("below an escrow's floor", &[("payout", escrow, two, 2 * STAKE + 1)], CHECK, "balances_floor"),
        // The second of a group: the first is undone with it.
        ("half of it", &[("adjustment", one, two, 1), ("adjustment", one, two, has)], CHECK, "balances_floor"),
        ("beyond the numbers", &[("deposit", outside, one, i64::MAX)], NOT_IN_RANGE, ""),
        ("between currencies", &[("deposit", foreign, one, 5)], CHECK, ""),
        ("from no account", &[("deposit", Uuid::nil(), one, 5)], FOREIGN_KEY, "transfers_debit_fkey"),
    ];
    for (what, transfers, code, constraint) in cases {
        let (told, named) = refused(&post("test:refused", transfers), pool).await;
        assert_eq!((told.as_str(), named.as_str()), (*code, *constraint), "{what}");
    }
    let (deposit, player) = (Uuid::now_v7(), played.one.id);
    let done = format!(
        "insert into deposits (id, player_id, amount, status, ended_at)
         values ('{deposit}', '{player}', 5, 'completed', now())"
    );
    let once = || post(&format!("deposit:{deposit}"), &[("deposit", outside, one, 5)]);
    sqlx::raw_sql(AssertSqlSafe(format!("{done}; {}", once()))).execute(pool).await.unwrap();
    let again = refused(&once(), pool).await;
    assert_eq!(again, (UNIQUE.to_owned(), "transfers_reference_once".to_owned()));
    let after: i64 = sqlx::query_scalar("select count(*) from transfers").fetch_one(pool).await.unwrap();
    assert_eq!(after, before + 1, "of all these, one was written");
    check_books(&server.registrar, 20_005).await;
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_match_for_a_stake_came_to_is_never_changed_and_the_match_never_removed() {
    let (server, played) = played().await;
    let pool = &server.registrar.pool;
    for change in
        ["ending = 'timeout'", "winner = null", "ended_at = now()", "stake = 0", "first_player = second_player"]
    {
        let statement = format!("update matches set {change} where id = '{}'", played.decided);
        assert_eq!(refused(&statement, pool).await.0, RESTRICTED, "{statement}");
    }
    let mut owner = server.database.as_owner().await;
    for id in [played.decided, played.live] {
        let statement = format!("delete from matches where id = '{id}'");
        assert_eq!(refused(&statement, &mut owner).await.0, RESTRICTED, "{statement}");
    }
}

/// B5, B6, L-6: the database itself settles a match once, for who played it, and holds its stakes once.
#[tokio::test(flavor = "multi_thread")]
async fn l6_a_match_is_settled_once_for_who_played_it_and_its_stakes_are_held_once() {
    let (server, played) = played().await;
    let pool = &server.registrar.pool;
    let (stranger, _) = server.player(1_000).await;
    let ids = || format!("array['{}', '{}']::uuid[]", Uuid::now_v7(), Uuid::now_v7());
    let settle = |match_id: Uuid, outcome: &str, winner: Option<&Player>| {
        let winner = winner.map_or("null".to_owned(), |winner| format!("'{}'", winner.id.0));
        format!("select settle_stakes('{match_id}', '{outcome}', {winner}, {})", ids())
    };
    let (decided, live, one) = (played.decided, played.live, Some(&played.one));
    for (statement, code, constraint) in [
        (settle(decided, "win", Some(&played.two)), UNIQUE, "settlements_pkey"),
        (settle(decided, "draw", None), UNIQUE, "settlements_pkey"),
        (settle(live, "win", Some(&stranger)), CHECK, ""),
        (settle(live, "win", None), CHECK, "settlements_split"),
        (settle(live, "draw", one), CHECK, "settlements_split"),
        (settle(live, "gift", one), CHECK, "settlements_split"),
        (settle(Uuid::now_v7(), "draw", None), NO_ROW, ""),
        (format!("select hold_stakes('{live}', '{}', {})", Uuid::now_v7(), ids()), UNIQUE, "transfers_reference_once"),
        (
            format!("select hold_stakes('{decided}', '{}', {})", Uuid::now_v7(), ids()),
            UNIQUE,
            "transfers_reference_once",
        ),
    ] {
        assert_eq!(refused(&statement, pool).await, (code.to_owned(), constraint.to_owned()), "{statement}");
    }
    check_books(&server.registrar, 21_000).await;

    // Ten at once, for either player and for a draw: one of them.
    let acts = (0..10).map(|number| {
        let winner = [Some(&played.one), Some(&played.two), None][number % 3];
        let statement = settle(live, if winner.is_some() { "win" } else { "draw" }, winner);
        let pool = pool.clone();
        async move { sqlx::raw_sql(AssertSqlSafe(statement)).execute(&pool).await.is_ok() }
    });
    let settled = together(acts.collect()).await;
    assert_eq!(settled.iter().filter(|settled| **settled).count(), 1);
    let left: i64 = sqlx::query_scalar(
        "select b.balance from balances b join accounts a on a.id = b.account_id where a.match_id = $1",
    )
    .bind(live)
    .fetch_one(pool)
    .await
    .unwrap();
    assert_eq!(left, 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l5_a_transfer_is_reversed_at_most_once() {
    let (server, played) = played().await;
    let mut owner = server.database.as_owner().await;
    let reverse = |reference: &str| {
        format!(
            "insert into transfers (id, reference, position, kind, debit, credit, amount, reverses, created_at)
             select '{}', '{reference}', 1, 'reversal', credit, debit, amount, id, now() from transfers
             where match_id = '{}' and kind = 'fee'",
            Uuid::now_v7(),
            played.decided
        )
    };
    sqlx::raw_sql(AssertSqlSafe(reverse("reversal:1"))).execute(&mut owner).await.unwrap();
    let again = refused(&reverse("reversal:2"), &mut owner).await;
    assert_eq!(again, (UNIQUE.to_owned(), "transfers_reversed_once".to_owned()));
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l6_a_settlement_whose_shares_are_not_a_tenth_and_nine_tenths_cannot_be_written_down() {
    let (server, played) = played().await;
    let mut owner = server.database.as_owner().await;
    let row = |outcome: &str, winner: bool, stake: i64, pot: i64, payout: i64, fee: i64| {
        let winner = if winner { format!("'{}'", played.one.id.0) } else { "null".to_owned() };
        format!(
            "insert into settlements (match_id, outcome, winner, stake, pot, payout, fee, settled_at)
             values ('{}', '{outcome}', {winner}, {stake}, {pot}, {payout}, {fee}, now())",
            played.live
        )
    };
    for (statement, constraint) in [
        (row("win", true, 500, 1_000, 899, 101), "settlements_split"),
        (row("win", true, 500, 1_000, 901, 99), "settlements_split"),
        (row("win", true, 500, 1_000, 1_000, 100), "settlements_split"),
        (row("win", true, 500, 1_000, 1_000, 0), "settlements_split"),
        (row("win", false, 500, 1_000, 900, 100), "settlements_split"),
        (row("draw", false, 500, 1_000, 900, 100), "settlements_split"),
        (row("void", false, 500, 1_000, 0, 100), "settlements_split"),
        (row("draw", true, 500, 1_000, 0, 0), "settlements_split"),
        (row("win", true, 500, 500, 450, 50), "settlements_pot_is_two_stakes"),
        (row("draw", false, 0, 0, 0, 0), "settlements_pot_is_two_stakes"),
    ] {
        assert_eq!(refused(&statement, &mut owner).await, (CHECK.to_owned(), constraint.to_owned()), "{statement}");
    }
    server.stop().await;
}

/// L-3: the time is taken after the lock, so that the order of times is that of versions on every account.
#[tokio::test(flavor = "multi_thread")]
async fn l3_time_and_version_agree_on_every_account_however_many_write_at_once() {
    const TRANSFERS: i64 = 400;
    let server = TestServer::start().await;
    let pool = server.database.pool().await;
    let (mut players, mut accounts) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        let player = server.registrar.player(100_000).await;
        accounts.push(account(&pool, &player).await);
        players.push(player);
    }
    let outside = house(&pool, "external").await;
    let acts = (0..TRANSFERS).map(|number| {
        let place = usize::try_from(number).unwrap();
        let (from, to) = (accounts[place % 4], accounts[(place + 1 + place / 4 % 3) % 4]);
        let transfers = [("deposit", outside, from, 10), ("adjustment", from, to, 7)];
        let (statement, pool) = (post(&format!("test:{number}"), &transfers), pool.clone());
        async move { sqlx::raw_sql(AssertSqlSafe(statement)).execute(&pool).await.is_ok() }
    });
    assert!(together(acts.collect()).await.into_iter().all(|posted| posted), "nothing loses a race for a lock");
    let wrong: i64 = sqlx::query_scalar(
        "select count(*) from (
             select version, created_at, lag(version) over w as version_before, lag(created_at) over w as before,
                    change, balance_after, lag(balance_after) over w as balance_before
             from entries window w as (partition by account_id order by version)
         ) e where created_at < before or version <> coalesce(version_before, 0) + 1
             or balance_after <> coalesce(balance_before, 0) + change",
    )
    .fetch_one(&pool)
    .await
    .unwrap();
    assert_eq!(wrong, 0);
    let has = available(&pool, &players.iter().collect::<Vec<_>>()).await;
    assert_eq!(has.iter().sum::<i64>(), 400_000 + TRANSFERS * 10);
    // They are right in all but that nothing was done that they stand for.
    let mut connection = pool.acquire().await.unwrap();
    for check in ledger::verify(&mut connection).await.unwrap() {
        assert_eq!(check.passed, check.name != "every transfer stands for what was done", "{check:?}");
    }
    drop(connection);
    server.stop().await;
}

/// L-8, without the server's own care: the table of live stakes.
#[tokio::test(flavor = "multi_thread")]
async fn l8_a_second_live_stake_of_a_player_is_refused_by_the_table() {
    let (server, played) = played().await;
    let statement = format!("insert into live_stakes values ('{}', '{}')", played.one.id.0, played.live);
    let told = refused(&statement, &server.registrar.pool).await;
    assert_eq!(told, (UNIQUE.to_owned(), "live_stakes_one_a_player".to_owned()));
    let (_, third) = server.player(1_000).await;
    let seek = post_seek(&third, STAKE).await;
    let client = server.client().of(&played.one);
    accept(&client, &seek, STAKE).await.refused(409, "already_playing");
    let snapshot = client.get("/v1/matches?status=live").await.expect(200).body;
    assert_eq!(snapshot["items"].as_array().unwrap().len(), 1);
    assert_eq!(text(&snapshot["items"][0]["id"]), played.live.to_string());
    server.stop().await;
}

/// O-5: what was asked for, of whom, by whom and why stays as it was written, and the state goes one way.
#[tokio::test(flavor = "multi_thread")]
async fn o5_of_an_adjustment_nothing_changes_but_its_state_and_that_one_way() {
    let server = TestServer::with(&["--adjust-alone-most=100"]).await;
    let admin = server.registrar.with_roles(0, vec![stakeboard_server::role::Role::Admin]).await;
    let desk = server.client().of(&admin);
    let (player, _) = server.player(0).await;
    let path = format!("/v1/admin/players/{}/adjust", player.id);
    let mut ids = Vec::new();
    for (amount, status) in [(50, 201), (500, 202)] {
        let made = desk.post_once(&path, &serde_json::json!({"amount": amount, "reason": "a prize"})).await;
        ids.push(text(&made.expect(status).body["id"]));
    }
    let mut owner = server.database.as_owner().await;
    for (id, change) in [
        (&ids[0], "amount = 51"),
        (&ids[0], "reason = 'another'"),
        (&ids[0], "player_id = asked_by"),
        (&ids[0], "status = 'waiting'"),
        (&ids[0], "status = 'rejected', decided_by = player_id, decided_at = now()"),
        (&ids[1], "amount = 5, status = 'done'"),
        (&ids[1], "asked_by = player_id"),
    ] {
        let statement = format!("update adjustments set {change} where id = '{id}'");
        assert_eq!(refused(&statement, &server.registrar.pool).await.0, APPEND_ONLY, "{statement}");
        assert_eq!(refused(&statement, &mut owner).await.0, APPEND_ONLY, "{statement}");
    }
    // No assignment, and so never undone.
    let undone = format!("update adjustments set status = 'undone' where id = '{}'", ids[0]);
    assert_eq!(refused(&undone, &mut owner).await.0, CHECK);
    server.stop().await;
}
