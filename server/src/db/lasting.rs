//! Work on the database that is done again and again, and what is told of it when that has trouble.

use std::fmt::Display;

/// What is tried again and again: told when it begins to fail and when it works again, and not at each try between, so
/// that an outage is a line and not a flood of them.
#[derive(Debug)]
pub struct Lasting {
    what: &'static str,
    fails: bool,
}

impl Lasting {
    /// For work that is called so.
    pub fn of(what: &'static str) -> Self {
        Self { what, fails: false }
    }

    /// Takes note of what a try came to. Whether that was told.
    pub fn tell<T, E: Display>(&mut self, tried: &Result<T, E>) -> bool {
        let changed = self.fails != tried.is_err();
        self.fails = tried.is_err();
        match tried {
            Err(error) if changed => {
                tracing::warn!(%error, work = self.what, "{} fails; it is tried again until it works", self.what);
            }
            Err(error) => tracing::debug!(%error, work = self.what, "{} still fails", self.what),
            Ok(_) if changed => tracing::info!(work = self.what, "{} works again", self.what),
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
        let mut lasting = Lasting::of("the sweep");
        let told = [Ok(()), Err("down"), Err("down"), Err("refused"), Ok(()), Ok(()), Err("down")]
            .map(|tried| lasting.tell(&tried));
        assert_eq!(told, [false, true, false, false, true, false, true]);
    }
}
