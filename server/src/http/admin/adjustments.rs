//! What administrators move by hand: balances, transfers that were mistakes, money in suspense.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    admin::{AdjustError, Adjustment, AdjustmentStatus, LARGEST_ADJUSTMENT, Move, NewAdjustment, Office},
    auth::Auth,
    code::Code,
    http::{
        admin::{Because, words},
        cursor::Question,
        extract::{Body, KeyedBody, Named, Params},
        page::{Page, limit},
        problem::{Problem, ProblemBody},
        staff::{Admin, Reader},
    },
    i18n::FieldRule,
    ids::{PlayerId, TransferId},
    money::Cents,
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Office: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(adjust))
        .routes(routes!(reverse))
        .routes(routes!(assign))
        .routes(routes!(adjustments))
        .routes(routes!(approve_adjustment))
        .routes(routes!(reject_adjustment))
}

/// An adjustment to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct AdjustRequest {
    /// Minor units, not zero and at most 10^12 either way: above zero the player is given it, below zero it is taken.
    #[schema(minimum = -1_000_000_000_000_i64, maximum = 1_000_000_000_000_i64)]
    amount: i64,
    /// Why: 1 to 1000 characters.
    reason: String,
}

/// Adjust a player's balance
///
/// A ledger transfer like any other, between the player and the account of adjustments; it never takes more than is
/// available. Where what the caller has moved alone in the last 24 hours, this included and either way, is above the set
/// amount, it waits for a second administrator: 202, and nothing has moved yet. For admins, on anybody's account but
/// their own.
#[utoipa::path(post, path = "/v1/admin/players/{id}/adjust", tag = "Administration", security(("bearer" = [])), request_body = AdjustRequest,
    params(
        ("id" = PlayerId, Path, description = "The player"),
        ("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this adjustment"),
    ), responses(
    (status = 201, description = "The money has moved", body = Adjustment),
    (status = 202, description = "A second administrator has to approve", body = Adjustment),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`balance_out_of_bounds`, `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn adjust(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<PlayerId>,
    KeyedBody(key, request): KeyedBody<AdjustRequest>,
) -> Result<(StatusCode, Json<Adjustment>), Problem> {
    if request.amount == 0 || !(-LARGEST_ADJUSTMENT..=LARGEST_ADJUSTMENT).contains(&request.amount) {
        return Err(Problem::field("amount", FieldRule::Zero(LARGEST_ADJUSTMENT)));
    }
    let reason = words("reason", &request.reason)?;
    let new = NewAdjustment { wanted: Move::Adjust(id, Cents(request.amount)), reason };
    Ok(made(office.adjust(caller.player, new, key).await?))
}

/// The answer to an adjustment that was asked for.
fn made(adjustment: Adjustment) -> (StatusCode, Json<Adjustment>) {
    let status = match adjustment.status {
        AdjustmentStatus::Waiting => StatusCode::ACCEPTED,
        AdjustmentStatus::Done | AdjustmentStatus::Rejected | AdjustmentStatus::Undone => StatusCode::CREATED,
    };
    (status, Json(adjustment))
}

/// Reverse a transfer
///
/// By a new transfer that names it; each at most once. Adjustments, deposits and money in suspense can be reversed: what
/// belongs to a match or a withdrawal is one step of several, and is mended by an adjustment. Reversing money in suspense
/// sends it back where it came from. Above the set amount, counted as for adjustments, it waits for a second administrator:
/// 202, and nothing has moved yet. For admins, on anybody's account but their own.
#[utoipa::path(post, path = "/v1/admin/ledger/transfers/{id}/reverse", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(
        ("id" = TransferId, Path, description = "The transfer"),
        ("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this reversal"),
    ), responses(
    (status = 201, description = "The money has moved", body = Adjustment),
    (status = 202, description = "A second administrator has to approve", body = Adjustment),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`not_correctable`, `already_corrected`, `balance_out_of_bounds`, `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn reverse(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<TransferId>,
    KeyedBody(key, request): KeyedBody<Because>,
) -> Result<(StatusCode, Json<Adjustment>), Problem> {
    let reason = words("reason", &request.reason)?;
    let new = NewAdjustment { wanted: Move::Reverse(id), reason };
    Ok(made(office.adjust(caller.player, new, key).await?))
}

/// Whom money in suspense belongs to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Assignment {
    /// The player.
    player: PlayerId,
    /// Why: 1 to 1000 characters.
    reason: String,
}

/// Assign money in suspense to a player
///
/// What came in becomes the player's deposit; what went out becomes their withdrawal, as far as they have it available.
/// Each at most once. Above the set amount, counted as for adjustments, it waits for a second administrator: 202, and
/// nothing has moved yet. For admins, to anybody but themselves. `transfer` in the list of money in suspense is what is assigned.
#[utoipa::path(post, path = "/v1/admin/ledger/transfers/{id}/assign", tag = "Administration", security(("bearer" = [])), request_body = Assignment,
    params(
        ("id" = TransferId, Path, description = "The transfer"),
        ("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this assignment"),
    ), responses(
    (status = 201, description = "The money has moved", body = Adjustment),
    (status = 202, description = "A second administrator has to approve", body = Adjustment),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`forbidden`; `guest_account`: the player is a guest", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`: the transfer, or the player", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`not_correctable`: not in suspense, or in another currency; `already_corrected`, `balance_out_of_bounds`, `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn assign(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<TransferId>,
    KeyedBody(key, request): KeyedBody<Assignment>,
) -> Result<(StatusCode, Json<Adjustment>), Problem> {
    let reason = words("reason", &request.reason)?;
    let new = NewAdjustment { wanted: Move::Assign(id, request.player), reason };
    Ok(made(office.adjust(caller.player, new, key).await?))
}

/// Which adjustments are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AdjustmentsQuery {
    /// Only those in this state.
    status: Option<AdjustmentStatus>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// Adjustments
///
/// Newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/adjustments", tag = "Administration", security(("bearer" = [])), params(AdjustmentsQuery), responses(
    (status = 200, body = Page<Adjustment>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn adjustments(
    State(office): State<Office>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<AdjustmentsQuery>,
) -> Result<Json<Page<Adjustment>>, Problem> {
    let limit = limit(query.limit)?;
    let before = question.place::<Uuid>(query.cursor.as_deref())?;
    let items = office.adjustments(caller.player, query.status, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.id))))
}

/// Approve an adjustment
///
/// The money moves. For admins, but not for the one who asked for it.
#[utoipa::path(post, path = "/v1/admin/adjustments/{id}/approve", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(("id" = Uuid, Path, description = "The adjustment")), responses(
    (status = 200, body = Adjustment),
    (status = 403, description = "`forbidden`, `own_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`already_decided`, `balance_out_of_bounds`; `asker_gone`: whoever asked has lost the role", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn approve_adjustment(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<Uuid>,
    Body(request): Body<Because>,
) -> Result<Json<Adjustment>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(office.decide_adjustment(caller.player, id, true, reason).await?))
}

/// Reject an adjustment
///
/// Nothing moves. For admins, but not for the one who asked for it.
#[utoipa::path(post, path = "/v1/admin/adjustments/{id}/reject", tag = "Administration", security(("bearer" = [])), request_body = Because,
    params(("id" = Uuid, Path, description = "The adjustment")), responses(
    (status = 200, body = Adjustment),
    (status = 403, description = "`forbidden`, `own_request`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`already_decided`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `own_account`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`, `stopping`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn reject_adjustment(
    State(office): State<Office>,
    Admin(caller): Admin,
    Named(id): Named<Uuid>,
    Body(request): Body<Because>,
) -> Result<Json<Adjustment>, Problem> {
    let reason = words("reason", &request.reason)?;
    Ok(Json(office.decide_adjustment(caller.player, id, false, reason).await?))
}

impl From<AdjustError> for Problem {
    fn from(error: AdjustError) -> Self {
        match error {
            AdjustError::NotFound => Self::new(Code::NotFound),
            AdjustError::OwnAccount => Self::new(Code::OwnAccount),
            AdjustError::OwnRequest => Self::new(Code::OwnRequest),
            AdjustError::AskerGone => Self::new(Code::AskerGone),
            AdjustError::Guest => Self::new(Code::GuestAccount),
            AdjustError::NotCorrectable => Self::new(Code::NotCorrectable),
            AdjustError::Corrected => Self::new(Code::AlreadyCorrected),
            AdjustError::Decided => Self::new(Code::AlreadyDecided),
            AdjustError::OutOfBounds => Self::new(Code::BalanceOutOfBounds),
            AdjustError::Key(error) => error.into(),
            AdjustError::Database(error) => error.into(),
            AdjustError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
