//! What a position text does not carry: how often the position has occurred, and how many quiet
//! moves came before it (C-6, MT-5, OW-8, OW-9,
//! MM-9, MM-10).

/// The positions since the last move that cannot be undone, and the count of quiet moves.
///
/// A position from before a capture cannot come back, since captured seeds are part of it (C-6),
/// and a piece that was placed does not return to the hand. So what came earlier is forgotten, and
/// OW-9 and MM-10 bound what is kept to 101 positions of 16 bytes.
/// In Mū tōrere nothing is ever final, but a third occurrence ends the game (MT-5), so that twice
/// the number of its positions is the most. Positions are kept packed but whole, not hashed: a
/// chance collision would end a staked match.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct History {
    seen: Vec<u128>,
    counts: Counts,
}

/// What the rules ask of a history.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    /// How often the current position has occurred, this time included (C-6).
    pub(crate) occurrences: u32,
    /// Consecutive quiet moves of both players (OW-9, MM-10).
    pub(crate) quiet: u32,
}

/// What a move means for the history.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// No earlier position can occur again. Otherwise the other player has the next move.
    pub(crate) is_final: bool,
    /// What becomes of the count of quiet moves.
    pub(crate) quiet: Quiet,
}

/// What a move does to the count of quiet moves (OW-9, MM-10).
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Quiet {
    /// It is one of them.
    Counts,
    /// It is not, and the count stays.
    Stays,
    /// It is not, and the count starts anew.
    Resets,
}

impl Step {
    /// A move that can be undone, in a game that counts no quiet moves.
    pub(crate) const MOVED: Step = Step { is_final: false, quiet: Quiet::Stays };
    /// A move that can be undone and counts as quiet.
    pub(crate) const QUIET: Step = Step { is_final: false, quiet: Quiet::Counts };
    /// A move that took something for good.
    pub(crate) const FINAL: Step = Step { is_final: true, quiet: Quiet::Resets };
}

impl History {
    /// A history that begins with the position packed in `key`, which counts as its first
    /// occurrence (C-6).
    pub(crate) fn starting_at(key: u128) -> History {
        History { seen: vec![key], counts: Counts { occurrences: 1, quiet: 0 } }
    }

    /// Adds the position after a move.
    pub(crate) fn record(&mut self, key: u128, step: Step) {
        if step.is_final {
            self.seen.clear();
        }
        self.counts = Counts { occurrences: occurrences(&self.seen, key), quiet: step.quiet.after(self.counts.quiet) };
        self.seen.push(key);
    }

    /// What the rules ask of it.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// The positions that can come back, the current one last.
    pub(crate) fn seen(&self) -> &[u128] {
        &self.seen
    }
}

/// How often the position occurred, now included, if `seen` are the positions before it since the
/// last final move.
pub(crate) fn occurrences(seen: &[u128], key: u128) -> u32 {
    // The players take turns as long as no move is final, so that only every other position has
    // the same player to move.
    let mine = seen.iter().rev().skip(1).step_by(2);
    mine.fold(1, |occurrences, &earlier| occurrences + u32::from(earlier == key))
}

impl Quiet {
    /// The count after a move of this kind.
    pub(crate) fn after(self, count: u32) -> u32 {
        match self {
            Quiet::Counts => count + 1,
            Quiet::Stays => count,
            Quiet::Resets => 0,
        }
    }
}

impl Clone for History {
    fn clone(&self) -> History {
        History { seen: self.seen.clone(), counts: self.counts }
    }

    /// Copies into the memory that `self` already has: perft and search copy a game per move.
    fn clone_from(&mut self, source: &History) {
        self.seen.clone_from(&source.seen);
        self.counts = source.counts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_6_occurrences_count_this_one_and_all_earlier_ones() {
        let mut history = History::starting_at(1);
        for (key, occurrences) in [(2, 1), (1, 2), (2, 2), (1, 3), (3, 1)] {
            history.record(key, Step::QUIET);
            assert_eq!(history.counts().occurrences, occurrences);
        }
        assert_eq!(history.counts().quiet, 5);
    }

    #[test]
    fn ow_9_a_capture_forgets_what_cannot_come_back() {
        let mut history = History::starting_at(1);
        history.record(2, Step::QUIET);
        history.record(3, Step::FINAL);
        assert_eq!(history, History::starting_at(3));
    }
}
