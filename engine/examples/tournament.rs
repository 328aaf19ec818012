//! Plays the levels against each other: `tournament [GAMES [OTHERS [NODES [GAME …]]]]` plays GAMES
//! (400) games a pairing under each game's default preset and OTHERS (100) under its other ones,
//! with at most NODES positions a move, and prints a line a pairing as a Markdown table.

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use stakeboard_engine::bot::{self, Level};
use stakeboard_engine::{Game, Move, Options, Play, Seat};

/// A level, or a player who moves at random.
type Player = Option<Level>;

const PAIRINGS: [(Player, Player); 3] =
    [(Some(Level::Hard), Some(Level::Medium)), (Some(Level::Medium), Some(Level::Easy)), (Some(Level::Easy), None)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tournament: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let number = |at: usize, default| arguments.get(at).map_or(Ok(default), |text| text.parse::<u64>());
    let (games, others, nodes) = (number(0, 400)?, number(1, 100)?, number(2, 60_000)?);
    let chosen: Vec<Game> = arguments.iter().skip(3).map(|code| code.parse()).collect::<Result<_, _>>()?;
    println!("| game | preset | pairing | games | won | drawn | lost | score | slowest move |");
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for &game in Game::ALL {
        if !chosen.is_empty() && !chosen.contains(&game) {
            continue;
        }
        for (at, &(preset, options)) in game.presets().iter().enumerate() {
            for pairing in PAIRINGS {
                let games = if at == 0 { games } else { others };
                println!("| {game} | {preset} | {}", Tally::of(options, pairing, games, nodes));
            }
        }
    }
    Ok(())
}

/// The results of the first of a pair.
#[derive(Default)]
struct Tally {
    pairing: String,
    won: u64,
    drawn: u64,
    lost: u64,
    slowest: Duration,
}

impl Tally {
    fn of(options: Options, (one, other): (Player, Player), games: u64, nodes: u64) -> Tally {
        let name = |player: Player| player.map_or("random", Level::code);
        let mut tally = Tally { pairing: format!("{} – {}", name(one), name(other)), ..Tally::default() };
        for n in 0..games {
            let seat = if n % 2 == 0 { Seat::First } else { Seat::Second };
            let winner = tally.play(options, seat, [one, other], nodes, n);
            match winner {
                None => tally.drawn += 1,
                Some(winner) if winner == seat => tally.won += 1,
                Some(_) => tally.lost += 1,
            }
        }
        tally
    }

    /// Plays a game with the first of two players at a seat; gives back the winner.
    fn play(&mut self, options: Options, seat: Seat, [one, other]: [Player; 2], nodes: u64, n: u64) -> Option<Seat> {
        let mut dice = dice(n);
        let mut play = Play::new(options);
        loop {
            if let Some(outcome) = play.outcome() {
                return outcome.winner;
            }
            let player = if play.to_move() == seat { one } else { other };
            let started = Instant::now();
            let m = choose(&play, player, nodes, &mut dice);
            self.slowest = self.slowest.max(started.elapsed());
            assert!(m.is_some_and(|m| play.play(m).is_ok()), "a player makes a legal move");
        }
    }
}

fn choose(play: &Play, player: Player, nodes: u64, dice: &mut impl FnMut() -> u64) -> Option<Move> {
    let Some(level) = player else {
        let mut moves = play.legal_moves();
        let at = (u128::from(dice()) * moves.len() as u128) >> 64;
        return moves.nth(usize::try_from(at).unwrap_or(0));
    };
    bot::choose(play, level, nodes, dice)
}

/// Numbers that look random, the same for the same seed (`SplitMix64`).
fn dice(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed.wrapping_mul(0xd1b5_4a32_d192_ed03);
    move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { pairing, won, drawn, lost, slowest } = self;
        let games = won + drawn + lost;
        // In tenths of a percent; a draw is half a point.
        let score = (2 * won + drawn) * 500 / games.max(1);
        write!(f, "{pairing} | {games} | {won} | {drawn} | {lost} | ")?;
        write!(f, "{}.{} % | {} ms |", score / 10, score % 10, slowest.as_millis())
    }
}
