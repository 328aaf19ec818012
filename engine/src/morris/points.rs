//! Points, the lines between them, and sets of them.

use std::fmt;

/// Points on the board.
pub(super) const POINTS: usize = 24;

/// Every point as a set.
pub(crate) const BOARD: u32 = (1 << POINTS) - 1;

/// The names in the order of points: by file, and within a file by rank.
const NAMES: [&str; POINTS] = [
    "a1", "a4", "a7", "b2", "b4", "b6", "c3", "c4", "c5", "d1", "d2", "d3", "d5", "d6", "d7", "e3", "e4", "e5", "f2",
    "f4", "f6", "g1", "g4", "g7",
];

/// The places of the points on each rank, from left to right, d4 left out: two lines on rank 4.
/// With the points of each file these are the lines of the board; on the files they are three
/// places in a row.
const RANKS: [[u8; 3]; 8] =
    [[0, 9, 21], [3, 10, 18], [6, 11, 15], [1, 4, 7], [16, 19, 22], [8, 12, 17], [5, 13, 20], [2, 14, 23]];

/// The 16 lines of three (MM-5), each as a set.
pub(super) const LINES: [u32; 16] = {
    let mut lines = [0; 16];
    let mut n = 0;
    while n < 8 {
        lines[n] = 0b111 << (3 * n);
        let [left, middle, right] = RANKS[n];
        lines[8 + n] = 1 << left | 1 << middle | 1 << right;
        n += 1;
    }
    lines
};

/// The two lines through each point, as sets without the point itself.
const LINES_AT: [[u32; 2]; POINTS] = {
    let mut at = [[0; 2]; POINTS];
    let mut n = 0;
    while n < LINES.len() {
        let mut place = 0;
        while place < POINTS {
            if LINES[n] >> place & 1 != 0 {
                at[place][n / 8] = LINES[n] & !(1 << place);
            }
            place += 1;
        }
        n += 1;
    }
    at
};

/// The points next to each point along a line (MM-3), as sets.
const NEIGHBOURS: [u32; POINTS] = {
    let mut neighbours = [0; POINTS];
    let mut n: u8 = 0;
    while n < 8 {
        let file = 3 * n;
        let lines = [[file, file + 1, file + 2], RANKS[n as usize]];
        let mut line = 0;
        while line < 2 {
            let [end, middle, other_end] = lines[line];
            neighbours[end as usize] |= 1 << middle;
            neighbours[middle as usize] |= 1 << end | 1 << other_end;
            neighbours[other_end as usize] |= 1 << middle;
            line += 1;
        }
        n += 1;
    }
    neighbours
};

/// The pairs of neighbouring points as sets: a bit for each of the 32 pairs with its first point in
/// the set, and in the upper half a bit for each with its second point in it. Looked up for eight
/// points at a time.
static PAIRS: [[u64; 256]; 3] = {
    let mut of_point = [0_u64; POINTS];
    let mut pair = 0;
    let mut first = 0;
    while first < POINTS {
        let mut second = first + 1;
        while second < POINTS {
            if NEIGHBOURS[first] >> second & 1 != 0 {
                of_point[first] |= 1 << pair;
                of_point[second] |= 1 << (32 + pair);
                pair += 1;
            }
            second += 1;
        }
        first += 1;
    }
    let mut pairs = [[0; 256]; 3];
    let mut set = 0;
    while set < 256 {
        let mut place = 0;
        while place < POINTS {
            if set >> (place % 8) & 1 != 0 {
                pairs[place / 8][set] |= of_point[place];
            }
            place += 1;
        }
        set += 1;
    }
    pairs
};

#[inline]
fn pairs(set: u32) -> u64 {
    let [low, middle, high, _] = set.to_le_bytes();
    PAIRS[0][usize::from(low)] | PAIRS[1][usize::from(middle)] | PAIRS[2][usize::from(high)]
}

/// The ways from a point of `from` to a neighbouring one of `to`: a bit for each.
#[inline]
pub(super) fn ways(from: u32, to: u32) -> u64 {
    pairs(from) & pairs(to).rotate_left(32)
}

/// A point of the board, named as on a 7×7 grid: file `a` to `g`, rank `1` to `7`.
///
/// Points are ordered by the code points of their names.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point(u8);

impl Point {
    /// All 24, in the order of their names.
    pub const ALL: [Point; POINTS] = {
        let mut all = [Point(0); POINTS];
        let mut n: u8 = 0;
        while (n as usize) < POINTS {
            all[n as usize] = Point(n);
            n += 1;
        }
        all
    };

    /// All 24 in the order of the position text: from top to bottom, left to right.
    pub const TEXT_ORDER: [Point; POINTS] = {
        let mut order = [Point(0); POINTS];
        let mut rank = 8;
        let mut n = 0;
        while rank > 0 {
            rank -= 1;
            // Rank 4 has two lines, and the one on the left comes first.
            let from = match rank {
                4 => 3,
                3 => 4,
                other => other,
            };
            let mut step = 0;
            while step < 3 {
                order[n] = Point(RANKS[from][step]);
                n += 1;
                step += 1;
            }
        }
        order
    };

    /// The place in the order of names, from 0 (a1) to 23 (g7).
    #[must_use]
    pub const fn place(self) -> usize {
        self.0 as usize
    }

    /// The name of the point.
    #[must_use]
    pub const fn name(self) -> &'static str {
        NAMES[self.0 as usize]
    }

    /// The point with this name, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Point> {
        Point::ALL.into_iter().find(|p| p.name() == name)
    }

    /// The points next to this one along a line (MM-3).
    #[must_use]
    pub const fn neighbours(self) -> Points {
        Points(NEIGHBOURS[self.0 as usize])
    }

    /// The two lines through the point, as sets without it.
    pub(super) const fn lines(self) -> [u32; 2] {
        LINES_AT[self.0 as usize]
    }

    /// The place as a number.
    pub(super) const fn number(self) -> u8 {
        self.0
    }

    /// The point as a set of one.
    pub(crate) const fn bit(self) -> u32 {
        1 << self.0
    }
}

impl fmt::Display for Point {
    /// Writes the [name](Point::name).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of points, given in the order of their names. Holds no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Points(pub(super) u32);

impl Points {
    /// Whether the point is one of them.
    #[must_use]
    pub const fn contains(&self, point: Point) -> bool {
        self.0 & point.bit() != 0
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0 == 0
    }

    /// A bit for each point.
    pub(crate) const fn bits(&self) -> u32 {
        self.0
    }
}

impl Iterator for Points {
    type Item = Point;

    fn next(&mut self) -> Option<Point> {
        take_lowest(&mut self.0)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Points {}

/// Whether a set has no more than so many points: cheaper than counting them, for few.
#[inline]
pub(super) fn has_at_most(mut set: u32, points: u8) -> bool {
    for _ in 0..points {
        set &= set.wrapping_sub(1);
    }
    set == 0
}

/// Takes the lowest point out of a set.
#[inline]
pub(crate) fn take_lowest(set: &mut u32) -> Option<Point> {
    if *set == 0 {
        return None;
    }
    let [place, ..] = set.trailing_zeros().to_le_bytes();
    *set &= *set - 1;
    Some(Point(place))
}

/// The lines through `point` that are full once a piece of `own` stands on it too, as a set of
/// their points, and how many they are: at most two.
#[inline]
pub(super) fn closed(own: u32, point: Point) -> (u32, u32) {
    let mut points = 0;
    let mut count = 0;
    for line in point.lines() {
        if own & line == line {
            points |= line | point.bit();
            count += 1;
        }
    }
    (points, count)
}

/// The points of all lines that are full of `pieces` (MM-6).
pub(crate) fn in_mills(pieces: u32) -> u32 {
    LINES.iter().fold(0, |points, &line| points | if pieces & line == line { line } else { 0 })
}

/// The points of the lines in which `pieces` has all but that one: where a piece more closes a
/// mill. Points that hold a piece of the set in a mill are among them.
pub(crate) fn closing(pieces: u32) -> u32 {
    LINES.iter().fold(0, |points, &line| {
        let missing = line & !pieces;
        points | if missing & missing.wrapping_sub(1) == 0 { missing } else { 0 }
    })
}
