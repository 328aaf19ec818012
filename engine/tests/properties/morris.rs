//! What Nine Men's Morris adds: its random positions, and that pieces are counted rightly.

use proptest::prelude::*;
use stakeboard_engine::morris::{Move as MorrisMove, Options as MorrisOptions, Point, Position as MorrisPosition};
use stakeboard_engine::{Effects, Ending, Illegal, Move, Options, Play, Position, Seat};

use super::{Case, begin, config};

/// Up to nine pieces of each colour, on the board or in hand. Often all hands are empty, and often
/// there are few pieces, so that they fly and end.
pub fn position_text() -> impl Strategy<Value = String> {
    let hand = || prop_oneof![3 => Just(0_usize), 1 => 0..=9_usize];
    let board = Just((0..24).collect::<Vec<usize>>()).prop_shuffle();
    (board, hand(), hand(), 0..=9_usize, 0..=9_usize, any::<bool>()).prop_map(
        |(points, white_hand, black_hand, white, black, second)| {
            let mut text = vec![b'.'; 24];
            let (white, black) = (white.min(9 - white_hand), black.min(9 - black_hand));
            for (n, &at) in points.iter().take(white + black).enumerate() {
                text[at] = if n < white { b'W' } else { b'B' };
            }
            let board: String = text.into_iter().map(char::from).collect();
            format!("{board} {} {white_hand} {black_hand}", if second { 'b' } else { 'w' })
        },
    )
}

fn options() -> impl Strategy<Value = Options> {
    any::<(bool, bool)>()
        .prop_map(|(flying, double_mill_takes_two)| Options::Morris(MorrisOptions { flying, double_mill_takes_two }))
}

fn game() -> impl Strategy<Value = Play> {
    (options(), position_text()).prop_map(|(options, text)| begin(options, &text))
}

/// Every move without removals, from anywhere to anywhere.
fn every_step() -> impl Iterator<Item = MorrisMove> {
    Point::ALL.into_iter().flat_map(|to| {
        let moves = Point::ALL.into_iter().map(move |from| MorrisMove::from_to(from, to));
        moves.chain([MorrisMove::place(to)])
    })
}

/// A step with the removals of up to two pieces: all of `first`, and after each all of `second`.
fn with_removals(step: MorrisMove, first: &[Point], second: &[Point]) -> Vec<MorrisMove> {
    let one = first.iter().filter_map(move |&point| step.taking(point));
    let two = one.clone().flat_map(|one| second.iter().filter_map(move |&point| one.taking(point)));
    [step].into_iter().chain(one).chain(two).collect()
}

fn in_order(moves: impl Iterator<Item = MorrisMove>) -> Vec<Move> {
    let mut moves: Vec<Move> = moves.map(Move::Morris).collect();
    moves.sort();
    moves
}

/// Every move with up to one removal, and some with two.
pub fn every_move() -> Vec<Move> {
    in_order(every_step().flat_map(|step| with_removals(step, &Point::ALL, &Point::ALL[20..])))
}

/// Every move with every removal that its mills could allow, and a few that nothing allows.
fn moves_in(play: &Play) -> Vec<Move> {
    in_order(every_step().flat_map(|step| match play.judge(Move::Morris(step)) {
        Err(Illegal::MustTake) => with_removals(step, &Point::ALL, &Point::ALL),
        _ => with_removals(step, &Point::ALL[5..8], &Point::ALL[7..9]),
    }))
}

pub fn case() -> BoxedStrategy<Case> {
    game().prop_map(|play| Case { moves: moves_in(&play), play }).boxed()
}

fn pieces(position: MorrisPosition, seat: Seat) -> usize {
    position.pieces(seat).len() + usize::from(position.in_hand()[seat])
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn mm_5_pieces_go_only_by_being_taken(game in game()) {
        let Position::Morris(before) = *game.position() else { panic!("a game of morris") };
        let (mover, rival) = (game.to_move(), game.to_move().other());
        for m in game.legal_moves() {
            let mut next = game.clone();
            let (Ok(Effects::Morris(effects)), Position::Morris(after)) = (next.play(m), *next.position()) else {
                panic!("{m} is listed as legal");
            };
            prop_assert_eq!(pieces(after, mover), pieces(before, mover));
            prop_assert_eq!(pieces(after, rival) + effects.taken().len(), pieces(before, rival));
            prop_assert_eq!(effects.from().is_none(), before.in_hand()[mover] > 0);
            prop_assert_eq!(after.in_hand()[rival], before.in_hand()[rival]);
            prop_assert_eq!(after.piece(effects.to()), Some(mover));
            prop_assert!(effects.mill().all(|point| after.piece(point) == Some(mover)));
            prop_assert!(effects.mill().is_empty() || effects.mill().contains(effects.to()));
            prop_assert!(effects.taken().all(|point| before.piece(point) == Some(rival) && after.piece(point).is_none()));
            prop_assert!(effects.taken().len() == 0 || !effects.mill().is_empty());
        }
    }

    #[test]
    fn mm_7_and_mm_8_end_the_game_exactly_where_they_say(game in game()) {
        let Position::Morris(position) = *game.position() else { panic!("a game of morris") };
        let reduced = Seat::ALL.into_iter().any(|seat| pieces(position, seat) <= 2);
        match game.outcome().map(|outcome| outcome.ending) {
            Some(Ending::Reduced) => prop_assert!(reduced),
            Some(Ending::Blocked) => {
                let own: Vec<Point> = position.pieces(position.to_move()).collect();
                prop_assert!(!reduced && position.in_hand()[position.to_move()] == 0);
                prop_assert!(own.iter().all(|p| p.neighbours().all(|n| position.piece(n).is_some())));
            }
            ending => prop_assert!(ending.is_none() && !reduced),
        }
    }
}
