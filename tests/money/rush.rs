//! Many matches end at the same moment.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use sqlx::Connection as _;
use stakeboard_tests::{Answer, Player, TestServer};
use tokio::{sync::Semaphore, task::JoinHandle};

use crate::support::{check_books, settlements, together};

const MATCHES: usize = 250;
const STAKE: i64 = 100;
/// How many of them are begun at a time.
const LANES: usize = 16;

/// For how long a machine may stand still that is said to be none: half of what the service itself takes for trouble.
const STANDSTILL: Duration = Duration::from_millis(350);

/// Less than a settlement may take (2 s), and twice as long is more.
const HELD_UP: Duration = Duration::from_millis(1_300);

/// Each waits for its turn to be settled, and that takes nothing of the time that a settlement has: nobody is told that
/// the service is in trouble, and no clock stands. Where the machine itself stood still the service says so, as it should:
/// such a rush tells nothing, and there is another.
#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_matches_that_end_at_once_are_settled_without_a_word_of_trouble() {
    const RUSHES: usize = 5;
    for rush in 1..=RUSHES {
        let server = Arc::new(TestServer::with(&["--database-connections=2"]).await);
        let matches = begin(&server).await;
        let machine = Machine::watch(&server).await;
        let answers = end(&server, &matches).await;
        let stood = machine.stood().await;
        if stood > STANDSTILL && rush < RUSHES {
            println!("rush {rush} tells nothing: the machine stood still for {} ms", stood.as_millis());
            continue;
        }
        for answer in answers {
            answer.expect(200);
        }
        for (id, _) in &matches {
            assert_eq!(settlements(&server.registrar.pool, id).await, ["win"]);
        }
        let credited: i64 = sqlx::query_scalar("select count(*) from match_events where kind = 'clock_credited'")
            .fetch_one(&server.registrar.pool)
            .await
            .unwrap();
        assert_eq!(credited, 0, "no clock stood");
        check_books(&server.registrar, i64::try_from(MATCHES).unwrap() * STAKE * 2).await;
        Arc::into_inner(server).unwrap().stop().await;
        return;
    }
}

/// Begins all matches. Gives each with its players, the one first who opens.
async fn begin(server: &Arc<TestServer>) -> Vec<(String, [Player; 2])> {
    let lanes = Arc::new(Semaphore::new(LANES));
    let starting: Vec<_> = (0..MATCHES)
        .map(|_| {
            let (server, lanes) = (Arc::clone(server), Arc::clone(&lanes));
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
    matches
}

/// Resigns in all of them at once, while the house's accounts are held.
async fn end(server: &TestServer, matches: &[(String, [Player; 2])]) -> Vec<Answer> {
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
    resigning.unwrap().await.unwrap()
}

/// Looks whether this process and Postgres get on, as the heartbeat of the service in it does.
struct Machine {
    watching: Arc<AtomicBool>,
    task: JoinHandle<Duration>,
}

impl Machine {
    async fn watch(server: &TestServer) -> Self {
        let watching = Arc::new(AtomicBool::new(true));
        let watches = Arc::clone(&watching);
        let mut connection = server.database.as_owner().await;
        let task = tokio::spawn(async move {
            let (mut longest, mut last) = (Duration::ZERO, Instant::now());
            while watches.load(Ordering::Relaxed) {
                sqlx::query("select").execute(&mut connection).await.unwrap();
                tokio::time::sleep(Duration::from_millis(20)).await;
                longest = longest.max(last.elapsed());
                last = Instant::now();
            }
            longest
        });
        Self { watching, task }
    }

    /// For how long at most it did not.
    async fn stood(self) -> Duration {
        self.watching.store(false, Ordering::Relaxed);
        self.task.await.unwrap()
    }
}
