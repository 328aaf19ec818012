//! The accounts of the ledger, with what they have now or had at a time.

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    audit::{self, Act, Action},
    auth::Auth,
    clock::rfc3339_ms,
    code::Code,
    http::{
        cursor::Question,
        extract::{Named, Params},
        page::{Page, instant, known, limit},
        problem::{Problem, ProblemBody},
        staff::Reader,
    },
    ids::{AccountId, MatchId, PlayerId},
    ledger::search::{self, ACCOUNT_KINDS, Account, AccountFilter},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(accounts)).routes(routes!(account))
}

/// Which accounts are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AccountsQuery {
    /// Only those of this kind: `player`, `escrow`, `withdrawal_hold`, `house_fee`, `external`, `adjustment`, `suspense`.
    kind: Option<String>,
    /// Only those of this player.
    player: Option<PlayerId>,
    /// Only that of this match.
    r#match: Option<MatchId>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before, of a query with the same filters.
    cursor: Option<String>,
}

/// Accounts
///
/// With what they have now, newest first. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/ledger/accounts", operation_id = "ledger_accounts", tag = "Administration", security(("bearer" = [])), params(AccountsQuery), responses(
    (status = 200, body = Page<Account>),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, also for the cursor of another query", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn accounts(
    State(pool): State<PgPool>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<AccountsQuery>,
) -> Result<Json<Page<Account>>, Problem> {
    let limit = limit(query.limit)?;
    let filter = AccountFilter {
        kind: known("kind", query.kind.as_deref(), &ACCOUNT_KINDS)?,
        player: query.player,
        match_id: query.r#match,
    };
    let before: Option<AccountId> = question.place(query.cursor.as_deref())?;
    let act = Act {
        actor: Some(caller.player),
        player: filter.player,
        subject: filter.match_id.map(|id| format!("match:{id}")),
        detail: Some(json!(filter)),
        ..Act::new(Action::LedgerAccounts)
    };
    audit::record(&pool, act).await?;
    let items = search::accounts(&pool, &filter, before, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |account| question.cursor(&account.id))))
}

/// When it is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct AccountQuery {
    /// What it had at this time, in RFC 3339; now where it is missing.
    at: Option<String>,
}

/// An account at a time.
#[derive(Debug, Serialize, ToSchema)]
struct AccountAt {
    /// The account with the balance and version of then.
    #[serde(flatten)]
    account: Account,
    /// The time asked for; null for now.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    at: Option<OffsetDateTime>,
}

/// An account
///
/// With what it has now, or had at a time: the balance after its last entry up to then. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/ledger/accounts/{id}", operation_id = "ledger_account", tag = "Administration", security(("bearer" = [])),
    params(("id" = AccountId, Path, description = "The account"), AccountQuery), responses(
    (status = 200, body = AccountAt),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`not_found`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn account(
    State(pool): State<PgPool>,
    Reader(caller): Reader,
    Named(id): Named<AccountId>,
    Params(query): Params<AccountQuery>,
) -> Result<Json<AccountAt>, Problem> {
    let at = instant("at", query.at.as_deref())?;
    let mut account = search::account(&pool, id).await?.ok_or(Code::NotFound)?;
    let act = Act {
        actor: Some(caller.player),
        player: account.player_id,
        subject: Some(format!("account:{id}")),
        detail: query.at.map(|at| json!({"at": at})),
        ..Act::new(Action::LedgerAccount)
    };
    audit::record(&pool, act).await?;
    if let Some(at) = at {
        (account.balance, account.version) = search::balance_at(&pool, id, at).await?;
    }
    Ok(Json(AccountAt { account, at }))
}
