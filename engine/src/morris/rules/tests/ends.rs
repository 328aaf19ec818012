//! MM-7 to MM-10: how the game ends.

use super::*;

#[test]
fn mm_7_a_player_reduced_to_two_pieces_has_lost() {
    let mut game = game("a1 a4 d7", "b2 d2 e4", "w 0 0");
    play(&mut game, "d7-a7xb2");
    assert_eq!(ended(&game), Some((FIRST, Ending::Reduced)));
    assert_eq!(game.outcome().unwrap().totals, None);
}

#[test]
fn mm_7_pieces_in_hand_count() {
    let mut game = game("a1 a4", "b2 d2", "w 1 2");
    play(&mut game, "a7xb2");
    assert_eq!(ended(&game), None);
    let mut game = self::game("a1 a4", "b2 d2", "w 1 1");
    play(&mut game, "a7xb2");
    assert_eq!(ended(&game), Some((FIRST, Ending::Reduced)));
}

#[test]
fn mm_7_holds_for_either_side_of_a_position_text() {
    assert_eq!(ended(&game("a1 a4", "b2 d2 e4", "b 0 0")), Some((SECOND, Ending::Reduced)));
    assert_eq!(ended(&game("a1 a4 a7", "b2 d2", "w 0 0")), Some((FIRST, Ending::Reduced)));
    // Both: the player to move is looked at first.
    assert_eq!(ended(&game("a1 a4", "b2 d2", "w 0 0")), Some((SECOND, Ending::Reduced)));
    assert_eq!(ended(&game("a1 a4", "b2 d2", "b 0 0")), Some((FIRST, Ending::Reduced)));
}

#[test]
fn mm_8_a_player_without_a_move_has_lost() {
    let mut game = game("a1 a4 a7 d1", "b4 d7 d2 g4", "b 0 0");
    assert_eq!(ended(&game), None);
    play(&mut game, "g4-g1");
    assert_eq!(ended(&game), Some((SECOND, Ending::Blocked)));
    assert_eq!(legal(&game, ""), "");
}

#[test]
fn mm_8_three_pieces_that_fly_are_not_blocked() {
    let blocked = |options| ended(&game_with(options, "a1 a4 a7", "b4 d1 d7 e4", "w 0 0"));
    assert_eq!(blocked(NO_FLYING), Some((SECOND, Ending::Blocked)));
    assert_eq!(blocked(Options::default()), None);
}

#[test]
fn mm_8_a_player_who_can_place_is_not_blocked() {
    assert_eq!(ended(&game_with(NO_FLYING, "a1 a4 a7", "b4 d1 d7 e4", "w 1 0")), None);
}

/// Four moves after which the position is the same again.
const THERE_AND_BACK: &str = "a1-d1 g7-g4 d1-a1 g4-g7";

#[test]
fn mm_9_the_third_occurrence_is_a_draw() {
    let mut game = game("a1 a7 b4 c3", "d5 e4 f6 g7", "w 0 0");
    play(&mut game, THERE_AND_BACK);
    assert_eq!((game.occurrences(), ended(&game)), (2, None));
    play(&mut game, THERE_AND_BACK);
    assert_eq!(game.occurrences(), 3);
    assert_eq!(ended(&game), Some((None, Ending::ThreefoldRepetition)));
}

#[test]
fn mm_9_counts_while_only_one_hand_is_empty() {
    // A text in which black has pieces in hand: its placings are final, so nothing comes back.
    let mut game = game("a1 a7 b4 c3", "d5 e4", "w 0 3");
    play(&mut game, "a1-d1 f6 d1-a1 g7");
    assert_eq!((game.occurrences(), game.quiet()), (1, 0));
}

#[test]
fn mm_10_counts_moves_with_both_hands_empty_and_a_mill_resets() {
    let mut game = game("a1 a4 d7 g1", "b2 d2 e4 f6", "w 1 0");
    play(&mut game, "e3");
    assert_eq!(game.quiet(), 0);
    play(&mut game, "e4-f4 d7-g7");
    assert_eq!(game.quiet(), 2);
    play(&mut game, "f4-g4 g7-d7 g4-f4 d7-a7xb2");
    assert_eq!(game.quiet(), 0);
    play(&mut game, "d2-b2");
    assert_eq!(game.quiet(), 1);
}

#[test]
fn mm_10_a_hundred_moves_without_a_mill_are_a_draw() {
    use crate::history::{History, Step};
    let play = game("a1 a7 b4 c3", "d5 e4 f6 g7", "w 0 0");
    let crate::Position::Morris(position) = *play.position() else { panic!("a game of morris") };
    let mut history = History::starting_at(0);
    for n in 1..100 {
        history.record(n, Step::QUIET);
    }
    let verdict = |history: &History| super::super::after_move(Options::default(), position, history.counts());
    assert_eq!(verdict(&history), None);
    history.record(100, Step::QUIET);
    let outcome = verdict(&history).unwrap();
    assert_eq!((outcome.winner, outcome.ending), (None, Ending::FiftyMoves));
}

#[test]
fn mm_10_comes_after_repetition_blocking_and_reduction() {
    use crate::history::{History, Step};
    let mut history = History::starting_at(7);
    for n in 1..=98 {
        history.record(if n == 50 { 7 } else { n + 100 }, Step::QUIET);
    }
    history.record(1, Step::QUIET);
    history.record(7, Step::QUIET);
    assert_eq!((history.counts().quiet, history.counts().occurrences), (100, 3));
    let ending = |white, black, rest| {
        let play = game_with(NO_FLYING, white, black, rest);
        let crate::Position::Morris(position) = *play.position() else { panic!("a game of morris") };
        super::super::after_move(NO_FLYING, position, history.counts()).map(|outcome| outcome.ending)
    };
    assert_eq!(ending("a1 a7 b4 c3", "d5 e4 f6 g7", "w 0 0"), Some(Ending::ThreefoldRepetition));
    assert_eq!(ending("a1 a4 a7", "b4 d1 d7 e4", "w 0 0"), Some(Ending::Blocked));
    assert_eq!(ending("a1 a4", "b4 d1 d7 e4", "w 0 0"), Some(Ending::Reduced));
}
