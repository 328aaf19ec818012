//! The rules that all games share, by their ids, and MA-14.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::BySeat;

fn default_game() -> Play {
    Play::new(Game::Oware.default_options())
}

fn from(position: &str) -> Play {
    let position = Position::parse(Game::Oware, position).unwrap();
    Play::from_position(Game::Oware.default_options(), position).unwrap()
}

fn mv(letter: &str) -> Move {
    Move::parse(Game::Oware, letter).unwrap()
}

#[test]
fn c_1_first_opens_and_seats_stay_with_the_sides() {
    assert_eq!(default_game().to_move(), Seat::First);
    // North to move in a position text is still `second`.
    assert_eq!(from("4,4,4,4,4,4/4,4,4,4,4,4 0-0 N").to_move(), Seat::Second);
}

#[test]
fn c_2_the_same_moves_give_the_same_game() {
    let played = || {
        let mut game = default_game();
        for letter in ["C", "c", "E", "e"] {
            game.play(mv(letter)).unwrap();
        }
        game
    };
    assert_eq!(played(), played());
    assert_eq!(played().position().to_string(), "6,5,1,6,0,6/6,5,1,6,0,6 0-0 S");
}

#[test]
fn c_3_a_refused_move_changes_nothing_and_names_the_rule() {
    let mut game = default_game();
    game.play(mv("C")).unwrap();
    let before = game.clone();
    assert_eq!(game.play(mv("C")), Err(Illegal::NotYourHouse));
    assert_eq!(game, before);
    assert_eq!(Illegal::NotYourHouse.to_string(), "not_your_house");
}

#[test]
fn c_3_every_reason_has_a_code_of_its_own_and_a_place_in_its_game() {
    for (at, &reason) in Illegal::ALL.iter().enumerate() {
        assert_eq!(Illegal::from_code(reason.code()), Some(reason));
        assert_eq!(Illegal::ALL.iter().position(|r| r.code() == reason.code()), Some(at));
        assert!(Game::ALL.iter().any(|game| game.reasons().contains(&reason)));
    }
}

#[test]
fn c_4_a_finished_game_has_no_legal_move() {
    let mut game = from("0,0,0,0,0,1/2,6,0,0,0,0 22-17 S");
    game.play(mv("F")).unwrap();
    let outcome = game.outcome().unwrap();
    assert_eq!((outcome.winner, outcome.ending), (Some(Seat::First), Ending::Majority));
    assert_eq!(game.legal(), []);
    let before = game.clone();
    assert_eq!(game.play(mv("b")), Err(Illegal::GameOver));
    assert_eq!(game, before);
    assert_eq!(game.to_move(), Seat::Second);
}

#[test]
fn c_4_every_ending_has_a_code_of_its_own_and_a_place() {
    for &ending in Ending::ALL {
        assert_eq!(Ending::from_code(ending.code()), Some(ending));
        assert_eq!(ending.code().parse(), Ok(ending));
        let on_the_board = Game::ALL.iter().any(|game| game.endings().contains(&ending));
        assert_eq!(on_the_board, !ending.is_outside());
        assert_eq!(Ending::OUTSIDE.contains(&ending), ending.is_outside());
    }
    assert_eq!(Ending::from_code("Majority"), None);
}

#[test]
fn c_5_a_game_can_end_outside_the_board() {
    let codes = Ending::OUTSIDE.iter().map(|e| e.code()).collect::<Vec<_>>();
    assert_eq!(codes, ["resignation", "timeout", "agreement", "void"]);
    let game = default_game();
    for ending in [Ending::Resignation, Ending::Timeout] {
        let outcome = game.end_outside(ending, Some(Seat::Second));
        assert_eq!((outcome.winner, outcome.ending), (Some(Seat::Second), ending));
    }
    let drawn = game.end_outside(Ending::Agreement, Some(Seat::First));
    assert_eq!((drawn.winner, drawn.ending), (None, Ending::Agreement));
}

#[test]
fn c_5_a_timeout_is_lost_even_when_ahead_on_the_board() {
    let ahead = from("0,0,0,0,0,1/2,6,0,0,0,0 24-15 S");
    let outcome = ahead.end_outside(Ending::Timeout, Some(Seat::Second));
    assert_eq!(outcome.winner, Some(Seat::Second));
}

#[test]
#[should_panic(expected = "majority is for the board to say")]
fn c_5_an_ending_of_the_board_cannot_come_from_outside() {
    let _ = default_game().end_outside(Ending::Majority, Some(Seat::First));
}

#[test]
fn ma_14_an_end_outside_leaves_the_seeds_captured_so_far() {
    let game = from("0,0,0,0,0,1/2,6,0,0,0,0 22-17 S");
    for &ending in Ending::OUTSIDE {
        let outcome = game.end_outside(ending, Some(Seat::First));
        assert_eq!(outcome.totals, Some(BySeat::new(22, 17)));
    }
}

#[test]
fn ma_14_a_void_has_no_winner() {
    let outcome = default_game().end_outside(Ending::Void, Some(Seat::First));
    assert_eq!(outcome.winner, None);
}

#[test]
fn c_6_the_start_counts_as_an_occurrence_and_counters_are_not_part_of_it() {
    let mut game = from("1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    let start = *game.position();
    assert_eq!((game.occurrences(), game.quiet()), (1, 0));
    for letter in "AaBbCcDdEeFf".chars() {
        game.play(mv(&letter.to_string())).unwrap();
    }
    assert_eq!(*game.position(), start);
    assert_eq!((game.occurrences(), game.quiet()), (2, 12));
}

#[test]
fn c_7_a_position_text_starts_all_counts_afresh() {
    let mut game = from("1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    game.play(mv("A")).unwrap();
    let fresh = from(&game.position().to_string());
    assert_eq!((game.quiet(), game.ply()), (1, 1));
    assert_eq!((fresh.quiet(), fresh.ply(), fresh.occurrences()), (0, 0, 1));
}

#[test]
fn c_7_a_position_that_is_over_is_finished_from_the_start() {
    let outcome = from("0,0,0,0,0,0/1,0,0,0,0,2 22-23 S").outcome().unwrap();
    assert_eq!((outcome.winner, outcome.ending), (Some(Seat::Second), Ending::NoMove));
    let outcome = from("3,1,0,1,2,0/1,1,1,0,3,0 35-0 S").outcome().unwrap();
    assert_eq!((outcome.winner, outcome.ending), (Some(Seat::First), Ending::Majority));
}

#[test]
fn c_7_seeds_must_make_forty_eight() {
    for (text, found) in [
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-1 S", 49),
        ("4,4,4,4,4,4/4,4,4,4,4,3 0-0 S", 47),
        ("48,48,48,48,48,48/48,48,48,48,48,48 48-48 S", 672),
    ] {
        let error = Position::parse(Game::Oware, text).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot read an Oware position: expected 48 seeds in all, captured ones \
                 included, found {found}"
            )
        );
    }
    assert!(Position::parse(Game::Oware, "0,0,0,0,0,0/0,0,0,0,0,0 48-0 N").is_ok());
}

#[test]
fn texts_are_read_strictly_and_errors_say_where() {
    for (text, expected, byte) in [
        ("", "a number from 0 to 48 without leading zeros", 0),
        ("04,4,4,4,4,4/4,4,4,4,4,4 0-0 S", "a number from 0 to 48 without leading zeros", 0),
        ("4,49,4,4,4,4/4,4,4,4,4,4 0-0 S", "a number from 0 to 48 without leading zeros", 2),
        ("4,+4,4,4,4,4/4,4,4,4,4,4 0-0 S", "a number from 0 to 48 without leading zeros", 2),
        ("4, 4,4,4,4,4/4,4,4,4,4,4 0-0 S", "a number from 0 to 48 without leading zeros", 2),
        ("4,4,4,4,4,4,4,4,4,4,4,4 0-0 S", "'/'", 11),
        ("4,4,4,4,4,4/4,4,4,4,4,4  0-0 S", "a number from 0 to 48 without leading zeros", 24),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0:0 S", "'-'", 25),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 s", "S or N, the side to move", 28),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 S\n", "the end of the text", 29),
        ("4,4,4,4,4,4/4,4,4,4,4,4 0-0 SN", "the end of the text", 29),
        ("99999999999999999999,4", "a number from 0 to 48 without leading zeros", 0),
    ] {
        let error = Position::parse(Game::Oware, text).unwrap_err();
        assert_eq!((error.expected(), error.byte()), (expected, Some(byte)), "{text:?}");
    }
    for text in ["", "G", "g", "AA", " A", "A ", "4", "@", "é"] {
        let error = Move::parse(Game::Oware, text).unwrap_err();
        assert_eq!(error.reading(), "an Oware move", "{text:?}");
    }
    let error = Move::parse(Game::Oware, "Ab").unwrap_err();
    assert_eq!(error.to_string(), "cannot read an Oware move: expected the end of the text at byte 1");
}

#[test]
fn options_are_set_by_name_and_refusals_say_what_is_allowed() {
    let preset = |name| Options::preset(Game::Oware, name);
    for (name, setting) in [("abapa", "no_capture"), ("wari", "forbidden"), ("caribbean", "captures_all")] {
        let options = Options::from_pairs(Game::Oware, [("grand_slam", setting)]).unwrap();
        assert_eq!(preset(name), Some(options));
        assert_eq!(options.pairs(), [("grand_slam", setting)]);
    }
    assert_eq!(preset("abapa"), Some(Game::Oware.default_options()));
    assert_eq!(preset("Abapa"), None);

    let mut options = Game::Oware.default_options();
    for (text, error) in [
        (
            "grand_slam=never",
            "cannot read ruleset options: expected grand_slam to be one of no_capture, \
             forbidden, captures_all",
        ),
        (
            "flying=true",
            "cannot read ruleset options: expected one of the options of oware (grand_slam), \
             found \"flying\"",
        ),
        ("forbidden", "cannot read ruleset options: expected '=' between option and value at byte 9"),
    ] {
        assert_eq!(options.set_text(text).unwrap_err().to_string(), error);
        assert_eq!(options, Game::Oware.default_options());
    }
    options.set_text("grand_slam=captures_all").unwrap();
    assert_eq!(Some(options), preset("caribbean"));
}

#[test]
fn option_catalogue_agrees_with_what_can_be_set() {
    for &game in Game::ALL {
        assert_eq!(game.code().parse(), Ok(game));
        assert_eq!(game.presets()[0].1, game.default_options());
        for info in game.options() {
            assert!(info.allowed.contains(&info.default));
            for value in info.allowed {
                let options = Options::from_pairs(game, [(info.name, *value)]).unwrap();
                assert!(options.pairs().contains(&(info.name, *value)));
            }
            assert!(game.default_options().pairs().contains(&(info.name, info.default)));
        }
    }
}

#[test]
fn clone_from_gives_an_equal_game_whatever_was_there() {
    let mut target = from("1,0,0,0,0,0/1,0,0,0,0,0 23-23 S");
    target.play(mv("A")).unwrap();
    let mut source = default_game();
    source.play(mv("C")).unwrap();
    target.clone_from(&source);
    assert_eq!(target, source);
}

#[test]
fn a_game_is_small_enough_to_hold_a_hundred_thousand() {
    assert!(size_of::<Play>() <= 96, "{}", size_of::<Play>());
}

#[test]
#[should_panic(expected = "1-c is a move of mu_torere, and the game is oware")]
fn a_move_of_another_game_is_a_slip_of_the_program() {
    let _ = default_game().play(Move::parse(Game::MuTorere, "1-c").unwrap());
}

#[test]
fn a_position_of_another_game_is_refused() {
    let start = Position::start(Game::MuTorere);
    let error = Play::from_position(Game::Oware.default_options(), start).unwrap_err();
    assert_eq!(error.to_string(), "cannot read a starting position: expected one of oware");
}
