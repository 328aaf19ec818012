//! What can be asked for on the command line.

use std::time::Duration;

use clap::Parser;
use rand::{Rng as _, rngs::SmallRng};

/// Matches are played while a seeded script kills, pauses, cuts and slows what they are played on. Fails on any breach
/// of what is promised.
#[derive(Clone, Debug, Parser)]
#[command(name = "rehearse")]
pub struct Arguments {
    /// For how long faults happen, in minutes; the last one is waited for, and what was played is looked up.
    #[arg(long, default_value_t = 3.0, value_parser = above_zero, allow_negative_numbers = true)]
    pub minutes: f64,
    /// How many servers share the matches. More than one need Debian's package nats-server.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub nodes: u32,
    /// Where the script and the players' dice begin: the same seed is the same script.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How many matches are played at once. Where one ends, its players begin another.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=2_000))]
    pub matches: u32,
    /// How long a player thinks about a move on average, in milliseconds.
    #[arg(long, default_value_t = 400)]
    pub think_ms: u64,
    /// How far apart faults are on average, in seconds, from everybody being served again.
    #[arg(long, default_value_t = 10.0, value_parser = above_zero, allow_negative_numbers = true)]
    pub every: f64,
}

/// A length of time: without one nothing would be rehearsed.
fn above_zero(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it has to be a number".to_owned())?;
    let is_usable = number > 0.0 && number <= 10_000.0;
    is_usable.then_some(number).ok_or_else(|| "it has to be above 0, and at most 10000".to_owned())
}

impl Arguments {
    /// For how long faults happen.
    pub fn duration(&self) -> Duration {
        Duration::from_secs_f64(self.minutes * 60.0)
    }

    /// The time to the next fault: half of the average to one and a half.
    pub fn pause(&self, dice: &mut SmallRng) -> Duration {
        let thousandths = u32::try_from(500 + dice.next_u64() % 1_000).unwrap();
        Duration::from_secs_f64(self.every) * thousandths / 1_000
    }
}
