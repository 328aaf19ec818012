//! Cursors that belong to their question: one from another query is refused, never silently read as a place in this one.

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use crate::{http::problem::Problem, i18n::FieldRule};

/// How many bytes of the question's hash a cursor carries.
const MARK: usize = 8;

/// A place in a list, bound to the list and its filters.
pub fn write(list: &str, filters: &impl Serialize, place: &impl Serialize) -> String {
    let mut bytes = mark(list, filters);
    // A place is a few numbers and identifiers: it can always be written.
    bytes.extend(serde_json::to_vec(place).unwrap_or_default());
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// Reads a place back. The cursor of another list, or of other filters, is refused.
pub fn read<P: DeserializeOwned>(
    list: &str,
    filters: &impl Serialize,
    cursor: Option<&str>,
) -> Result<Option<P>, Problem> {
    let place = |text: &str| {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
        let place = bytes.strip_prefix(mark(list, filters).as_slice())?;
        serde_json::from_slice(place).ok()
    };
    let rule = FieldRule::Malformed(
        "o next_cursor de uma página anterior da mesma consulta",
        "the next_cursor of an earlier page of the same query",
    );
    cursor.map(|text| place(text).ok_or_else(|| Problem::field("cursor", rule))).transpose()
}

fn mark(list: &str, filters: &impl Serialize) -> Vec<u8> {
    let question = serde_json::to_vec(&(list, filters)).unwrap_or_default();
    Sha256::digest(question)[..MARK].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_good_for_its_own_question_only() {
        let filters = ("a", Some(5));
        let cursor = write("transfers", &filters, &(7, "x"));
        let read = |list: &str, filters: &(&str, Option<i32>), cursor: &str| {
            super::read::<(i32, String)>(list, filters, Some(cursor)).map_err(|problem| problem.fields()[0].0.clone())
        };
        assert_eq!(read("transfers", &filters, &cursor), Ok(Some((7, "x".to_owned()))));
        for (list, filters, cursor) in [
            ("accounts", ("a", Some(5)), cursor.as_str()),
            ("transfers", ("a", None), &cursor),
            ("transfers", ("b", Some(5)), &cursor),
            ("transfers", ("a", Some(5)), &cursor[1..]),
            ("transfers", ("a", Some(5)), &format!("{cursor}AAAA")),
            ("transfers", ("a", Some(5)), ""),
            ("transfers", ("a", Some(5)), "018f0000-0000-7000-8000-000000000000"),
        ] {
            assert_eq!(read(list, &filters, cursor), Err("cursor".to_owned()), "{list} {filters:?} {cursor}");
        }
        assert_eq!(super::read::<(i32, String)>("transfers", &filters, None).map_err(|_| ()), Ok(None));
    }
}
