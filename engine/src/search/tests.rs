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

/// Plays moves separated by spaces.
fn play(play: &mut Play, moves: &str) {
    for m in moves.split(' ') {
        play.play(Move::parse(play.game(), m).unwrap()).unwrap();
    }
}

fn every_score(play: &Play, depth: u32) -> Vec<(String, Score)> {
    let limits = Limits { nodes: 100_000, depth, every_move: true };
    let moves = analyse(play, limits, Endgames::default(), |_| {}).moves;
    moves.into_iter().map(|valued| (valued.m.to_string(), valued.score)).collect()
}

#[test]
fn ow_8_a_repetition_in_the_line_shares_out_the_seeds() {
    // Each has one seed and one move; after twelve the position is back, and North has 25.
    let chase = game(Game::Oware, "1,0,0,0,0,0/1,0,0,0,0,0 22-24 S");
    let [(_, score)] = &every_score(&chase, 12)[..] else { panic!("one move") };
    assert!(score.is_lost() && score.plies() == Some(12), "{score}");
    let even = every_score(&game(Game::Oware, "1,0,0,0,0,0/1,0,0,0,0,0 23-23 S"), 12);
    assert_eq!(even[0].1, Score::DRAW);
}

#[test]
fn mm_9_a_third_occurrence_reaches_back_into_the_game() {
    // a7 a1 g7 g1 for white against five black pieces: behind, but the position can come back.
    let mut game = game(Game::Morris, "W.W..B.B.......B....BW.W b 0 0");
    let there_and_back = "d5-e5 a1-a4 e5-d5 a4-a1";
    play(&mut game, there_and_back);
    play(&mut game, "d5-e5 a1-a4 e5-d5");
    assert_eq!(game.outcome(), None);
    let scores = every_score(&game, 1);
    let of = |m: &str| scores.iter().find(|(text, _)| text == m).map(|&(_, score)| score);
    assert_eq!(of("a4-a1"), Some(Score::DRAW), "the third time");
    assert!(of("g1-d1") != Some(Score::DRAW));
}

#[test]
fn mm_10_the_limit_on_quiet_moves_is_seen() {
    let mut game = game(Game::Morris, "WB.W....B....W.....B.W.B w 0 0");
    let mut state = 1_u64;
    while game.quiet() < 99 {
        let quiet = game.legal().into_iter().filter(|&m| {
            let mut next = game.clone();
            !m.to_string().contains('x') && next.play(m).is_ok() && next.outcome().is_none()
        });
        let quiet: Vec<Move> = quiet.collect();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(state >> 33).unwrap() % quiet.len();
        game.play(quiet[at]).unwrap();
    }
    for (m, score) in every_score(&game, 3) {
        assert!(m.contains('x') || score == Score::DRAW, "{m} {score}");
    }
}

#[test]
fn the_hash_kept_up_move_by_move_is_that_of_the_position_read_afresh() {
    for &of in Game::ALL {
        let mut game = Play::new(of.default_options());
        let mut state = 7_u64;
        while game.outcome().is_none() && game.ply() < 200 {
            let moves = game.legal();
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            game.play(moves[usize::try_from(state >> 33).unwrap() % moves.len()]).unwrap();
            let fresh = Position::parse(of, &game.position().to_string()).unwrap();
            assert_eq!(node::mix(fresh.key()), node::mix(game.position().key()));
        }
    }
}

#[test]
fn no_more_nodes_are_looked_at_than_allowed() {
    for &of in &[Game::Oware, Game::Morris] {
        let play = Play::new(of.default_options());
        for nodes in [1, 500, 5_000, 50_000] {
            let limits = Limits { nodes, depth: 60, every_move: false };
            let analysis = analyse(&play, limits, Endgames::default(), |_| {});
            // The first look at every move comes in any case.
            assert!(analysis.nodes <= nodes.max(200), "{of} {nodes} {}", analysis.nodes);
            assert_eq!(analysis.moves.len(), play.legal().len());
        }
    }
}
