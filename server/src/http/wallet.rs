//! The player's money.

use axum::{
    Json,
    extract::{FromRef, State},
    http::StatusCode,
};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::Auth,
    code::Code,
    http::{
        caller::{Account, Caller},
        cursor::Question,
        extract::{KeyedBody, Named, Params},
        page::{Page, known, limit, range},
        problem::{Problem, ProblemBody},
    },
    i18n::FieldRule,
    idempotency::ClaimError,
    ids::{DepositId, MatchId, WithdrawalId},
    ledger::{OwnFilter, OwnTotals, OwnTransfer, search::TRANSFER_KINDS},
    money::Cents,
    wallet::{CancelError, DEPOSIT_MIN, Deposit, DepositError, RequestError, Wallet, WalletView, Withdrawal},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Wallet: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(wallet))
        .routes(routes!(transfers))
        .routes(routes!(totals))
        .routes(routes!(deposits, deposit))
        .routes(routes!(withdrawals, withdraw))
        .routes(routes!(cancel))
}

/// What the player has
#[utoipa::path(get, path = "/v1/wallet", tag = "Wallet", security(("bearer" = [])), responses(
    (status = 200, body = WalletView),
))]
async fn wallet(State(wallet): State<Wallet>, caller: Caller) -> Result<Json<WalletView>, Problem> {
    Ok(Json(wallet.view(caller.player).await?))
}

/// Which lines are asked for: those that fit everything that is said.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TransfersQuery {
    /// Only those of this kind: `deposit`, `stake`, `payout`, `refund`, `hold`, `release` …
    kind: Option<String>,
    /// Only those of this match.
    r#match: Option<MatchId>,
    /// Only those made at this time or later, in RFC 3339.
    from: Option<String>,
    /// Only those made at this time or before, in RFC 3339; to the millisecond, as times are shown.
    to: Option<String>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before, of a query with the same filters.
    cursor: Option<String>,
}

/// The player's own ledger lines
///
/// Newest first, signed from the player's side.
#[utoipa::path(get, path = "/v1/wallet/transfers", tag = "Wallet", security(("bearer" = [])), params(TransfersQuery), responses(
    (status = 200, body = Page<OwnTransfer>),
    (status = 422, description = "`invalid_request`, also for the cursor of another query", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn transfers(
    State(wallet): State<Wallet>,
    caller: Caller,
    question: Question,
    Params(query): Params<TransfersQuery>,
) -> Result<Json<Page<OwnTransfer>>, Problem> {
    let limit = limit(query.limit)?;
    let (from, to) = range(query.from.as_deref(), query.to.as_deref())?;
    let filter =
        OwnFilter { kind: known("kind", query.kind.as_deref(), &TRANSFER_KINDS)?, match_id: query.r#match, from, to };
    let before: Option<i64> = question.place(query.cursor.as_deref())?;
    let items = wallet.transfers(caller.player, &filter, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |line| question.cursor(&line.version))))
}

/// Which range of time is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TotalsQuery {
    /// From this time on, in RFC 3339; from the beginning where it is missing.
    from: Option<String>,
    /// Up to this time, in RFC 3339, to the millisecond; up to now where it is missing.
    to: Option<String>,
}

/// The player's own totals
///
/// What came in, went out, was staked and won in a range of time; without one of all time, `net` then being the lifetime
/// net result.
#[utoipa::path(get, path = "/v1/wallet/totals", tag = "Wallet", security(("bearer" = [])), params(TotalsQuery), responses(
    (status = 200, body = OwnTotals),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn totals(
    State(wallet): State<Wallet>,
    caller: Caller,
    Params(query): Params<TotalsQuery>,
) -> Result<Json<OwnTotals>, Problem> {
    let (from, to) = range(query.from.as_deref(), query.to.as_deref())?;
    Ok(Json(wallet.totals(caller.player, from, to).await?))
}

/// Which deposits are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct DepositsQuery {
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// The player's deposits
///
/// Newest first.
#[utoipa::path(get, path = "/v1/wallet/deposits", tag = "Wallet", security(("bearer" = [])), params(DepositsQuery), responses(
    (status = 200, body = Page<Deposit>),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn deposits(
    State(wallet): State<Wallet>,
    Account(caller): Account,
    question: Question,
    Params(query): Params<DepositsQuery>,
) -> Result<Json<Page<Deposit>>, Problem> {
    let limit = limit(query.limit)?;
    let before = question.place::<DepositId>(query.cursor.as_deref())?;
    let items = wallet.deposits(caller.player, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |deposit| question.cursor(&deposit.id))))
}

/// A deposit to make.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewDeposit {
    /// Minor units, above zero.
    #[schema(minimum = 1)]
    amount: i64,
}

/// Deposit
///
/// The sandbox provider completes at once. With the provider `webhook` it is `pending` until the provider confirms it by a
/// callback that names its `id`.
#[utoipa::path(post, path = "/v1/wallet/deposits", tag = "Wallet", security(("bearer" = [])), request_body = NewDeposit,
    params(("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this deposit")),
    responses(
    (status = 201, body = Deposit),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`, `frozen`, `on_break` (with `until`)", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`limit_reached` (with `limit`), `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn deposit(
    State(wallet): State<Wallet>,
    Account(caller): Account,
    KeyedBody(key, request): KeyedBody<NewDeposit>,
) -> Result<(StatusCode, Json<Deposit>), Problem> {
    let most = wallet.settings().deposit_max;
    if !(DEPOSIT_MIN..=most.0).contains(&request.amount) {
        return Err(Problem::field("amount", FieldRule::OutOfRange(DEPOSIT_MIN, most.0)));
    }
    let deposit = wallet.deposit(caller.player, Cents(request.amount), key).await?;
    Ok((StatusCode::CREATED, Json(deposit)))
}

/// Which withdrawals are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct WithdrawalsQuery {
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// The player's withdrawals
///
/// Newest first.
#[utoipa::path(get, path = "/v1/wallet/withdrawals", tag = "Wallet", security(("bearer" = [])), params(WithdrawalsQuery), responses(
    (status = 200, body = Page<Withdrawal>),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn withdrawals(
    State(wallet): State<Wallet>,
    Account(caller): Account,
    question: Question,
    Params(query): Params<WithdrawalsQuery>,
) -> Result<Json<Page<Withdrawal>>, Problem> {
    let limit = limit(query.limit)?;
    let before = question.place(query.cursor.as_deref())?;
    let items = wallet.withdrawals(caller.player, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |withdrawal| question.cursor(&withdrawal.id))))
}

/// A withdrawal to ask for.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewWithdrawal {
    /// Minor units, above zero.
    #[schema(minimum = 1)]
    amount: i64,
}

/// Withdraw
///
/// The amount is held at once and no longer available; the staff approves or rejects it. One withdrawal at a time.
#[utoipa::path(post, path = "/v1/wallet/withdrawals", tag = "Wallet", security(("bearer" = [])), request_body = NewWithdrawal,
    params(("idempotency-key" = String, Header, description = "1 to 255 visible characters, the client's own name for this withdrawal")),
    responses(
    (status = 201, body = Withdrawal),
    (status = 400, description = "`idempotency_key_missing`, `bad_idempotency_key`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 403, description = "`account_needed`, `identity_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`withdrawal_open`, `insufficient_funds`, `idempotency_in_progress`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, `idempotency_key_reused`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn withdraw(
    State(wallet): State<Wallet>,
    Account(caller): Account,
    KeyedBody(key, request): KeyedBody<NewWithdrawal>,
) -> Result<(StatusCode, Json<Withdrawal>), Problem> {
    if request.amount < 1 {
        return Err(Problem::field("amount", FieldRule::OutOfRange(1, i64::MAX)));
    }
    let withdrawal = wallet.withdraw(caller.player, Cents(request.amount), key).await?;
    Ok((StatusCode::CREATED, Json(withdrawal)))
}

/// Cancel an own withdrawal
///
/// Before the staff has decided on it, and where the operator allows it (`withdrawal_cancellation` of
/// `GET /v1/config`). What was held is available again.
#[utoipa::path(delete, path = "/v1/wallet/withdrawals/{id}", tag = "Wallet", security(("bearer" = [])),
    params(("id" = WithdrawalId, Path, description = "The withdrawal")), responses(
    (status = 204, description = "It is cancelled."),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`: no withdrawal of the caller's", body = ProblemBody, content_type = "application/problem+json"),
    (status = 409, description = "`withdrawal_decided`, `cancellation_off`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 503, description = "`paused`, `overloaded`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn cancel(
    State(wallet): State<Wallet>,
    Account(caller): Account,
    Named(id): Named<WithdrawalId>,
) -> Result<StatusCode, Problem> {
    wallet.cancel_withdrawal(caller.player, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<ClaimError> for Problem {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Reused => Self::new(Code::IdempotencyKeyReused),
            ClaimError::InProgress => Self::new(Code::IdempotencyInProgress),
            ClaimError::Database(error) => error.into(),
        }
    }
}

impl From<DepositError> for Problem {
    fn from(error: DepositError) -> Self {
        match error {
            DepositError::Key(error) => error.into(),
            DepositError::Barred(barred) => barred.into(),
            DepositError::NoRoom(room) => Self::field("amount", FieldRule::OutOfRange(1, room.0)),
            DepositError::Database(error) => error.into(),
            DepositError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}

impl From<RequestError> for Problem {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Open => Self::new(Code::WithdrawalOpen),
            RequestError::InsufficientFunds => Self::new(Code::InsufficientFunds),
            RequestError::Barred(barred) => barred.into(),
            RequestError::Key(error) => error.into(),
            RequestError::Database(error) => error.into(),
            RequestError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}

impl From<CancelError> for Problem {
    fn from(error: CancelError) -> Self {
        match error {
            CancelError::Off => Self::new(Code::CancellationOff),
            CancelError::NotFound => Self::new(Code::NotFound),
            CancelError::Decided => Self::new(Code::WithdrawalDecided),
            CancelError::Database(error) => error.into(),
            CancelError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
