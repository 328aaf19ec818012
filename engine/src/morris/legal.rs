//! The legal moves of a position.

use super::Options;
use super::board::Position;
use super::moves::Move;
use super::points::{BOARD, Point, Points, closed, closing, in_mills, take_lowest, ways};

/// How many pieces must be taken after `mills` were closed, where the rival has `rival` pieces on
/// the board (MM-5).
pub(super) fn to_take(options: Options, mills: u32, rival: u32) -> u32 {
    let most = if options.double_mill_takes_two { 2 } else { 1 };
    mills.min(most).min(rival.count_ones())
}

/// The pieces of `rival` that may be taken: those outside mills, or all if there are none (MM-6).
pub(crate) fn removable(rival: u32) -> u32 {
    let outside = rival & !in_mills(rival);
    if outside == 0 { rival } else { outside }
}

/// The legal moves of a position, in ascending order of their text. Holds no memory of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    options: Options,
    flies: bool,
    own: u32,
    rival: u32,
    /// The empty points where a piece more closes a mill, unless it comes from the same line.
    closing: u32,
    /// The points that moves may go to, as far as they are empty.
    within: u32,
    /// What may be taken, first of all, where a mill can be closed.
    removable: u32,
    /// The origins, targets and removals that have not had their turn.
    from: u32,
    to: u32,
    take: u32,
    take_second: u32,
    /// The mover's pieces that stay where they are in the moves to `to`.
    staying: u32,
    /// How many pieces the move that `take` belongs to must take, that move, and with its first
    /// removal the one that `take_second` belongs to.
    takes: u32,
    moved: Move,
    moved_and_taken: Move,
}

impl Moves {
    /// No move.
    pub(crate) const NONE: Moves = Moves {
        options: Options { flying: false, double_mill_takes_two: false },
        flies: false,
        own: 0,
        rival: 0,
        closing: 0,
        within: 0,
        removable: 0,
        from: 0,
        to: 0,
        take: 0,
        take_second: 0,
        staying: 0,
        takes: 0,
        moved: Move::place(Point::ALL[0]),
        moved_and_taken: Move::place(Point::ALL[0]),
    };

    /// The legal moves of the player to move in a game that is not over.
    #[inline]
    pub(super) fn of(options: Options, position: Position) -> Moves {
        let own = position.set(position.to_move());
        let rival = position.set(position.to_move().other());
        let empty = position.empty();
        let closing = closing(own) & empty;
        let places = position.hand(position.to_move()) > 0;
        Moves {
            options,
            flies: position.flies(options),
            own,
            rival,
            closing,
            within: empty,
            removable: if closing == 0 { 0 } else { removable(rival) },
            from: if places { 0 } else { own },
            to: if places { empty } else { 0 },
            staying: own,
            ..Moves::NONE
        }
    }

    /// Only those that go where a mill may be closed.
    pub(crate) fn closing(mut self) -> Moves {
        self.within &= self.closing;
        self.to &= self.closing;
        if self.closing == 0 {
            self.from = 0;
        }
        self
    }

    /// Takes up the moves of the next piece.
    #[inline]
    fn next_origin(&mut self) -> Option<()> {
        let from = take_lowest(&mut self.from)?;
        self.staying = self.own & !from.bit();
        self.to = self.within & if self.flies { BOARD } else { from.neighbours().0 };
        Some(())
    }

    /// The move to `to`, before anything is taken.
    #[inline]
    fn step(&self, to: Point) -> Move {
        let origin = Points(self.own & !self.staying).next();
        origin.map_or(Move::place(to), |from| Move::from_to(from, to))
    }

    /// How many moves there are to `targets`, where `staying` are the other pieces.
    fn count_to(&self, staying: u32, targets: u32) -> u32 {
        targets.count_ones() + self.count_more(staying, targets & self.closing)
    }

    /// How many moves there are from `origins`.
    fn count_from(&self, origins: u32) -> u32 {
        let empty = self.within;
        let steps =
            if self.flies { origins.count_ones() * empty.count_ones() } else { ways(origins, empty).count_ones() };
        let mut closing = self.closing;
        let mut more = 0;
        while let Some(to) = take_lowest(&mut closing) {
            let near = if self.flies { origins } else { origins & to.neighbours().0 };
            more += self.count_more_from(near, to);
        }
        steps + more
    }

    /// How many moves more than one there are from each of `origins` to `to`: a piece that stands
    /// on one of the two lines through that point does not close that one.
    #[inline]
    fn count_more_from(&self, origins: u32, to: Point) -> u32 {
        let [one, other] = to.lines().map(|line| if self.own & line == line { origins & !line } else { 0 });
        let (any, both) = (one | other, one & other);
        let single = self.choices(to_take(self.options, 1, self.rival));
        let double = if both != 0 && self.options.double_mill_takes_two {
            self.choices(to_take(self.options, 2, self.rival)) - single
        } else {
            0
        };
        any.count_ones() * (single - 1) + both.count_ones() * double
    }

    /// How many moves more than one there are for each of `targets`, because a piece can be chosen.
    #[inline]
    fn count_more(&self, staying: u32, targets: u32) -> u32 {
        if targets == 0 {
            return 0;
        }
        Points(targets).map(|to| self.choices(self.takes(staying, to)) - 1).sum()
    }

    /// How many pieces a move to `to` takes.
    #[inline]
    fn takes(&self, staying: u32, to: Point) -> u32 {
        if self.closing & to.bit() == 0 {
            return 0;
        }
        let (_, mills) = closed(staying, to);
        to_take(self.options, mills, self.rival)
    }

    /// In how many ways so many pieces can be taken.
    fn choices(&self, takes: u32) -> u32 {
        match takes {
            0 => 1,
            1 => self.removable.count_ones(),
            _ => self.count_second(self.removable),
        }
    }

    /// In how many ways a second piece can be taken after each of `first`.
    fn count_second(&self, first: u32) -> u32 {
        Points(first).map(|first| removable(self.rival & !first.bit()).count_ones()).sum()
    }

    /// Skips up to `n` moves by origins and targets, without making them; says how many are left
    /// to skip.
    fn skip_steps(&mut self, mut n: u32) -> u32 {
        if self.take != 0 || self.take_second != 0 {
            return n;
        }
        loop {
            while self.to != 0 {
                let target = self.to & self.to.wrapping_neg();
                let here = if target & self.closing == 0 { 1 } else { self.count_to(self.staying, target) };
                if here > n {
                    return n;
                }
                n -= here;
                self.to ^= target;
            }
            if n == 0 || self.next_origin().is_none() {
                return n;
            }
        }
    }
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        loop {
            if let Some(second) = take_lowest(&mut self.take_second) {
                return Some(self.moved_and_taken.with_taken(1, second));
            }
            if let Some(first) = take_lowest(&mut self.take) {
                let m = self.moved.with_taken(0, first);
                if self.takes == 1 {
                    return Some(m);
                }
                self.moved_and_taken = m;
                self.take_second = removable(self.rival & !first.bit());
            } else if let Some(to) = take_lowest(&mut self.to) {
                let m = self.step(to);
                self.takes = self.takes(self.staying, to);
                if self.takes == 0 {
                    return Some(m);
                }
                self.moved = m;
                self.take = self.removable;
            } else {
                self.next_origin()?;
            }
        }
    }

    fn nth(&mut self, n: usize) -> Option<Move> {
        let n = self.skip_steps(u32::try_from(n).unwrap_or(u32::MAX));
        for _ in 0..n {
            self.next()?;
        }
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let mut left = if self.from == 0 { 0 } else { self.count_from(self.from) };
        if self.to != 0 {
            left += self.count_to(self.staying, self.to);
        }
        if self.take | self.take_second != 0 {
            let taking = if self.takes == 1 { self.take.count_ones() } else { self.count_second(self.take) };
            left += taking + self.take_second.count_ones();
        }
        (left as usize, Some(left as usize))
    }
}

impl ExactSizeIterator for Moves {}
