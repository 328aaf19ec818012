//! What the tests of the whole service share: a real Postgres with a database for each test, servers in this process
//! and outside it, players with money, clients over HTTP and sockets.
#![expect(clippy::missing_panics_doc, reason = "a harness panics where a test fails")]
#![expect(clippy::unwrap_used, reason = "the same")]

pub mod client;
pub mod nats;
pub mod noise;
pub mod persistent;
pub mod play;
pub mod players;
pub mod postgres;
pub mod raw;
pub mod server;
pub mod socket;
pub mod webhook;

pub use client::{Answer, Client};
pub use nats::Nats;
pub use players::{Player, Registrar};
pub use postgres::{TestCluster, TestDatabase};
pub use raw::Line;
pub use server::{ServerProcess, TestServer};
pub use socket::Socket;
