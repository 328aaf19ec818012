//! Random bytes as a game: the first chooses game and options, each other one a move. The laws hold
//! all the way: what is listed is accepted, a finished game accepts nothing, and the position text
//! tells the whole position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stakeboard_engine::{Game, Illegal, Play, Position};

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, rest)) = bytes.split_first() else { return };
    let rulesets: Vec<_> = Game::ALL.iter().flat_map(|game| game.presets()).collect();
    let mut play = Play::new(rulesets[usize::from(first) % rulesets.len()].1);
    let mut last = None;
    for &byte in rest {
        let legal = play.legal();
        assert_eq!(legal.len(), play.legal_moves().len());
        assert_eq!(legal.is_empty(), play.outcome().is_some());
        assert!(legal.is_sorted());
        if legal.is_empty() {
            break;
        }
        let m = legal[usize::from(byte) % legal.len()];
        assert_eq!(play.judge(m), Ok(()));
        play.play(m).expect("a listed move is accepted");
        last = Some(m);
        let text = play.position().to_string();
        assert_eq!(Position::parse(play.game(), &text).as_ref(), Ok(play.position()));
    }
    if let (Some(_), Some(m)) = (play.outcome(), last) {
        let before = play.clone();
        assert_eq!(play.play(m), Err(Illegal::GameOver));
        assert_eq!(play, before);
    }
});
