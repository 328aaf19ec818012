//! The trial balance (L-10): it passes at any moment of play, and names what somebody has tampered with.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use serde_json::json;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use stakeboard_server::ledger;
use stakeboard_tests::{TestDatabase, TestServer, play::play_side, server::start_match};

use crate::support::{check_books, end_in_draw, lanes};

/// A database that no server works on, with a decided match, a drawn one, a live one, and deposits.
async fn played() -> TestDatabase {
    let server = TestServer::start().await;
    let (one, first) = server.player(10_000).await;
    let (two, second) = server.player(10_000).await;
    let terms = json!({"game": "oware", "stake": 500});
    let decided = start_match(&first, &one, &two, &terms).await;
    first.post_empty(&format!("/v1/matches/{decided}/resign")).await.expect(200);
    let drawn = start_match(&first, &one, &two, &terms).await;
    end_in_draw(&drawn, &first, &second).await;
    start_match(&first, &one, &two, &terms).await;
    let database = server.database.clone();
    server.stop().await;
    database
}

/// Everything that the trial balance reads.
const TABLES: [&str; 13] = [
    "accounts",
    "balances",
    "transfers",
    "entries",
    "settlements",
    "matches",
    "match_events",
    "live_stakes",
    "withdrawals",
    "deposits",
    "payments",
    "adjustments",
    "seals",
];

/// Before all cases: triggers and foreign keys look away, as they would for who has the whole machine, and every table
/// is put aside.
fn before_tampering() -> String {
    let aside = TABLES.map(|table| format!("create temporary table kept_{table} as select * from {table};"));
    format!(
        "set session_replication_role = replica;
         alter table balances drop constraint balances_floor;
         alter table settlements drop constraint settlements_split;
         create temporary table one as select id as a from accounts where kind = 'player' order by id limit 1;
         create temporary table two as select id as a from accounts where kind = 'player' order by id desc limit 1;
         {}",
        aside.concat()
    )
}

/// After each case: every table as it was.
fn mend() -> String {
    TABLES
        .map(|table| {
            format!("delete from {table}; insert into {table} overriding system value select * from kept_{table};")
        })
        .concat()
}

/// What each case does behind the ledger's back, and every check that must fail for it.
const TAMPERING: &[(&str, &str, &[&str])] = &[
    ("nothing", "select 1", &[]),
    (
        "a balance raised",
        "update balances set balance = balance + 5 where account_id = (select a from one)",
        &["all balances sum to zero", "every balance is its last entry", "every balance is the sum of its entries"],
    ),
    (
        "a balance moved from one player to another",
        "update balances set balance = balance + case account_id when (select a from one) then 5 else -5 end
         where account_id in (select a from one union select a from two)",
        &["every balance is its last entry", "every balance is the sum of its entries"],
    ),
    (
        "a balance below its floor",
        "update balances set balance = balance - 100000 where account_id = (select a from one)",
        &["no account is below its floor", "all balances sum to zero"],
    ),
    (
        "an entry's change edited",
        "update entries set change = change + 5 where account_id = (select a from one) and version = 1",
        &[
            "every balance is the sum of its entries",
            "every entry follows from the one before",
            "every transfer has its two entries",
        ],
    ),
    (
        "an entry's balance edited",
        "update entries set balance_after = balance_after + 5 where account_id = (select a from one) and version = 2",
        &["every entry follows from the one before"],
    ),
    (
        "an entry's time edited",
        "update entries set created_at = created_at - interval '1 hour'
         where account_id = (select a from one) and version = 2",
        &["every entry follows from the one before", "every transfer has its two entries"],
    ),
    (
        "an entry deleted",
        "delete from entries where account_id = (select a from one) and version = 2",
        &[
            "every balance is the sum of its entries",
            "versions count up by one",
            "every entry follows from the one before",
            "every transfer has its two entries",
        ],
    ),
    (
        "the last entry deleted",
        "delete from entries e where account_id = (select a from one)
             and version = (select version from balances where account_id = e.account_id)",
        &["every balance is its last entry", "versions count up by one", "every transfer has its two entries"],
    ),
    (
        "an entry inserted",
        "insert into entries select account_id, version + 1, gen_random_uuid(), 5, balance + 5, now()
             from balances where account_id = (select a from one)",
        &["versions count up by one", "every entry belongs to its transfer", "every balance is the sum of its entries"],
    ),
    (
        "an entry inserted with the balance to match",
        "insert into entries select account_id, version + 1, gen_random_uuid(), 5, balance + 5, now()
             from balances where account_id = (select a from one);
         update balances set balance = balance + 5, version = version + 1 where account_id = (select a from one)",
        &["all balances sum to zero", "every entry belongs to its transfer"],
    ),
    (
        "a transfer deleted",
        "delete from transfers where kind = 'payout'",
        &["every entry belongs to its transfer", "each settlement was paid to who was owed"],
    ),
    (
        "a transfer deleted with its entries",
        "delete from entries where transfer_id in (select id from transfers where kind = 'fee');
         delete from transfers where kind = 'fee'",
        &["versions count up by one", "each settlement was paid to who was owed"],
    ),
    (
        "a transfer's amount edited",
        "update transfers set amount = amount + 5 where kind = 'deposit'",
        &["every transfer has its two entries"],
    ),
    (
        "a transfer without entries",
        "insert into transfers (id, reference, position, kind, debit, credit, amount, created_at)
         select gen_random_uuid(), 'forged', 1, 'adjustment', o.a, t.a, 5, now() from one o, two t",
        &["every transfer has its two entries"],
    ),
    (
        "an account of another currency",
        "update accounts set currency = 'USD' where id = (select a from one)",
        &["transfers stay within one currency"],
    ),
    (
        "a fee that is not a tenth",
        "update settlements set fee = fee + 5, payout = payout - 5 where outcome = 'win'",
        &["each settlement is the outcome of its ended match", "each settlement was paid to who was owed"],
    ),
    (
        "a fee that is not a tenth, wherever it is written",
        "update settlements set fee = fee + 5, payout = payout - 5 where outcome = 'win';
         update matches set fee = fee + 5, payout = payout - 5 where winner is not null;
         update transfers set amount = amount + 5 where kind = 'fee';
         update transfers set amount = amount - 5 where kind = 'payout';
         update entries e set change = change + sign(change) * 5, balance_after = balance_after + 5
         from transfers t where t.id = e.transfer_id and t.kind = 'fee' and e.account_id = t.credit;
         update balances set balance = balance + 5 where account_id = (select credit from transfers where kind = 'fee')",
        &["the house has ten per cent of the decided pots"],
    ),
    (
        "a settlement missing",
        "delete from settlements where outcome = 'win'",
        &[
            "each ended staked match has an empty escrow and one settlement",
            "the house has ten per cent of the decided pots",
        ],
    ),
    (
        "a settlement of a draw missing",
        "delete from settlements where outcome = 'draw'",
        &["each ended staked match has an empty escrow and one settlement"],
    ),
    (
        "a settlement for the other player",
        "update settlements s set winner = case s.winner when m.first_player then m.second_player else m.first_player end
         from matches m where m.id = s.match_id and s.outcome = 'win'",
        &["each settlement is the outcome of its ended match", "each settlement was paid to who was owed"],
    ),
    (
        "a payout to the other player",
        "update transfers set credit = case credit when o.a then t.a else o.a end from one o, two t
         where kind = 'payout';
         update entries e set account_id = t.credit, version = 1000 from transfers t
         where t.id = e.transfer_id and t.kind = 'payout' and e.change > 0",
        &["each settlement was paid to who was owed", "versions count up by one"],
    ),
    (
        "a draw's refunds both to one player",
        "update transfers set credit = (select a from one) where kind = 'refund'",
        &["each settlement was paid to who was owed"],
    ),
    (
        "a draw told as a void",
        "update settlements set outcome = 'void' where outcome = 'draw'",
        &["each settlement is the outcome of its ended match"],
    ),
    (
        "an escrow that kept something",
        "update balances set balance = 5 where account_id in
             (select a.id from accounts a join matches m on m.id = a.match_id where m.winner is not null)",
        &["each ended staked match has an empty escrow and one settlement"],
    ),
    (
        "an escrow of a live match short of something",
        "update balances set balance = balance - 5 where account_id in
             (select a.id from accounts a join matches m on m.id = a.match_id where m.status = 'live')",
        &["each live staked match holds exactly both stakes"],
    ),
    (
        "both stakes of one player",
        "update transfers t set debit = (select a from one)
         from matches m where m.id = t.match_id and m.status = 'live' and t.kind = 'stake'",
        &["each staked match was begun with one stake of each player"],
    ),
    (
        "a live stake missing",
        "delete from live_stakes where player_id = (select player_id from accounts, one where id = a)",
        &["each live staked match is its players' only one"],
    ),
    (
        "a live stake left of an ended match",
        "delete from live_stakes where player_id = (select player_id from accounts, one where id = a);
         insert into live_stakes select a.player_id, m.id from accounts a, one o, matches m
         where a.id = o.a and m.winner is not null",
        &["each live staked match is its players' only one", "nobody is kept from playing by a match that is over"],
    ),
    (
        "a staked match passed off as a friendly one",
        "update matches set stake = 0 where status = 'live'; delete from live_stakes",
        &["nothing was staked on a friendly match"],
    ),
    (
        "a record that tells of another winner",
        "update match_events set seat = case seat when 'first' then 'second' else 'first' end
         where kind = 'ended' and seat is not null",
        &["each staked match has its whole record, which ends as it was settled"],
    ),
    (
        "a record removed",
        "delete from match_events",
        &["each staked match has its whole record, which ends as it was settled"],
    ),
    (
        "an entry taken out of the middle of a record",
        "delete from match_events where seq = 1",
        &["each staked match has its whole record, which ends as it was settled"],
    ),
    (
        "another ending",
        "update matches set ending = 'timeout' where winner is not null",
        &["each staked match has its whole record, which ends as it was settled"],
    ),
    (
        "another time of the end",
        "update matches set ended_at = ended_at + interval '1 day' where winner is not null",
        &["each staked match has its whole record, which ends as it was settled"],
    ),
    (
        "the last seals of two days ago removed",
        "update entries set created_at = created_at - interval '3 days'; delete from seals",
        &["what was written more than two days ago is sealed"],
    ),
    (
        "a match ended without a settlement",
        "update matches set status = 'ended', ending = 'agreement', ended_at = now(), payout = 0, fee = 0
         where status = 'live'",
        &["each ended staked match has an empty escrow and one settlement"],
    ),
    (
        "money held for a withdrawal that nobody asked for",
        "update balances set balance = 5 where account_id in
             (select id from accounts where kind = 'withdrawal_hold' order by id limit 1)",
        &["each player's hold is their open withdrawal"],
    ),
    (
        "a withdrawal that was never held",
        "insert into withdrawals (id, player_id, amount, status, ended_at)
         select gen_random_uuid(), player_id, 5, 'cancelled', now() from accounts where id = (select a from one)",
        &["each withdrawal was held, and paid or given back as it says"],
    ),
    (
        "a deposit completed without its money",
        "insert into deposits (id, player_id, amount, status, ended_at)
         select gen_random_uuid(), player_id, 5, 'completed', now() from accounts where id = (select a from one)",
        &["each completed deposit was credited, and no other"],
    ),
    (
        "a payment that the books know nothing of",
        "insert into payments (direction, payment, amount, currency, reference, suspense, event_id)
         values ('in', 'p', 5, 'BRL', 'x', 'unknown_reference', 'e')",
        &["each payment that was told of is in the ledger, or in suspense"],
    ),
    (
        "an adjustment that is told to have been made",
        "insert into adjustments (id, player_id, amount, reason, status, asked_by)
         select gen_random_uuid(), player_id, 5, 'x', 'done', player_id from accounts where id = (select a from one)",
        &["each adjustment, reversal and assignment was made as it says, and no other"],
    ),
    (
        "an adjustment that nobody asked for",
        "insert into transfers (id, reference, position, kind, debit, credit, amount, created_at)
         select gen_random_uuid(), 'adjustment:x', 1, 'adjustment', o.a, t.a, 5, now() from one o, two t",
        &[
            "each adjustment, reversal and assignment was made as it says, and no other",
            "every transfer stands for what was done",
        ],
    ),
    (
        "a reversal of more than was moved",
        "insert into transfers (id, reference, position, kind, debit, credit, amount, reverses, created_at)
         select gen_random_uuid(), 'forged', 1, 'reversal', credit, debit, amount + 5, id, now() from transfers
         where kind = 'deposit' limit 1",
        &["each reversal moves back what the transfer that it names has moved"],
    ),
    (
        "money in suspense that nobody told of",
        "update balances set balance = 5 where account_id in (select id from accounts where kind = 'suspense')",
        &["what is in suspense is what nobody has found a place for"],
    ),
    (
        "a seal of what was never there",
        "insert into seals (number, first_entry, last_entry, entries, sum, seal)
         select coalesce(max(number), 0) + 1, coalesce(max(last_entry), 0) + 1, coalesce(max(last_entry), 0) + 2, 2, 0,
                decode(repeat('00', 32), 'hex') from seals",
        &["every sealed batch of entries is as it was sealed"],
    ),
    (
        "an account without a balance",
        "delete from balances where account_id in (select id from accounts where kind = 'suspense')",
        &["every account has its balance"],
    ),
    (
        "an account whose floor was taken away",
        "update balances set floored = false where account_id = (select a from one)",
        &["every account has its balance"],
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn l10_each_way_to_tamper_with_the_books_fails_the_checks_that_it_breaks() {
    let mut owner = PgConnection::connect_with(&played().await.owner).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(before_tampering())).execute(&mut owner).await.unwrap();
    for (what, statements, checks) in TAMPERING {
        sqlx::raw_sql(*statements).execute(&mut owner).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        let found = ledger::verify(&mut owner).await.unwrap();
        let failed: Vec<&str> = found.iter().filter(|check| !check.passed).map(|check| check.name).collect();
        for check in *checks {
            assert!(failed.contains(check), "{what}: `{check}` should fail, failed are {failed:?}");
        }
        if checks.is_empty() {
            assert!(failed.is_empty(), "{what}: {failed:?}");
        }
        for check in found.iter().filter(|check| !check.passed) {
            assert!(check.figure.chars().any(|sign| sign.is_ascii_digit()), "{what}: {check:?} tells a figure");
        }
        sqlx::raw_sql(AssertSqlSafe(mend())).execute(&mut owner).await.unwrap();
    }
    // What nothing fails for is no check.
    let named: Vec<&str> = TAMPERING.iter().flat_map(|(_, _, checks)| checks.iter().copied()).collect();
    for check in ledger::verify(&mut owner).await.unwrap() {
        assert!(check.passed, "everything is mended: {check:?}");
        assert!(named.contains(&check.name), "no case above fails `{}`", check.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_the_trial_balance_passes_at_any_moment_of_play() {
    const MATCHES: u64 = 30;
    let server = TestServer::start().await;
    let over = Arc::new(AtomicBool::new(false));
    let verifying = {
        let (registrar, over) = (server.registrar.clone(), Arc::clone(&over));
        tokio::spawn(async move {
            let mut times = 0_u32;
            while !over.load(Ordering::Relaxed) {
                registrar.verify_ledger().await;
                times += 1;
            }
            times
        })
    };
    let mut tables = Vec::new();
    for _ in 0..MATCHES {
        tables.push((server.player(1_000).await, server.player(1_000).await));
    }
    let address = server.address;
    lanes(MATCHES, |lane| {
        let ((one, client), (two, _)) = tables[usize::try_from(lane).unwrap()].clone();
        async move {
            let id = start_match(&client, &one, &two, &json!({"game": "oware", "stake": 250})).await;
            let deposits = async {
                for _ in 0..20 {
                    client.post_once("/v1/wallet/deposits", &json!({"amount": 10})).await.expect(201);
                }
            };
            tokio::join!(
                play_side(address, &id, &one, lane * 2),
                play_side(address, &id, &two, lane * 2 + 1),
                deposits
            );
        }
    })
    .await;
    over.store(true, Ordering::Relaxed);
    assert!(verifying.await.unwrap() > 10, "it is looked at many times while they play");
    check_books(&server.registrar, i64::try_from(MATCHES).unwrap() * 2_200).await;
    server.stop().await;
}
