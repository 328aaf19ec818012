//! Endgames of Oware: how the seeds left on the board are shared with best play.

use crate::ParseError;
use crate::oware::{self, GrandSlam, HOUSES, Options, Position};

#[cfg(test)]
mod tests;

/// What is being read, in errors.
const READING: &str = "an Oware endgame table";
/// The most seeds that a table can hold: values must fit their bytes, and positions memory.
const MOST_SEEDS: u8 = 20;
/// What a table's bytes begin with; the last byte is the version of the format.
const MAGIC: [u8; 4] = *b"OWT\x01";
/// In an entry: the value is proven.
const PROVEN: u8 = 0x80;
/// In an entry: what is added to the value.
const OFFSET: i8 = 64;

/// What a table knows of a position.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// How many of the seeds on the board the player to move gets more than the rival, with best
    /// play of both, if playing on for ever is worth nothing to either.
    pub value: i8,
    /// Whether both can force it. Otherwise one of them must lean on repetition, which by OW-8
    /// shares out the rows as they then stand, and may do better or worse.
    pub is_proven: bool,
}

/// Every position with up to so many seeds on the board, under one setting for grand slams.
///
/// Captured seeds are left aside, and with them the end by majority (OW-6), which never changes
/// the winner; so is the limit of OW-9.
#[derive(Clone, PartialEq, Eq)]
pub struct OwareTable {
    grand_slam: GrandSlam,
    /// By seeds, then by place: what is known.
    entries: Vec<Vec<u8>>,
}

impl OwareTable {
    /// Works out a table. With 12 seeds it takes seconds and, while it is built, some 100 MB.
    ///
    /// # Panics
    /// With more than 20 seeds.
    #[must_use]
    pub fn build(grand_slam: GrandSlam, seeds: u8) -> OwareTable {
        assert!(seeds <= MOST_SEEDS, "a table of {seeds} seeds is too large");
        let mut layers: Vec<Layer> = Vec::new();
        for seeds in 0..=seeds {
            let layer = Layer::build(Options { grand_slam }, seeds, &layers);
            layers.push(layer);
        }
        let entries = layers.iter().map(Layer::entries).collect();
        OwareTable { grand_slam, entries }
    }

    /// The setting for which it holds.
    #[must_use]
    pub fn grand_slam(&self) -> GrandSlam {
        self.grand_slam
    }

    /// The most seeds on the board that it knows of.
    #[must_use]
    pub fn seeds(&self) -> u8 {
        u8::try_from(self.entries.len() - 1).unwrap_or(MOST_SEEDS)
    }

    /// What is known of a position; none with too many seeds on the board.
    #[must_use]
    pub fn get(&self, position: &Position) -> Option<Known> {
        let houses = position.seen_by_mover();
        let seeds: u8 = houses.iter().sum();
        let layer = self.entries.get(usize::from(seeds))?;
        let entry = layer[Places::shared().place(&houses, seeds)];
        let value = i8::try_from(entry & !PROVEN).unwrap_or(0) - OFFSET;
        Some(Known { value, is_proven: entry & PROVEN != 0 })
    }

    /// The table as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let setting = GrandSlam::ALL.iter().position(|&setting| setting == self.grand_slam);
        let mut bytes = MAGIC.to_vec();
        bytes.push(setting.and_then(|at| u8::try_from(at).ok()).unwrap_or(0));
        bytes.push(self.seeds());
        bytes.extend(self.entries.iter().flatten());
        bytes
    }

    /// Reads what [`OwareTable::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes of another kind, version or length, and entries that cannot be. That the values are
    /// right is not checked: keep a checksum where the bytes could change.
    pub fn from_bytes(bytes: &[u8]) -> Result<OwareTable, ParseError> {
        let Some(rest) = bytes.strip_prefix(&MAGIC) else {
            return Err(ParseError::at(READING, "its first four bytes, OWT and version 1", 0));
        };
        let &[setting, seeds, ref rest @ ..] = rest else {
            return Err(ParseError::at(READING, "a setting and a number of seeds", MAGIC.len()));
        };
        let grand_slam = GrandSlam::ALL.get(usize::from(setting)).copied();
        let grand_slam = grand_slam.ok_or_else(|| ParseError::at(READING, "a setting from 0 to 2", 4))?;
        if seeds > MOST_SEEDS {
            return Err(ParseError::at(READING, format!("at most {MOST_SEEDS} seeds"), 5));
        }
        let mut entries = Vec::new();
        let mut at = 0;
        for seeds in 0..=seeds {
            let count = Places::shared().count(seeds);
            let Some(layer) = rest.get(at..at + count) else {
                return Err(ParseError::whole(READING, format!("{count} entries for {seeds} seeds")));
            };
            let can_be = |&entry: &u8| (entry & !PROVEN).abs_diff(OFFSET.unsigned_abs()) <= seeds;
            if let Some(wrong) = layer.iter().position(|entry| !can_be(entry)) {
                return Err(ParseError::at(READING, format!("a value of {seeds} seeds"), 6 + at + wrong));
            }
            entries.push(layer.to_vec());
            at += count;
        }
        if at != rest.len() {
            return Err(ParseError::at(READING, "the end of the bytes", 6 + at));
        }
        Ok(OwareTable { grand_slam, entries })
    }
}

/// The numbering of boards: of those with the same seeds, in the order of their first house, then
/// of their second, and so on.
struct Places {
    /// By house, seeds from that house on, and seeds in it: how many boards with fewer in it.
    before: Vec<[[u32; MOST_SEEDS as usize + 1]; MOST_SEEDS as usize + 1]>,
    /// By houses and seeds: how many boards.
    boards: [[u32; MOST_SEEDS as usize + 1]; HOUSES + 1],
}

impl Places {
    fn shared() -> &'static Places {
        static SHARED: std::sync::LazyLock<Places> = std::sync::LazyLock::new(Places::build);
        &SHARED
    }

    fn build() -> Places {
        let most = usize::from(MOST_SEEDS);
        let mut boards = [[0; MOST_SEEDS as usize + 1]; HOUSES + 1];
        boards[0][0] = 1;
        for houses in 1..=HOUSES {
            for seeds in 0..=most {
                boards[houses][seeds] = (0..=seeds).map(|rest| boards[houses - 1][rest]).sum();
            }
        }
        let mut before = vec![[[0; MOST_SEEDS as usize + 1]; MOST_SEEDS as usize + 1]; HOUSES];
        for (house, before) in before.iter_mut().enumerate() {
            for (left, before) in before.iter_mut().enumerate() {
                for here in 1..=left {
                    before[here] = before[here - 1] + boards[HOUSES - 1 - house][left - (here - 1)];
                }
            }
        }
        Places { before, boards }
    }

    fn count(&self, seeds: u8) -> usize {
        self.boards[HOUSES][usize::from(seeds)] as usize
    }

    fn place(&self, houses: &[u8; HOUSES], seeds: u8) -> usize {
        let mut left = usize::from(seeds);
        let mut place = 0;
        for (before, &here) in self.before.iter().zip(houses) {
            place += before[left][usize::from(here)];
            left -= usize::from(here);
        }
        place as usize
    }
}

/// The board after `houses` in the numbering; false after the last one.
fn advance(houses: &mut [u8; HOUSES]) -> bool {
    // The last seed moves to the house before, and what was after that to the end.
    let Some(from) = (1..HOUSES).rev().find(|&house| houses[house] > 0) else {
        return false;
    };
    let moved = houses[from];
    houses[from] = 0;
    houses[from - 1] += 1;
    houses[HOUSES - 1] = moved - 1;
    true
}

/// Bounds on a value: what each player can force in a finite number of moves. Beyond the seeds
/// there are, nothing is known.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Bounds {
    /// The player to move gets at least this.
    low: i8,
    /// The rival sees to it that it is no more than this.
    high: i8,
}

impl Bounds {
    const fn exactly(value: i8) -> Bounds {
        Bounds { low: value, high: value }
    }

    /// To the player who has just moved and captured: seen by the rival, or by the same player
    /// where that player moves again.
    const fn before(self, captured: i8, moves_again: bool) -> Bounds {
        let Bounds { low, high } = self;
        if moves_again {
            Bounds { low: captured + low, high: captured + high }
        } else {
            Bounds { low: captured - high, high: captured - low }
        }
    }

    /// The better of two choices.
    fn or(self, other: Bounds) -> Bounds {
        Bounds { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// The value if playing on for ever is worth nothing to either: each is open to it who is
    /// below nothing.
    fn value(self) -> i8 {
        self.high.min(0).max(self.low)
    }
}

/// All boards with the same number of seeds.
struct Layer {
    /// What can be forced without leaning on repetition at any time.
    bounds: Vec<Bounds>,
    /// What they are worth if playing on for ever, with any number of seeds, is worth nothing.
    values: Vec<i8>,
}

/// What the moves of all boards of a layer lead to.
struct Choices {
    seeds: u8,
    /// By board: the best bounds that are known at once, from captures and ends; none where there
    /// are none. Then the same of values.
    bounds: Vec<Option<Bounds>>,
    values: Vec<Option<Bounds>>,
    /// By board: where its boards after moves without a capture begin in `after`.
    starts: Vec<u32>,
    after: Vec<u32>,
}

impl Layer {
    fn build(options: Options, seeds: u8, smaller: &[Layer]) -> Layer {
        let choices = Choices::of(options, seeds, smaller);
        let bounds = choices.solve(&choices.bounds);
        let values = choices.solve(&choices.values).into_iter().map(Bounds::value).collect();
        Layer { bounds, values }
    }

    fn entries(&self) -> Vec<u8> {
        let entry = |(&value, bounds): (&i8, &Bounds)| {
            let is_proven = bounds.low == bounds.high;
            debug_assert!(!is_proven || value == bounds.low, "what is forced is the value");
            (value + OFFSET).cast_unsigned() | if is_proven { PROVEN } else { 0 }
        };
        self.values.iter().zip(&self.bounds).map(entry).collect()
    }
}

impl Choices {
    fn of(options: Options, seeds: u8, smaller: &[Layer]) -> Choices {
        let count = Places::shared().count(seeds);
        let (bounds, values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut choices = Choices { seeds, bounds, values, starts: vec![0], after: Vec::new() };
        let mut houses = [0; HOUSES];
        houses[HOUSES - 1] = seeds;
        loop {
            choices.add_moves(options, &Position::of_mover(houses), smaller);
            choices.starts.push(u32::try_from(choices.after.len()).unwrap_or(u32::MAX));
            if !advance(&mut houses) {
                return choices;
            }
        }
    }

    /// Adds what the moves of one board lead to.
    fn add_moves(&mut self, options: Options, position: &Position, smaller: &[Layer]) {
        let (mut bounds, mut values): (Option<Bounds>, Option<Bounds>) = (None, None);
        let mut settle = |of_bounds: Bounds, of_values: Bounds| {
            bounds = Some(bounds.map_or(of_bounds, |best| best.or(of_bounds)));
            values = Some(values.map_or(of_values, |best| best.or(of_values)));
        };
        let moves = oware::legal(options, position);
        if moves.is_empty() {
            let mine = position.row(position.to_move()).cast_signed();
            let value = Bounds::exactly(2 * mine - self.seeds.cast_signed());
            settle(value, value);
        }
        for m in moves {
            let (next, effects) = oware::play(options, position, m);
            let captured = effects.seeds_captured().cast_signed();
            let houses = next.seen_by_mover();
            let left: u8 = houses.iter().sum();
            let place = Places::shared().place(&houses, left);
            if captured == 0 {
                self.after.push(u32::try_from(place).unwrap_or(u32::MAX));
            } else if oware::ends_by_slam(options, &effects) {
                // The rival row is empty, and what is left is the mover's.
                let value = Bounds::exactly(captured + left.cast_signed());
                settle(value, value);
            } else {
                let Layer { bounds, values } = &smaller[usize::from(left)];
                let before = |after: Bounds| after.before(captured, effects.moves_again());
                settle(before(bounds[place]), before(Bounds::exactly(values[place])));
            }
        }
        self.bounds.push(bounds);
        self.values.push(values);
    }

    /// The bounds on all boards, given those that are known at once.
    fn solve(&self, settled: &[Option<Bounds>]) -> Vec<Bounds> {
        let beyond = self.seeds.cast_signed() + 1;
        let unknown = Bounds { low: -beyond, high: beyond };
        let mut bounds = vec![unknown; settled.len()];
        let mut open: Vec<u32> = (0..).take(settled.len()).collect();
        // Each round, forced lines become known that are a move longer.
        loop {
            let mut changed = false;
            open.retain(|&at| {
                let at = at as usize;
                let after = &self.after[self.starts[at] as usize..self.starts[at + 1] as usize];
                let best = after.iter().map(|&next| bounds[next as usize].before(0, false));
                let best = best.chain(settled[at]).reduce(Bounds::or).unwrap_or(unknown);
                changed |= best != bounds[at];
                bounds[at] = best;
                best.low != best.high
            });
            if !changed {
                return bounds;
            }
        }
    }
}
