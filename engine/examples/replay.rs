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
    let mut out = BufWriter::new(io::stdout().lock());
    let result = run(&arguments, io::stdin().lock(), &mut out);
    // The lines before a refused one are printed too, so the buffer is written in any case.
    let flushed = out.flush();
    match result.and_then(|()| Ok(flushed?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("replay: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The whole program, apart from where its arguments and lines come from and go. What was written
/// before an error is whole lines, and is for the caller to keep.
pub fn run(arguments: &[String], input: impl BufRead, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let read: fn(&str) -> Result<String, Box<dyn Error>> = match arguments[..] {
        [] => replayed,
        ["--illegal"] => judged,
        _ => return Err("usage: replay [--illegal] < lines.jsonl".into()),
    };
    for (at, line) in input.lines().enumerate() {
        let answer = match line {
            Ok(line) if line.trim().is_empty() => continue,
            Ok(line) => read(&line),
            Err(error) => Err(error.into()),
        };
        let answer = answer.map_err(|error| format!("line {}: {error}", at + 1))?;
        writeln!(out, "{answer}")?;
    }
    Ok(())
}

fn replayed(line: &str) -> Result<String, Box<dyn Error>> {
    Ok(serde_json::to_string(&Record::read(line)?)?)
}

fn judged(line: &str) -> Result<String, Box<dyn Error>> {
    Ok(serde_json::to_string(&Judged::read(line)?)?)
}
