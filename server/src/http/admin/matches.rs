//! Looking for matches, and acts on them.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;
use stakeboard_engine::Ending;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::{
        Office,
        audit::{self, Act, Action},
    },
    auth::Auth,
    http::{
        admin::{Because, words},
        cursor::Question,
        extract::{Body, Named, Params},
        lobby::game,
        page::{Page, limit, range},
        problem::{Problem, ProblemBody},
        staff::{Admin, Reader},
    },
    i18n::FieldRule,
    ids::{MatchId, PlayerId},
    matches::{self, MatchLine, MatchSearch, MatchStatus},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Office: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(search)).routes(routes!(void))
}

/// Which matches are looked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SearchQuery {
    /// `live` or `ended`.
    status: Option<MatchStatus>,
    /// Only of this game.
    game: Option<String>,
    /// Only those that this player plays.
    player: Option<PlayerId>,
    /// Only those that ended like this: `resignation`, `timeout`, `void` …
    ending: Option<String>,
    /// Only with at least this stake.
    #[param(minimum = 0)]
    stake_min: Option<i64>,
    /// Only those that began then or later, as RFC 3339.
    #[param(format = DateTime)]
    from: Option<String>,
    /// Only those that began earlier, as RFC 3339.
    #[param(format = DateTime)]
    to: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Matches of anybody
///
/// Newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/matches", tag = "Administration", security(("bearer" = [])), params(SearchQuery), responses(
    (status = 200, body = Page<MatchLine>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn search(
    State(pool): State<PgPool>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<SearchQuery>,
) -> Result<Json<Page<MatchLine>>, Problem> {
    let limit = limit(query.limit)?;
    let (from, to) = range(query.from.as_deref(), query.to.as_deref())?;
    let search = MatchSearch {
        status: query.status,
        game: query.game.as_deref().map(|text| game("game", text)).transpose()?,
        player: query.player,
        ending: query.ending.as_deref().map(ending).transpose()?,
        stake_min: query.stake_min.map(stake_min).transpose()?,
        from,
        to,
        before: question.place::<MatchId>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let act = Act {
        actor: Some(caller.player),
        player: query.player,
        detail: Some(json!({"game": query.game, "ending": query.ending, "from": query.from, "to": query.to})),
        ..Act::new(Action::MatchesRead)
    };
    audit::record(&pool, act).await?;
    let items = matches::search(&pool, &search).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.id))))
}

/// The end of a voided match.
#[derive(Debug, Serialize, ToSchema)]
struct Voided {
    /// The place of the `ended` event.
    seq: u32,
}

/// Void a live match
///
/// Both stakes go back and the house takes nothing; whoever watches is told by `ended`. Where the match comes to its
/// own end first, that counts and this is `match_over`. For admins.
#[utoipa::path(post, path = "/v1/admin/matches/{id}/void", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(("id" = MatchId, Path, description = "The match")), responses(
    (status = 200, body = Voided),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`match_over`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn void(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<MatchId>,
    Body(request): Body<Because>,
) -> Result<Json<Voided>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(Voided { seq: office.void(caller.player, id, reason).await? }))
}

fn ending(text: &str) -> Result<Ending, Problem> {
    let rule =
        FieldRule::Malformed("um código de encerramento, como timeout", "the code of an ending, such as timeout");
    Ending::from_code(text).ok_or_else(|| Problem::field("ending", rule))
}

fn stake_min(cents: i64) -> Result<i64, Problem> {
    let rule = FieldRule::OutOfRange(0, i64::MAX);
    if cents < 0 { Err(Problem::field("stake_min", rule)) } else { Ok(cents) }
}
