//! Players whose strength is known, judged.

use std::sync::Arc;

use stakeboard_engine::{
    Ending, Game, Options, Seat,
    bot::{self, Level},
};

use super::*;
use crate::{
    ids::{MatchId, PlayerId},
    matches::{PlayerRef, Setup, Terms, entry::Entry},
    money::{Stake, Wager},
};

/// Numbers that look like chance and are the same in every run.
fn dice(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^ (state >> 29)
    }
}

/// A match in which `first` plays as well as it can and takes two seconds a move, and `second` plays by chance in
/// anything from no time to ten seconds.
fn played(options: Options, seed: u64) -> State {
    let player = |name: &str| PlayerRef { id: PlayerId::generate(), display_name: name.to_owned() };
    let setup = Setup {
        id: MatchId::generate(),
        terms: Terms { options, wager: Wager::Staked(Stake::new(500).expect("a stake")) },
        players: BySeat::new(player("perfect"), player("random")),
        clock_ms: 600_000,
        started_at: time::macros::datetime!(2026-01-31 12:00 UTC),
    };
    let mut state = State::new(Arc::new(setup));
    let mut dice = dice(seed);
    let mut clocks = BySeat::new(600_000_u32, 600_000_u32);
    let at = state.setup().started_at;
    // Long enough for any figure; what goes on beyond that is left as it is.
    for seq in 1..=24 {
        let Some(seat) = (if state.play().outcome().is_some() { None } else { state.to_move() }) else { break };
        let chosen = if seat == Seat::First {
            bot::choose(state.play(), Level::Hard, 20_000, &mut dice).expect("a move")
        } else {
            let legal = state.play().legal();
            legal[usize::try_from(dice() % legal.len() as u64).expect("small")]
        };
        clocks[seat] -= if seat == Seat::First { 2_000 } else { u32::try_from(dice() % 10_000).expect("small") };
        state.apply(Entry { seq, act: Act::Moved(seat, chosen), clocks, at });
    }
    state
}

#[test]
fn a_perfect_player_of_mu_torere_is_told_from_one_who_plays_by_chance() {
    let (mut perfect, mut random) = (Played::default(), Played::default());
    for seed in 1..=30 {
        let judged = judge(&played(Options::MuTorere, seed));
        for (sum, side) in [(&mut perfect, judged[Seat::First]), (&mut random, judged[Seat::Second])] {
            sum.choices += side.choices;
            sum.best += side.best;
        }
    }
    assert!(perfect.choices > 50 && random.choices > 50, "{perfect:?} {random:?}");
    assert_eq!(perfect.best, perfect.choices, "the solver has nothing to say against itself");
    assert!(random.best * 10 < random.choices * 9, "chance errs: {random:?}");
}

#[test]
fn a_searched_game_tells_a_strong_player_from_chance_too() {
    let judged = judge(&played(Game::Oware.default_options(), 7));
    let share = |side: Played| f64::from(side.best) / f64::from(side.choices);
    let (strong, random) = (judged[Seat::First], judged[Seat::Second]);
    assert!(strong.choices >= 8 && random.choices >= 8, "{strong:?} {random:?}");
    assert!(share(strong) > share(random) + 0.2, "{strong:?} {random:?}");
}

#[test]
fn the_same_time_for_every_move_has_no_spread_and_time_by_chance_has() {
    let judged = judge(&played(Options::MuTorere, 3));
    let spread = |side: Played| {
        // n·Σx² − (Σx)² is zero where all are the same.
        i128::from(side.moves) * side.used_squares - i128::from(side.used_ms) * i128::from(side.used_ms)
    };
    let even = judged[Seat::First];
    assert_eq!(even.used_ms, i64::from(even.moves) * 2_000);
    assert_eq!(spread(even), 0);
    assert!(spread(judged[Seat::Second]) > 0);
}

#[test]
fn time_given_back_is_not_time_used() {
    let mut state = played(Options::MuTorere, 1);
    let (before, last) = (judge(&state), state.entries().last().expect("moves").clone());
    assert!(before[Seat::First].moves > 0);
    // A match that ends takes nobody's time.
    let ended = Act::Ended(Some(Seat::First), Ending::Resignation);
    state.apply(Entry { seq: last.seq + 1, act: ended, ..last });
    assert_eq!(judge(&state), before);
}
