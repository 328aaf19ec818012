//! The page in a real browser: each test starts a server of its own and plays one script against it.
//!
//! The scripts, their people and their library are JavaScript, in `scenes/` and `lib/`. Whatever a page writes to the
//! console, throws, or asks of another host fails the script; pictures of that moment go to `target/tmp/browser`.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod scenes;
mod stage;
