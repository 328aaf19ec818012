//! The trial balance, and the gate that a failed one closes (L-10).

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use crate::{
    audit::{self, Act, Action},
    auth::Auth,
    db,
    http::{
        admin::words,
        extract::{Body, Params},
        page::instant,
        problem::{Problem, ProblemBody},
        staff::{Admin, Reader},
    },
    ledger::{TrialBalance, trial},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(trial_balance)).routes(routes!(acknowledge))
}

/// Which trial balance is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TrialQuery {
    /// As it was at this time, in RFC 3339; now where it is missing.
    at: Option<String>,
}

/// The trial balance
///
/// Totals by kind of account, their sum (0), and every promise of the ledger with its figure. One of this moment is
/// kept; where a check fails that was not seen failing before, new staked matches are refused with `stakes_closed`
/// until an administrator acknowledges it. Whether the entries still fit their seals is not among its checks, since all
/// of them have to be read for it: the run of each night and `stakeboard-server ledger verify` make that one too. With
/// `at` it is a look at the past: what is not kept with its time is left out of the checks, and nothing is closed. For
/// admins and auditors.
#[utoipa::path(get, path = "/v1/admin/ledger/trial-balance", tag = "Administration", security(("bearer" = [])), params(TrialQuery), responses(
    (status = 200, body = TrialBalance),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn trial_balance(
    State(pool): State<PgPool>,
    Reader(caller): Reader,
    Params(query): Params<TrialQuery>,
) -> Result<Json<TrialBalance>, Problem> {
    let at = instant("at", query.at.as_deref())?;
    let act = Act {
        actor: Some(caller.player),
        detail: query.at.map(|at| json!({"at": at})),
        ..Act::new(Action::LedgerTrialBalance)
    };
    audit::record(&pool, act).await?;
    Ok(Json(match at {
        Some(at) => trial::take_at(&pool, at).await?,
        None => trial::take(&pool, None).await?,
    }))
}

/// Why new staked matches may begin again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Acknowledgement {
    /// 1 to 1000 characters, for the audit log.
    #[schema(min_length = 1, max_length = 1000)]
    reason: String,
}

/// What was acknowledged.
#[derive(Debug, Serialize, ToSchema)]
struct SeenTrialBalances {
    /// The failed runs that had waited for it; none where nothing was closed.
    trial_balances: Vec<Uuid>,
    /// Whether new staked matches are refused.
    stakes_closed: bool,
}

/// Acknowledge a failed trial balance
///
/// Every failed run up to now counts as seen, and new staked matches may begin. The same failures with the same figures
/// do not close them again; any other failure does. For admins.
#[utoipa::path(post, path = "/v1/admin/ledger/trial-balance/acknowledge", tag = "Administration", security(("bearer" = [])),
    request_body = Acknowledgement, responses(
    (status = 200, body = SeenTrialBalances),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn acknowledge(
    State(pool): State<PgPool>,
    Admin(caller): Admin,
    Body(request): Body<Acknowledgement>,
) -> Result<Json<SeenTrialBalances>, Problem> {
    let reason = words("reason", &request.reason)?;
    let mut tx = db::begin(&pool).await?;
    let trial_balances = trial::acknowledge(&mut tx, caller.player, &reason).await?;
    let act = Act {
        actor: Some(caller.player),
        reason: Some(&reason),
        detail: Some(json!({"trial_balances": trial_balances})),
        ..Act::new(Action::LedgerAcknowledge)
    };
    audit::record(&mut *tx, act).await?;
    let stakes_closed = trial::stakes_closed(&mut *tx).await?;
    tx.commit().await?;
    Ok(Json(SeenTrialBalances { trial_balances, stakes_closed }))
}
