//! Money: races, repeats, bad amounts, what the database itself refuses, and what the trial balance finds.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod amounts;
mod cancellation;
mod database;
mod fair_play;
mod forged;
mod idempotency;
mod ledger_search;
mod lost_commits;
mod model;
mod payments;
mod races;
mod ratings;
mod receipts;
mod rush;
mod seals;
mod staff_access;
mod staff_adjust;
mod staff_corrections;
mod staff_deletion;
mod staff_limits;
mod staff_players;
mod staff_reports;
mod staff_stops;
mod stakes;
mod storm;
mod support;
mod trial_balance;
mod verify;
mod wallet;
mod withdrawals;
