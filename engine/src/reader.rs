//! Reads a text byte by byte, remembering where it is and what is being read.

use std::borrow::Cow;

use crate::ParseError;

/// A place in a text. Works on bytes: every format is ASCII, and a byte that belongs to a longer
/// character never equals one that is expected.
pub(crate) struct Reader<'a> {
    reading: &'static str,
    rest: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte of `text`; `reading` goes into the errors.
    pub(crate) fn new(reading: &'static str, text: &'a str) -> Reader<'a> {
        Reader { reading, rest: text.as_bytes(), at: 0 }
    }

    /// The error that something else was expected here.
    pub(crate) fn expected(&self, what: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::at(self.reading, what, self.at)
    }

    /// The next byte, not taken.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// The next two bytes, not taken.
    pub(crate) fn peek_two(&self) -> Option<[u8; 2]> {
        self.rest.first_chunk().copied()
    }

    /// Takes one byte, whatever it is.
    pub(crate) fn skip(&mut self) {
        if let Some((_, rest)) = self.rest.split_first() {
            self.rest = rest;
            self.at += 1;
        }
    }

    /// Takes `byte` and nothing else.
    pub(crate) fn byte(&mut self, byte: u8) -> Result<(), ParseError> {
        if self.peek() != Some(byte) {
            return Err(self.expected(format!("{:?}", char::from(byte))));
        }
        self.skip();
        Ok(())
    }

    /// Takes a number from 0 to `max` in decimal digits, without leading zeros or a sign.
    pub(crate) fn number(&mut self, max: u8) -> Result<u8, ParseError> {
        let wanted = || format!("a number from 0 to {max} without leading zeros");
        let error = self.expected(wanted());
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (taken, rest) = self.rest.split_at(digits);
        if digits == 0 || digits > 3 || (digits > 1 && taken[0] == b'0') {
            return Err(error);
        }
        let value = taken.iter().fold(0_u16, |sum, digit| sum * 10 + u16::from(digit - b'0'));
        match u8::try_from(value) {
            Ok(value) if value <= max => {
                self.rest = rest;
                self.at += digits;
                Ok(value)
            }
            _ => Err(error),
        }
    }

    /// Accepts only the end of the text.
    pub(crate) fn end(&self) -> Result<(), ParseError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }
}
