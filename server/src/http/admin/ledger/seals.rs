//! The seals of the ledger's entries (L-11).

use axum::{
    Json,
    extract::{FromRef, State},
};
use sqlx::PgPool;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    audit::{self, Act, Action},
    auth::Auth,
    code::Code,
    http::{
        problem::{Problem, ProblemBody},
        staff::Reader,
    },
    ledger::seals::{self, Seal},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(seal))
}

/// The latest seal
///
/// To be kept elsewhere: `stakeboard-server ledger verify --seal NUMBER:SEAL` finds what was changed before it, also
/// where somebody sealed everything anew. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/ledger/seal", tag = "Administration", security(("bearer" = [])), responses(
    (status = 200, body = Seal),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 404, description = "`nothing_sealed`: there are no entries yet, or they are not sealed yet", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn seal(State(pool): State<PgPool>, Reader(caller): Reader) -> Result<Json<Seal>, Problem> {
    audit::record(&pool, Act { actor: Some(caller.player), ..Act::new(Action::LedgerSeal) }).await?;
    seals::latest(&pool).await?.map(Json).ok_or_else(|| Problem::new(Code::NothingSealed))
}
