//! MM-5 and MM-6: closing mills and taking pieces.

use super::*;

#[test]
fn mm_5_three_in_a_line_take_one_rival_piece_in_the_same_move() {
    let mut game = game("a1 a4", "b2 d2", "w 5 5");
    assert_eq!(judged(&game, "a7"), Err(Illegal::MustTake));
    assert_eq!(legal(&game, "a7"), "a7xb2 a7xd2");
    let effects = play(&mut game, "a7xd2");
    assert_eq!((names(effects.mill()), names(effects.taken())), ("a1 a4 a7".to_owned(), "d2".to_owned()));
    assert_eq!(game.position().to_string(), "W........W........B..W.. b 4 5");
}

#[test]
fn mm_5_no_mill_takes_nothing() {
    let game = game("a1 a4", "b2 d2", "w 5 5");
    assert_eq!(judged(&game, "g7xb2"), Err(Illegal::NoMill));
    // d1, d2, d3 and d5, d6, d7 are lines; d3 and d5 are not on one.
    let game = self::game("d3 d2 a1 a7", "b2 e4 f2 g7", "w 1 0");
    assert_eq!(judged(&game, "d5"), Ok(()));
}

#[test]
fn mm_5_a_mill_closed_by_moving_and_one_closed_again_count() {
    let mut game = game("a1 a4 d7 g1", "b2 d2 e4 f6 g7", "w 0 0");
    let effects = play(&mut game, "d7-a7xe4");
    assert_eq!(names(effects.mill()), "a1 a4 a7");
    play(&mut game, "g7-g4 a7-d7 g4-g7");
    assert_eq!(judged(&game, "d7-a7"), Err(Illegal::MustTake));
    let effects = play(&mut game, "d7-a7xf6");
    assert_eq!(names(effects.taken()), "f6");
}

#[test]
fn mm_5_a_piece_that_moves_along_its_line_closes_no_mill_with_itself() {
    // a1 to a4 leaves a1, so that only a4 and a7 stand on the line.
    let game = game("a1 a7 g1 g4", "b2 d2 e4 f6", "w 0 0");
    assert_eq!(judged(&game, "a1-a4"), Ok(()));
}

#[test]
fn mm_5_two_mills_at_once_take_one() {
    let mut game = game("a4 a7 d1 g1", "b2 b4 d2 f6", "w 1 0");
    assert_eq!(judged(&game, "a1xb2xb4"), Err(Illegal::NoMill));
    let effects = play(&mut game, "a1xb2");
    assert_eq!(names(effects.mill()), "a1 a4 a7 d1 g1");
    assert_eq!(effects.mill().len(), 5);
}

#[test]
fn mm_5_with_the_option_two_mills_take_two_in_either_order() {
    let mut game = game_with(TAKES_TWO, "a4 a7 d1 g1", "b2 d5 f6", "w 1 1");
    assert_eq!(judged(&game, "a1"), Err(Illegal::MustTake));
    assert_eq!(judged(&game, "a1xb2"), Err(Illegal::MustTake));
    assert_eq!(legal(&game, "a1"), "a1xb2xd5 a1xb2xf6 a1xd5xb2 a1xd5xf6 a1xf6xb2 a1xf6xd5");
    assert_eq!(judged(&game, "a1xb2xb2"), Err(Illegal::NothingToTake));
    let effects = play(&mut game, "a1xf6xb2");
    assert_eq!(names(effects.taken()), "f6 b2");
    assert_eq!(game.position().to_string(), "W......B.W...........WWW b 0 1");
}

#[test]
fn mm_5_with_the_option_one_mill_takes_one() {
    let game = game_with(TAKES_TWO, "a4 a7", "b2 d5 f6", "w 1 1");
    assert_eq!(judged(&game, "a1xb2xd5"), Err(Illegal::NoMill));
    assert_eq!(judged(&game, "a1xb2"), Ok(()));
}

#[test]
fn mm_5_two_are_taken_even_where_the_first_decides_the_game() {
    let mut game = game_with(TAKES_TWO, "a4 a7 d1 g1", "b2 d5 f6", "w 1 0");
    assert_eq!(judged(&game, "a1xb2"), Err(Illegal::MustTake));
    play(&mut game, "a1xb2xd5");
    assert_eq!(ended(&game), Some((FIRST, Ending::Reduced)));
}

#[test]
fn mm_5_no_more_are_taken_than_stand_on_the_board() {
    let game = game_with(TAKES_TWO, "a4 a7 d1 g1", "b2", "w 1 8");
    assert_eq!(legal(&game, "a1"), "a1xb2");
    for options in [Options::default(), TAKES_TWO] {
        let mut game = game_with(options, "a4 a7 d1 g1", "", "w 1 9");
        assert_eq!(legal(&game, "a1"), "a1");
        assert_eq!(judged(&game, "a1xb2"), Err(Illegal::NoMill));
        assert_eq!(names(play(&mut game, "a1").mill()), "a1 a4 a7 d1 g1");
    }
}

#[test]
fn mm_6_a_piece_in_a_mill_is_protected_while_another_is_not() {
    let game = game("a1 a4", "b2 d2 f2 g7", "w 5 5");
    assert_eq!(legal(&game, "a7"), "a7xg7");
    assert_eq!(judged(&game, "a7xd2"), Err(Illegal::ProtectedByMill));
}

#[test]
fn mm_6_where_all_stand_in_mills_any_may_be_taken() {
    let game = game("a1 a4", "b2 d2 f2", "w 5 5");
    assert_eq!(legal(&game, "a7"), "a7xb2 a7xd2 a7xf2");
    // b2 stands in two mills.
    let game = self::game("a1 a4", "b2 b4 b6 d2 f2", "w 5 4");
    assert_eq!(legal(&game, "a7"), "a7xb2 a7xb4 a7xb6 a7xd2 a7xf2");
}

#[test]
fn mm_6_is_judged_afresh_for_the_second_piece() {
    // Outside the mill there is only g7: once it is taken, the mill may be broken.
    let game = game_with(TAKES_TWO, "a4 a7 d1 g1", "b2 d2 f2 g7", "w 1 1");
    assert_eq!(legal(&game, "a1"), "a1xg7xb2 a1xg7xd2 a1xg7xf2");
    assert_eq!(judged(&game, "a1xb2xg7"), Err(Illegal::ProtectedByMill));
    // The first one taken breaks the only mill, so its other pieces are free.
    let game = game_with(TAKES_TWO, "a4 a7 d1 g1", "b2 d2 f2", "w 1 1");
    assert_eq!(legal(&game, "a1xd2"), "a1xd2xb2 a1xd2xf2");
    // Two are outside: the mill stays protected.
    let game = game_with(TAKES_TWO, "a4 a7 d1 g1", "b2 d2 f2 g7 e4", "w 1 1");
    assert_eq!(legal(&game, "a1"), "a1xe4xg7 a1xg7xe4");
}
