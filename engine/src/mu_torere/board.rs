//! Points, pieces and moves.

use std::fmt;

use crate::{BySeat, Seat};

/// Points on the board: the ring and the centre.
pub(super) const POINTS: usize = 9;
/// The place of the centre; the places before it are the ring.
const CENTRE: u8 = 8;
/// The ring as a set.
const RING: u16 = 0xff;
/// Every point as a set.
const BOARD: u16 = 0x1ff;

/// A point of the board: `1` to `8` clockwise on the ring, and the centre, `c`.
///
/// Points are ordered by the code points of their names.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

impl Point {
    /// All nine, the centre last.
    pub const ALL: [Point; POINTS] = {
        let mut all = [Point(0); POINTS];
        let mut n = 0;
        while n <= CENTRE {
            all[n as usize] = Point(n);
            n += 1;
        }
        all
    };

    /// The centre, pūtahi.
    pub const CENTRE: Point = Point(CENTRE);

    /// The place in the position text, from 0 (`1`) to 8 (`c`).
    #[must_use]
    pub const fn place(self) -> usize {
        self.0 as usize
    }

    /// Whether a line joins the two points: ring neighbours, or the centre and a point of the ring.
    #[must_use]
    pub const fn touches(self, other: Point) -> bool {
        lines_of(self) & other.bit() != 0
    }

    /// The name of the point: `1` to `8`, `c`.
    #[must_use]
    pub fn name(self) -> char {
        if self == Point::CENTRE { 'c' } else { char::from(b'1' + self.0) }
    }

    /// The point with this name, if there is one.
    #[must_use]
    pub fn from_name(name: char) -> Option<Point> {
        Point::ALL.into_iter().find(|p| p.name() == name)
    }

    /// The point as a set of one.
    pub(super) const fn bit(self) -> u16 {
        1 << self.0
    }

    /// The lowest point of a set, if it has any.
    fn lowest(set: u16) -> Option<Point> {
        Point::ALL.get(set.trailing_zeros() as usize).copied()
    }
}

/// The points that a line joins with `point`, as a set.
pub(super) const fn lines_of(point: Point) -> u16 {
    if point.0 == CENTRE { RING } else { beside(point.bit()) | 1 << CENTRE }
}

/// The ring neighbours of the ring points in `set`, as a set.
pub(super) const fn beside(set: u16) -> u16 {
    let ring = set & RING;
    (ring << 1 | ring >> 7 | ring >> 1 | ring << 7) & RING
}

impl fmt::Display for Point {
    /// Writes the [name](Point::name).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name())
    }
}

/// A move: a piece goes from one point to another (MT-2). Ordered by its text.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move {
    /// The point that the piece leaves.
    pub from: Point,
    /// The point that it goes to.
    pub to: Point,
}

/// What a move did to the board: the piece that moved, and nothing else.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    /// The point that the piece left, empty now.
    pub from: Point,
    /// The point that it stands on now.
    pub to: Point,
}

/// Moves to the empty point, in ascending order of their text. Holds no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    from: u16,
    to: Point,
}

impl Moves {
    /// No move.
    pub(crate) const NONE: Moves = Moves { from: 0, to: Point::CENTRE };

    /// The moves to `to` from every point in a set.
    pub(super) fn new(from: u16, to: Point) -> Moves {
        Moves { from, to }
    }
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let from = Point::lowest(self.from)?;
        self.from &= self.from - 1;
        Some(Move { from, to: self.to })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.from.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}

/// Four pieces of each player on nine points, and the player to move: one point is always empty
/// (MT-1, C-7).
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) pieces: BySeat<u16>,
    pub(super) to_move: Seat,
}

impl Position {
    /// `First` on 1 to 4, `Second` on 5 to 8, `First` to move (MT-1).
    pub const START: Position = Position { pieces: BySeat::new(0x0f, 0xf0), to_move: Seat::First };

    /// Whose piece stands on a point; none on the empty one.
    #[must_use]
    pub fn piece(&self, point: Point) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&seat| self.pieces[seat] & point.bit() != 0)
    }

    /// The one empty point (MT-1).
    #[must_use]
    pub fn empty(&self) -> Point {
        let empty = BOARD & !(self.pieces.first | self.pieces.second);
        debug_assert_eq!(empty.count_ones(), 1);
        Point(u8::try_from(empty.trailing_zeros()).unwrap_or(CENTRE))
    }

    /// The player whose turn it is, or would be if the game went on.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        self.to_move
    }

    /// The position in 19 bits, different for different positions (C-6): nine for the pieces of
    /// each player, one for the side.
    pub(crate) fn key(self) -> u128 {
        let pieces = u128::from(self.pieces.first) << 9 | u128::from(self.pieces.second);
        pieces << 1 | u128::from(self.to_move == Seat::Second)
    }
}
