//! The text formats of Nine Men's Morris.

use std::fmt;

use crate::reader::Reader;
use crate::{BySeat, ParseError, Seat};

use super::PIECES;
use super::board::Position;
use super::moves::{MOST_TAKEN, Move};
use super::points::Point;

impl Position {
    /// Reads a position such as `W......................B w 8 8`: the points from top to bottom
    /// and left to right, `W` for `First`, `B` for `Second`, `.` for an empty one; side to move;
    /// White's and Black's pieces in hand.
    ///
    /// # Errors
    /// Anything that [`Display`](fmt::Display) would not write, and more than nine pieces of a
    /// player, board and hand together (C-7).
    pub fn parse(text: &str) -> Result<Position, ParseError> {
        const READING: &str = "a Nine Men's Morris position";
        let mut reader = Reader::new(READING, text);
        let mut pieces = BySeat::new(0_u32, 0);
        for point in Point::TEXT_ORDER {
            match reader.peek() {
                Some(b'W') => pieces.first |= point.bit(),
                Some(b'B') => pieces.second |= point.bit(),
                Some(b'.') => {}
                _ => return Err(reader.expected(format!("W, B or . for point {point}"))),
            }
            reader.skip();
        }
        reader.byte(b' ')?;
        let to_move = match reader.peek() {
            Some(b'w') => Seat::First,
            Some(b'b') => Seat::Second,
            _ => return Err(reader.expected("w or b, the side to move")),
        };
        reader.skip();
        reader.byte(b' ')?;
        let first = reader.number(PIECES)?;
        reader.byte(b' ')?;
        let second = reader.number(PIECES)?;
        reader.end()?;
        let position = Position::new(pieces, BySeat { first, second }, to_move);
        for (seat, colour) in [(Seat::First, "white"), (Seat::Second, "black")] {
            let found = position.total(seat);
            if found > u32::from(PIECES) {
                let expected = format!("at most {PIECES} {colour} pieces, board and hand together, found {found}");
                return Err(ParseError::whole(READING, expected));
            }
        }
        Ok(position)
    }
}

impl fmt::Display for Position {
    /// Writes the position text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in Point::TEXT_ORDER {
            f.write_str(match self.piece(point) {
                Some(Seat::First) => "W",
                Some(Seat::Second) => "B",
                None => ".",
            })?;
        }
        let side = match self.to_move() {
            Seat::First => 'w',
            Seat::Second => 'b',
        };
        let BySeat { first, second } = self.in_hand();
        write!(f, " {side} {first} {second}")
    }
}

impl Move {
    /// Reads a placing such as `d2` or a move such as `a1-a4`, followed by up to two removals such
    /// as `xg7`.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<Move, ParseError> {
        let mut reader = Reader::new("a Nine Men's Morris move", text);
        let first = point(&mut reader)?;
        let mut parsed = if reader.peek() == Some(b'-') {
            reader.skip();
            Move::from_to(first, point(&mut reader)?)
        } else {
            Move::place(first)
        };
        while reader.peek() == Some(b'x') && parsed.taken().len() < MOST_TAKEN {
            reader.skip();
            let taken = point(&mut reader)?;
            parsed = parsed.taking(taken).unwrap_or(parsed);
        }
        reader.end()?;
        Ok(parsed)
    }
}

/// Takes the name of a point.
fn point(reader: &mut Reader<'_>) -> Result<Point, ParseError> {
    let named = reader.peek_two().and_then(|[file, rank]| {
        let is_named = |point: &Point| point.name().as_bytes() == [file, rank];
        Point::ALL.into_iter().find(is_named)
    });
    let point = named.ok_or_else(|| reader.expected("a point of the board, such as a1 or d7"))?;
    reader.skip();
    reader.skip();
    Ok(point)
}

impl fmt::Display for Move {
    /// Writes the move text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(from) = self.from() {
            write!(f, "{from}-")?;
        }
        write!(f, "{}", self.to())?;
        self.taken().try_for_each(|point| write!(f, "x{point}"))
    }
}
