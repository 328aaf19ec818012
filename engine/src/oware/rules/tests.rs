//! Each rule of Oware by its id. Expected positions are sown by hand from the rule's words.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::{BySeat, Effects as AnyEffects, Move as AnyMove, Options as AnyOptions, Play};
use crate::{Game, Position as AnyPosition};
use GrandSlam::{CapturesAll, Forbidden, NoCapture};

mod ends;
mod grand_slam;
mod moves;

fn game(grand_slam: GrandSlam, position: &str) -> Play {
    let position = AnyPosition::parse(Game::Oware, position).unwrap();
    Play::from_position(AnyOptions::Oware(Options { grand_slam }), position).unwrap()
}

fn mv(letter: &str) -> AnyMove {
    AnyMove::parse(Game::Oware, letter).unwrap()
}

/// Plays the letters in turn and gives back what the last one did.
fn play(game: &mut Play, letters: &str) -> Effects {
    let effects = letters.chars().map(|c| game.play(mv(&c.to_string())).unwrap());
    let AnyEffects::Oware(last) = effects.last().unwrap() else { panic!("a game of Oware") };
    last
}

fn judged(game: &Play, letter: &str) -> Result<(), Illegal> {
    game.judge(mv(letter))
}

fn legal(game: &Play) -> String {
    game.legal_moves().map(|m| m.to_string()).collect()
}

fn captured(effects: &Effects) -> Vec<(char, u8)> {
    effects.captured().map(|(h, n)| (h.letter(), n)).collect()
}

fn ended(game: &Play) -> Option<(Option<Seat>, Ending, u8, u8)> {
    game.outcome().map(|outcome| {
        let totals = outcome.totals.unwrap();
        (outcome.winner, outcome.ending, totals.first, totals.second)
    })
}

/// Plays one letter from a position under a setting; the position afterwards.
fn after(grand_slam: GrandSlam, position: &str, letter: &str) -> String {
    let mut game = game(grand_slam, position);
    play(&mut game, letter);
    game.position().to_string()
}

const FIRST: Option<Seat> = Some(Seat::First);
const SECOND: Option<Seat> = Some(Seat::Second);
