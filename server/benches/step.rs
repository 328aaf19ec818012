//! What a move costs before and after its commit: read, judged, put into effect, told. One move of a whole random game
//! of Oware each time, so that long histories and endings count as often as they happen.

use std::{hint::black_box, sync::Arc, time::Duration};

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stakeboard_engine::{BySeat, Game, Seat};
use stakeboard_server::{
    bus::frame,
    clock::Clock,
    ids::{MatchId, PlayerId},
    matches::{
        Command, PlayerRef, Setup, Terms,
        events::Event,
        state::{Stamp, State, Verdict},
    },
    money::Wager,
    realtime,
};
use time::{OffsetDateTime, macros::datetime};
use uuid::Uuid;

const STARTED: OffsetDateTime = datetime!(2026-11-30 12:00:00.123456 UTC);

fn setup() -> Arc<Setup> {
    let player = |number: u128| PlayerRef { id: PlayerId(Uuid::from_u128(number)), display_name: "a player".into() };
    Arc::new(Setup {
        id: MatchId(Uuid::from_u128(3)),
        terms: Terms { options: Game::Oware.default_options(), wager: Wager::new(500).expect("a stake") },
        players: BySeat::new(player(1), player(2)),
        clock_ms: 600_000,
        started_at: STARTED,
    })
}

/// A random game: who moves and what. The dice are those of a small generator, the same in every run.
fn game() -> Vec<(Seat, Command)> {
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut state = State::new(setup());
    let mut moves = Vec::new();
    while let Some(by) = state.to_move() {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let legal = state.legal();
        let chosen = usize::try_from(dice >> 33).unwrap_or_default() % legal.len();
        let ply = state.play().ply() + 1;
        moves.push((by, Command::Move { ply, text: legal[chosen].to_string() }));
        play(&mut state, moves.last().expect("just pushed"), |_| ());
    }
    moves
}

fn play(state: &mut State, (by, command): &(Seat, Command), mut told: impl FnMut(&Event)) {
    let stamp = Stamp { instant: Clock::start().now(), wall: STARTED };
    let Ok(Verdict::Write(entries)) = state.judge(*by, command, stamp) else { panic!("a legal move in turn") };
    for entry in entries {
        told(&state.apply(entry));
    }
    state.clocks_mut().run(stamp.instant);
}

fn bench(criterion: &mut Criterion) {
    let moves = game();
    let mut group = criterion.benchmark_group("a move");
    group.measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function("judged and put into effect", |bencher| {
        let new = || State::new(setup());
        let whole = |mut state| {
            for one in &moves {
                play(&mut state, one, |event| {
                    black_box(event.seq());
                });
            }
        };
        bencher.iter_batched(new, whole, BatchSize::SmallInput);
    });

    let mut events = Vec::new();
    let mut state = State::new(setup());
    for one in &moves {
        play(&mut state, one, |event| events.push(event.clone()));
    }
    group.bench_function("told", |bencher| {
        bencher.iter(|| events.iter().map(|event| frame(black_box(event)).len()).sum::<usize>());
    });

    let id = MatchId(Uuid::from_u128(3));
    let frames: Vec<String> = (1..=moves.len())
        .map(|ply| format!(r#"{{"type":"move","id":{ply},"match":"{id}","ply":{ply},"move":"C"}}"#))
        .collect();
    group.bench_function("read", |bencher| {
        bencher.iter(|| frames.iter().filter(|text| realtime::read(black_box(text)).is_ok()).count());
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
