//! The staff's calls. Each names the roles it is for (see [`super::staff`]), and each is in the audit log.

mod adjustments;
mod audit;
mod fair_play;
mod ledger;
mod matches;
mod payments;
mod players;
mod reports;
mod switches;
mod withdrawals;

use axum::extract::FromRef;
use serde::Deserialize;
use sqlx::PgPool;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    admin::{FreezeError, Office, PlayerActError, ResetError, VoidError},
    auth::Auth,
    clock::Clock,
    code::Code,
    http::{extract::storable, problem::Problem},
    i18n::FieldRule,
    players::names::can_be_seen,
    wallet::Wallet,
};

/// The routes of this folder.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Clock: FromRef<S>,
    Office: FromRef<S>,
    PgPool: FromRef<S>,
    Wallet: FromRef<S>,
{
    OpenApiRouter::new()
        .merge(adjustments::router())
        .merge(audit::router())
        .merge(ledger::router())
        .merge(matches::router())
        .merge(players::router())
        .merge(payments::router())
        .merge(withdrawals::router())
        .merge(reports::router())
        .merge(fair_play::router())
        .merge(switches::router())
}

/// Why something is done.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Because {
    /// Why: 1 to 1000 characters.
    reason: String,
}

/// How long a text of the staff, or to it, may be.
const LONGEST_TEXT: usize = 1_000;

/// Reads a text that people will read later: why something was done, or what is complained about.
pub(super) fn words(field: &str, text: &str) -> Result<String, Problem> {
    let text = text.trim();
    if !(1..=LONGEST_TEXT).contains(&text.chars().count()) {
        return Err(Problem::field(field, FieldRule::Length(1, LONGEST_TEXT)));
    }
    storable(field, text)?;
    if !can_be_seen(text) {
        let rule = FieldRule::Malformed("um texto que se possa ver", "a text that can be seen");
        return Err(Problem::field(field, rule));
    }
    Ok(text.to_owned())
}

impl From<FreezeError> for Problem {
    fn from(error: FreezeError) -> Self {
        match error {
            FreezeError::Act(error) => error.into(),
            FreezeError::Void(error) => error.into(),
        }
    }
}

impl From<VoidError> for Problem {
    fn from(error: VoidError) -> Self {
        match error {
            VoidError::Refused(refusal) => refusal.into(),
            VoidError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}

impl From<ResetError> for Problem {
    fn from(error: ResetError) -> Self {
        match error {
            ResetError::Act(error) => error.into(),
            ResetError::Staff => Self::new(Code::StaffAccount),
            ResetError::Hash(error) => error.into(),
        }
    }
}

impl From<PlayerActError> for Problem {
    fn from(error: PlayerActError) -> Self {
        match error {
            PlayerActError::NotFound => Self::new(Code::NotFound),
            PlayerActError::OwnAccount => Self::new(Code::OwnAccount),
            PlayerActError::Guest => Self::new(Code::GuestAccount),
            PlayerActError::Database(error) => error.into(),
            PlayerActError::Stopped(_) => Self::new(Code::Stopping),
        }
    }
}
