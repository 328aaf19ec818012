//! The interface, as the tools and programs of others see it.
#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

mod document;
mod scripts;
