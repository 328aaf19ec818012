//! How many matches one machine carries, and what a move costs.
//!
//! `cargo run --release -p stakeboard-tests --bin load -- --help` says what can be asked for; docs/performance.md says
//! what is measured, how, and what came out.
#![expect(clippy::cast_precision_loss, reason = "figures of a report")]

mod arguments;
mod checks;
mod floor;
mod line;
mod pair;
mod people;
mod processes;
mod relay;
mod report;
mod run;
mod tally;
mod target;

use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;

/// As in the server's program, for it and for what it is compared with.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What a copy of this program that was started by it is to be; see [`relay`] and [`target`].
pub const ROLE: &str = "LOAD_ROLE";

fn main() -> ExitCode {
    match std::env::var(ROLE).as_deref() {
        Ok("server") => return stakeboard_server::cli::main(),
        Ok("relay") => return relay::serve(),
        _ => {}
    }
    let arguments = Arguments::parse();
    // One thread, as the server: a second one mostly wakes the first, and what the players take the server lacks.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let done = runtime.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run::run(&arguments)));
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("load: {error:#}");
            ExitCode::FAILURE
        }
    }
}
