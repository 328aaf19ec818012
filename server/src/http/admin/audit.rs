//! Reading the audit log.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Deserialize;
use sqlx::PgPool;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    admin::audit::{self, Act, Action, AuditFilter, AuditLine},
    auth::Auth,
    http::{
        cursor::Question,
        extract::Params,
        page::{Page, limit},
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
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(audit_log))
}

/// Which lines are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// Only of this member of the staff.
    actor: Option<PlayerId>,
    /// Only about this player.
    player: Option<PlayerId>,
    /// Only of this action, such as `player.freeze`.
    action: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// The audit log
///
/// Who of the staff did what, when, to whom, and why; newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/audit", tag = "Administration", security(("bearer" = [])), params(AuditQuery), responses(
    (status = 200, body = Page<AuditLine>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn audit_log(
    State(pool): State<PgPool>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<AuditQuery>,
) -> Result<Json<Page<AuditLine>>, Problem> {
    let limit = limit(query.limit)?;
    let filter = AuditFilter {
        actor: query.actor,
        player: query.player,
        action: query.action.as_deref().map(action).transpose()?,
        before: question.place::<Uuid>(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let act = Act { actor: Some(caller.player), player: query.player, ..Act::new(Action::AuditRead) };
    audit::record(&pool, act).await?;
    let items = audit::list(&pool, &filter).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.id))))
}

fn action(text: &str) -> Result<Action, Problem> {
    let known = Action::ALL.iter().copied().find(|action| action.as_str() == text);
    let all = || Action::ALL.iter().map(|action| action.as_str().to_owned()).collect();
    known.ok_or_else(|| Problem::field("action", FieldRule::NotOneOf(all())))
}
