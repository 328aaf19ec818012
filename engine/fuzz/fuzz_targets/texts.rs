//! Any text: read and written the same, or refused with an error that says where.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stakeboard_engine::bot::Level;
use stakeboard_engine::{Ending, Game, Move, ParseError, Position, Seat};

fn refused(text: &str, error: &ParseError) {
    assert!(error.byte().is_none_or(|byte| byte <= text.len()));
    // Forty characters of an unknown name, each escaped in ten, are the most that is repeated.
    assert!(error.to_string().len() < 600);
}

fuzz_target!(|text: &str| {
    for &game in Game::ALL {
        match Position::parse(game, text) {
            Ok(position) => assert_eq!(position.to_string(), text),
            Err(error) => refused(text, &error),
        }
        match Move::parse(game, text) {
            Ok(m) => assert_eq!(m.to_string(), text),
            Err(error) => refused(text, &error),
        }
        let mut options = game.default_options();
        if let Err(error) = options.set_text(text) {
            refused(text, &error);
            assert_eq!(options, game.default_options());
        }
    }
    if let Ok(game) = text.parse::<Game>() {
        assert_eq!(game.code(), text);
    }
    let _ = (text.parse::<Seat>(), text.parse::<Ending>(), text.parse::<Level>());
});
