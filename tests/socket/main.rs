//! Play over real sockets.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod matches;
