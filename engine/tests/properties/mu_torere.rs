//! What Mū tōrere adds: its random positions, and that pieces stay as many.

use proptest::prelude::*;
use stakeboard_engine::mu_torere::{Move as MuMove, Point};
use stakeboard_engine::{Effects, Game, Move, Play, Position, Seat};

use super::{Case, begin, config};

/// Four x, four o and an empty point in any order, and either side to move.
pub fn position_text() -> impl Strategy<Value = String> {
    let board = Just(b"xxxxoooo.".to_vec()).prop_shuffle();
    (board, any::<bool>()).prop_map(|(board, second)| {
        let board: String = board.into_iter().map(char::from).collect();
        format!("{board} {}", if second { 'o' } else { 'x' })
    })
}

pub fn every_move() -> Vec<Move> {
    let pairs = Point::ALL.into_iter().flat_map(|from| Point::ALL.map(|to| (from, to)));
    pairs.map(|(from, to)| Move::MuTorere(MuMove { from, to })).collect()
}

fn game() -> impl Strategy<Value = Play> {
    position_text().prop_map(|text| begin(Game::MuTorere.default_options(), &text))
}

pub fn case() -> BoxedStrategy<Case> {
    game().prop_map(|play| Case { play, moves: every_move() }).boxed()
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn mt_1_pieces_are_never_lost_or_made_and_only_the_moved_one_moves(game in game()) {
        let Position::MuTorere(before) = *game.position() else { panic!("a game of Mū tōrere") };
        for m in game.legal_moves() {
            let mut next = game.clone();
            let (Ok(Effects::MuTorere(effects)), Position::MuTorere(after)) = (next.play(m), *next.position()) else {
                panic!("{m} is listed as legal");
            };
            prop_assert_eq!(Move::MuTorere(MuMove { from: effects.from, to: effects.to }), m);
            prop_assert_eq!(effects.to, before.empty());
            prop_assert_eq!(effects.from, after.empty());
            for seat in Seat::ALL {
                prop_assert_eq!(Point::ALL.iter().filter(|&&p| after.piece(p) == Some(seat)).count(), 4);
            }
            for point in Point::ALL {
                let stays = point != effects.from && point != effects.to;
                prop_assert!(!stays || before.piece(point) == after.piece(point));
            }
        }
    }
}
