//! Money that stands for nothing: what the server's own role could post, no rule of the tables refuses, and the trial
//! balance finds (L-10).

use sqlx::AssertSqlSafe;
use stakeboard_server::ledger;
use stakeboard_tests::{Registrar, TestServer};
use uuid::Uuid;

const NAME: &str = "every transfer stands for what was done";

/// An account, as SQL: of one of two players, or of the house.
const ONE: &str = "(select a.id from accounts a where a.kind = 'player' and a.player_id = '{one}')";
const TWO: &str = "(select a.id from accounts a where a.kind = 'player' and a.player_id = '{two}')";
const HELD: &str = "(select a.id from accounts a where a.kind = 'withdrawal_hold' and a.player_id = '{one}')";
const EXTERNAL: &str = "(select a.id from accounts a where a.kind = 'external')";
const ADJUSTMENT: &str = "(select a.id from accounts a where a.kind = 'adjustment')";
const SUSPENSE: &str = "(select a.id from accounts a where a.kind = 'suspense')";
/// Nothing but the transfer.
const NOTHING: &str = "select";
/// Business of the first player's.
const WITHDRAWAL: &str = "insert into withdrawals (id, player_id, amount) values ('{id}', '{one}', 7)";
const DEPOSIT: &str = "insert into deposits (id, player_id, amount, status, ended_at)
                       values ('{id}', '{one}', 7, 'completed', now())";
const PENDING: &str = "insert into deposits (id, player_id, amount, status) values ('{id}', '{one}', 7, 'pending')";
const GIFT: &str = "insert into adjustments (id, player_id, amount, reason, status, asked_by)
                    values ('{id}', '{one}', 7, 'x', 'done', '{one}')";
const WAITING: &str = "insert into adjustments (id, player_id, amount, reason, status, asked_by)
                       values ('{id}', '{one}', 7, 'x', 'waiting', '{one}')";
const TOLD: &str = "insert into payment_events (id, kind, body, outcome) values ('{id}', 'x', '{}', 'suspense');
                    insert into payments (direction, payment, amount, currency, reference, suspense, event_id)
                    values ('in', '{id}', 7, 'BRL', 'x', 'unknown_reference', '{id}')";

/// What was done, and the one transfer that is posted: its kind, reference, debit, credit.
type Posting = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// None of these stands for what was done.
const FORGED: &[Posting] = &[
    (NOTHING, "deposit", "deposit:fake", EXTERNAL, ONE),
    (NOTHING, "deposit", "gift:1", ONE, TWO),
    (NOTHING, "adjustment", "gift:1", ONE, TWO),
    (NOTHING, "adjustment", "gift:1", ADJUSTMENT, ONE),
    (NOTHING, "withdrawal", "gift:1", ONE, EXTERNAL),
    (NOTHING, "hold", "gift:1", ONE, TWO),
    (NOTHING, "hold", "gift:1", ONE, HELD),
    (NOTHING, "release", "gift:1", ONE, TWO),
    (NOTHING, "suspense", "gift:1", EXTERNAL, ONE),
    (NOTHING, "suspense", "deposit:fake", EXTERNAL, SUSPENSE),
    (PENDING, "deposit", "deposit:{id}", EXTERNAL, ONE),
    (DEPOSIT, "deposit", "deposit:{id}", EXTERNAL, TWO),
    (DEPOSIT, "deposit", "deposit:{id}", TWO, ONE),
    (DEPOSIT, "deposit", "deposit:{id}", ADJUSTMENT, ONE),
    (WITHDRAWAL, "hold", "withdrawal:{id}:hold", TWO, HELD),
    (WITHDRAWAL, "hold", "withdrawal:{id}:hold", ONE, TWO),
    (WITHDRAWAL, "withdrawal", "withdrawal:{id}:settle", ONE, EXTERNAL),
    (WAITING, "adjustment", "adjustment:{id}", ADJUSTMENT, ONE),
    (GIFT, "adjustment", "adjustment:{id}", TWO, ONE),
    (GIFT, "adjustment", "adjustment:{id}", EXTERNAL, ONE),
    (GIFT, "adjustment", "adjustment:{id}", ONE, ADJUSTMENT),
    (GIFT, "deposit", "adjustment:{id}", SUSPENSE, ONE),
    (TOLD, "suspense", "deposit:{id}", EXTERNAL, ONE),
    (TOLD, "deposit", "deposit:{id}", EXTERNAL, ONE),
];

/// And these do: the same check, which passes.
const TRUE: &[Posting] = &[
    (DEPOSIT, "deposit", "deposit:{id}", EXTERNAL, ONE),
    (WITHDRAWAL, "hold", "withdrawal:{id}:hold", ONE, HELD),
    (GIFT, "adjustment", "adjustment:{id}", ADJUSTMENT, ONE),
    (TOLD, "suspense", "deposit:{id}", EXTERNAL, SUSPENSE),
];

/// Deeds of one transfer with two, and a reversal that nobody decided on.
const FORGED_GROUPS: &[&str] = &[
    "insert into deposits (id, player_id, amount, status, ended_at) values ('{id}', '{one}', 7, 'completed', now());
     select post_transfers('deposit:{id}', null, array[gen_random_uuid(), gen_random_uuid()],
         array['deposit', 'deposit'], array[x.id, x.id], array[a.id, a.id], array[7, 7]::bigint[])
     from accounts x, accounts a where x.kind = 'external' and a.kind = 'player' and a.player_id = '{one}'",
    "select post_transfers('gift:1', null, array[gen_random_uuid()], array['reversal'], array[t.credit],
         array[t.debit], array[t.amount], t.id)
     from transfers t join accounts a on a.id = t.credit where a.player_id = '{two}'",
];

fn posted((done, kind, reference, debit, credit): &Posting) -> String {
    format!(
        "{done};
         select post_transfers('{reference}', null, array[gen_random_uuid()], array['{kind}'], array[{debit}],
             array[{credit}], array[7]::bigint[])"
    )
}

/// As the server's own role, with two new players; a reference that is used again is another one.
async fn post(registrar: &Registrar, number: usize, statements: &str) {
    let (one, two) = (registrar.player(1_000).await, registrar.player(1_000).await);
    let statements = statements
        .replace("{id}", &Uuid::now_v7().to_string())
        .replace("{one}", &one.id.to_string())
        .replace("{two}", &two.id.to_string())
        .replace("gift:1", &format!("gift:{number}"))
        .replace("deposit:fake", &format!("deposit:fake-{number}"));
    sqlx::raw_sql(AssertSqlSafe(statements.clone()))
        .execute(&registrar.pool)
        .await
        .unwrap_or_else(|error| panic!("{statements}: {error}"));
}

async fn at_fault(registrar: &Registrar) -> String {
    let mut connection = registrar.pool.acquire().await.unwrap();
    let checks = ledger::verify(&mut connection).await.unwrap();
    checks.into_iter().find(|check| check.name == NAME).unwrap().figure
}

#[tokio::test(flavor = "multi_thread")]
async fn l10_each_transfer_that_stands_for_nothing_that_was_done_is_found() {
    let server = TestServer::start().await;
    let registrar = &server.registrar;
    for (number, posting) in TRUE.iter().enumerate() {
        post(registrar, number, &posted(posting)).await;
        assert_eq!(at_fault(registrar).await, "0 at fault", "{posting:?}");
    }
    let groups = FORGED_GROUPS.iter().map(|group| (*group).to_owned());
    for (number, statements) in FORGED.iter().map(posted).chain(groups).enumerate() {
        post(registrar, number, &statements).await;
        assert_eq!(at_fault(registrar).await, format!("{} at fault", number + 1), "{statements}");
    }
    server.stop().await;
}
