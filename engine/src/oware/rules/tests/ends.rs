//! OW-6 to OW-10.

use super::*;
use crate::history::History;

#[test]
fn ow_6_twenty_five_seeds_win_at_once_and_nothing_is_shared_out() {
    let mut game = game(NoCapture, "0,0,0,0,0,1/2,6,0,0,0,0 22-17 S");
    play(&mut game, "F");
    assert_eq!(game.position().to_string(), "0,0,0,0,0,0/0,6,0,0,0,0 25-17 N");
    assert_eq!(ended(&game), Some((FIRST, Ending::Majority, 25, 17)));
}

#[test]
fn ow_6_twenty_four_seeds_do_not_win() {
    let mut game = game(NoCapture, "0,0,0,0,0,1/2,6,0,0,0,0 21-18 S");
    play(&mut game, "F");
    assert_eq!(game.position().to_string(), "0,0,0,0,0,0/0,6,0,0,0,0 24-18 N");
    assert_eq!(game.outcome(), None);
}

#[test]
fn ow_6_comes_before_the_ends_of_a_grand_slam() {
    let mut forced = game(Forbidden, "0,0,0,0,3,2/1,1,0,0,0,0 21-20 S");
    play(&mut forced, "F");
    assert_eq!(ended(&forced), Some((FIRST, Ending::Majority, 25, 20)));

    let mut unfed = game(CapturesAll, "1,0,0,0,0,1/1,0,0,0,0,0 23-22 S");
    play(&mut unfed, "F");
    assert_eq!(ended(&unfed), Some((FIRST, Ending::Majority, 25, 22)));
}

#[test]
fn ow_6_comes_before_no_move() {
    // North keeps b and cannot feed with it, but South already has the majority.
    let mut game = game(NoCapture, "0,0,0,0,0,1/1,1,0,0,0,0 23-22 S");
    play(&mut game, "F");
    assert_eq!(ended(&game), Some((FIRST, Ending::Majority, 25, 22)));
}

#[test]
fn ow_7_without_a_move_each_takes_their_own_row() {
    // a and b cannot reach the empty first row, so North has no move, and more seeds.
    let mut won = game(NoCapture, "0,0,0,0,0,1/0,1,0,0,0,0 23-23 S");
    play(&mut won, "F");
    assert_eq!(won.position().to_string(), "0,0,0,0,0,0/1,1,0,0,0,0 23-23 N");
    assert_eq!(ended(&won), Some((SECOND, Ending::NoMove, 23, 25)));

    let mut drawn = game(NoCapture, "0,0,0,0,0,1/0,1,0,0,0,0 24-22 S");
    play(&mut drawn, "F");
    assert_eq!(ended(&drawn), Some((None, Ending::NoMove, 24, 24)));
}

#[test]
fn ow_7_an_empty_own_row_is_no_move() {
    let text = "0,0,0,0,0,0/1,0,0,0,0,2 22-23 S";
    assert_eq!(ended(&game(NoCapture, text)), Some((SECOND, Ending::NoMove, 22, 26)));
}

/// Two seeds that chase each other: after twelve moves they are back.
const CHASE: &str = "AaBbCcDdEeFf";

#[test]
fn ow_8_the_second_occurrence_shares_out_the_seeds() {
    for setting in GrandSlam::ALL {
        let mut game = game(setting, "1,0,0,0,0,0/1,0,0,0,0,0 22-24 S");
        play(&mut game, &CHASE[..11]);
        assert_eq!((game.outcome(), game.occurrences()), (None, 1));
        play(&mut game, &CHASE[11..]);
        assert_eq!((game.quiet(), game.occurrences()), (12, 2));
        assert_eq!(ended(&game), Some((SECOND, Ending::Repetition, 23, 25)));
    }
}

#[test]
fn ow_8_the_same_board_with_other_captures_is_another_position() {
    let first = Position::parse("1,0,0,0,0,0/1,0,0,0,0,0 22-24 S").unwrap();
    let second = Position::parse("1,0,0,0,0,0/1,0,0,0,0,0 23-23 S").unwrap();
    let third = Position::parse("1,0,0,0,0,0/1,0,0,0,0,0 22-24 N").unwrap();
    assert!(first.key() != second.key() && first.key() != third.key());
}

/// What `after_move` says of a quiet move to `position` after a history that holds `quiet` moves,
/// the last of which brought a position seen before or not.
fn verdict(quiet: u32, seen_before: bool) -> Option<Outcome> {
    let position = Position::parse("1,1,0,0,0,0/1,0,0,0,0,0 22-23 N").unwrap();
    // Keys of other positions: no packed position has a bit above its 79.
    let other = |n: u32| 1 << 100 | u128::from(n);
    let key = position.key();
    let mut history = History::starting_at(if seen_before { key } else { other(0) });
    (1..quiet).for_each(|n| history.record(other(n), Step::QUIET));
    history.record(key, Step::QUIET);
    assert_eq!(history.counts().quiet, quiet);
    let origin = House::ALL[0];
    let effects = Effects { origin, lifted: 1, chain: Chain::none(origin), grand_slam: false, moves_again: false };
    after_move(Options::default(), &position, &effects, history.counts())
}

#[test]
fn ow_9_a_hundred_moves_without_a_capture_share_out_the_seeds() {
    assert_eq!(verdict(99, false), None);
    let outcome = verdict(100, false).unwrap();
    assert_eq!((outcome.winner, outcome.ending), (None, Ending::NoCaptureLimit));
    assert_eq!(outcome.totals, Some(BySeat::new(24, 24)));
}

#[test]
fn ow_9_a_slam_that_takes_nothing_counts_as_quiet() {
    let mut game = game(NoCapture, "0,0,0,0,3,2/1,1,0,0,0,0 20-21 S");
    assert!(play(&mut game, "F").is_grand_slam());
    assert_eq!(game.quiet(), 1);
    play(&mut game, "bE");
    assert_eq!(game.position().to_string(), "0,0,0,0,0,1/3,1,1,1,0,0 20-21 N");
    assert_eq!(game.quiet(), 3);
}

#[test]
fn ow_9_a_capture_starts_the_count_again() {
    let mut game = game(NoCapture, "1,0,0,0,0,1/1,0,0,0,1,1 21-22 S");
    play(&mut game, "Ae");
    assert_eq!(game.quiet(), 2);
    play(&mut game, "F");
    assert_eq!(game.position().to_string(), "0,1,0,0,0,0/0,0,0,0,0,2 23-22 N");
    assert_eq!((game.quiet(), game.occurrences(), game.ply()), (0, 1, 3));
}

#[test]
fn ow_8_comes_before_ow_9() {
    assert_eq!(verdict(100, true).map(|o| o.ending), Some(Ending::Repetition));
}

#[test]
fn ow_10_twenty_four_each_is_a_draw_with_its_own_ending() {
    let mut repeated = game(NoCapture, "1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    play(&mut repeated, CHASE);
    assert_eq!(ended(&repeated), Some((None, Ending::Repetition, 24, 24)));

    let unmoved = game(NoCapture, "0,0,0,0,0,0/0,0,0,0,0,0 24-24 S");
    assert_eq!(ended(&unmoved), Some((None, Ending::NoMove, 24, 24)));
}

#[test]
fn ow_10_the_chase_of_two_seeds_repeats_after_no_fewer_than_twelve_moves() {
    let mut game = game(NoCapture, "1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    for letter in CHASE.chars() {
        assert_eq!(game.outcome(), None, "before {letter}");
        play(&mut game, &letter.to_string());
    }
    assert_eq!(game.ply(), 12);
}

#[test]
fn oware_a_loaded_majority_wins_for_either_side_whoever_is_to_move() {
    let first = game(NoCapture, "1,1,0,0,0,0/1,0,0,0,0,0 25-20 N");
    assert_eq!(ended(&first), Some((FIRST, Ending::Majority, 25, 20)));
    let second = game(NoCapture, "1,1,0,0,0,0/1,0,0,0,0,0 20-25 N");
    assert_eq!(ended(&second), Some((SECOND, Ending::Majority, 20, 25)));
    // OW-6 before OW-7: nothing is shared out although there is no move.
    let both = game(NoCapture, "0,0,0,0,0,0/3,0,0,0,0,0 20-25 S");
    assert_eq!(ended(&both), Some((SECOND, Ending::Majority, 20, 25)));
}
