//! The error of every text that is not what it should be.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// A text, or a JSON value, that cannot be read.
///
/// Parsing is strict: there is one way to write each position, move and code, and anything else
/// is this error. It is not a rule's reason ([`Illegal`](crate::Illegal)): the rules speak only
/// about moves that can be read. The text that was refused is not repeated (of an
/// unknown option's name, 40 characters at most), so that an error stays short whatever was sent.
///
/// `Display` is one sentence without a full stop, such as
/// `cannot read an Oware position: expected ',' at byte 3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    reading: &'static str,
    expected: Cow<'static, str>,
    at: Option<usize>,
}

impl ParseError {
    /// An error at byte `at` of the text.
    pub(crate) fn at(reading: &'static str, expected: impl Into<Cow<'static, str>>, at: usize) -> ParseError {
        ParseError { reading, expected: expected.into(), at: Some(at) }
    }

    /// An error that concerns the whole of what was given.
    pub(crate) fn whole(reading: &'static str, expected: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError { reading, expected: expected.into(), at: None }
    }

    /// What was being read, with its article: `an Oware position`.
    #[must_use]
    pub fn reading(&self) -> &'static str {
        self.reading
    }

    /// What was expected instead, for instance the allowed values of an option.
    #[must_use]
    pub fn expected(&self) -> &str {
        &self.expected
    }

    /// The byte of the text, counted from 0, where something else was expected. None where no
    /// single byte is at fault, as in a seed count that does not add up, or in a JSON value.
    #[must_use]
    pub fn byte(&self) -> Option<usize> {
        self.at
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}: expected {}", self.reading, self.expected)?;
        match self.at {
            Some(at) => write!(f, " at byte {at}"),
            None => Ok(()),
        }
    }
}

impl Error for ParseError {}
