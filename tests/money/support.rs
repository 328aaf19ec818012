//! What these tests share: true races, and the books after them.

use std::{future::Future, sync::Arc, time::Duration};

use serde_json::{Value, json};
use sqlx::PgPool;
use stakeboard_tests::{Answer, Client, Player, Registrar};
use tokio::sync::Barrier;

/// For what should happen at once, on a machine that is busy with other things.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Runs all of these at the same time: each waits in a task of its own until all are there.
pub async fn together<T, F>(acts: Vec<F>) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let barrier = Arc::new(Barrier::new(acts.len()));
    let tasks: Vec<_> = acts
        .into_iter()
        .map(|act| {
            let barrier = Arc::clone(&barrier);
            tokio::spawn(async move {
                barrier.wait().await;
                act.await
            })
        })
        .collect();
    let mut done = Vec::with_capacity(tasks.len());
    for task in tasks {
        done.push(task.await.unwrap());
    }
    done
}

/// Runs `lanes` rows of rounds side by side, each lane as a task of its own.
pub async fn lanes<F>(count: u64, lane: impl Fn(u64) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let lanes: Vec<_> = (0..count).map(|number| tokio::spawn(lane(number))).collect();
    for lane in lanes {
        lane.await.unwrap();
    }
}

/// Waits until something holds, and fails where it does not in good time.
pub async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(waited.await.is_ok(), "in vain: {what}");
}

/// Posts a seek for this stake and gives its id.
pub async fn post_seek(client: &Client, stake: i64) -> String {
    let seek = client.post("/v1/lobby/seeks", &json!({"game": "oware", "stake": stake})).await.expect(201).body;
    text(&seek["id"])
}

/// Opens a table by link for this stake and gives its code.
pub async fn open_table(client: &Client, stake: i64) -> String {
    let table = client.post("/v1/tables", &json!({"game": "oware", "stake": stake})).await.expect(201).body;
    text(&table["code"])
}

/// Accepts a seek; refused or not.
pub async fn accept(client: &Client, seek: &str, stake: i64) -> Answer {
    client.post_once(&format!("/v1/lobby/seeks/{seek}/accept"), &json!({"stake": stake})).await
}

/// Ends a match as a draw: both offer, the second offer accepts (MA-7). Each stake goes back (MA-3).
pub async fn end_in_draw(match_id: &str, one: &Client, two: &Client) {
    let path = format!("/v1/matches/{match_id}/draw");
    for client in [one, two] {
        client.post(&path, &json!({"action": "offer"})).await.expect(200);
    }
}

/// A JSON text as one of Rust's.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a text: {value}")).to_owned()
}

/// Divides answers into those of status 201, as bodies, and the status and code of all others, sorted.
pub fn sort_answers(answers: Vec<Answer>) -> (Vec<Value>, Vec<(u16, String)>) {
    let (mut made, mut refused) = (Vec::new(), Vec::new());
    for answer in answers {
        if answer.status == 201 {
            made.push(answer.body);
        } else {
            refused.push((answer.status, answer.code().to_owned()));
        }
    }
    refused.sort();
    (made, refused)
}

/// What each of these players has available.
pub async fn available(pool: &PgPool, players: &[&Player]) -> Vec<i64> {
    let ids: Vec<_> = players.iter().map(|player| player.id.0).collect();
    sqlx::query_scalar(
        "select b.balance from unnest($1::uuid[]) with ordinality as p (id, place)
         join accounts a on a.player_id = p.id and a.kind = 'player' join balances b on b.account_id = a.id
         order by p.place",
    )
    .bind(ids)
    .fetch_all(pool)
    .await
    .unwrap()
}

/// How many transfers of a kind a player's account has seen.
pub async fn transfers_of(pool: &PgPool, player: &Player, kind: &str) -> i64 {
    sqlx::query_scalar(
        "select count(*) from entries e join transfers t on t.id = e.transfer_id
         join accounts a on a.id = e.account_id where a.player_id = $1 and t.kind = $2",
    )
    .bind(player.id.0)
    .bind(kind)
    .fetch_one(pool)
    .await
    .unwrap()
}

/// What must hold after everything: the trial balance, nobody in two live staked matches, and all money that came in
/// (`deposited`) is with players, in escrow, held for a withdrawal or with the house.
pub async fn check_books(registrar: &Registrar, deposited: i64) {
    registrar.verify_ledger().await;
    let doubled: i64 = sqlx::query_scalar(
        "select count(*) from (
             select player from (select first_player as player from matches where status = 'live' and stake > 0
                                 union all
                                 select second_player from matches where status = 'live' and stake > 0) p
             group by player having count(*) > 1) d",
    )
    .fetch_one(&registrar.pool)
    .await
    .unwrap();
    assert_eq!(doubled, 0, "L-8: players in two live staked matches");
    let held: i64 = sqlx::query_scalar(
        "select coalesce(sum(b.balance), 0)::bigint from balances b join accounts a on a.id = b.account_id
         where a.kind in ('player', 'escrow', 'withdrawal_hold', 'house_fee')",
    )
    .fetch_one(&registrar.pool)
    .await
    .unwrap();
    assert_eq!(held, deposited, "money is neither made nor lost");
}

/// How often a match was settled, and with what outcome.
pub async fn settlements(pool: &PgPool, match_id: &str) -> Vec<String> {
    sqlx::query_scalar("select outcome from settlements where match_id = $1::uuid")
        .bind(match_id)
        .fetch_all(pool)
        .await
        .unwrap()
}
