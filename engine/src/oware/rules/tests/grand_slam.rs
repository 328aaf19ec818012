//! OW-5 in its three settings.

use super::*;

#[test]
fn ow_5_no_capture_slam_is_legal_and_takes_nothing() {
    let mut game = game(NoCapture, "0,0,0,0,3,2/1,1,0,0,0,0 20-21 S");
    assert_eq!(legal(&game), "EF");
    let effects = play(&mut game, "F");
    assert!(effects.is_grand_slam() && !effects.moves_again());
    assert_eq!(captured(&effects), []);
    assert_eq!(game.position().to_string(), "0,0,0,0,3,0/2,2,0,0,0,0 20-21 N");
    assert_eq!(game.outcome(), None);
}

#[test]
fn ow_5_a_capture_that_leaves_a_seed_is_no_grand_slam() {
    for setting in GrandSlam::ALL {
        let mut game = game(setting, "0,0,0,1,0,2/1,1,0,0,0,1 20-22 S");
        assert_eq!(legal(&game), "DF");
        let effects = play(&mut game, "F");
        assert!(!effects.is_grand_slam());
        assert_eq!(game.position().to_string(), "0,0,0,1,0,0/0,0,0,0,0,1 24-22 N");
    }
}

#[test]
fn ow_5_forbidden_slam_is_refused_while_another_move_exists() {
    let game = game(Forbidden, "0,0,0,1,0,2/1,1,0,0,0,0 21-22 S");
    assert_eq!(legal(&game), "D");
    assert_eq!(judged(&game, "F"), Err(Illegal::GrandSlamForbidden));
}

#[test]
fn ow_5_forbidden_slam_of_second_is_refused_too() {
    let game = game(Forbidden, "1,1,0,0,0,0/0,0,0,1,0,2 22-21 N");
    assert_eq!(legal(&game), "d");
    assert_eq!(judged(&game, "f"), Err(Illegal::GrandSlamForbidden));
}

#[test]
fn ow_5_forced_slam_captures_the_row_and_ends_the_game() {
    // E and F both take a and b, and there is no other move.
    let mut game = game(Forbidden, "0,0,0,0,3,2/1,1,0,0,0,0 20-21 S");
    assert_eq!(legal(&game), "EF");
    let effects = play(&mut game, "F");
    assert_eq!(captured(&effects), [('b', 2), ('a', 2)]);
    assert_eq!(game.position().to_string(), "0,0,0,0,3,0/0,0,0,0,0,0 24-21 N");
    assert_eq!(ended(&game), Some((FIRST, Ending::ForcedGrandSlam, 27, 21)));
}

#[test]
fn ow_5_forced_slam_can_end_in_a_draw() {
    let mut drawn = game(Forbidden, "0,0,0,0,0,2/1,1,0,0,0,0 20-24 S");
    play(&mut drawn, "F");
    assert_eq!(ended(&drawn), Some((None, Ending::ForcedGrandSlam, 24, 24)));
}

#[test]
fn ow_5_captures_all_slam_gives_the_mover_another_move_that_must_feed() {
    let mut game = game(CapturesAll, "0,1,0,0,3,2/1,1,0,0,0,0 20-20 S");
    let effects = play(&mut game, "F");
    assert!(effects.is_grand_slam() && effects.moves_again());
    assert_eq!(game.position().to_string(), "0,1,0,0,3,0/0,0,0,0,0,0 24-20 S");
    assert_eq!((game.to_move(), game.outcome()), (Seat::First, None));
    assert_eq!(legal(&game), "E");
    assert_eq!(judged(&game, "B"), Err(Illegal::MustFeed));
    play(&mut game, "E");
    assert_eq!(game.position().to_string(), "0,1,0,0,0,1/1,1,0,0,0,0 24-20 N");
}

#[test]
fn ow_5_the_extra_move_counts_as_a_move_of_its_own() {
    let mut game = game(CapturesAll, "0,1,0,0,3,2/1,1,0,0,0,0 20-20 S");
    play(&mut game, "F");
    assert_eq!((game.ply(), game.quiet(), game.occurrences()), (1, 0, 1));
    play(&mut game, "E");
    assert_eq!((game.ply(), game.quiet(), game.occurrences()), (2, 1, 1));
}

#[test]
fn ow_5_an_extra_move_that_cannot_feed_ends_the_game() {
    let mut won = game(CapturesAll, "0,0,1,0,0,2/1,1,0,0,0,0 20-23 S");
    play(&mut won, "F");
    assert_eq!(won.position().to_string(), "0,0,1,0,0,0/0,0,0,0,0,0 24-23 S");
    assert_eq!(ended(&won), Some((FIRST, Ending::CannotFeed, 25, 23)));

    let mut drawn = game(CapturesAll, "0,0,1,0,0,2/1,1,0,0,0,0 19-24 S");
    play(&mut drawn, "F");
    assert_eq!(ended(&drawn), Some((None, Ending::CannotFeed, 24, 24)));
}

#[test]
fn ow_5_an_extra_move_with_an_empty_row_ends_the_game() {
    let mut game = game(CapturesAll, "0,0,0,0,0,2/1,1,0,0,0,0 20-24 S");
    play(&mut game, "F");
    assert_eq!(ended(&game), Some((None, Ending::CannotFeed, 24, 24)));
}
