//! Races, 200 rounds each: whoever is let go at the same moment, one of them wins, the others are told by name, and
//! the books are right.

mod friends;
mod moves;
mod outcomes;
mod queue;
mod seeks;

/// How often each race is run.
const ROUNDS: u64 = 200;
