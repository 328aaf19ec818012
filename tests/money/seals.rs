//! Tamper evidence: what is edited, deleted, inserted or reordered behind the ledger's back is found (L-11).

use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use stakeboard_server::{
    ledger::{
        self, Check,
        seals::{self, KeptSeal, Seal, Sealer},
    },
    role::Role,
};
use stakeboard_tests::{Player, TestServer};
use uuid::Uuid;

use crate::support::eventually;

const NAME: &str = "every sealed batch of entries is as it was sealed";

/// Rounds until everything there is has been sealed. It takes two where nobody writes meanwhile; transactions in other
/// databases of the same Postgres count as writing too.
async fn seal(pool: &PgPool) -> Vec<Seal> {
    let mut sealer = Sealer::new(pool.clone());
    let mut added = Vec::new();
    eventually("everything is sealed", async || {
        added.extend(sealer.round().await.unwrap());
        let all: Option<i64> = sqlx::query_scalar("select max(seq) from entries").fetch_one(pool).await.unwrap();
        let sealed = seals::latest(pool).await.unwrap().map(|seal| seal.last_entry);
        all == sealed
    })
    .await;
    added
}

async fn verify(pool: &PgPool) -> (Vec<String>, Check) {
    let mut connection = pool.acquire().await.unwrap();
    let checks = ledger::verify(&mut connection).await.unwrap();
    let seals = checks.iter().find(|check| check.name == NAME).unwrap().clone();
    (checks.into_iter().filter(|check| !check.passed).map(|check| check.name.to_owned()).collect(), seals)
}

async fn run(owner: &mut PgConnection, statement: &str) {
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(owner).await.unwrap();
}

/// An amount of a player's, held for a withdrawal: what is moved between two accounts that nobody else needs.
async fn hold(executor: impl sqlx::PgExecutor<'_>, player: &Player, amount: i64) {
    sqlx::query(
        "with w as (insert into withdrawals (id, player_id, amount) values ($1, $2, $3) returning id)
         select post_transfers('withdrawal:' || w.id || ':hold', null, array[$1], array['hold'],
             array[(select id from accounts where kind = 'player' and player_id = $2)],
             array[(select id from accounts where kind = 'withdrawal_hold' and player_id = $2)], array[$3]) from w",
    )
    .bind(Uuid::now_v7())
    .bind(player.id.0)
    .bind(amount)
    .execute(executor)
    .await
    .unwrap();
}

/// What somebody with the database's owner's rights may do, with the first batch that gives it away.
const TAMPERING: &[(i64, &str)] = &[
    // Edited.
    (1, "update transfers set reference = reference || 'x' where id = (select transfer_id from entries where seq = 1)"),
    (2, "update transfers set kind = 'stake' where id = (select transfer_id from entries where seq = 9)"),
    (1, "update entries set created_at = created_at - interval '1 microsecond' where seq = 2"),
    (2, "update entries set change = change + 1 where seq = 13"),
    (1, "update entries set balance_after = balance_after + 1 where seq in (1, 9)"),
    // Deleted: in the middle, at an end of a batch, whole batches, and everything.
    (1, "delete from entries where seq = 4"),
    (1, "delete from entries where seq = 1"),
    (1, "delete from entries where seq = 8"),
    (2, "delete from entries where seq = 14"),
    (2, "delete from entries where seq >= 9"),
    (1, "delete from entries where seq <= 8"),
    (1, "delete from entries"),
    // Inserted, into the gap.
    (
        1,
        "insert into entries (seq, account_id, version, transfer_id, change, balance_after, created_at)
             overriding system value
             select 5, (select id from accounts where kind = 'suspense'), 1, transfer_id, 0, 0, created_at
             from entries where seq = 1",
    ),
    // Reordered: numbers exchanged within a batch, and across two.
    (
        1,
        "alter table entries alter seq drop identity; update entries set seq = -seq where seq in (1, 3);
             update entries set seq = 4 + seq where seq in (-1, -3)",
    ),
    (
        1,
        "alter table entries alter seq drop identity; update entries set seq = -seq where seq in (8, 9);
             update entries set seq = 17 + seq where seq in (-8, -9)",
    ),
    // The seals themselves.
    (1, "update seals set seal = sha256('x') where number = 1"),
    (2, "update seals set sum = 1 where number = 2"),
    (1, "delete from seals where number = 1"),
    (2, "update seals set number = 3 where number = 2"),
];

/// Puts back what was there before.
const UNDO: &str = "alter table entries alter seq drop identity if exists;
             delete from entries; insert into entries select * from kept;
             delete from seals; insert into seals select * from kept_seals;
             alter table entries alter seq add generated always as identity (start 15);
             update transfers set reference = rtrim(reference, 'x'),
                 kind = case when reference like 'withdrawal:%' then 'hold' else 'deposit' end";

#[tokio::test(flavor = "multi_thread")]
async fn l11_each_way_to_tamper_is_found_and_the_first_batch_that_does_not_fit_is_named() {
    let server = TestServer::start().await;
    let pool = &server.registrar.pool;
    let players = [server.registrar.player(1_000).await, server.registrar.player(2_000).await];
    // A transaction that is undone leaves a gap in the numbers, for somebody to put an entry into.
    let mut undone = pool.begin().await.unwrap();
    hold(&mut *undone, &players[0], 5).await;
    undone.rollback().await.unwrap();
    hold(pool, &players[0], 7).await;
    let first = seal(pool).await;
    assert_eq!((first.len(), first[0].number, first[0].entries, first[0].sum), (1, 1, 6, 0));
    assert_eq!((first[0].first_entry, first[0].last_entry), (1, 8), "with a gap of two");
    for amount in 1..=3 {
        server.registrar.deposit(players[1].id, amount).await;
    }
    let second = seal(pool).await;
    assert_eq!((second[0].number, second[0].first_entry, second[0].last_entry), (2, 9, 14));
    assert!(seal(pool).await.is_empty(), "nothing new");

    let (failed, check) = verify(pool).await;
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(check.figure, format!("2 batches, the last seal is 2:{}", second[0].seal));

    let mut owner = server.database.as_owner().await;
    for table in ["entries", "transfers", "seals"] {
        run(&mut owner, &format!("alter table {table} disable trigger user")).await;
    }
    run(&mut owner, "create table kept as select * from entries; create table kept_seals as select * from seals").await;
    for (batch, statement) in TAMPERING {
        run(&mut owner, statement).await;
        let (failed, check) = verify(pool).await;
        assert!(failed.contains(&NAME.to_owned()), "{statement}");
        assert!(check.figure.starts_with(&format!("batch {batch} does not fit")), "{statement}: {}", check.figure);
        run(&mut owner, UNDO).await;
        assert_eq!(verify(pool).await.0, Vec::<String>::new(), "undone: {statement}");
    }
    server.stop().await;
}

/// Who owns the database can seal anew what they made of it: then a seal that was kept elsewhere tells.
#[tokio::test(flavor = "multi_thread")]
async fn l11_a_ledger_that_was_rewritten_with_all_its_seals_does_not_fit_a_seal_kept_elsewhere() {
    let server = TestServer::start().await;
    let pool = &server.registrar.pool;
    let auditor = server.client().of(&server.registrar.with_roles(0, vec![Role::Auditor]).await);
    auditor.get("/v1/admin/ledger/seal").await.refused(404, "nothing_sealed");
    server.registrar.player(1_000).await;
    seal(pool).await;
    let handed_out = auditor.get("/v1/admin/ledger/seal").await.expect(200).body;
    assert_eq!((handed_out["number"].as_i64(), handed_out["entries"].as_i64()), (Some(1), Some(2)));
    let seal_of_one = handed_out["seal"].as_str().unwrap();
    let as_kept = |number: i64, seal: &str| format!("{number}:{seal}").parse::<KeptSeal>();
    let kept = as_kept(1, &seal_of_one.to_uppercase()).unwrap();
    let mut connection = pool.acquire().await.unwrap();
    assert!(seals::check_kept(&mut connection, &kept).await.unwrap().passed);
    let later = seals::check_kept(&mut connection, &as_kept(2, seal_of_one).unwrap()).await.unwrap();
    assert_eq!((later.passed, later.figure.as_str()), (false, "there is no batch 2"));

    let mut owner = server.database.as_owner().await;
    run(
        &mut owner,
        "alter table transfers disable trigger user; alter table seals disable trigger user;
         alter table deposits disable trigger user;
         update deposits set id = '00000000-0000-0000-0000-000000000001';
         update transfers set reference = 'deposit:00000000-0000-0000-0000-000000000001'; delete from seals",
    )
    .await;
    seal(pool).await;
    assert_eq!(verify(pool).await.0, Vec::<String>::new(), "in itself everything fits");
    assert!(!seals::check_kept(&mut connection, &kept).await.unwrap().passed);
    for (number, seal) in [(1, ""), (0, seal_of_one), (-1, seal_of_one), (1, &seal_of_one[1..]), (1, &"g".repeat(64))] {
        assert!(as_kept(number, seal).is_err(), "{number}:{seal} is no seal");
    }
    assert!("abc".parse::<KeptSeal>().is_err() && seal_of_one.parse::<KeptSeal>().is_err());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l11_nothing_is_sealed_above_a_number_that_is_still_on_its_way() {
    let server = TestServer::start().await;
    let pool = &server.registrar.pool;
    let mut players = Vec::new();
    for _ in 0..3 {
        players.push(server.registrar.player(1_000).await);
    }
    seal(pool).await;
    let mut sealer = Sealer::new(pool.clone());
    let (mut kept, mut undone) = (pool.begin().await.unwrap(), pool.begin().await.unwrap());
    hold(&mut *kept, &players[0], 1).await;
    hold(&mut *undone, &players[1], 1).await;
    // Larger numbers than those two have drawn, and committed before them.
    hold(pool, &players[2], 1).await;
    for _ in 0..3 {
        assert_eq!(sealer.round().await.unwrap(), [], "two transactions of before the horizon are under way");
    }
    kept.commit().await.unwrap();
    assert_eq!(sealer.round().await.unwrap(), [], "one still is");
    undone.rollback().await.unwrap();
    let mut sealed = Vec::new();
    eventually("what is over is sealed", async || {
        sealed = sealer.round().await.unwrap();
        !sealed.is_empty()
    })
    .await;
    assert_eq!((sealed.len(), sealed[0].entries), (1, 4));
    assert_eq!(sealed[0].last_entry - sealed[0].first_entry, 5, "with the gap of what was undone");
    assert_eq!(verify(pool).await.0, Vec::<String>::new());
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn l11_servers_that_seal_at_once_make_one_chain_while_money_moves() {
    let server = TestServer::start().await;
    let registrar = server.registrar.clone();
    let writers: Vec<_> = (0..3)
        .map(|_| {
            let registrar = registrar.clone();
            tokio::spawn(async move {
                let player = registrar.player(1).await;
                for _ in 0..40 {
                    registrar.deposit(player.id, 1).await;
                }
            })
        })
        .collect();
    let sealers: Vec<_> = (0..3)
        .map(|_| {
            let mut sealer = Sealer::new(registrar.pool.clone());
            tokio::spawn(async move {
                for _ in 0..40 {
                    sealer.round().await.unwrap();
                }
            })
        })
        .collect();
    for task in writers.into_iter().chain(sealers) {
        task.await.unwrap();
    }
    seal(&registrar.pool).await;
    let (failed, _) = verify(&registrar.pool).await;
    assert!(failed.is_empty(), "{failed:?}");
    let (sealed, all): (i64, i64) =
        sqlx::query_as("select (select sum(entries)::bigint from seals), (select count(*) from entries)")
            .fetch_one(&registrar.pool)
            .await
            .unwrap();
    assert_eq!((sealed, all), (3 * 41 * 2, 3 * 41 * 2));
    server.stop().await;
}
