//! The server as a process: killed, stopped, started anew, and left alone by its database.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod clocks;
mod database;
mod flags;
mod kills;
mod memory;
mod one_match;
mod outages;
mod private;
mod scene;
mod standstill;
mod starts;
mod stepped_clock;
mod stops;
mod support;
mod upgrade;

/// The server's program.
const SERVER: &str = env!("CARGO_BIN_EXE_server-under-test");
