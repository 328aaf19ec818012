//! A fault rehearsal: matches are played while a seeded script kills, pauses, cuts and slows what they are played on.
//!
//! `cargo run --release -p stakeboard-tests --bin rehearse -- --help` says what can be asked for; docs/reliability.md
//! says what is promised and what came out.
#![expect(clippy::unwrap_used, reason = "a rehearsal that can't set its stage has nothing to report")]

mod arguments;
mod checks;
mod faults;
mod pairs;
mod report;
mod stage;

use std::{process::ExitCode, time::Instant};

use clap::Parser as _;
use rand::{SeedableRng as _, rngs::SmallRng};

use crate::{arguments::Arguments, pairs::Pairs, report::Report, stage::Stage};

/// Set in the environment of a copy of this program that is to be a server.
pub const ROLE: &str = "REHEARSAL_ROLE";

fn main() -> ExitCode {
    if std::env::var(ROLE).as_deref() == Ok("server") {
        return stakeboard_server::cli::main();
    }
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let report = runtime.block_on(rehearse(&arguments));
    report.print(&arguments);
    if report.breaches.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn rehearse(arguments: &Arguments) -> Report {
    let mut dice = SmallRng::seed_from_u64(arguments.seed);
    let mut stage = Stage::set(arguments).await;
    let mut pairs = Pairs::sit_down(&stage, arguments).await;
    let began = Instant::now();
    let mut report = Report::default();
    println!("{} matches at once, a fault every {} s, seed {}", arguments.matches, arguments.every, arguments.seed);
    while began.elapsed() < arguments.duration() {
        tokio::time::sleep(arguments.pause(&mut dice)).await;
        let fault = faults::draw(&stage, &mut dice);
        let happened = faults::happen(fault, &mut stage, &pairs, &mut dice).await;
        println!("{:>6.1} s  {happened}", began.elapsed().as_secs_f64());
        report.happened(happened);
    }
    let played = pairs.stand_up().await;
    report.length = began.elapsed();
    checks::all(&mut stage, played, &mut report).await;
    stage.strike().await;
    report
}
