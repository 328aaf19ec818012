//! A move with its removals in one value, and what a move did.

use super::points::{Point, Points};

/// A move: a piece is placed or moved, and up to two rival pieces are taken in the same move
/// (MM-2 to MM-5). Ordered by its text.
///
/// ```
/// use stakeboard_engine::morris::{Move, Point};
///
/// let [a1, a4, b2] = ["a1", "a4", "b2"].map(|name| Point::from_name(name).unwrap());
/// let m = Move::from_to(a1, a4).taking(b2).unwrap();
/// assert_eq!(m.to_string(), "a1-a4xb2");
/// assert!(Move::place(b2) > m);
/// ```
// The places of up to four points, each but the first with what stands before it in the text: in
// the order of the text, so that numbers are ordered as texts are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u32);

/// Pieces that one move can take (MM-5).
pub(super) const MOST_TAKEN: usize = 2;

/// Bits of a point with its separator.
const WIDTH: u32 = 7;
/// Bits of the point without it.
const POINT: u32 = 5;
/// Where in the number each point of the text is.
const SHIFT: [u32; 4] = [3 * WIDTH, 2 * WIDTH, WIDTH, 0];
/// The separator before the point that a piece goes to.
const TO: u32 = 1;
/// The separator before a point that is taken from. No separator is 0, the end of the text.
const TAKE: u32 = 2;

impl Move {
    /// Places a piece (MM-2).
    #[must_use]
    pub const fn place(to: Point) -> Move {
        Move((to.number() as u32) << SHIFT[0])
    }

    /// Moves a piece (MM-3, MM-4).
    #[must_use]
    pub const fn from_to(from: Point, to: Point) -> Move {
        Move(Move::place(from).0 | (TO << POINT | to.number() as u32) << SHIFT[1])
    }

    /// The same move with one more piece taken, after those taken already (MM-5). None if there
    /// are two already, which is the most that any rule allows.
    #[must_use]
    pub fn taking(self, point: Point) -> Option<Move> {
        let taken = self.taken().len();
        (taken < MOST_TAKEN).then(|| self.with_taken(taken, point))
    }

    /// The move as a number, different for different moves.
    pub(crate) const fn packed(self) -> u32 {
        self.0
    }

    /// Names the piece that is taken after `taken` others.
    pub(super) fn with_taken(self, taken: usize, point: Point) -> Move {
        let named = TAKE << POINT | u32::from(point.number());
        Move(self.0 | named << SHIFT[self.first_taken() + taken])
    }

    /// The point that a piece leaves; none where one is placed.
    #[must_use]
    pub fn from(self) -> Option<Point> {
        (self.separator(1) == TO).then(|| self.point(0))
    }

    /// The point that the piece is put on.
    #[must_use]
    pub fn to(self) -> Point {
        self.point(self.first_taken() - 1)
    }

    /// The points whose pieces are taken, in order (MM-5).
    #[must_use]
    pub fn taken(self) -> Taken {
        let first = self.first_taken();
        let named = |at| (self.separator(at) == TAKE).then(|| self.point(at));
        Taken([named(first), named(first + 1)])
    }

    /// Which point of the text is the first one taken, counted from 0.
    fn first_taken(self) -> usize {
        if self.separator(1) == TO { 2 } else { 1 }
    }

    /// What stands before a point of the text.
    fn separator(self, at: usize) -> u32 {
        self.0 >> SHIFT[at] >> POINT & ((1 << (WIDTH - POINT)) - 1)
    }

    /// A point of the text.
    fn point(self, at: usize) -> Point {
        let place = self.0 >> SHIFT[at] & ((1 << POINT) - 1);
        Point::ALL[place as usize]
    }
}

/// The points whose pieces a move takes, in order: none, one or two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken([Option<Point>; MOST_TAKEN]);

impl Iterator for Taken {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        let [next, after] = self.0;
        self.0 = [after, None];
        next
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.iter().flatten().count();
        (left, Some(left))
    }
}

impl ExactSizeIterator for Taken {}

/// What a move did to the board: enough to animate it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    pub(super) played: Move,
    pub(super) mill: u32,
}

impl Effects {
    /// The point that a piece left; none where one was placed.
    #[must_use]
    pub fn from(&self) -> Option<Point> {
        self.played.from()
    }

    /// The point that the piece was put on.
    #[must_use]
    pub fn to(&self) -> Point {
        self.played.to()
    }

    /// The points of the lines that the move closed: none, three, or five for two mills at once
    /// (MM-5).
    #[must_use]
    pub fn mill(&self) -> Points {
        Points(self.mill)
    }

    /// The points whose pieces were taken, in order (MM-5).
    #[must_use]
    pub fn taken(&self) -> Taken {
        self.played.taken()
    }
}
