//! Pieces on the board and in hand.

use std::fmt;

use crate::{BySeat, Seat};

use super::points::{BOARD, LINES, POINTS, Point, Points, closing, has_at_most, ways};
use super::{FLYING_PIECES, Options, PIECES};

/// The size of a set, for arithmetic with signs.
fn count(set: u64) -> i32 {
    set.count_ones().cast_signed()
}

/// What a guess at the worth of a position looks at, for one player.
pub(crate) struct Features {
    /// Pieces on the board and in hand.
    pub(crate) pieces: i32,
    /// Lines full of own pieces.
    pub(crate) mills: i32,
    /// Empty points where a piece more would close a line.
    pub(crate) open_lines: i32,
    /// Ways from own pieces to neighbouring empty points.
    pub(crate) ways: i32,
}

/// Where the pieces of each player lie in a position, the hands, and the player to move.
const PIECES_AT: BySeat<usize> = BySeat::new(POINTS + 9, 9);
const HAND_AT: BySeat<usize> = BySeat::new(5, 1);
const SIDE: u64 = 1;
/// A hand, in four bits.
const HAND: u64 = 0b1111;

/// Pieces on the board and in hand, and the player to move (C-7).
///
/// All of it is packed in the 57 lower bits of one number: 24 for the pieces of each player, four
/// for each hand, one for the side. Equal numbers are equal positions (C-6).
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Position(u64);

impl Position {
    /// An empty board, nine pieces in each hand, `First` to move (MM-1).
    pub const START: Position = Position((PIECES as u64) << HAND_AT.first | (PIECES as u64) << HAND_AT.second);

    /// A position with these pieces on the board and in hand.
    pub(super) fn new(pieces: BySeat<u32>, in_hand: BySeat<u8>, to_move: Seat) -> Position {
        let side = if to_move == Seat::Second { SIDE } else { 0 };
        Position(Seat::ALL.into_iter().fold(side, |bits, seat| {
            bits | u64::from(pieces[seat]) << PIECES_AT[seat] | u64::from(in_hand[seat]) << HAND_AT[seat]
        }))
    }

    /// Whose piece stands on a point; none on an empty one.
    #[must_use]
    pub fn piece(&self, point: Point) -> Option<Seat> {
        Seat::ALL.into_iter().find(|&seat| self.set(seat) & point.bit() != 0)
    }

    /// The points on which a player's pieces stand.
    #[must_use]
    pub fn pieces(&self, seat: Seat) -> Points {
        Points(self.set(seat))
    }

    /// The pieces each player has in hand.
    #[must_use]
    pub fn in_hand(&self) -> BySeat<u8> {
        BySeat::new(self.hand(Seat::First), self.hand(Seat::Second))
    }

    /// The player whose turn it is, or would be if the game went on.
    #[must_use]
    #[inline]
    pub fn to_move(&self) -> Seat {
        if self.0 & SIDE == 0 { Seat::First } else { Seat::Second }
    }

    /// A player's pieces on the board, as a set.
    #[inline]
    pub(super) fn set(self, seat: Seat) -> u32 {
        let [a, b, c, ..] = (self.0 >> PIECES_AT[seat]).to_le_bytes();
        u32::from_le_bytes([a, b, c, 0])
    }

    /// A player's pieces in hand.
    #[inline]
    pub(super) fn hand(self, seat: Seat) -> u8 {
        (self.0 >> HAND_AT[seat] & HAND).to_le_bytes()[0]
    }

    /// The player to move takes a piece up: from a point, or else from the hand, which must not be
    /// empty.
    #[inline]
    pub(super) fn taking_up(self, from: Option<Point>) -> Position {
        let mover = self.to_move();
        Position(match from {
            Some(from) => self.0 & !(u64::from(from.bit()) << PIECES_AT[mover]),
            None => self.0 - (1 << HAND_AT[mover]),
        })
    }

    /// The player to move puts a piece on a point.
    #[inline]
    pub(super) fn putting(self, to: Point) -> Position {
        Position(self.0 | u64::from(to.bit()) << PIECES_AT[self.to_move()])
    }

    /// The piece of the rival of the player to move is taken off a point.
    #[inline]
    pub(super) fn without_rival(self, point: Point) -> Position {
        Position(self.0 & !(u64::from(point.bit()) << PIECES_AT[self.to_move().other()]))
    }

    /// The same with the other player to move.
    #[inline]
    pub(super) fn passed(self) -> Position {
        Position(self.0 ^ SIDE)
    }

    /// The empty points where one more piece of a player would close a mill.
    pub(crate) fn open_lines(self, seat: Seat) -> Points {
        Points(closing(self.set(seat)) & self.empty())
    }

    /// What a guess at the worth of the position looks at.
    pub(crate) fn features(self, seat: Seat) -> Features {
        let own = self.set(seat);
        let mills = LINES.iter().map(|&line| i32::from(own & line == line)).sum();
        let open_lines = count((closing(own) & self.empty()).into());
        let total = self.total(seat);
        // Three pieces that fly are never short of a way; with flying off this flatters them.
        let ways = if total == 3 { 12 } else { count(ways(own, self.empty())) };
        Features { pieces: total.cast_signed(), mills, open_lines, ways }
    }

    /// A player's pieces on the board and in hand (MM-7).
    pub(super) fn total(self, seat: Seat) -> u32 {
        self.set(seat).count_ones() + u32::from(self.hand(seat))
    }

    /// Whether the player to move may fly: an empty hand and three pieces on the board (MM-4).
    pub(super) fn flies(self, options: Options) -> bool {
        let own = self.set(self.to_move());
        let three = has_at_most(own, FLYING_PIECES) && !has_at_most(own, FLYING_PIECES - 1);
        options.flying && self.hand(self.to_move()) == 0 && three
    }

    /// Whether a player has two pieces or fewer, on the board and in hand (MM-7).
    pub(super) fn is_reduced(self, seat: Seat) -> bool {
        let hand = self.hand(seat);
        hand <= 2 && has_at_most(self.set(seat), 2 - hand)
    }

    /// The empty points, as a set.
    #[inline]
    pub(super) fn empty(self) -> u32 {
        BOARD & !(self.set(Seat::First) | self.set(Seat::Second))
    }

    /// The whole position in a number (C-6).
    pub(crate) fn key(self) -> u128 {
        u128::from(self.0)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Position({self})")
    }
}
