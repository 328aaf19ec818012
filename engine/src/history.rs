//! What a position text does not carry: how often the position has occurred, and how long
//! nothing has been captured (C-6, OW-8, OW-9).

/// The positions since the last move that cannot be undone, and the count of moves since then.
///
/// A position from before a capture cannot come back, since captured seeds are part of it (C-6).
/// So what came earlier is forgotten, and OW-9 bounds what is kept to 101 positions of 16 bytes.
/// Positions are kept packed but whole, not hashed: a chance collision would end a staked match.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct History {
    seen: Vec<u128>,
    occurrences: u32,
    quiet: u32,
}

impl History {
    /// A history that begins with the position packed in `key`, which counts as its first
    /// occurrence (C-6).
    pub(crate) fn starting_at(key: u128) -> History {
        History { seen: vec![key], occurrences: 1, quiet: 0 }
    }

    /// Adds the position after a move. `captured`: the move took something off the board.
    pub(crate) fn record(&mut self, key: u128, captured: bool) {
        if captured {
            self.seen.clear();
            self.quiet = 0;
        } else {
            self.quiet += 1;
        }
        self.occurrences = 1;
        for &earlier in &self.seen {
            self.occurrences += u32::from(earlier == key);
        }
        self.seen.push(key);
    }

    /// How often the current position has occurred, this time included (C-6).
    pub(crate) fn occurrences(&self) -> u32 {
        self.occurrences
    }

    /// Consecutive moves of both players without a capture (OW-9).
    pub(crate) fn quiet(&self) -> u32 {
        self.quiet
    }
}

impl Clone for History {
    fn clone(&self) -> History {
        History { seen: self.seen.clone(), occurrences: self.occurrences, quiet: self.quiet }
    }

    /// Copies into the memory that `self` already has: perft and search copy a game per move.
    fn clone_from(&mut self, source: &History) {
        self.seen.clone_from(&source.seen);
        self.occurrences = source.occurrences;
        self.quiet = source.quiet;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_6_occurrences_count_this_one_and_all_earlier_ones() {
        let mut history = History::starting_at(1);
        for (key, occurrences) in [(2, 1), (1, 2), (2, 2), (1, 3), (3, 1)] {
            history.record(key, false);
            assert_eq!(history.occurrences(), occurrences);
        }
        assert_eq!(history.quiet(), 5);
    }

    #[test]
    fn ow_9_a_capture_forgets_what_cannot_come_back() {
        let mut history = History::starting_at(1);
        history.record(2, false);
        history.record(3, true);
        assert_eq!(history, History::starting_at(3));
    }
}
