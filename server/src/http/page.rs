//! Lists in pages.

use serde::Serialize;
use time::{Duration, OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};
use utoipa::ToSchema;

use crate::{clock::Clock, http::problem::Problem, i18n::FieldRule};

/// How many items a page has where nothing is asked for.
const DEFAULT: i64 = 50;
/// How many it has at most.
const MOST: i64 = 200;

/// A page of a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// To be given as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

impl<T> Page<T> {
    /// A page of at most `limit` items, from a list read one further than that; `cursor` names an item.
    pub fn cut(mut items: Vec<T>, limit: i64, cursor: impl Fn(&T) -> String) -> Self {
        let limit = usize::try_from(limit).unwrap_or(0);
        let more = items.len() > limit;
        items.truncate(limit);
        let next_cursor = if more { items.last().map(cursor) } else { None };
        Self { items, next_cursor }
    }
}

/// The size of page that is asked for.
pub fn limit(asked: Option<i64>) -> Result<i64, Problem> {
    match asked {
        None => Ok(DEFAULT),
        Some(limit) if (1..=MOST).contains(&limit) => Ok(limit),
        Some(_) => Err(Problem::field("limit", FieldRule::OutOfRange(1, MOST))),
    }
}

/// Reads a time, as UTC. Years 1 to 9998 only: those that both we and Postgres can tell, with room for what is added.
pub fn instant(field: &str, text: Option<&str>) -> Result<Option<OffsetDateTime>, Problem> {
    let malformed = FieldRule::Malformed(
        "um instante RFC 3339, como 2026-01-31T12:00:00.000Z",
        "a time of RFC 3339, such as 2026-01-31T12:00:00.000Z",
    );
    let read = |text: &str| {
        let time = OffsetDateTime::parse(text, &Rfc3339).ok()?.checked_to_offset(UtcOffset::UTC)?;
        (1..=9998).contains(&time.year()).then_some(time)
    };
    text.map(|text| read(text).ok_or_else(|| Problem::field(field, malformed))).transpose()
}

/// Reads a range of times: `from`, and not before it `to`, where they are given.
pub fn range(
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(Option<OffsetDateTime>, Option<OffsetDateTime>), Problem> {
    let (from, to) = (instant("from", from)?, instant("to", to)?);
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        let rule = FieldRule::Malformed("`from` que não venha depois de `to`", "a `from` that is not later than `to`");
        return Err(Problem::field("from", rule.clone()).with_field("to", rule));
    }
    Ok((from, to))
}

/// The times that a report is asked for, `from` and `to`: the last thirty days where nothing is.
pub fn window(
    clock: &Clock,
    from: Option<&str>,
    to: Option<&str>,
) -> Result<(OffsetDateTime, OffsetDateTime), Problem> {
    let (from, to) = range(from, to)?;
    let to = to.unwrap_or_else(|| clock.wall());
    let from = from.unwrap_or_else(|| to.saturating_sub(Duration::days(30)));
    Ok((from, to))
}

/// Reads a word of a closed list.
pub fn known(field: &str, asked: Option<&str>, all: &[&str]) -> Result<Option<String>, Problem> {
    let rule = || FieldRule::NotOneOf(all.iter().map(|&word| word.to_owned()).collect());
    asked
        .map(|word| all.contains(&word).then(|| word.to_owned()).ok_or_else(|| Problem::field(field, rule())))
        .transpose()
}
