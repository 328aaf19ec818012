//! Replays game records from standard input, one JSON object a line, and prints each as the engine
//! finds it. With `--illegal` it judges one move a line instead and prints the reason.
//!
//! Stops at the first line that cannot be read or played, with exit status 1; the lines before it
//! have been printed.

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

use stakeboard_engine::{Judged, Record};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("replay: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let read: fn(&str) -> Result<String, Box<dyn Error>> = match arguments[..] {
        [] => replayed,
        ["--illegal"] => judged,
        _ => return Err("usage: replay [--illegal] < lines.jsonl".into()),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    for (at, line) in io::stdin().lock().lines().enumerate() {
        let number = at + 1;
        let line = line.map_err(|error| format!("line {number}: {error}"))?;
        if line.trim().is_empty() {
            continue;
        }
        match read(&line) {
            Ok(answer) => writeln!(out, "{answer}")?,
            Err(error) => {
                out.flush()?;
                return Err(format!("line {number}: {error}").into());
            }
        }
    }
    Ok(out.flush()?)
}

fn replayed(line: &str) -> Result<String, Box<dyn Error>> {
    Ok(serde_json::to_string(&Record::read(line)?)?)
}

fn judged(line: &str) -> Result<String, Box<dyn Error>> {
    Ok(serde_json::to_string(&Judged::read(line)?)?)
}
