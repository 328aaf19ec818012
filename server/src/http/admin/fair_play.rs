//! How players played.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::Office,
    auth::Auth,
    clock::Clock,
    fair_play::{By, FairPlayMatch, FairPlaySum, MatchFilter, SumFilter},
    http::{
        cursor::Question,
        extract::Params,
        lobby::game,
        page::{Page, limit, window},
        problem::{Problem, ProblemBody},
        staff::Reader,
    },
    i18n::FieldRule,
    ids::PlayerId,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Clock: FromRef<S>,
    Office: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(sums)).routes(routes!(matches))
}

/// What is summed up.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SumsQuery {
    /// `player`, or `pair` for each rival apart; `player` where it is missing.
    #[param(inline)]
    by: Option<By>,
    /// Only of this player.
    player: Option<PlayerId>,
    /// Only of this game.
    game: Option<String>,
    /// Matches that ended then or later, as RFC 3339; 30 days before `to` where it is missing.
    #[param(format = DateTime)]
    from: Option<String>,
    /// Matches that ended earlier, as RFC 3339; now where it is missing.
    #[param(format = DateTime)]
    to: Option<String>,
    /// Only lines with at least so many choices: fewer say little. 20 where it is missing.
    #[param(minimum = 0)]
    choices_min: Option<i64>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before, of a query with the same parameters.
    cursor: Option<String>,
}

/// How players played
///
/// Of staked matches that have ended: how often each player chose a best move where there was a choice, and how evenly they
/// used their time. The largest share first. Figures are for people to look at, beside the matches themselves: strong
/// players choose best moves, and nothing here acts on anybody. A match is there some seconds after its end. For admins
/// and auditors.
#[utoipa::path(get, path = "/v1/admin/reports/fair-play", tag = "Administration", security(("bearer" = [])), params(SumsQuery), responses(
    (status = 200, body = Page<FairPlaySum>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn sums(
    State(office): State<Office>,
    State(clock): State<Clock>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<SumsQuery>,
) -> Result<Json<Page<FairPlaySum>>, Problem> {
    let limit = limit(query.limit)?;
    let (from, to) = window(&clock, query.from.as_deref(), query.to.as_deref())?;
    let choices_min = query.choices_min.unwrap_or(20);
    if choices_min < 0 {
        return Err(Problem::field("choices_min", FieldRule::OutOfRange(0, i64::MAX)));
    }
    let filter = SumFilter {
        from,
        to,
        by: query.by.unwrap_or_default(),
        player: query.player,
        game: named(query.game.as_deref())?,
        choices_min,
        after: question.place(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let items = office.fair_play(caller.player, &filter).await?;
    let place = |line: &FairPlaySum| question.cursor(&(line.best_permille, line.player, line.rival, &line.game));
    Ok(Json(Page::cut(items, limit, place)))
}

/// Which matches are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct MatchesQuery {
    /// Of this player.
    player: PlayerId,
    /// Only against this rival.
    rival: Option<PlayerId>,
    /// Only of this game.
    game: Option<String>,
    /// Matches that ended then or later, as RFC 3339; 30 days before `to` where it is missing.
    #[param(format = DateTime)]
    from: Option<String>,
    /// Matches that ended earlier, as RFC 3339; now where it is missing.
    #[param(format = DateTime)]
    to: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before, of a query with the same parameters.
    cursor: Option<String>,
}

/// The matches behind the figures of a player
///
/// Newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/reports/fair-play/matches", tag = "Administration", security(("bearer" = [])), params(MatchesQuery), responses(
    (status = 200, body = Page<FairPlayMatch>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn matches(
    State(office): State<Office>,
    State(clock): State<Clock>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<MatchesQuery>,
) -> Result<Json<Page<FairPlayMatch>>, Problem> {
    let limit = limit(query.limit)?;
    let (from, to) = window(&clock, query.from.as_deref(), query.to.as_deref())?;
    let filter = MatchFilter {
        player: query.player,
        rival: query.rival,
        game: named(query.game.as_deref())?,
        from,
        to,
        before: question.place(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let items = office.fair_play_matches(caller.player, &filter).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.place()))))
}

fn named(text: Option<&str>) -> Result<Option<&'static str>, Problem> {
    text.map(|text| Ok(game("game", text)?.code())).transpose()
}
