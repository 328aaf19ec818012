//! Everything that moves money, by requests that are cut off at random places by the thousand, and then made whole.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_tests::{Answer, Client, Player, TestServer, play::seat_of};

use crate::{
    cancellation::{Cut, nothing_is_left_open, request, send_and_cut},
    support::{PATIENCE, available, check_books, lanes, settlements, text, together, transfers_of},
};

/// How many pairs of players, each of which does everything once.
const PAIRS: u64 = 72;
/// How many of them at the same time.
const LANES: u64 = 8;
/// What each of them begins with.
const MONEY: i64 = 5_000;

/// Where requests go, and how they are cut.
struct Storm {
    address: SocketAddr,
    dice: SmallRng,
    cuts: Arc<AtomicU64>,
}

impl Storm {
    /// Asks for something up to four times in vain, with one key, and then until there is an answer.
    async fn insists(&mut self, who: &(Player, Client), path: &str, body: Value) -> Answer {
        let (player, client) = who;
        let bytes = request(path, &player.token, path, &body.to_string());
        for _ in 0..=self.dice.next_u64() % 4 {
            send_and_cut(self.address, &bytes, &Cut::draw(&mut self.dice, bytes.len())).await;
            self.cuts.fetch_add(1, Ordering::Relaxed);
        }
        let began = Instant::now();
        loop {
            let answer = client.post_keyed(path, path, &body).await;
            if answer.code() != "idempotency_in_progress" {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "still under way: {path}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Gives a match up: acknowledged, or over by what was cut off.
    async fn resigns(&mut self, who: &(Player, Client), id: &str) {
        let answer = self.insists(who, &format!("/v1/matches/{id}/resign"), json!({})).await;
        assert!(answer.status == 200 || answer.code() == "match_over", "{}", answer.text);
    }
}

/// Two players post, accept, move, give up, deposit, withdraw, open a table and join it; each thing happens once.
async fn does_everything_once(server: &TestServer, storm: &mut Storm) {
    let (one, two) = (server.player(MONEY).await, server.player(MONEY).await);
    let pool = &server.registrar.pool;
    let deposits = transfers_of(pool, &one.0, "deposit").await;

    let seek = storm.insists(&one, "/v1/lobby/seeks", json!({"game": "oware", "stake": 500})).await.expect(201);
    let accept = format!("/v1/lobby/seeks/{}/accept", text(&seek.body["id"]));
    let id = text(&storm.insists(&two, &accept, json!({"stake": 500})).await.expect(201).body["match_id"]);
    let snapshot = server.client().get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let one_opens = seat_of(&snapshot, &one.0) == "first";
    let (first, second) = if one_opens { (&one, &two) } else { (&two, &one) };
    let moves = format!("/v1/matches/{id}/moves");
    assert_eq!(storm.insists(first, &moves, json!({"ply": 1, "move": "C"})).await.expect(200).body["seq"], 1);
    assert_eq!(storm.insists(second, &moves, json!({"ply": 2, "move": "b"})).await.expect(200).body["seq"], 2);
    storm.resigns(second, &id).await;

    storm.insists(&one, "/v1/wallet/deposits", json!({"amount": 700})).await.expect(201);
    storm.insists(&two, "/v1/wallet/withdrawals", json!({"amount": 300})).await.expect(201);

    let table = storm.insists(&one, "/v1/tables", json!({"game": "oware", "stake": 100})).await.expect(201);
    let join = format!("/v1/tables/{}/join", text(&table.body["code"]));
    let by_link = text(&storm.insists(&two, &join, json!({"stake": 100})).await.expect(201).body["match_id"]);
    storm.resigns(&one, &by_link).await;

    // 90 % of the pot of 1,000 goes to who did not give up, then 90 % of that of 200.
    let (won, lost) = (400, -500);
    let expected = if one_opens { [won, lost] } else { [lost, won] };
    let expected = [MONEY + expected[0] + 700 - 100, MONEY + expected[1] - 300 + 80];
    assert_eq!(available(pool, &[&one.0, &two.0]).await, expected);
    assert_eq!(transfers_of(pool, &one.0, "deposit").await, deposits + 1);
    for (player, _) in [&one, &two] {
        assert_eq!(transfers_of(pool, player, "stake").await, 2);
    }
    let withdrawals = two.1.get("/v1/wallet/withdrawals").await.expect(200).body;
    assert_eq!(withdrawals["items"].as_array().unwrap().len(), 1);
    let ends = [settlements(pool, &id).await, settlements(pool, &by_link).await];
    assert_eq!(ends.map(|ends| ends.len()), [1, 1]);
    let record = server.client().get(&format!("/v1/matches/{id}/record")).await.expect(200).body;
    assert_eq!(record["plies"].as_array().unwrap().len(), 2);
}

/// B12, T27. `STAKEBOARD_TEST_SEED` repeats a run.
#[tokio::test(flavor = "multi_thread")]
async fn b12_whatever_is_cut_off_by_the_thousand_is_done_once_when_it_is_repeated() {
    let seed: u64 = std::env::var("STAKEBOARD_TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    println!("STAKEBOARD_TEST_SEED={seed}");
    let (server, cuts) = (Arc::new(TestServer::start().await), Arc::new(AtomicU64::new(0)));
    lanes(LANES, |lane| {
        let (server, cuts) = (Arc::clone(&server), Arc::clone(&cuts));
        async move {
            let dice = SmallRng::seed_from_u64(seed.wrapping_add(lane));
            let mut storm = Storm { address: server.address, dice, cuts };
            for _ in 0..PAIRS / LANES {
                does_everything_once(&server, &mut storm).await;
            }
        }
    })
    .await;
    let cuts = cuts.load(Ordering::Relaxed);
    println!("{cuts} requests were cut off");
    assert!(cuts >= 1_000, "{cuts}");
    nothing_is_left_open(&server).await;
    check_books(&server.registrar, i64::try_from(PAIRS).unwrap() * (MONEY * 2 + 700)).await;
    server.client().get("/readyz").await.expect(200);
    server.start_match(100).await;
    Arc::into_inner(server).unwrap().stop().await;
}

/// How many transfers are made while connections are cut.
const TRANSFERS: u64 = 1_000;
/// How many players make them at the same time.
const PAYERS: u64 = 20;

/// B8: connections to Postgres end in the middle of whatever they are at.
#[tokio::test(flavor = "multi_thread")]
async fn b8_a_thousand_transfers_cut_at_any_step_are_whole_and_made_once() {
    let mut server = TestServer::start().await;
    let mut payers = Vec::new();
    for _ in 0..PAYERS {
        payers.push(server.player(0).await);
    }
    let mut owner = server.database.as_owner().await;
    let cutting = tokio::spawn(async move {
        let mut cut = 0;
        loop {
            cut += sqlx::query(
                "select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
                 order by random() limit 1",
            )
            .execute(&mut owner)
            .await
            .unwrap()
            .rows_affected();
            CUT.store(cut, Ordering::Relaxed);
            // However slow the machine is, something is made between one cut and the next.
            let made = MADE.load(Ordering::Relaxed);
            while MADE.load(Ordering::Relaxed) == made {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
    let paying = payers.iter().map(|(_, client)| {
        let client = client.clone();
        async move {
            for number in 0..TRANSFERS / PAYERS {
                let (key, body) = (format!("deposit-{number}"), json!({"amount": 5}));
                loop {
                    let answer = client.post_keyed("/v1/wallet/deposits", &key, &body).await;
                    if answer.status == 201 {
                        MADE.fetch_add(1, Ordering::Relaxed);
                        break;
                    }
                    assert!([409, 503].contains(&answer.status), "{}", answer.text);
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
            }
        }
    });
    together(paying.collect()).await;
    cutting.abort();
    let cut = CUT.load(Ordering::Relaxed);
    println!("{cut} connections were cut");
    assert!(cut > 100, "{cut}");
    // Its own connections were cut as well.
    server.registrar.pool = server.database.pool().await;
    let each = i64::try_from(TRANSFERS / PAYERS).unwrap();
    for (player, _) in &payers {
        assert_eq!(transfers_of(&server.registrar.pool, player, "deposit").await, each);
        assert_eq!(server.registrar.available(player.id).await, each * 5);
    }
    nothing_is_left_open(&server).await;
    check_books(&server.registrar, i64::try_from(TRANSFERS).unwrap() * 5).await;
    server.stop().await;
}

/// How many connections were cut so far.
static CUT: AtomicU64 = AtomicU64::new(0);
/// How many transfers were made.
static MADE: AtomicU64 = AtomicU64::new(0);
