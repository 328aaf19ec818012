//! Games, refusals and counts found by another implementation of the rules, in `tests/vectors` at
//! the top of the workspace.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, HashSet};
use std::fs;

use serde_json::Value;
use stakeboard_engine::endgame::OwareTable;
use stakeboard_engine::mu_torere::{self, Solution, Verdict};
use stakeboard_engine::{Game, Judged, Options, Play, Position, Record, oware, perft};

fn read(name: &str) -> String {
    let path = format!("{}/../tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every line is a record that the engine finds to be exactly so.
fn check_games(name: &str, count: usize) {
    let lines = read(name);
    for (at, line) in lines.lines().enumerate() {
        let record = Record::read(line).unwrap_or_else(|error| panic!("{name} line {}: {error}", at + 1));
        assert_eq!(serde_json::to_string(&record).unwrap(), line, "{name} line {}", at + 1);
    }
    assert_eq!(lines.lines().count(), count);
}

/// Every line is a move that the engine refuses for the same reason.
fn check_refusals(name: &str, count: usize) {
    let lines = read(name);
    for (at, line) in lines.lines().enumerate() {
        let judged = Judged::read(line).unwrap_or_else(|error| panic!("{name} line {}: {error}", at + 1));
        assert_eq!(serde_json::to_string(&judged).unwrap(), line, "{name} line {}", at + 1);
    }
    assert_eq!(lines.lines().count(), count);
}

#[test]
fn mu_torere_games_have_the_same_legal_moves_positions_and_outcomes() {
    check_games("mu_torere.jsonl", 102);
}

#[test]
fn mu_torere_refusals_give_the_same_reasons() {
    check_refusals("mu_torere_illegal.jsonl", 40);
}

#[test]
fn oware_games_have_the_same_legal_moves_positions_and_outcomes() {
    check_games("oware.jsonl", 380);
}

#[test]
fn oware_refusals_give_the_same_reasons() {
    check_refusals("oware_illegal.jsonl", 109);
}

#[test]
fn mu_torere_is_worth_the_same_in_every_position() {
    let all: Value = serde_json::from_str(&read("mu_torere_solved.json")).unwrap();
    let all = all.as_object().unwrap();
    for (text, value) in all {
        let verdict = match Solution::shared().verdict(mu_torere::Position::parse(text).unwrap()) {
            Verdict::Won { .. } => "win",
            Verdict::Drawn => "draw",
            Verdict::Lost { .. } => "loss",
        };
        assert_eq!(value, verdict, "{text}");
    }
    assert_eq!(all.len(), 1180);
}

#[test]
fn morris_games_have_the_same_legal_moves_positions_and_outcomes() {
    check_games("morris.jsonl", 124);
}

#[test]
fn morris_refusals_give_the_same_reasons() {
    check_refusals("morris_illegal.jsonl", 116);
}

/// The counts of a file with one starting position a line. Debug builds leave out long ones.
fn check_counts(name: &str) {
    for line in read(name).lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let game: Game = entry["game"].as_str().unwrap().parse().unwrap();
        let options = Options::from_json(game, &entry["options"]).unwrap();
        let start = Position::parse(game, entry["start"].as_str().unwrap()).unwrap();
        let play = Play::from_position(options, start).unwrap();
        for (depth, count) in entry["counts"].as_object().unwrap() {
            let count = count.as_u64().unwrap();
            if count <= MOST_SEQUENCES {
                assert_eq!(perft::perft(&play, depth.parse().unwrap()), count, "{start} depth {depth}");
            }
        }
    }
}

#[test]
fn mu_torere_sequences_are_as_many() {
    check_counts("perft_mu_torere.json");
}

#[test]
fn morris_sequences_are_as_many() {
    check_counts("perft_morris.json");
}

/// Sequences longer than this are left to a release build, where they take no time either.
const MOST_SEQUENCES: u64 = if cfg!(debug_assertions) { 30_000 } else { u64::MAX };

#[test]
fn oware_sequences_endings_and_positions_are_as_many() {
    let all: Value = serde_json::from_str(&read("perft_oware.json")).unwrap();
    for entry in all["oware"].as_array().unwrap() {
        let options = Options::from_json(Game::Oware, &entry["options"]).unwrap();
        let start = Position::parse(Game::Oware, entry["start"].as_str().unwrap()).unwrap();
        let play = Play::from_position(options, start).unwrap();
        let expected = |key: &str, depth: u32| entry[key][depth as usize - 1].as_u64();
        for depth in 1.. {
            let Some(sequences) = expected("sequences", depth) else {
                break;
            };
            if sequences > MOST_SEQUENCES {
                continue;
            }
            let context = format!("{start} {options:?} depth {depth}");
            assert_eq!(perft::perft(&play, depth), sequences, "{context}");
            let count = perft::count(&play, depth);
            assert_eq!(count.sequences, sequences, "{context}");
            assert_eq!(Some(count.ended), expected("ended", depth), "{context}");
            let mut positions = HashSet::new();
            perft::for_each_end(&play, depth, |end| {
                positions.insert(*end.position());
            });
            let positions = positions.len() as u64;
            assert_eq!(Some(positions), expected("positions", depth), "{context}");
        }
    }
}

#[test]
fn oware_sequences_from_the_start_are_the_known_ones() {
    let play = Play::new(Game::Oware.default_options());
    let counts: Vec<u64> = (0..=6).map(|depth| perft::perft(&play, depth)).collect();
    assert_eq!(counts, [1, 6, 36, 190, 1014, 5219, 27332]);
}

/// Every board with so many seeds, as the position text of first to move.
fn boards(seeds: usize) -> Vec<String> {
    fn fill(house: usize, left: usize, board: &mut [usize; 12], all: &mut Vec<String>) {
        if house == 11 {
            board[11] = left;
            let row = |houses: &[usize]| houses.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let (first, second) = board.split_at(6);
            let captured = 48 - board.iter().sum::<usize>();
            all.push(format!("{}/{} {}-{} S", row(first), row(second), captured / 2, captured.div_ceil(2)));
            return;
        }
        for here in 0..=left {
            board[house] = here;
            fill(house + 1, left - here, board, all);
        }
    }
    let mut all = Vec::new();
    fill(0, seeds, &mut [0; 12], &mut all);
    all
}

#[test]
fn oware_endgames_are_worth_the_same() {
    let most = if cfg!(debug_assertions) { 6 } else { 8 };
    let all: Value = serde_json::from_str(&read("oware_endgames.json")).unwrap();
    for entry in all["oware"].as_array().unwrap() {
        let options = Options::from_json(Game::Oware, &entry["options"]).unwrap();
        let Options::Oware(oware::Options { grand_slam }) = options else { unreachable!("options of Oware") };
        let seeds = entry["seeds"].as_u64().unwrap();
        if seeds > most {
            continue;
        }
        let table = OwareTable::build(grand_slam, u8::try_from(seeds).unwrap());
        let (mut moves, mut no_move) = (0, 0);
        let mut values = BTreeMap::new();
        let boards = boards(usize::try_from(seeds).unwrap());
        for text in &boards {
            let position = oware::Position::parse(text).unwrap();
            let play = Play::from_position(options, Position::Oware(position)).unwrap();
            moves += play.legal_moves().len() as u64;
            no_move += u64::from(play.legal_moves().len() == 0);
            *values.entry(table.get(&position).unwrap().value.to_string()).or_insert(0) += 1;
        }
        let context = format!("{grand_slam:?} {seeds}");
        assert_eq!(entry["positions"], boards.len(), "{context}");
        assert_eq!((&entry["moves"], &entry["no_move"]), (&moves.into(), &no_move.into()), "{context}");
        assert_eq!(entry["values"], serde_json::to_value(values).unwrap(), "{context}");
    }
}
