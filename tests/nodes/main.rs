//! Several servers on one database.
//!
//! What has no need of a process of its own runs twice: over the bus inside one process, and over NATS.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod bus;
mod faults;
mod fencing;
mod limits;
mod line;
mod lobby;
mod logs;
mod play;
mod refusals;
mod support;

/// The server's program.
const SERVER: &str = env!("CARGO_BIN_EXE_server-under-test");
