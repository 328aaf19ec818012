//! The transposition table: what was found out about positions that lines of moves share.

/// What a stored value says of the true one.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// What is known of a position.
#[derive(Copy, Clone)]
pub(super) struct Entry {
    hash: u64,
    /// The best move as a number, or [`NO_MOVE`].
    pub(super) best: u32,
    value: i16,
    pub(super) depth: i8,
    pub(super) bound: Bound,
}

/// Stands for no move: no packed move has all bits set.
pub(super) const NO_MOVE: u32 = u32::MAX;

impl Entry {
    pub(super) fn value(&self) -> i32 {
        i32::from(self.value)
    }
}

const EMPTY: Entry = Entry { hash: 0, best: NO_MOVE, value: 0, depth: i8::MIN, bound: Bound::AtLeast };

/// A table of a fixed number of entries of 16 bytes, a power of two. An entry that was searched
/// less deeply gives way to any other, and of two places the second gives way to all.
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table for a search of so many nodes.
    pub(super) fn for_nodes(nodes: u64) -> Table {
        let entries = usize::try_from(nodes).unwrap_or(usize::MAX).clamp(1 << 10, 1 << 20).next_power_of_two();
        Table { entries: vec![EMPTY; entries] }
    }

    fn place(&self, hash: u64) -> usize {
        usize::try_from(hash >> 1).unwrap_or_default() & (self.entries.len() - 1) & !1
    }

    pub(super) fn get(&self, hash: u64) -> Option<Entry> {
        let place = self.place(hash);
        self.entries[place..place + 2].iter().find(|entry| entry.hash == hash).copied()
    }

    pub(super) fn put(&mut self, hash: u64, best: u32, value: i32, depth: i32, bound: Bound) {
        let place = self.place(hash);
        let depth = i8::try_from(depth).unwrap_or(i8::MAX);
        let value = i16::try_from(value).unwrap_or(i16::MAX);
        let first = &mut self.entries[place];
        let at = if first.hash == hash || first.depth <= depth { place } else { place + 1 };
        self.entries[at] = Entry { hash, best, value, depth, bound };
    }
}
