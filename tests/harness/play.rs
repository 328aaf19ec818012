//! Playing matches to their end with random legal moves.

use std::net::SocketAddr;

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_engine::{BySeat, Game, Move, Options, Play, Seat};
use stakeboard_server::matches::events::EffectsView;

use crate::{Player, Socket};

/// A number below `count`, by chance.
pub fn pick(dice: &mut SmallRng, count: usize) -> usize {
    usize::try_from(dice.next_u64() % count as u64).unwrap()
}

/// Plays one side of a match to its end over a socket. Gives the `ended` event and the `seq` of every event seen.
pub async fn play_side(address: SocketAddr, match_id: &str, player: &Player, seed: u64) -> (Value, Vec<u64>) {
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut socket = Socket::open(address, &player.token).await;
    let snapshot = socket.watch(match_id).await;
    let seat = seat_of(&snapshot, player);
    let mut seen = vec![snapshot["seq"].as_u64().unwrap()];
    let mut turn = turn_of(&snapshot, snapshot["ply"].as_u64().unwrap());
    if snapshot["status"] == "ended" {
        return (json!({"outcome": snapshot["outcome"]}), seen);
    }
    loop {
        if let Some((to_move, ply, legal)) = turn.take()
            && to_move == seat
        {
            let text = legal[pick(&mut dice, legal.len())].as_str().unwrap().to_owned();
            let answer = socket.play(match_id, ply + 1, &text).await;
            assert_eq!(answer["type"], "ok", "{answer}");
        }
        let event = socket.next().await;
        if event["match"] == match_id
            && let Some(seq) = event["seq"].as_u64()
        {
            seen.push(seq);
        }
        match event["type"].as_str() {
            Some("moved") => turn = turn_of(&event, event["ply"].as_u64().unwrap()),
            Some("ended") => return (event, seen),
            _ => {}
        }
    }
}

/// A whole game of Oware by chance: each move with the place of its player, and apart from them the one that ends it.
pub fn a_whole_game(seed: u64) -> (Vec<(usize, String)>, (usize, String)) {
    let mut dice = SmallRng::seed_from_u64(seed);
    let mut play = Play::new(Game::Oware.default_options());
    let mut moves = Vec::new();
    while play.outcome().is_none() {
        let legal = play.legal();
        let the_move = legal[pick(&mut dice, legal.len())];
        moves.push((usize::from(play.to_move() == Seat::Second), the_move.to_string()));
        play.play(the_move).unwrap();
    }
    let last = moves.pop().unwrap();
    (moves, last)
}

/// Which seat of a match a player has.
pub fn seat_of(snapshot: &Value, player: &Player) -> String {
    let first = snapshot["players"]["first"]["id"] == player.id.to_string();
    if first { "first" } else { "second" }.to_owned()
}

/// Whose turn it is, how many moves have been made, and what can be played.
fn turn_of(state: &Value, ply: u64) -> Option<(String, u64, Vec<Value>)> {
    let to_move = state["to_move"].as_str()?.to_owned();
    Some((to_move, ply, state["legal"].as_array()?.clone()))
}

/// Plays the recorded moves in the engine and demands what is recorded: legal moves, positions, and, where the
/// board decided, the outcome. Gives the number of moves.
pub fn replay(record: &Value) -> usize {
    let game: Game = record["game"].as_str().unwrap().parse().unwrap();
    let options = Options::from_json(game, &record["options"]).unwrap();
    let mut play = Play::new(options);
    assert_eq!(play.position().to_string(), record["start"].as_str().unwrap());
    let plies = record["plies"].as_array().unwrap();
    for ply in plies {
        let legal: Vec<String> = play.legal().iter().map(ToString::to_string).collect();
        assert_eq!(json!(legal), ply["legal"]);
        assert_eq!(ply["by"], play.to_move().code());
        let done = play.play(Move::parse(game, ply["move"].as_str().unwrap()).unwrap()).unwrap();
        for (name, effect) in serde_json::to_value(EffectsView::from(done)).unwrap().as_object().unwrap() {
            assert_eq!(&ply[name], effect, "{name}");
        }
        assert_eq!(play.position().to_string(), ply["after"].as_str().unwrap());
    }
    if let Some(outcome) = play.outcome() {
        let mut expected = json!({"winner": outcome.winner.map(Seat::code), "ending": outcome.ending.code()});
        if let Some(BySeat { first, second }) = outcome.totals {
            expected["first"] = first.into();
            expected["second"] = second.into();
        }
        assert_eq!(record["outcome"], expected);
    }
    plies.len()
}
