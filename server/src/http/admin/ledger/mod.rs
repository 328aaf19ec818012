//! The ledger, as the staff sees it.

mod accounts;
mod seals;
mod transfers;
mod trial;

use axum::extract::FromRef;
use sqlx::PgPool;
use utoipa_axum::router::OpenApiRouter;

use crate::{auth::Auth, http::problem::Problem, i18n::FieldRule};

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

/// Reads a word of a closed list.
fn known(field: &str, asked: Option<&str>, all: &[&str]) -> Result<Option<String>, Problem> {
    let rule = || FieldRule::NotOneOf(all.iter().map(|&word| word.to_owned()).collect());
    asked
        .map(|word| all.contains(&word).then(|| word.to_owned()).ok_or_else(|| Problem::field(field, rule())))
        .transpose()
}
