//! Houses, seeds and moves.

use std::fmt;

use crate::{BySeat, Seat};

use super::SEEDS;

/// Houses in a row.
pub(super) const ROW: u8 = 6;
/// Houses on the board.
pub(crate) const HOUSES: usize = 12;

/// A house, named by its letter: `A` to `F` belong to `First`, `a` to `f` to `Second` (OW-1).
///
/// Houses are ordered as seeds are sown, A to F and then a to f, which is also the order of the
/// letters by code point.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct House(u8);

impl House {
    /// All twelve, in sowing order.
    pub const ALL: [House; HOUSES] = {
        let mut all = [House(0); HOUSES];
        let mut n = 0;
        while n < ROW * 2 {
            all[n as usize] = House(n);
            n += 1;
        }
        all
    };

    /// The place in sowing order, from 0 (A) to 11 (f).
    #[must_use]
    pub const fn place(self) -> usize {
        self.0 as usize
    }

    /// The player whose row the house stands in.
    #[must_use]
    pub const fn owner(self) -> Seat {
        if self.0 < ROW { Seat::First } else { Seat::Second }
    }

    /// The house that the next seed falls in: F is followed by a, and f by A.
    #[must_use]
    pub const fn next(self) -> House {
        if self.0 == ROW * 2 - 1 { House(0) } else { House(self.0 + 1) }
    }

    /// The letter of the house: `A` to `F`, `a` to `f`.
    #[must_use]
    pub fn letter(self) -> char {
        char::from(match self.owner() {
            Seat::First => b'A' + self.0,
            Seat::Second => b'a' + self.0 - ROW,
        })
    }

    /// The house with this letter, if there is one.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<House> {
        House::ALL.into_iter().find(|h| h.letter() == letter)
    }

    /// The houses of a player's row, in sowing order.
    pub fn row(owner: Seat) -> impl ExactSizeIterator<Item = House> {
        let first = match owner {
            Seat::First => 0,
            Seat::Second => ROW,
        };
        (first..first + ROW).map(House)
    }
}

impl fmt::Display for House {
    /// Writes the [letter](House::letter).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A move: the seeds of one house are lifted and sown (OW-2). Ordered by its text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The house whose seeds are lifted.
    pub house: House,
}

impl From<House> for Move {
    fn from(house: House) -> Move {
        Move { house }
    }
}

/// A set of moves, given in ascending order of their text. Holds no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves(u16);

impl Moves {
    /// No move.
    pub(crate) const NONE: Moves = Moves(0);

    /// The move from one house.
    pub(super) const fn only(house: House) -> Moves {
        Moves(1 << house.0)
    }

    /// Those of these moves for which `keep` is true.
    pub(super) fn keeping(self, mut keep: impl FnMut(House) -> bool) -> Moves {
        let mut kept = self.clone();
        for m in self {
            if !keep(m.house) {
                kept.0 &= !Moves::only(m.house).0;
            }
        }
        kept
    }

    /// Whether there is none.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0 == 0
    }
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let house = House::ALL.get(self.0.trailing_zeros() as usize).copied()?;
        self.0 &= self.0 - 1;
        Some(Move { house })
    }

    fn nth(&mut self, n: usize) -> Option<Move> {
        for _ in 0..n.min(HOUSES) {
            self.0 &= self.0.wrapping_sub(1);
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}

/// Bits of a lane. A lane holds up to 48, so that its highest bit is free for arithmetic on all
/// lanes at once.
const LANE: usize = 8;
/// Bits of the six lanes of a row.
const ROW_BITS: usize = LANE * ROW as usize;
/// The six lanes of a row.
const ROW_LANES: u64 = (1 << ROW_BITS) - 1;
/// The lowest bit of each of six lanes.
pub(super) const ONES: u64 = 0x0101_0101_0101;
/// The highest bit of each of six lanes.
pub(super) const HIGHS: u64 = ONES << 7;
/// The lanes after those of the houses: captured by each player, and the player to move.
const CAPTURED: usize = HOUSES;
const SIDE: usize = HOUSES + 2;

/// Seeds in the houses, seeds captured, and the player to move: 48 seeds in all (C-7).
///
/// All of it is packed in the lanes of one number: the houses in sowing order, the seeds captured
/// by each player, the side. Equal numbers are equal positions (C-6).
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Position(u128);

impl Position {
    /// Four seeds in each house, none captured, `First` to move (OW-1).
    pub const START: Position = Position(0x0404_0404_0404_0404_0404_0404);

    /// A position with these seeds in the houses, in sowing order.
    pub(super) fn new(seeds: [u8; HOUSES], captured: BySeat<u8>, to_move: Seat) -> Position {
        let mut lanes = [0; 16];
        lanes[..HOUSES].copy_from_slice(&seeds);
        lanes[CAPTURED] = captured.first;
        lanes[CAPTURED + 1] = captured.second;
        lanes[SIDE] = u8::from(to_move == Seat::Second);
        Position(u128::from_le_bytes(lanes))
    }

    /// A position with these seeds on the board, from the first house of the player to move on, and
    /// the rest captured somehow.
    pub(crate) fn of_mover(houses: [u8; HOUSES]) -> Position {
        let left = houses.iter().sum::<u8>();
        Position::new(houses, BySeat::new(0, SEEDS - left), Seat::First)
    }

    /// The seeds in the houses, from the first house of the player to move on.
    pub(crate) fn seen_by_mover(&self) -> [u8; HOUSES] {
        let mut houses = [0; HOUSES];
        houses.copy_from_slice(&self.0.to_le_bytes()[..HOUSES]);
        if self.to_move() == Seat::Second {
            houses.rotate_left(ROW as usize);
        }
        houses
    }

    /// The seeds in a house.
    #[must_use]
    pub fn seeds(&self, house: House) -> u8 {
        self.lane(house.place())
    }

    /// The seeds each player has captured, without those left on the board.
    #[must_use]
    pub fn captured(&self) -> BySeat<u8> {
        BySeat::new(self.lane(CAPTURED), self.lane(CAPTURED + 1))
    }

    /// The seeds that lie in a player's row.
    #[must_use]
    pub fn row(&self, owner: Seat) -> u8 {
        sum(self.row_lanes(owner))
    }

    /// The player whose turn it is, or would be if the game went on.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        if self.lane(SIDE) == 0 { Seat::First } else { Seat::Second }
    }

    /// The seeds captured and those in the own row: what each player has when the seeds are
    /// shared out (OW-5, OW-7, OW-8, OW-9).
    #[must_use]
    pub fn shared_out(&self) -> BySeat<u8> {
        let BySeat { first, second } = self.captured();
        BySeat::new(first + self.row(Seat::First), second + self.row(Seat::Second))
    }

    fn lane(&self, at: usize) -> u8 {
        self.0.to_le_bytes()[at]
    }

    /// The six houses of a row, a lane each.
    pub(super) fn row_lanes(&self, owner: Seat) -> u64 {
        low(self.0 >> if owner == Seat::First { 0 } else { ROW_BITS }) & ROW_LANES
    }

    /// How many houses of a row hold seeds.
    pub(crate) fn filled_houses(&self, owner: Seat) -> u8 {
        sum(((self.row_lanes(owner) + (HIGHS - ONES)) & HIGHS) >> 7)
    }

    /// The moves from houses of the player to move that hold seeds.
    pub(super) fn filled(&self) -> Moves {
        let owner = self.to_move();
        let filled = (self.row_lanes(owner) + (HIGHS - ONES)) & HIGHS;
        // Brings the highest bit of lane n to bit n of the top byte.
        let [.., houses] = (filled >> 7).wrapping_mul(0x0102_0408_1020_4080).to_le_bytes();
        Moves(u16::from(houses) << if owner == Seat::First { 0 } else { ROW })
    }

    /// Empties a house and adds to each lane.
    pub(super) fn sown(self, origin: House, added: u128) -> Position {
        Position((self.0 & !(0xff << (LANE * origin.place()))) + added)
    }

    /// Takes these seeds out of the rival's row and gives them to the player to move.
    pub(super) fn capturing(self, taken: u64) -> Position {
        let mover = self.to_move();
        let row = ROW_BITS * usize::from(mover == Seat::First);
        let own = LANE * (CAPTURED + usize::from(mover == Seat::Second));
        Position(self.0 - (u128::from(taken) << row) + (u128::from(sum(taken)) << own))
    }

    /// The same with the other player to move.
    pub(super) fn passed(self) -> Position {
        Position(self.0 ^ 1 << (LANE * SIDE))
    }

    /// The whole position in a number (C-6).
    pub(crate) const fn key(&self) -> u128 {
        self.0
    }
}

/// The lower half of a number.
#[expect(clippy::cast_possible_truncation, reason = "cutting off the upper half is the point")]
const fn low(lanes: u128) -> u64 {
    lanes as u64
}

/// The sum of six lanes.
pub(super) const fn sum(lanes: u64) -> u8 {
    lanes.wrapping_mul(ONES).to_le_bytes()[ROW as usize - 1]
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}
