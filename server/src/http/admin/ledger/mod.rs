//! The ledger, as the staff sees it.

mod accounts;
mod seals;
mod transfers;
mod trial;

use axum::extract::FromRef;
use sqlx::PgPool;
use utoipa_axum::router::OpenApiRouter;

use crate::auth::Auth;

/// The routes of this folder.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new()
        .merge(trial::router())
        .merge(seals::router())
        .merge(transfers::router())
        .merge(accounts::router())
}
