//! Cursors that belong to their question: one from another query is refused, never silently read as a place in this one.

use std::convert::Infallible;

use axum::{extract::FromRequestParts, http::request::Parts};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use crate::{http::problem::Problem, i18n::FieldRule};

/// How many bytes of the question's hash a cursor carries.
const MARK: usize = 8;

/// What a request for a list asks: its path with every parameter that says which items are meant.
#[derive(Clone, Debug)]
pub struct Question(Vec<u8>);

impl<S: Send + Sync> FromRequestParts<S> for Question {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts.uri.path(), parts.uri.query().unwrap_or_default()))
    }
}

impl Question {
    fn of(path: &str, query: &str) -> Self {
        let mut filters: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .filter(|(name, _)| name != "cursor" && name != "limit")
            .collect();
        filters.sort();
        // Texts can always be written.
        let question = serde_json::to_vec(&(path, filters)).unwrap_or_default();
        Self(Sha256::digest(question)[..MARK].to_vec())
    }

    /// A place in the list, bound to the question.
    pub fn cursor(&self, place: &impl Serialize) -> String {
        let mut bytes = self.0.clone();
        // A place is a few numbers and identifiers: it can always be written.
        bytes.extend(serde_json::to_vec(place).unwrap_or_default());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a place back. The cursor of another list, or of other filters, is refused.
    pub fn place<P: DeserializeOwned>(&self, cursor: Option<&str>) -> Result<Option<P>, Problem> {
        let place = |text: &str| {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
            serde_json::from_slice(bytes.strip_prefix(self.0.as_slice())?).ok()
        };
        let rule = FieldRule::Malformed(
            "o next_cursor de uma página anterior da mesma consulta",
            "the next_cursor of an earlier page of the same query",
        );
        cursor.map(|text| place(text).ok_or_else(|| Problem::field("cursor", rule))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_own_question_only() {
        let cursor = Question::of("/v1/transfers", "kind=a&min=5").cursor(&(7, "x"));
        let read = |path: &str, query: &str, cursor: &str| {
            let place = Question::of(path, query).place::<(i32, String)>(Some(cursor));
            place.map_err(|problem| problem.fields()[0].0.clone())
        };
        for same in ["kind=a&min=5", "min=5&kind=a", "kind=%61&min=5&limit=3&cursor=x"] {
            assert_eq!(read("/v1/transfers", same, &cursor), Ok(Some((7, "x".to_owned()))), "{same}");
        }
        for (path, query, cursor) in [
            ("/v1/accounts", "kind=a&min=5", cursor.as_str()),
            ("/v1/transfers", "kind=a", &cursor),
            ("/v1/transfers", "", &cursor),
            ("/v1/transfers", "kind=b&min=5", &cursor),
            ("/v1/transfers", "kind=a&min=5", &cursor[1..]),
            ("/v1/transfers", "kind=a&min=5", &format!("{cursor}AAAA")),
            ("/v1/transfers", "kind=a&min=5", ""),
            ("/v1/transfers", "kind=a&min=5", "018f0000-0000-7000-8000-000000000000"),
        ] {
            assert_eq!(read(path, query, cursor), Err("cursor".to_owned()), "{path}?{query} {cursor}");
        }
        assert_eq!(Question::of("/", "").place::<i32>(None).map_err(|_| ()), Ok(None));
    }
}
