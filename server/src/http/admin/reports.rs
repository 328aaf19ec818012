//! Reports.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Serialize};
use time::{Date, Duration, OffsetDateTime, macros::format_description};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    admin::{Complaint, ComplaintFilter, Office},
    auth::Auth,
    clock::{Clock, rfc3339_ms},
    http::{
        cursor::Question,
        extract::Params,
        page::{Page, limit, window},
        problem::{Problem, ProblemBody},
        staff::Reader,
    },
    i18n::FieldRule,
    ids::{MatchId, PlayerId},
    ledger::{DailyFilter, DailyLine, DailyTotals, PairFilter, PairLine},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Clock: FromRef<S>,
    Office: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(daily)).routes(routes!(pairs)).routes(routes!(complaints))
}

/// Which day is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DailyQuery {
    /// The day in UTC, `YYYY-MM-DD`; today, as far as it has come, where it is missing.
    #[param(format = Date)]
    date: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// What a day did to players' money.
#[derive(Debug, Serialize, ToSchema)]
struct DailyReport {
    /// The day, in UTC.
    date: String,
    /// Its beginning.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    from: OffsetDateTime,
    /// Its end, which is no longer part of it.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    to: OffsetDateTime,
    /// All players together, whatever the page.
    totals: DailyTotals,
    /// Players with money or movement, newest first.
    items: Vec<DailyLine>,
    /// To be given as `cursor` for the next page; null on the last one.
    next_cursor: Option<String>,
}

/// The daily report
///
/// For each player what the day began with, what it brought and took, and what it ended with. The totals tie to the
/// trial balance: `closing` is what players and holds have there at the end of the day. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/reports/daily", tag = "Administration", security(("bearer" = [])), params(DailyQuery), responses(
    (status = 200, body = DailyReport),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn daily(
    State(office): State<Office>,
    State(clock): State<Clock>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<DailyQuery>,
) -> Result<Json<DailyReport>, Problem> {
    let limit = limit(query.limit)?;
    let today = clock.wall().date();
    let date = query.date.as_deref().map_or(Ok(today), |text| day(text, today))?;
    let from = date.midnight().assume_utc();
    let to = from.saturating_add(Duration::DAY);
    let before = question.place::<PlayerId>(query.cursor.as_deref())?;
    let (items, totals) = office.daily(caller.player, &DailyFilter { from, to, before, limit: limit + 1 }).await?;
    let page = Page::cut(items, limit, |line| question.cursor(&line.player));
    let Page { items, next_cursor } = page;
    Ok(Json(DailyReport { date: date.to_string(), from, to, totals, items, next_cursor }))
}

/// Reads a day that has come.
fn day(text: &str, today: Date) -> Result<Date, Problem> {
    let rule =
        FieldRule::Malformed("um dia no formato AAAA-MM-DD, não futuro", "a day as YYYY-MM-DD, not in the future");
    let shaped = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date = Date::parse(text, format_description!("[year]-[month]-[day]")).ok().filter(|_| shaped);
    date.filter(|date| *date <= today).ok_or_else(|| Problem::field("date", rule))
}

/// Which pairs are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct PairsQuery {
    /// Matches that ended then or later, as RFC 3339; 30 days before `to` where it is missing.
    #[param(format = DateTime)]
    from: Option<String>,
    /// Matches that ended earlier, as RFC 3339; now where it is missing.
    #[param(format = DateTime)]
    to: Option<String>,
    /// Only pairs with this player.
    player: Option<PlayerId>,
    /// Only pairs with at least so many matches; 1 where it is missing.
    #[param(minimum = 1)]
    matches_min: Option<i64>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before, of a query with the same parameters.
    cursor: Option<String>,
}

/// Net flow by pair
///
/// Who has won how much of whom: losing on purpose is the only way to move money between players. The largest flow
/// first, whichever way it goes. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/reports/pairs", tag = "Administration", security(("bearer" = [])), params(PairsQuery), responses(
    (status = 200, body = Page<PairLine>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn pairs(
    State(office): State<Office>,
    State(clock): State<Clock>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<PairsQuery>,
) -> Result<Json<Page<PairLine>>, Problem> {
    let limit = limit(query.limit)?;
    let (from, to) = window(&clock, query.from.as_deref(), query.to.as_deref())?;
    let matches_min = query.matches_min.unwrap_or(1);
    if matches_min < 1 {
        return Err(Problem::field("matches_min", FieldRule::OutOfRange(1, i64::MAX)));
    }
    let after = question.place(query.cursor.as_deref())?;
    let filter = PairFilter { from, to, player: query.player, matches_min, after, limit: limit + 1 };
    let items = office.pairs(caller.player, &filter).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&(line.flow.0.unsigned_abs(), line.one, line.two)))))
}

/// Which complaints are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ComplaintsQuery {
    /// Only of this match.
    #[serde(rename = "match")]
    match_id: Option<MatchId>,
    /// Only by this player or of a match of theirs.
    player: Option<PlayerId>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// What players say of matches
///
/// Newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/reports/complaints", tag = "Administration", security(("bearer" = [])), params(ComplaintsQuery), responses(
    (status = 200, body = Page<Complaint>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn complaints(
    State(office): State<Office>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<ComplaintsQuery>,
) -> Result<Json<Page<Complaint>>, Problem> {
    let limit = limit(query.limit)?;
    let filter = ComplaintFilter {
        match_id: query.match_id,
        player: query.player,
        before: question.place::<Uuid>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let items = office.complaints(caller.player, &filter).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.id))))
}
