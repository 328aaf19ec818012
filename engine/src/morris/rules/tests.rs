//! Each rule of Nine Men's Morris by its id, tried by hand.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::morris::{Options, Point, Position};
use crate::{Effects as AnyEffects, Ending, Game, Illegal, Move, Options as AnyOptions, Play, Seat};

mod ends;
mod mills;
mod moving;

/// A game with pieces on the points named, separated by spaces; `rest` is the side to move and
/// the hands, as in the text. The options are the default ones.
fn game(white: &str, black: &str, rest: &str) -> Play {
    game_with(Options::default(), white, black, rest)
}

fn game_with(options: Options, white: &str, black: &str, rest: &str) -> Play {
    let on = |points: &str, point: Point| points.split(' ').any(|name| name == point.name());
    let letter = |point| match (on(white, point), on(black, point)) {
        (true, false) => 'W',
        (false, true) => 'B',
        (false, false) => '.',
        (true, true) => panic!("{point} is named twice"),
    };
    let board: String = Point::TEXT_ORDER.into_iter().map(letter).collect();
    let position = Position::parse(&format!("{board} {rest}")).unwrap();
    Play::from_position(AnyOptions::Morris(options), crate::Position::Morris(position)).unwrap()
}

fn mv(text: &str) -> Move {
    Move::parse(Game::Morris, text).unwrap()
}

fn judged(game: &Play, m: &str) -> Result<(), Illegal> {
    game.judge(mv(m))
}

/// The legal moves that begin with `start`, separated by spaces.
fn legal(game: &Play, start: &str) -> String {
    let texts = game.legal_moves().map(|m| m.to_string()).filter(|text| text.starts_with(start));
    texts.collect::<Vec<_>>().join(" ")
}

/// Plays moves separated by spaces and gives back what the last one did.
fn play(game: &mut Play, moves: &str) -> super::Effects {
    let effects = moves.split(' ').map(|m| game.play(mv(m)).unwrap()).last();
    let Some(AnyEffects::Morris(last)) = effects else { panic!("a game of Nine Men's Morris") };
    last
}

fn names(points: impl Iterator<Item = Point>) -> String {
    points.map(Point::name).collect::<Vec<_>>().join(" ")
}

fn ended(game: &Play) -> Option<(Option<Seat>, Ending)> {
    game.outcome().map(|outcome| (outcome.winner, outcome.ending))
}

const NO_FLYING: Options = Options { flying: false, double_mill_takes_two: false };
const TAKES_TWO: Options = Options { flying: true, double_mill_takes_two: true };
const FIRST: Option<Seat> = Some(Seat::First);
const SECOND: Option<Seat> = Some(Seat::Second);

#[test]
fn mm_1_first_opens_with_white_and_each_has_nine_in_hand() {
    let play = Play::new(Game::Morris.default_options());
    assert_eq!(play.position().to_string(), "........................ w 9 9");
    assert_eq!(play.to_move(), Seat::First);
}

#[test]
fn the_board_has_sixteen_lines_and_thirty_two_neighbourhoods() {
    let point = |name| Point::from_name(name).unwrap();
    assert_eq!(Point::ALL.into_iter().map(|p| p.neighbours().len()).sum::<usize>(), 64);
    for (name, neighbours) in [
        ("a1", "a4 d1"),
        ("a4", "a1 a7 b4"),
        ("b4", "a4 b2 b6 c4"),
        ("c4", "b4 c3 c5"),
        ("d3", "c3 d2 e3"),
        ("d5", "c5 d6 e5"),
        ("d6", "b6 d5 d7 f6"),
        ("e4", "e3 e5 f4"),
        ("g7", "d7 g4"),
    ] {
        assert_eq!(names(point(name).neighbours()), neighbours, "{name}");
    }
    let order = names(Point::TEXT_ORDER.into_iter());
    assert_eq!(order, "a7 d7 g7 b6 d6 f6 c5 d5 e5 a4 b4 c4 e4 f4 g4 c3 d3 e3 b2 d2 f2 a1 d1 g1");
}

#[test]
fn morris_reasons_come_in_the_order_of_the_rules() {
    let over = game("a1 a4", "b2 d2 f2", "w 0 0");
    assert_eq!(judged(&over, "g7"), Err(Illegal::GameOver));
    let moving = game("a1 a4 d7 g7", "b2 d2 f2 c3", "w 0 0");
    assert_eq!(judged(&moving, "a1xg7xg7"), Err(Illegal::NothingInHand));
    let placing = game("a1 a4", "b2 d2", "w 2 2");
    // b2 is the rival's, a1 is taken, and they do not touch.
    assert_eq!(judged(&placing, "b2-a1"), Err(Illegal::MustPlace));
    assert_eq!(judged(&moving, "b2-a1"), Err(Illegal::NotYourPiece));
    assert_eq!(judged(&moving, "c4-g1"), Err(Illegal::NotYourPiece));
    assert_eq!(judged(&moving, "a1-g7xb2"), Err(Illegal::PointTaken));
    assert_eq!(judged(&moving, "a1-a1"), Err(Illegal::PointTaken));
    assert_eq!(judged(&placing, "b2xb2"), Err(Illegal::PointTaken));
    // d7-a7 would close a mill from next to it; g7-a7 is too far.
    assert_eq!(judged(&moving, "g7-a7"), Err(Illegal::NotAdjacent));
    assert_eq!(judged(&moving, "d7-a7"), Err(Illegal::MustTake));
    assert_eq!(judged(&moving, "a1-d1xe4"), Err(Illegal::NoMill));
    assert_eq!(judged(&moving, "d7-a7xb2xb2"), Err(Illegal::NoMill));
    assert_eq!(judged(&moving, "d7-a7xg7"), Err(Illegal::NothingToTake));
    assert_eq!(judged(&moving, "d7-a7xe4"), Err(Illegal::NothingToTake));
    assert_eq!(judged(&moving, "d7-a7xb2"), Err(Illegal::ProtectedByMill));
    assert_eq!(judged(&moving, "d7-a7xc3"), Ok(()));
}

#[test]
fn morris_texts_are_read_strictly_and_errors_say_where() {
    for (text, expected, byte) in [
        ("", "W, B or . for point a7", Some(0)),
        ("........x............... w 9 9", "W, B or . for point e5", Some(8)),
        ("........................", "' '", Some(24)),
        ("........................ W 9 9", "w or b, the side to move", Some(25)),
        ("........................ w 10 9", "a number from 0 to 9 without leading zeros", Some(27)),
        ("........................ w 09 9", "a number from 0 to 9 without leading zeros", Some(27)),
        ("........................ w 9-9", "' '", Some(28)),
        ("........................ w 9 9 ", "the end of the text", Some(30)),
        ("W....................... w 9 9", "at most 9 white pieces, board and hand together, found 10", None),
        ("BBBB.................... w 9 6", "at most 9 black pieces, board and hand together, found 10", None),
    ] {
        let error = crate::Position::parse(Game::Morris, text).unwrap_err();
        assert_eq!((error.expected(), error.byte()), (expected, byte), "{text:?}");
    }
    let point = "a point of the board, such as a1 or d7";
    for (text, expected, byte) in [
        ("", point, 0),
        ("a", point, 0),
        ("a2", point, 0),
        ("d4", point, 0),
        ("A1", point, 0),
        ("a1-", point, 3),
        ("a1x", point, 3),
        ("a1-a4xb3", point, 6),
        ("a1-a4-a7", "the end of the text", 5),
        ("a1xb2xd2xf2", "the end of the text", 8),
        ("a1-a4xb2xd2xf2", "the end of the text", 11),
        ("a1 ", "the end of the text", 2),
    ] {
        let error = Move::parse(Game::Morris, text).unwrap_err();
        assert_eq!((error.expected(), error.byte()), (expected, Some(byte)), "{text:?}");
    }
}
