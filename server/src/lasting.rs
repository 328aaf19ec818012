//! Work that is done again and again, and fails for as long as something else is down.

use std::fmt::Display;

/// Writes down when such work begins to fail, and when it succeeds again; not each time that it was tried in between.
#[derive(Debug)]
pub struct Lasting {
    fails: &'static str,
    works: &'static str,
    is_failing: bool,
}

impl Lasting {
    /// Work that has not failed yet, with what is written of it.
    pub fn new(fails: &'static str, works: &'static str) -> Self {
        Self { fails, works, is_failing: false }
    }

    /// It was tried.
    pub fn tried<T, E: Display>(&mut self, result: &Result<T, E>) {
        match result {
            Err(error) if !self.is_failing => tracing::warn!(%error, "{}", self.fails),
            Ok(_) if self.is_failing => tracing::info!("{}", self.works),
            _ => {}
        }
        self.is_failing = result.is_err();
    }
}
