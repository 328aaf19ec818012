//! MM-2 to MM-4: placing, moving, flying.

use super::*;

#[test]
fn mm_2_a_piece_is_placed_on_an_empty_point_while_there_are_pieces_in_hand() {
    let mut game = Play::new(Game::Morris.default_options());
    assert_eq!(game.legal().len(), 24);
    play(&mut game, "a1 a4");
    assert_eq!(game.position().to_string(), ".........B...........W.. w 8 8");
    assert_eq!(game.legal().len(), 22);
    assert_eq!(judged(&game, "a4"), Err(Illegal::PointTaken));
    assert_eq!(judged(&game, "a1-d1"), Err(Illegal::MustPlace));
}

#[test]
fn mm_2_each_players_own_hand_decides() {
    let game = game("a1 a4 b2 b4", "c3 d1 d2 d3", "w 0 1");
    assert_eq!(judged(&game, "g7"), Err(Illegal::NothingInHand));
    assert_eq!(judged(&game, "a4-a7"), Ok(()));
}

#[test]
fn mm_3_a_piece_moves_along_a_line_to_a_neighbouring_empty_point() {
    let mut game = game("a1 d1 d2 g7", "b2 e4 f4 g4", "w 0 0");
    assert_eq!(legal(&game, ""), "a1-a4 d1-g1 d2-d3 d2-f2 g7-d7");
    let effects = play(&mut game, "d2-d3");
    assert_eq!((effects.from().map(Point::name), effects.to().name()), (Some("d2"), "d3"));
    assert_eq!(legal(&game, "b2"), "b2-b4 b2-d2");
    // The squares touch only at the middles of their sides.
    assert_eq!(judged(&game, "b2-a1"), Err(Illegal::PointTaken));
    assert_eq!(judged(&game, "b2-c3"), Err(Illegal::NotAdjacent));
}

#[test]
fn mm_4_a_player_with_three_pieces_may_move_to_any_empty_point() {
    let mut game = game("a1 d2 g7", "b2 b4 e5 f2", "w 0 0");
    assert_eq!(game.legal().len(), 3 * 17);
    assert_eq!(judged(&game, "a1-e3"), Ok(()));
    play(&mut game, "a1-e3");
    // Four pieces do not fly.
    assert_eq!(judged(&game, "b2-g4"), Err(Illegal::NotAdjacent));
}

#[test]
fn mm_4_pieces_in_hand_keep_a_player_from_flying() {
    let game = game("a1 d2 g7", "b2 b4 e5 f2", "w 1 0");
    assert_eq!(judged(&game, "a1-e3"), Err(Illegal::MustPlace));
}

#[test]
fn mm_4_without_the_option_nobody_flies() {
    let game = game_with(NO_FLYING, "a1 d2 g7", "b2 b4 e5 f2", "w 0 0");
    assert_eq!(judged(&game, "a1-e3"), Err(Illegal::NotAdjacent));
    assert_eq!(legal(&game, ""), "a1-a4 a1-d1 d2-d1 d2-d3 g7-d7 g7-g4");
}
