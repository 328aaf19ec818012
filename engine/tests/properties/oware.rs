//! What Oware adds: its random positions, and that seeds are counted rightly.

use std::cmp::Ordering;

use proptest::prelude::*;
use stakeboard_engine::oware::{GrandSlam, House, Options as OwareOptions};
use stakeboard_engine::{Effects, Ending, Game, Move, Options, Play, Position, Seat};

use super::{Case, begin, config};

/// A position text with all 48 seeds somewhere: some on the board, in houses drawn one by one
/// (few of them, so that rows run empty and houses grow past 12), the rest captured.
pub fn position_text() -> impl Strategy<Value = String> {
    let houses = prop::collection::vec(0..12_usize, 1..=12);
    (houses, 0..=48_usize, any::<prop::sample::Index>(), any::<bool>()).prop_flat_map(
        |(houses, on_board, split, north)| {
            let seeds = prop::collection::vec(prop::sample::select(houses), on_board);
            seeds.prop_map(move |places| {
                let mut board = [0; 12];
                for place in places {
                    board[place] += 1;
                }
                let captured = 48 - on_board;
                let first = split.index(captured + 1);
                let row = |seeds: &[u8]| seeds.iter().map(u8::to_string).collect::<Vec<_>>().join(",");
                let side = if north { 'N' } else { 'S' };
                let second = captured - first;
                format!("{}/{} {first}-{second} {side}", row(&board[..6]), row(&board[6..]))
            })
        },
    )
}

fn options() -> impl Strategy<Value = Options> {
    let settings = prop::sample::select(GrandSlam::ALL.to_vec());
    settings.prop_map(|grand_slam| Options::Oware(OwareOptions { grand_slam }))
}

fn game() -> impl Strategy<Value = Play> {
    (options(), position_text()).prop_map(|(options, text)| begin(options, &text))
}

pub fn every_move() -> Vec<Move> {
    House::ALL.into_iter().map(|house| Move::Oware(house.into())).collect()
}

pub fn case() -> BoxedStrategy<Case> {
    game().prop_map(|play| Case { play, moves: every_move() }).boxed()
}

fn seeds(play: &Play) -> u32 {
    let Position::Oware(position) = play.position() else { panic!("a game of Oware") };
    let board = House::ALL.iter().map(|&h| u32::from(position.seeds(h)));
    let captured = position.captured();
    board.sum::<u32>() + u32::from(captured.first) + u32::from(captured.second)
}

/// The larger total wins and equal ones draw (OW-10); only a majority leaves seeds unshared (OW-6).
fn check_outcome(play: &Play) {
    let outcome = play.outcome();
    let Some((outcome, totals)) = outcome.and_then(|o| Some((o, o.totals?))) else {
        panic!("a finished game of Oware has an outcome with totals");
    };
    let winner = match totals.first.cmp(&totals.second) {
        Ordering::Greater => Some(Seat::First),
        Ordering::Equal => None,
        Ordering::Less => Some(Seat::Second),
    };
    assert_eq!(outcome.winner, winner);
    let most = totals.first.max(totals.second);
    match outcome.ending {
        Ending::Majority => assert!(most >= 25),
        _ => assert_eq!(totals.first + totals.second, 48),
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn ow_1_seeds_are_never_lost_or_made(game in game()) {
        prop_assert_eq!(seeds(&game), 48);
        for m in game.legal_moves() {
            let mut next = game.clone();
            let Ok(Effects::Oware(effects)) = next.play(m) else {
                panic!("{m} is listed as legal");
            };
            prop_assert_eq!(seeds(&next), 48);
            let (Move::Oware(lifted), Position::Oware(before)) = (m, game.position()) else {
                panic!("a game of Oware");
            };
            prop_assert_eq!(effects.sown().len(), usize::from(before.seeds(lifted.house)));
            prop_assert!(effects.sown().all(|house| house != effects.origin()));
            let taken: u8 = effects.captured().map(|(_, seeds)| seeds).sum();
            prop_assert_eq!(taken, effects.seeds_captured());
            prop_assert!(effects.captured().all(|(house, _)| house.owner() != game.to_move()));
        }
    }

    #[test]
    fn ow_10_totals_decide_at_the_end(
        game in game(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
    ) {
        let mut play = game;
        let mut choices = choices.iter().cycle();
        while play.outcome().is_none() {
            let mut moves = play.legal_moves();
            let choice = choices.next().map_or(0, |choice| choice.index(moves.len()));
            let chosen = moves.nth(choice).and_then(|m| play.play(m).ok());
            prop_assert!(chosen.is_some());
            prop_assert!(play.quiet() <= 100 && play.occurrences() <= 2);
        }
        check_outcome(&play);
    }

    #[test]
    fn whatever_is_read_is_written_the_same(text in r"[0-9]{1,2}(,[0-9]{1,2}){5}/[0-9]{1,2}(,[0-9]{1,2}){5} [0-9]{1,2}-[0-9]{1,2} [SNsn]\n?") {
        if let Ok(position) = Position::parse(Game::Oware, &text) {
            prop_assert_eq!(position.to_string(), text);
        }
    }
}
