//! Laws that hold in every position of every game, tried on random ones; what a single game adds
//! stands in its module.

use proptest::prelude::*;
use stakeboard_engine::{Game, Illegal, Move, Options, Play, Position, Seat};

mod morris;
mod mu_torere;
mod oware;

/// A case: a game at a random position, with every move that has a text.
#[derive(Clone, Debug)]
struct Case {
    play: Play,
    moves: Vec<Move>,
}

/// Makes a game from a text that a strategy wrote.
fn begin(options: Options, text: &str) -> Play {
    Position::parse(options.game(), text)
        .and_then(|position| Play::from_position(options, position))
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn case() -> impl Strategy<Value = Case> {
    prop_oneof![mu_torere::case(), oware::case(), morris::case()]
}

/// A position text of the game, and the game.
fn position_text() -> impl Strategy<Value = (Game, String)> {
    prop_oneof![
        mu_torere::position_text().prop_map(|text| (Game::MuTorere, text)),
        oware::position_text().prop_map(|text| (Game::Oware, text)),
        morris::position_text().prop_map(|text| (Game::Morris, text)),
    ]
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn c_3_legal_and_play_agree_and_a_refusal_changes_nothing(case in case()) {
        let Case { play: game, moves } = case;
        let accepted: Vec<Move> = moves.iter().copied().filter(|&m| game.judge(m).is_ok()).collect();
        prop_assert_eq!(&accepted, &game.legal());
        prop_assert_eq!(game.legal_moves().len(), accepted.len());
        prop_assert!(accepted.is_sorted_by_key(ToString::to_string));
        prop_assert_eq!(accepted.is_empty(), game.outcome().is_some());
        for (at, &m) in accepted.iter().enumerate() {
            prop_assert_eq!(game.legal_moves().nth(at), Some(m));
        }
        let mut next = game.clone();
        for m in moves {
            match next.play(m) {
                Ok(_) => {
                    prop_assert!(accepted.contains(&m));
                    prop_assert_eq!(next.ply(), 1);
                    next.clone_from(&game);
                }
                Err(reason) => {
                    prop_assert_eq!(game.judge(m), Err(reason));
                    prop_assert!(game.game().reasons().contains(&reason));
                    prop_assert!(!accepted.contains(&m));
                    prop_assert_eq!(&next, &game);
                }
            }
        }
    }

    #[test]
    fn c_4_a_random_game_ends_and_then_accepts_nothing(
        case in case(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 64),
    ) {
        let Case { mut play, moves } = case;
        let mut choices = choices.iter().cycle();
        for _ in 0..2000 {
            if play.outcome().is_some() {
                break;
            }
            let mut moves = play.legal_moves();
            let choice = choices.next().map_or(0, |choice| choice.index(moves.len()));
            let chosen = moves.nth(choice).and_then(|m| play.play(m).ok());
            prop_assert!(chosen.is_some());
            prop_assert!(play.quiet() <= 100 && play.occurrences() <= 3);
        }
        let Some(outcome) = play.outcome() else {
            // Only Mū tōrere could go on for longer, and rarely does.
            prop_assert_eq!(play.game(), Game::MuTorere);
            return Ok(());
        };
        prop_assert!(play.game().endings().contains(&outcome.ending));
        prop_assert_eq!(outcome.totals.is_some(), play.game() == Game::Oware);
        prop_assert_eq!(play.legal(), []);
        let before = play.clone();
        for m in moves {
            prop_assert_eq!(play.play(m), Err(Illegal::GameOver));
        }
        prop_assert_eq!(play, before);
    }

    #[test]
    fn c_6_replaying_from_the_position_text_gives_the_same_moves(
        case in case(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
    ) {
        let mut play = case.play;
        for choice in choices {
            let moves = play.legal();
            if moves.is_empty() {
                break;
            }
            prop_assert!(play.play(moves[choice.index(moves.len())]).is_ok());
        }
        let fresh = begin(play.options(), &play.position().to_string());
        prop_assert_eq!(fresh.position(), play.position());
        if play.outcome().is_none() {
            prop_assert_eq!(fresh.legal(), play.legal());
        }
    }

    #[test]
    fn position_texts_are_written_as_they_are_read((game, text) in position_text()) {
        let position = Position::parse(game, &text);
        prop_assert_eq!(position.map(|p| p.to_string()), Ok(text));
    }

    #[test]
    fn a_changed_byte_is_refused_or_read_as_it_stands(
        (game, text) in position_text(),
        at in any::<prop::sample::Index>(),
        with in "[0-9,/ SN.xowbWB-]|\\PC",
    ) {
        let at = at.index(text.len());
        let text = format!("{}{with}{}", &text[..at], &text[at + 1..]);
        if let Ok(position) = Position::parse(game, &text) {
            prop_assert_eq!(position.to_string(), text);
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in ".*") {
        for &game in Game::ALL {
            let _ = Position::parse(game, &text);
            let _ = Move::parse(game, &text);
            let _ = game.default_options().set_text(&text);
        }
        let _ = text.parse::<Game>();
        let _ = text.parse::<Seat>();
    }

    #[test]
    fn a_text_made_of_move_characters_is_refused_or_written_the_same(text in "[a-h1-8cx-]{0,10}") {
        for &game in Game::ALL {
            if let Ok(m) = Move::parse(game, &text) {
                prop_assert_eq!(m.to_string(), text.as_str());
            }
        }
    }
}

#[test]
fn move_texts_are_read_as_they_are_written_and_order_the_moves() {
    for moves in [mu_torere::every_move(), oware::every_move(), morris::every_move()] {
        for &m in &moves {
            assert_eq!(Move::parse(m.game(), &m.to_string()), Ok(m));
        }
        assert!(moves.is_sorted());
        assert!(moves.is_sorted_by_key(ToString::to_string));
    }
}
