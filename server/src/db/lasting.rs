//! Work that is done again and again, and fails for as long as the database or the bus is down.

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

    /// It was tried. Whether that was written down for the operator.
    pub fn tried<T, E: Display>(&mut self, result: &Result<T, E>) -> bool {
        let changed = self.is_failing != result.is_err();
        self.is_failing = result.is_err();
        match result {
            Err(error) if changed => tracing::warn!(%error, "{}", self.fails),
            Err(error) => tracing::debug!(%error, "{}", self.fails),
            Ok(_) if changed => tracing::info!("{}", self.works),
            Ok(_) => {}
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_when_it_begins_and_when_it_ends() {
        let mut lasting = Lasting::new("it fails", "it works");
        let told = [Ok(()), Err("down"), Err("down"), Err("refused"), Ok(()), Ok(()), Err("down")]
            .map(|tried| lasting.tried(&tried));
        assert_eq!(told, [false, true, false, false, true, false, true]);
    }
}
