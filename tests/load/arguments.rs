//! What can be asked for on the command line.

use std::time::Duration;

use clap::Parser;
use stakeboard_engine::Game;

/// Matches at once over real sockets, both sides playing random legal moves for real stakes.
#[derive(Clone, Debug, Parser)]
#[command(name = "load")]
pub struct Arguments {
    /// How many matches are played at once. Where one ends, its players begin another.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub matches: u32,
    /// How long is measured, in seconds, once all matches are under way.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// A server that runs already, as http://host:port. Without it one is started on a private Postgres.
    #[arg(long)]
    pub url: Option<String>,
    /// The game: `oware`, `morris` or `mu_torere`, with its default rules.
    #[arg(long, default_value = "oware")]
    pub game: Game,
    /// How long a player thinks about a move on average, in milliseconds: half of it to one and a half.
    #[arg(long, default_value_t = 0)]
    pub think_ms: u64,
    /// Whether the two limits, a bare relay and a bare loop of inserts, are measured in the same run.
    #[arg(long, default_value_t = true, action = clap::ArgAction::Set)]
    pub limits: bool,
    /// Where the dice of the players begin.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Arguments {
    /// How long is measured.
    pub fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds)
    }

    /// How long each limit is measured: long enough to be steady, short beside the run.
    pub fn limit_duration(&self) -> Duration {
        Duration::from_secs(self.seconds.clamp(1, 8))
    }
}
