//! Playing for nothing: practice against bots, and streaks of Mū tōrere.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod analysis;
mod sandbox;
mod sessions;
mod streaks;
