//! Playing for nothing: practice against a bot, in memory only, and streaks of Mū tōrere, which save their score.

mod analysis;
mod bots;
mod guard;
mod sandbox;
mod sessions;
mod streaks;
mod tables;

pub use analysis::{AnalysisError, PlyAnalysis, Worth, analyse_match};
pub use bots::Bots;
pub use guard::{GuardError, refuse_play, refuse_while_staked};
pub use sandbox::{Sandbox, SandboxError, SandboxSettings, keep_playing};
pub use sessions::{Level, NewPractice, Practice, PracticeError, PracticeSettings, PracticeView};
pub use streaks::{BestRun, StreakError, StreakMove, StreakView, Streaks};
pub use tables::Tables;
