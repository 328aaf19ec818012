//! Houses, seeds and moves.

use std::fmt;

use crate::oware::SEEDS;
use crate::{BySeat, Seat};

/// Houses in a row.
pub(super) const ROW: u8 = 6;
/// Houses on the board.
pub(super) const HOUSES: usize = 12;

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

    /// The house just before this one in the same row, or none at the row's end (OW-3).
    pub(super) fn before_in_row(self) -> Option<House> {
        (!self.0.is_multiple_of(ROW)).then(|| House(self.0 - 1))
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

    /// Adds the move from a house.
    pub(super) fn insert(&mut self, house: House) {
        self.0 |= 1 << house.0;
    }
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let house = House::ALL.get(self.0.trailing_zeros() as usize).copied()?;
        self.0 &= self.0 - 1;
        Some(Move { house })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}

/// Seeds in the houses, seeds captured, and the player to move: 48 seeds in all (C-7).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) seeds: [u8; HOUSES],
    pub(super) captured: BySeat<u8>,
    pub(super) to_move: Seat,
}

impl Position {
    /// Four seeds in each house, none captured, `First` to move (OW-1).
    pub const START: Position = Position { seeds: [4; HOUSES], captured: BySeat::new(0, 0), to_move: Seat::First };

    /// The seeds in a house.
    #[must_use]
    pub fn seeds(&self, house: House) -> u8 {
        self.seeds[house.place()]
    }

    /// The seeds each player has captured, without those left on the board.
    #[must_use]
    pub fn captured(&self) -> BySeat<u8> {
        self.captured
    }

    /// The seeds that lie in a player's row.
    #[must_use]
    pub fn row(&self, owner: Seat) -> u8 {
        let (first, second) = self.seeds.split_at(ROW as usize);
        match owner {
            Seat::First => first.iter().sum(),
            Seat::Second => second.iter().sum(),
        }
    }

    /// The player whose turn it is, or would be if the game went on.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The seeds captured and those in the own row: what each player has when the seeds are
    /// shared out (OW-5, OW-7, OW-8, OW-9).
    #[must_use]
    pub fn shared_out(&self) -> BySeat<u8> {
        BySeat {
            first: self.captured.first + self.row(Seat::First),
            second: self.captured.second + self.row(Seat::Second),
        }
    }

    /// The position in 79 bits, different for different positions (C-6): six bits for each house
    /// and for the first player's captures, one for the side. The second player's captures follow
    /// from the 48.
    pub(crate) fn key(&self) -> u128 {
        debug_assert_eq!(self.shared_out().first + self.shared_out().second, SEEDS);
        let mut key = u128::from(self.captured.first);
        for seeds in self.seeds {
            key = key << 6 | u128::from(seeds);
        }
        key << 1 | u128::from(self.to_move == Seat::Second)
    }
}
