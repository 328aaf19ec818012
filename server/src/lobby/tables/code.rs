//! The code of a table: short enough to be read aloud, long enough not to be guessed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::rng;

/// Capital letters and digits, of those that look alike at most one: no `B` or `8`, no `G` beside `6`, no `I`, `L` or `1`,
/// no `O` or `0`, no `S` or `5`, no `V` beside `U`, no `Z` or `2`.
const SIGNS: &[u8; 23] = b"ACDEFHJKMNPQRTUWXY34679";
/// One of some 78 thousand million texts.
const LENGTH: usize = 8;

/// What a table is called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(value_type = String, example = "K7QFWXMA")]
pub struct TableCode(String);

/// A text that can be no code of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no code of a table")]
pub struct NoTableCode;

impl TableCode {
    /// One that nobody has used.
    pub fn draw() -> Self {
        Self(rng::text(SIGNS, LENGTH))
    }

    /// The code as it is kept.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TableCode {
    type Error = NoTableCode;

    /// In any case, as people type it.
    fn try_from(text: String) -> Result<Self, NoTableCode> {
        let code = text.to_ascii_uppercase();
        let is_code = code.len() == LENGTH && code.bytes().all(|sign| SIGNS.contains(&sign));
        if is_code { Ok(Self(code)) } else { Err(NoTableCode) }
    }
}

impl std::fmt::Display for TableCode {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_in_any_case_and_nothing_else_is_one() {
        let code = TableCode::draw();
        assert_eq!(TableCode::try_from(code.as_str().to_owned()), Ok(code.clone()));
        assert_eq!(TableCode::try_from(code.as_str().to_lowercase()), Ok(code));
        let cases = [
            "",
            "A",
            "ACDEFHJ",
            "ACDEFHJKM",
            "ACDEFHJ0",
            "ACDEFHJO",
            "ACDE HJK",
            "ACDEFHJ\u{0}",
            "ÁCDEFHJ",
            "%41CDEFH",
        ];
        for text in cases {
            assert_eq!(TableCode::try_from(text.to_owned()), Err(NoTableCode), "{text:?}");
        }
    }

    #[test]
    fn no_two_signs_look_alike_and_every_sign_is_drawn() {
        for alike in ["B8", "G6", "I1L", "O0Q", "O0D", "S5", "UV", "Z2"] {
            let used = alike.bytes().filter(|sign| SIGNS.contains(sign)).count();
            assert!(used <= 1, "{alike}");
        }
        let drawn: String = (0..100).map(|_| TableCode::draw().0).collect();
        assert!(SIGNS.iter().all(|sign| drawn.contains(char::from(*sign))));
    }
}
