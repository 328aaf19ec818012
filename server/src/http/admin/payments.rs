//! What the payment provider told of, for the staff.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::payments::{self, PaymentEventLine},
    auth::Auth,
    http::{
        cursor::Question,
        extract::Params,
        page::{Page, limit},
        problem::{Problem, ProblemBody},
        staff::Reader,
    },
    ledger::SuspensePayment,
    wallet::{EventOutcome, Wallet},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Wallet: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(suspense)).routes(routes!(events))
}

/// Which payments are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct SuspenseQuery {
    /// Only what has found its place (`true`), or has not (`false`).
    resolved: Option<bool>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Money in suspense
///
/// What came in or went out and fits no deposit or withdrawal, newest first. An administrator assigns its `transfer` to a
/// player, or reverses it. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/payments/suspense", tag = "Administration", security(("bearer" = [])), params(SuspenseQuery), responses(
    (status = 200, body = Page<SuspensePayment>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn suspense(
    State(wallet): State<Wallet>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<SuspenseQuery>,
) -> Result<Json<Page<SuspensePayment>>, Problem> {
    let limit = limit(query.limit)?;
    let before = question.place(query.cursor.as_deref())?;
    let items = payments::suspense(&wallet, caller.player, query.resolved, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |payment| question.cursor(&payment.number))))
}

/// Which events are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// Only of this outcome.
    outcome: Option<EventOutcome>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Events of the payment provider
///
/// Every callback whose signature held, as it came, newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/payments/events", operation_id = "payment_events", tag = "Administration",
    security(("bearer" = [])), params(EventsQuery), responses(
    (status = 200, body = Page<PaymentEventLine>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn events(
    State(wallet): State<Wallet>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<EventsQuery>,
) -> Result<Json<Page<PaymentEventLine>>, Problem> {
    let limit = limit(query.limit)?;
    let before = question.place(query.cursor.as_deref())?;
    let items = payments::events(&wallet, caller.player, query.outcome, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |event| question.cursor(&event.number))))
}
