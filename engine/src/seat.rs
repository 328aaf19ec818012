//! The two players of a match (C-1) and values kept for each of them.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::str::FromStr;

use crate::ParseError;

/// One of the two players (C-1). `First` makes the opening move of a match that begins at the
/// game's own starting position; play that begins at a position text keeps the seats with their
/// sides, whoever is to move there.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// The player whose code is `first`: South in Oware, White in
    /// Nine Men's Morris, `x` in Mū tōrere.
    First,
    /// The player whose code is `second`: North in Oware, Black in
    /// Nine Men's Morris, `o` in Mū tōrere.
    Second,
}

impl Seat {
    /// Both seats, `First` first.
    pub const ALL: [Seat; 2] = [Seat::First, Seat::Second];

    /// The rival's seat.
    #[must_use]
    pub const fn other(self) -> Seat {
        match self {
            Seat::First => Seat::Second,
            Seat::Second => Seat::First,
        }
    }

    /// The stable code of the seat: `first` or `second`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Seat::First => "first",
            Seat::Second => "second",
        }
    }
}

impl fmt::Display for Seat {
    /// Writes the [code](Seat::code).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Seat {
    type Err = ParseError;

    /// Reads a [code](Seat::code).
    ///
    /// # Errors
    /// Anything but `first` and `second`.
    fn from_str(text: &str) -> Result<Seat, ParseError> {
        match text {
            "first" => Ok(Seat::First),
            "second" => Ok(Seat::Second),
            _ => Err(ParseError::at("a seat", "first or second", 0)),
        }
    }
}

/// A value for each player, indexed by [`Seat`].
///
/// ```
/// use stakeboard_engine::{BySeat, Seat};
///
/// let mut seeds = BySeat::new(20, 24);
/// seeds[Seat::First] += 4;
/// assert_eq!(seeds.map(|n| n / 2), BySeat::new(12, 12));
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default, Hash)]
pub struct BySeat<T> {
    /// The value of [`Seat::First`].
    pub first: T,
    /// The value of [`Seat::Second`].
    pub second: T,
}

impl<T> BySeat<T> {
    /// A value for each player.
    pub const fn new(first: T, second: T) -> BySeat<T> {
        BySeat { first, second }
    }

    /// Applies `f` to the value of `First`, then to the value of `Second`.
    pub fn map<U>(self, mut f: impl FnMut(T) -> U) -> BySeat<U> {
        BySeat { first: f(self.first), second: f(self.second) }
    }

    /// The seats with their values, `First` first.
    pub fn iter(&self) -> impl Iterator<Item = (Seat, &T)> {
        [(Seat::First, &self.first), (Seat::Second, &self.second)].into_iter()
    }
}

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;

    fn index(&self, seat: Seat) -> &T {
        match seat {
            Seat::First => &self.first,
            Seat::Second => &self.second,
        }
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        match seat {
            Seat::First => &mut self.first,
            Seat::Second => &mut self.second,
        }
    }
}
