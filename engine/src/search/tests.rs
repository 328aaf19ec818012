//! What the search must see.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::endgame::{Endgames, OwareTable};
use crate::oware::GrandSlam;
use crate::{Game, Move, Play, Position};

fn game(game: Game, position: &str) -> Play {
    let position = Position::parse(game, position).unwrap();
    Play::from_position(game.default_options(), position).unwrap()
}

fn best(play: &Play, depth: u32) -> (String, Score) {
    let limits = Limits { nodes: 200_000, depth, every_move: false };
    let best = analyse(play, limits, Endgames::default(), |_| {}).moves[0];
    (best.m.to_string(), best.score)
}

#[test]
fn a_winning_capture_is_seen() {
    let (m, score) = best(&game(Game::Oware, "0,0,0,0,0,1/2,6,0,0,0,0 22-17 S"), 1);
    assert_eq!((m.as_str(), score.plies()), ("F", Some(1)));
    assert!(score.is_won());
}

#[test]
fn a_mill_that_reduces_the_rival_is_seen() {
    let (m, score) = best(&game(Game::Morris, "W.B....B.W....B.....W... w 0 0"), 1);
    assert!(m.starts_with("f2-a1x"), "{m}");
    assert!(score.is_won() && score.plies() == Some(1));
}

#[test]
fn more_depth_needs_more_nodes_and_the_same_search_is_the_same() {
    for &of in Game::ALL {
        let play = Play::new(of.default_options());
        let analysis =
            |depth| analyse(&play, Limits { nodes: u64::MAX, depth, every_move: false }, Endgames::default(), |_| {});
        assert_eq!(analysis(4), analysis(4));
        if of != Game::MuTorere {
            assert!(analysis(5).nodes > analysis(3).nodes);
        }
        assert_eq!(analysis(2).moves.len(), play.legal().len());
    }
}

#[test]
fn the_order_decides_between_equal_moves() {
    let play = Play::new(Game::Morris.default_options());
    let limits = Limits { nodes: 10_000, depth: 1, every_move: true };
    let first = analyse(&play, limits, Endgames::default(), |_| {}).moves;
    let last = analyse(&play, limits, Endgames::default(), <[Move]>::reverse).moves;
    assert_eq!(first[0].score, last[0].score);
    assert_ne!(first[0].m, last[0].m);
}

#[test]
fn a_table_is_looked_into_at_the_horizon() {
    let play = game(Game::Oware, "0,1,0,1,0,1/0,1,0,0,2,0 21-21 S");
    let limits = Limits { nodes: 100_000, depth: 1, every_move: true };
    let table = OwareTable::build(GrandSlam::NoCapture, 6);
    let with = |oware| analyse(&play, limits, Endgames { oware, morris: None }, |_| {});
    assert_ne!(with(None), with(Some(&table)));
    let other = OwareTable::build(GrandSlam::Forbidden, 6);
    assert_eq!(with(None), with(Some(&other)));
}
