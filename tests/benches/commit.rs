//! What commits cost, on a real Postgres of its own that keeps each: a batch of the journal, and a settlement.
#![expect(clippy::unwrap_used, reason = "a measurement panics where it can't go on")]

use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use futures_util::future::join_all;
use nix::sys::signal::Signal;
use serde_json::json;
use sqlx::PgPool;
use stakeboard_engine::{BySeat, Game, Move, Seat};
use stakeboard_server::{
    clock::Clock,
    ids::{MatchId, NodeId},
    matches::{
        Alarm, Journal,
        entry::{Act, Entry},
    },
};
use stakeboard_tests::{Player, ServerProcess, TestCluster, server::start_match};

/// A server under load settings, whose matches are written to.
struct Stage {
    _cluster: TestCluster,
    process: ServerProcess,
    pool: PgPool,
}

const SETTINGS: [(&str, &str); 2] = [("STAKEBOARD_HTTP_PER_SECOND", "1000000"), ("STAKEBOARD_HTTP_BURST", "1000000")];

impl Stage {
    async fn open() -> Self {
        let cluster = TestCluster::start().await;
        let process = ServerProcess::on(cluster.database(), env!("CARGO_BIN_EXE_server-under-test"), &SETTINGS).await;
        let pool = cluster.database().pool().await;
        Self { _cluster: cluster, process, pool }
    }

    /// A match with stakes, and who plays it.
    async fn start_match(&self) -> (String, [Player; 2]) {
        let players = [self.process.registrar.player(1_000).await, self.process.registrar.player(1_000).await];
        let [poster, accepter] = &players;
        let terms = json!({ "game": "oware", "stake": 500 });
        let id = start_match(&self.process.client(), poster, accepter, &terms).await;
        (id, players)
    }

    async fn close(mut self) {
        self.process.signal(Signal::SIGTERM);
        self.process.wait().await;
    }

    /// A journal that writes for the server of this stage.
    async fn journal(&self) -> Journal {
        let owner = sqlx::query_scalar("select owner from matches limit 1").fetch_one(&self.pool).await.unwrap();
        Journal::start(&self.pool.connect_options(), NodeId(owner), Clock::start(), &Alarm::default())
    }
}

/// One entry for each of so many matches at the same time, as moves that come together: one or two commits for all.
fn batches(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (stage, matches, journal) = runtime.block_on(async {
        let stage = Stage::open().await;
        let mut matches = Vec::new();
        for _ in 0..64 {
            matches.push(stage.start_match().await.0.parse::<MatchId>().unwrap());
        }
        let journal = stage.journal().await;
        (stage, matches, journal)
    });
    let clock = Clock::start();
    let the_move = Move::parse(Game::Oware, "C").unwrap();
    let mut seq = 0;
    let mut group = criterion.benchmark_group("a batch of the journal");
    group.sample_size(20);
    for size in [1, 8, 64] {
        group.throughput(Throughput::Elements(size as u64));
        group.bench_with_input(BenchmarkId::from_parameter(size), &size, |bencher, size| {
            bencher.iter_custom(|rounds| {
                let mut length = Duration::ZERO;
                for _ in 0..rounds {
                    seq += 1;
                    let entry = || Entry {
                        seq,
                        act: Act::Moved(Seat::First, the_move),
                        clocks: BySeat::new(600_000, 600_000),
                        at: clock.wall(),
                    };
                    let (now, others) = matches.split_at(*size);
                    let began = Instant::now();
                    let append = |ids: &[MatchId]| join_all(ids.iter().map(|id| journal.append(*id, 1, entry())));
                    let written = runtime.block_on(append(now));
                    length += began.elapsed();
                    assert!(written.iter().all(Result::is_ok), "{written:?}");
                    // All have the same place next time.
                    runtime.block_on(append(others));
                }
                length
            });
        });
    }
    group.finish();
    drop(journal);
    runtime.block_on(stage.close());
}

/// A player resigns over HTTP: the end, the payout and both ratings are committed before the answer.
fn settlements(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let stage = runtime.block_on(Stage::open());
    let mut group = criterion.benchmark_group("a settlement");
    group.sample_size(20);
    group.bench_function("resigned", |bencher| {
        bencher.iter_custom(|rounds| {
            runtime.block_on(async {
                let mut length = Duration::ZERO;
                for _ in 0..rounds {
                    let (id, [player, _]) = stage.start_match().await;
                    let client = stage.process.client().of(&player);
                    let began = Instant::now();
                    client.post_empty(&format!("/v1/matches/{id}/resign")).await.expect(200);
                    length += began.elapsed();
                }
                length
            })
        });
    });
    group.finish();
    runtime.block_on(stage.close());
}

criterion_group!(benches, batches, settlements);
criterion_main!(benches);
