//! The staff's calls. Each names the roles it is for (see [`super::staff`]), and each is in the audit log.

mod audit;
mod withdrawals;

use axum::extract::FromRef;
use sqlx::PgPool;
use utoipa_axum::router::OpenApiRouter;

use crate::{auth::Auth, wallet::Wallet};

/// The routes of this folder.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
    Wallet: FromRef<S>,
{
    OpenApiRouter::new().merge(audit::router()).merge(withdrawals::router())
}
