//! The text formats of Oware.

use std::fmt;

use crate::reader::Reader;
use crate::{BySeat, ParseError, Seat};

use super::SEEDS;
use super::board::{HOUSES, House, Move, Position, ROW};

impl Position {
    /// Reads a position such as `4,4,4,4,4,4/4,4,4,4,4,4 0-0 S`: South A to F, North a to f,
    /// captured South-North, side to move.
    ///
    /// # Errors
    /// Anything that [`Display`](fmt::Display) would not write, and counts that do not make 48
    /// seeds in all (C-7).
    pub fn parse(text: &str) -> Result<Position, ParseError> {
        const READING: &str = "an Oware position";
        let mut reader = Reader::new(READING, text);
        let mut seeds = [0; HOUSES];
        for house in House::ALL {
            match house.place() {
                0 => {}
                6 => reader.byte(b'/')?,
                _ => reader.byte(b',')?,
            }
            seeds[house.place()] = reader.number(SEEDS)?;
        }
        reader.byte(b' ')?;
        let first = reader.number(SEEDS)?;
        reader.byte(b'-')?;
        let second = reader.number(SEEDS)?;
        reader.byte(b' ')?;
        let to_move = match reader.peek() {
            Some(b'S') => Seat::First,
            Some(b'N') => Seat::Second,
            _ => return Err(reader.expected("S or N, the side to move")),
        };
        reader.skip();
        reader.end()?;
        let all: u16 = seeds.iter().chain([&first, &second]).map(|&n| u16::from(n)).sum();
        if all != u16::from(SEEDS) {
            let expected = format!("{SEEDS} seeds in all, captured ones included, found {all}");
            return Err(ParseError::whole(READING, expected));
        }
        Ok(Position::new(seeds, BySeat { first, second }, to_move))
    }
}

impl fmt::Display for Position {
    /// Writes the text that [`Position::parse`] reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for house in House::ALL {
            let separator = match house.place() {
                0 => "",
                place if place == ROW as usize => "/",
                _ => ",",
            };
            write!(f, "{separator}{}", self.seeds(house))?;
        }
        let BySeat { first, second } = self.captured();
        let side = match self.to_move() {
            Seat::First => 'S',
            Seat::Second => 'N',
        };
        write!(f, " {first}-{second} {side}")
    }
}

impl Move {
    /// Reads a house letter: `A` to `F`, `a` to `f`.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse(text: &str) -> Result<Move, ParseError> {
        let mut reader = Reader::new("an Oware move", text);
        let house = reader
            .peek()
            .and_then(|byte| House::from_letter(char::from(byte)))
            .ok_or_else(|| reader.expected("a house letter, A to F or a to f"))?;
        reader.skip();
        reader.end()?;
        Ok(Move { house })
    }
}

impl fmt::Display for Move {
    /// Writes the house letter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.house.fmt(f)
    }
}
