//! Counts move sequences: `perft GAME DEPTH [option=value …]` prints a line `DEPTH COUNT` for each
//! depth from 1 to DEPTH.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use stakeboard_engine::{Game, Play, perft};

const USAGE: &str = "usage: perft GAME DEPTH [option=value ...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("perft: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The whole program, apart from where its arguments come from and its lines go.
pub fn run(arguments: &[String], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let [game, depth, settings @ ..] = arguments else {
        return Err(USAGE.into());
    };
    let game: Game = game.parse()?;
    let depth: u32 = match depth.parse() {
        Ok(depth) if depth >= 1 => depth,
        _ => return Err(format!("DEPTH must be a whole number from 1; {USAGE}").into()),
    };
    let mut options = game.default_options();
    for setting in settings {
        options.set_text(setting)?;
    }
    let play = Play::new(options);
    for depth in 1..=depth {
        writeln!(out, "{depth} {}", perft::perft(&play, depth))?;
        // A deep count takes long: show each line as soon as it is known, also through a pipe.
        out.flush()?;
    }
    Ok(())
}
