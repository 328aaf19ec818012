//! Online match server: authoritative games, clocks, stakes in escrow, all of it committed before it is shown.

pub mod admin;
pub mod app;
pub mod auth;
pub mod bus;
pub mod cli;
pub mod clock;
pub mod code;
pub mod config;
pub mod db;
mod demo;
pub mod http;
pub mod i18n;
pub mod idempotency;
pub mod ids;
pub mod ledger;
pub mod lifecycle;
pub mod lobby;
pub mod matches;
pub mod money;
pub mod players;
pub mod practice;
pub mod rate;
pub mod realtime;
pub mod rng;
pub mod role;
pub mod telemetry;
pub mod wallet;
