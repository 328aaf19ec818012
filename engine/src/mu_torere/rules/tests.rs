//! Each rule of Mū tōrere by its id, tried by hand.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::{Ending, Game, Illegal, Move, Play, Position, Seat};

fn game(position: &str) -> Play {
    let position = Position::parse(Game::MuTorere, position).unwrap();
    Play::from_position(Game::MuTorere.default_options(), position).unwrap()
}

fn judged(game: &Play, m: &str) -> Result<(), Illegal> {
    game.judge(Move::parse(Game::MuTorere, m).unwrap())
}

fn legal(game: &Play) -> String {
    let texts: Vec<_> = game.legal_moves().map(|m| m.to_string()).collect();
    texts.join(" ")
}

/// Plays moves separated by spaces.
fn play(game: &mut Play, moves: &str) {
    for m in moves.split(' ') {
        game.play(Move::parse(Game::MuTorere, m).unwrap()).unwrap();
    }
}

#[test]
fn mt_1_first_stands_on_one_to_four_and_second_on_five_to_eight() {
    let play = Play::new(Game::MuTorere.default_options());
    assert_eq!(play.position().to_string(), "xxxxoooo. x");
    assert_eq!(play.to_move(), Seat::First);
}

#[test]
fn mt_2_a_piece_goes_along_a_line_to_the_empty_point() {
    let mut game = game("xxxxoooo. x");
    play(&mut game, "4-c");
    assert_eq!(game.position().to_string(), "xxx.oooox o");
    // Only 5 of second's pieces touches 4; the centre does too.
    assert_eq!(legal(&game), "5-4");
    play(&mut game, "5-4");
    assert_eq!(game.position().to_string(), "xxxo.ooox x");
    assert_eq!(legal(&game), "c-5");
}

#[test]
fn mt_2_eight_and_one_are_neighbours() {
    assert_eq!(legal(&game(".xxxoooox o")), "8-1");
    assert_eq!(legal(&game("xoooxxx.o x")), "1-8 7-8");
}

#[test]
fn mt_2_points_across_the_ring_do_not_touch() {
    let game = game("xxx.oooox x");
    assert_eq!(judged(&game, "1-4"), Err(Illegal::NotAdjacent));
    assert_eq!(judged(&game, "2-4"), Err(Illegal::NotAdjacent));
    assert_eq!(judged(&game, "3-4"), Ok(()));
    assert_eq!(judged(&game, "c-4"), Ok(()));
}

#[test]
fn mt_3_the_centre_is_entered_only_from_beside_a_rival() {
    let game = game("xxxxoooo. x");
    assert_eq!(legal(&game), "1-c 4-c");
    assert_eq!(judged(&game, "2-c"), Err(Illegal::NoRivalNeighbour));
    assert_eq!(judged(&game, "3-c"), Err(Illegal::NoRivalNeighbour));
}

#[test]
fn mt_3_holds_for_the_whole_game() {
    let mut game = game("xxxxoooo. x");
    play(&mut game, "4-c 5-4 c-5");
    assert_eq!(game.position().to_string(), "xxxoxooo. o");
    // 7 has 6 and 8 beside it, both of its own side.
    assert_eq!(judged(&game, "7-c"), Err(Illegal::NoRivalNeighbour));
    assert_eq!(legal(&game), "4-c 6-c 8-c");
}

#[test]
fn mt_3_does_not_bind_a_piece_that_leaves_the_centre() {
    assert_eq!(judged(&game("xx.xooxoo x"), "c-3"), Err(Illegal::NotYourPiece));
    assert_eq!(judged(&game("xx.oooxox x"), "c-3"), Ok(()));
}

#[test]
fn mt_4_a_player_without_a_move_loses() {
    let mut game = game("ox.xoxoxo x");
    assert_eq!(legal(&game), "2-3 4-3");
    play(&mut game, "2-3");
    assert_eq!(game.outcome(), None);

    // All of first's neighbours of the empty point are gone: 5 is touched by 4, 6 and the centre.
    let outcome = self::game("xxxo.ooxo x").outcome().unwrap();
    assert_eq!((outcome.winner, outcome.ending, outcome.totals), (Some(Seat::Second), Ending::Blocked, None));
}

#[test]
fn mt_4_the_move_that_blocks_wins() {
    let mut game = game("xxxoo.oxo o");
    play(&mut game, "5-6");
    assert_eq!(game.position().to_string(), "xxxo.ooxo x");
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.ending), (Some(Seat::Second), Ending::Blocked));
    assert_eq!(legal(&game), "");
    assert_eq!(judged(&game, "3-5"), Err(Illegal::GameOver));
}

#[test]
fn mt_5_the_third_occurrence_is_a_draw_and_the_second_can_be_seen() {
    let mut game = game("xxxxoooo. x");
    let there_and_back = "4-c 5-4 c-5 4-c 5-4 c-5";
    play(&mut game, there_and_back);
    assert_eq!(game.position().to_string(), "xxxxoooo. x");
    assert_eq!((game.occurrences(), game.outcome()), (2, None));
    play(&mut game, there_and_back);
    assert_eq!((game.occurrences(), game.quiet()), (3, 0));
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.ending), (None, Ending::ThreefoldRepetition));
    assert_eq!(legal(&game), "");
}

#[test]
fn mt_5_the_player_to_move_is_part_of_a_position() {
    let mut game = game("xxxxoooo. x");
    play(&mut game, "4-c 5-4 c-5 4-c 5-4 c-5 4-c");
    // The board of the second ply, for the second time, and never with first to move.
    assert_eq!(game.occurrences(), 2);
    assert_eq!(self::game("xxx.oooox x").occurrences(), 1);
}

#[test]
fn mu_torere_reasons_come_in_the_order_of_the_rules() {
    let over = game("xxxo.ooxo x");
    assert_eq!(judged(&over, "1-1"), Err(Illegal::GameOver));
    let start = game("xxxxoooo. x");
    // 5 is the rival's, and 6 is not empty either.
    assert_eq!(judged(&start, "5-6"), Err(Illegal::NotYourPiece));
    assert_eq!(judged(&start, "c-1"), Err(Illegal::NotYourPiece));
    assert_eq!(judged(&start, "1-1"), Err(Illegal::TargetNotEmpty));
    // 1 and 5 do not touch, but 5 is not empty.
    assert_eq!(judged(&start, "1-5"), Err(Illegal::TargetNotEmpty));
    assert_eq!(judged(&game("xxx.oooox x"), "1-4"), Err(Illegal::NotAdjacent));
    assert_eq!(judged(&start, "2-c"), Err(Illegal::NoRivalNeighbour));
}

#[test]
fn mu_torere_texts_are_read_strictly_and_errors_say_where() {
    for (text, expected, byte) in [
        ("", "x, o or . for point 1", Some(0)),
        ("xxxxooooc x", "x, o or . for point c", Some(8)),
        ("Xxxxoooo. x", "x, o or . for point 1", Some(0)),
        ("xxxxoooo.x", "' '", Some(9)),
        ("xxxxoooo. .", "x or o, the side to move", Some(10)),
        ("xxxxoooo. x ", "the end of the text", Some(11)),
        ("xxxxooo.. x", "four x and four o, found 4 x and 3 o", None),
        ("xxxxxoooo x", "four x and four o, found 5 x and 4 o", None),
    ] {
        let error = Position::parse(Game::MuTorere, text).unwrap_err();
        assert_eq!((error.expected(), error.byte()), (expected, byte), "{text:?}");
    }
    for (text, expected, byte) in [
        ("", "a point, 1 to 8 or c", 0),
        ("0-c", "a point, 1 to 8 or c", 0),
        ("1c", "'-'", 1),
        ("1-9", "a point, 1 to 8 or c", 2),
        ("1-C", "a point, 1 to 8 or c", 2),
        ("1-cx2", "the end of the text", 3),
    ] {
        let error = Move::parse(Game::MuTorere, text).unwrap_err();
        assert_eq!((error.expected(), error.byte()), (expected, Some(byte)), "{text:?}");
    }
}
