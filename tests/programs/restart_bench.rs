//! Measures how soon a server that was killed serves all of its matches again, and fails where that is not in time. Build it
//! for release, and leave the machine to it:
//!
//! `cargo run --release -p stakeboard-tests --bin restart-bench [MATCHES] [MOVES]`
#![expect(clippy::unwrap_used, reason = "a measurement fails where it panics")]

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use stakeboard_tests::{Client, Player, ServerProcess, TestCluster, play::a_whole_game, server::start_match};

/// Set in the environment of a copy of this program that is to be a server.
const ROLE: &str = "RESTART_BENCH_ROLE";

const SERVES_WITHIN: Duration = Duration::from_secs(5);
/// How often it is killed, and how often it is told to stop.
const ROUNDS: usize = 3;
/// How many players are served at once while matches are made.
const LANES: usize = 16;

/// A game that goes on for long: each move with the place of its player.
type Game = [(usize, String)];

/// A live match, with the one first who opens.
struct Live {
    id: String,
    players: [Player; 2],
}

fn main() -> ExitCode {
    if std::env::var(ROLE).as_deref() == Ok("server") {
        return stakeboard_server::cli::main();
    }
    let argument = |place, default| std::env::args().nth(place).map_or(default, |text| text.parse().unwrap());
    let (matches, moves) = (argument(1, 5_000), argument(2, 30));
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(measure(matches, moves))
}

async fn measure(count: usize, moves: usize) -> ExitCode {
    let long_enough = |game: &Vec<_>| game.len() > moves + ROUNDS * 2;
    let game = (0..1_000).map(|seed| a_whole_game(seed).0).find(long_enough).unwrap();
    let cluster = TestCluster::start().await;
    let program = std::env::current_exe().unwrap();
    let settings = [(ROLE, "server"), ("STAKEBOARD_LOG", "error"), ("STAKEBOARD_DATABASE_CONNECTIONS", "12")];
    let mut server = ServerProcess::on(cluster.database(), program.to_str().unwrap(), &settings).await;
    let began = Instant::now();
    let live: Vec<Live> =
        stream::iter(0..count).map(|_| begin(&server, &game[..moves])).buffer_unordered(LANES).collect().await;
    println!("{count} live matches of {moves} moves each, made in {:.0?}", began.elapsed());
    let mut worst = Duration::ZERO;
    for round in 0..ROUNDS * 2 {
        let killed = round < ROUNDS;
        if killed {
            server.kill();
        } else {
            server.signal(Signal::SIGTERM);
            server.wait().await;
        }
        let began = Instant::now();
        server.restart().await;
        server.client().get("/readyz").await.expect(200);
        let took = began.elapsed();
        println!("{}: serves again {took:.2?} after its start", if killed { "killed" } else { "stopped" });
        worst = worst.max(took);
        all_go_on(&server, &live, &game[..=moves + round], round).await;
    }
    server.registrar.verify_ledger().await;
    server.signal(Signal::SIGTERM);
    server.wait().await;
    let met = worst < SERVES_WITHIN;
    println!("at worst {worst:.2?} (limit {SERVES_WITHIN:?}){}", if met { "" } else { ": NOT MET" });
    if met { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A match between two new players after so many moves.
async fn begin(server: &ServerProcess, game: &Game) -> Live {
    let players = [server.registrar.player(500).await, server.registrar.player(500).await];
    let client = server.client();
    let terms = json!({"game": "oware", "stake": 500});
    let id = start_match(&client, &players[0], &players[1], &terms).await;
    let snapshot = client.get(&format!("/v1/matches/{id}")).await.expect(200).body;
    let [one, two] = players;
    let opens = snapshot["players"]["first"]["id"] == one.id.to_string();
    let live = Live { id, players: if opens { [one, two] } else { [two, one] } };
    for ply in 1..=game.len() {
        play(&client, &live, game, ply).await;
    }
    live
}

async fn play(client: &Client, live: &Live, game: &Game, ply: usize) {
    let (seat, text) = &game[ply - 1];
    let path = format!("/v1/matches/{}/moves", live.id);
    client.of(&live.players[*seat]).post(&path, &json!({"ply": ply, "move": text})).await.expect(200);
}

/// Every match has all of its moves, and its clock runs again; in some the next move of the game is made.
async fn all_go_on(server: &ServerProcess, live: &[Live], game: &Game, round: usize) {
    let client = server.client();
    let checks = stream::iter(live.iter().enumerate()).map(|(number, live)| {
        let client = &client;
        async move {
            let now = client.get(&format!("/v1/matches/{}", live.id)).await.expect(200).body;
            let goes_on = number % 100 == 0;
            let made = game.len() - 1 - if goes_on { 0 } else { round };
            assert_eq!((&now["ply"], &now["status"]), (&json!(made), &json!("live")), "{}", live.id);
            assert_ne!(now["clocks"]["running"], Value::Null, "{}", live.id);
            if goes_on {
                play(client, live, game, made + 1).await;
            }
        }
    });
    checks.buffer_unordered(LANES).collect::<Vec<()>>().await;
}
