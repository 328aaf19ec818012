//! Many matches end at the same moment.

use std::{sync::Arc, time::Duration};

use sqlx::Connection as _;
use stakeboard_tests::{Player, TestServer};
use tokio::sync::Semaphore;

use crate::support::{check_books, settlements, together};

const MATCHES: usize = 250;
const STAKE: i64 = 100;
/// How many of them are begun at a time.
const LANES: usize = 16;

/// Less than a settlement may take (2 s), and twice as long is more.
const HELD_UP: Duration = Duration::from_millis(1_300);

/// Each waits for its turn to be settled, and that takes nothing of the time that a settlement has: nobody is told that
/// the service is in trouble, and no clock stands.
#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_matches_that_end_at_once_are_settled_without_a_word_of_trouble() {
    let server = Arc::new(TestServer::with(&["--database-connections=2"]).await);
    let lanes = Arc::new(Semaphore::new(LANES));
    let starting: Vec<_> = (0..MATCHES)
        .map(|_| {
            let (server, lanes) = (Arc::clone(&server), Arc::clone(&lanes));
            tokio::spawn(async move {
                let _lane = lanes.acquire().await.unwrap();
                server.start_match(STAKE).await
            })
        })
        .collect();
    let mut matches = Vec::new();
    for started in starting {
        matches.push(started.await.unwrap());
    }
    let resign = |(id, [first, _]): &(String, [Player; 2])| {
        let (client, path) = (server.client().of(first), format!("/v1/matches/{id}/resign"));
        async move { client.post_empty(&path).await }
    };
    let mut resignations: Vec<_> = matches.iter().map(resign).collect();
    // Each is held up for most of the time that it has, twice in a row: who comes later waits for longer than that.
    let mut owner = server.database.as_owner().await;
    let mut resigning = None;
    for _ in 0..2 {
        let mut held = owner.begin().await.unwrap();
        sqlx::query(
            "select from balances b join accounts a on a.id = b.account_id where a.kind = 'house_fee' for update of b",
        )
        .execute(&mut *held)
        .await
        .unwrap();
        resigning.get_or_insert_with(|| tokio::spawn(together(std::mem::take(&mut resignations))));
        tokio::time::sleep(HELD_UP).await;
        held.rollback().await.unwrap();
    }
    for answer in resigning.unwrap().await.unwrap() {
        answer.expect(200);
    }
    for (id, _) in &matches {
        assert_eq!(settlements(&server.registrar.pool, id).await, ["win"]);
    }
    let stood: i64 = sqlx::query_scalar("select count(*) from match_events where kind = 'clock_credited'")
        .fetch_one(&server.registrar.pool)
        .await
        .unwrap();
    assert_eq!(stood, 0, "no clock stood");
    check_books(&server.registrar, i64::try_from(MATCHES).unwrap() * STAKE * 2).await;
    Arc::into_inner(server).unwrap().stop().await;
}
