//! Reviewing withdrawals.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    admin::withdrawals::{self, DecideError, StaffWithdrawal, WithdrawalFilter},
    auth::Auth,
    code::Code,
    http::{
        admin::{Because, words},
        cursor::Question,
        extract::{Body, Named, Params},
        page::{Page, limit},
        problem::{Problem, ProblemBody},
        staff::{Admin, WithdrawalDecider, WithdrawalReader},
    },
    i18n::FieldRule,
    ids::{PlayerId, WithdrawalId},
    wallet::{Wallet, WithdrawalStatus},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Wallet: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(list))
        .routes(routes!(approve))
        .routes(routes!(reject))
        .routes(routes!(close_as_paid))
        .routes(routes!(close_as_failed))
}

/// Which withdrawals are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct WithdrawalsQuery {
    /// Only with this status; `requested` waits for a decision, `submitted` for the payment provider.
    status: Option<WithdrawalStatus>,
    /// Only of this player.
    player: Option<PlayerId>,
    /// Only those that have been, or were, open for at least this long, in milliseconds.
    #[param(minimum = 0)]
    min_age_ms: Option<i64>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// The oldest that can be asked for: a hundred years, in milliseconds.
const OLDEST: i64 = 100 * 366 * 24 * 3_600_000;

/// Withdrawals
///
/// Newest first. For admins, auditors and cashiers.
#[utoipa::path(get, path = "/v1/admin/withdrawals", operation_id = "withdrawals_for_staff", tag = "Administration",
    security(("bearer" = [])), params(WithdrawalsQuery), responses(
    (status = 200, body = Page<StaffWithdrawal>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn list(
    State(wallet): State<Wallet>,
    WithdrawalReader(caller): WithdrawalReader,
    question: Question,
    Params(query): Params<WithdrawalsQuery>,
) -> Result<Json<Page<StaffWithdrawal>>, Problem> {
    let limit = limit(query.limit)?;
    if query.min_age_ms.is_some_and(|age| !(0..=OLDEST).contains(&age)) {
        return Err(Problem::field("min_age_ms", FieldRule::OutOfRange(0, OLDEST)));
    }
    let filter = WithdrawalFilter {
        id: None,
        status: query.status,
        player: query.player,
        min_age_ms: query.min_age_ms,
        before: question.place(query.cursor.as_deref())?,
        limit: limit + 1,
    };
    let items = withdrawals::list(&wallet, caller.player, &filter).await?;
    Ok(Json(Page::cut(items, limit, |withdrawal| question.cursor(&withdrawal.id))))
}

/// A remark on an approval.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Remark {
    /// Why, where there is more to say than that the player asked for it: 1 to 1000 characters.
    reason: Option<String>,
}

/// Approve a withdrawal
///
/// It goes to the payment provider, which pays at once (sandbox) or confirms by a callback: `status` says how far it
/// is. The reason is the player's request; a remark may be added. For admins and cashiers, on any but their own; in the
/// audit log.
#[utoipa::path(post, path = "/v1/admin/withdrawals/{id}/approve", tag = "Administration", security(("bearer" = [])),
    request_body = Option<Remark>, params(("id" = WithdrawalId, Path, description = "The withdrawal")), responses(
    (status = 200, body = StaffWithdrawal),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`withdrawal_decided`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`; `own_account`: the withdrawal is the caller's own", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn approve(
    State(wallet): State<Wallet>,
    WithdrawalDecider(caller): WithdrawalDecider,
    Named(id): Named<WithdrawalId>,
    remark: Option<Body<Remark>>,
) -> Result<Json<StaffWithdrawal>, Problem> {
    let Remark { reason } = remark.map(|Body(remark)| remark).unwrap_or_default();
    let reason = reason.map(|reason| words("reason", &reason)).transpose()?;
    Ok(Json(withdrawals::approve(&wallet, caller.player, id, reason).await?))
}

/// Reject a withdrawal
///
/// What was held goes back to the player. For admins and cashiers, on any but their own; in the audit log.
#[utoipa::path(post, path = "/v1/admin/withdrawals/{id}/reject", tag = "Administration", security(("bearer" = [])),
    request_body = Because, params(("id" = WithdrawalId, Path, description = "The withdrawal")), responses(
    (status = 200, body = StaffWithdrawal),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`withdrawal_decided`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`; `own_account`: the withdrawal is the caller's own", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn reject(
    State(wallet): State<Wallet>,
    WithdrawalDecider(caller): WithdrawalDecider,
    Named(id): Named<WithdrawalId>,
    Body(request): Body<Because>,
) -> Result<Json<StaffWithdrawal>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(withdrawals::reject(&wallet, caller.player, id, reason).await?))
}

/// Close a withdrawal as paid
///
/// What was held leaves the ledger.
/// For a withdrawal that the payment provider was asked for and never answered on, once somebody has found out. What the
/// provider says later never pays twice. For admins, on any but their own; in the audit log.
#[utoipa::path(post, path = "/v1/admin/withdrawals/{id}/paid", tag = "Administration", security(("bearer" = [])),
    request_body = Because, params(("id" = WithdrawalId, Path, description = "The withdrawal")), responses(
    (status = 200, body = StaffWithdrawal),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`not_submitted`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`; `own_account`: the withdrawal is the caller's own", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn close_as_paid(
    State(wallet): State<Wallet>,
    Admin(caller): Admin,
    Named(id): Named<WithdrawalId>,
    Body(request): Body<Because>,
) -> Result<Json<StaffWithdrawal>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(withdrawals::close(&wallet, caller.player, id, true, reason).await?))
}

/// Close a withdrawal as failed
///
/// What was held goes back to the player.
/// For a withdrawal that the payment provider was asked for and never answered on, once somebody has found out. What the
/// provider says later never pays twice. For admins, on any but their own; in the audit log.
#[utoipa::path(post, path = "/v1/admin/withdrawals/{id}/failed", tag = "Administration", security(("bearer" = [])),
    request_body = Because, params(("id" = WithdrawalId, Path, description = "The withdrawal")), responses(
    (status = 200, body = StaffWithdrawal),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`not_submitted`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`; `own_account`: the withdrawal is the caller's own", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn close_as_failed(
    State(wallet): State<Wallet>,
    Admin(caller): Admin,
    Named(id): Named<WithdrawalId>,
    Body(request): Body<Because>,
) -> Result<Json<StaffWithdrawal>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(withdrawals::close(&wallet, caller.player, id, false, reason).await?))
}

impl From<DecideError> for Problem {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::NotFound => Self::new(Code::NotFound),
            DecideError::Own => Self::new(Code::OwnAccount),
            DecideError::NotSubmitted => Self::new(Code::NotSubmitted),
            DecideError::Decided => Self::new(Code::WithdrawalDecided),
            DecideError::Database(error) => error.into(),
            DecideError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
