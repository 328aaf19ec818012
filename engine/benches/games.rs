//! How fast games are played and sequences counted, with all rules and the history kept. Throughput
//! is in moves or leaves.
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;

use stakeboard_engine::endgame::Endgames;
use stakeboard_engine::mu_torere::Solution;
use stakeboard_engine::search::{Limits, analyse};
use stakeboard_engine::{Game, Play, perft};

/// A small generator of numbers, so that every run plays the same games.
fn dice(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    }
}

/// A number below `n`.
fn below(n: usize, dice: &mut impl FnMut() -> u64) -> usize {
    usize::try_from((u128::from(dice()) * n as u128) >> 64).unwrap_or_default()
}

/// Plays random games to their ends and counts their moves.
fn random_games(start: &Play, games: u32) -> u64 {
    let mut dice = dice(0x9e37_79b9_7f4a_7c15);
    let mut play = start.clone();
    let mut moves = 0;
    for _ in 0..games {
        play.clone_from(start);
        while play.outcome().is_none() {
            let mut legal = play.legal_moves();
            let chosen = below(legal.len(), &mut dice);
            let chosen = legal.nth(chosen).map(|m| play.play(m));
            assert!(chosen.is_some_and(|played| played.is_ok()), "a legal move is accepted");
            moves += 1;
        }
    }
    moves
}

fn bench(c: &mut Criterion) {
    for &game in Game::ALL {
        for &(preset, options) in game.presets() {
            let start = Play::new(options);
            let mut group = c.benchmark_group("random games");
            group.throughput(Throughput::Elements(random_games(&start, 200)));
            group.bench_function(format!("{game} {preset}"), |b| b.iter(|| random_games(black_box(&start), 200)));
        }
    }
    for game in [Game::Oware, Game::Morris] {
        let start = Play::new(game.default_options());
        let limits = Limits { nodes: 200_000, depth: 60, every_move: false };
        let search = || analyse(black_box(&start), limits, Endgames::default(), |_| {}).nodes;
        let mut group = c.benchmark_group("search");
        group.throughput(Throughput::Elements(search()));
        group.bench_function(game.code(), |b| b.iter(search));
    }
    c.bench_function("solve mu_torere", |b| b.iter(Solution::build));
    for (game, depth) in [(Game::MuTorere, 14), (Game::Oware, 7), (Game::Morris, 5)] {
        let start = Play::new(game.default_options());
        let mut group = c.benchmark_group("perft");
        group.throughput(Throughput::Elements(perft::perft(&start, depth)));
        group.bench_function(format!("{game} {depth}"), |b| b.iter(|| perft::perft(black_box(&start), depth)));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = bench
}
criterion_main!(benches);
