//! The text formats of Mū tōrere.

use std::fmt;

use crate::reader::Reader;
use crate::{BySeat, ParseError, Seat};

use super::PIECES;
use super::board::{Move, Point, Position};

/// The letter of a player's pieces, and of the player to move.
fn letter(seat: Seat) -> char {
    match seat {
        Seat::First => 'x',
        Seat::Second => 'o',
    }
}

/// The player with this letter.
fn seat(letter: Option<u8>) -> Option<Seat> {
    match letter? {
        b'x' => Some(Seat::First),
        b'o' => Some(Seat::Second),
        _ => None,
    }
}

impl Position {
    /// Reads a position such as `xxxxoooo. x`: the points 1 to 8 and then the centre, `x` for
    /// `First`, `o` for `Second`, `.` for the empty point, side to move.
    ///
    /// # Errors
    /// Anything that [`Display`](fmt::Display) would not write, and anything but four pieces of
    /// each player (C-7).
    pub fn parse(text: &str) -> Result<Position, ParseError> {
        const READING: &str = "a Mū tōrere position";
        let mut reader = Reader::new(READING, text);
        let mut pieces = BySeat::new(0_u16, 0);
        for point in Point::ALL {
            let byte = reader.peek();
            match seat(byte) {
                Some(owner) => pieces[owner] |= point.bit(),
                None if byte == Some(b'.') => {}
                None => return Err(reader.expected(format!("x, o or . for point {point}"))),
            }
            reader.skip();
        }
        reader.byte(b' ')?;
        let to_move = seat(reader.peek()).ok_or_else(|| reader.expected("x or o, the side to move"))?;
        reader.skip();
        reader.end()?;
        let BySeat { first, second } = pieces.map(u16::count_ones);
        let wanted = u32::from(PIECES);
        if (first, second) != (wanted, wanted) {
            let expected = format!("four x and four o, found {first} x and {second} o");
            return Err(ParseError::whole(READING, expected));
        }
        Ok(Position { pieces, to_move })
    }
}

impl fmt::Display for Position {
    /// Writes the position text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for point in Point::ALL {
            write!(f, "{}", self.piece(point).map_or('.', letter))?;
        }
        write!(f, " {}", letter(self.to_move))
    }
}

impl Move {
    /// Reads a move such as `4-c`: from a point to a point.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<Move, ParseError> {
        let mut reader = Reader::new("a Mū tōrere move", text);
        let from = point(&mut reader)?;
        reader.byte(b'-')?;
        let to = point(&mut reader)?;
        reader.end()?;
        Ok(Move { from, to })
    }
}

/// Takes the name of a point.
fn point(reader: &mut Reader<'_>) -> Result<Point, ParseError> {
    let named = reader.peek().and_then(|byte| Point::from_name(char::from(byte)));
    let point = named.ok_or_else(|| reader.expected("a point, 1 to 8 or c"))?;
    reader.skip();
    Ok(point)
}

impl fmt::Display for Move {
    /// Writes the move text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}
