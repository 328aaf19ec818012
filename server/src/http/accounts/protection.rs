//! What players set up against themselves: limits, breaks, self-exclusion (P-2, P-3).

use axum::{
    Json,
    extract::{FromRef, State},
};
use serde::{Deserialize, Deserializer};
use tokio_util::task::TaskTracker;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Auth, sessions},
    db,
    http::{
        caller::{Account, Caller},
        extract::Body,
        problem::{Problem, ProblemBody},
    },
    i18n::FieldRule,
    ids::PlayerId,
    ledger,
    lobby::{self, Lobby},
    players::{
        exclusion::{self, Pause, PauseView},
        limits::{self, LimitKind, Limits},
    },
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    Lobby: FromRef<S>,
    TaskTracker: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(own_limits, set_limits)).routes(routes!(take_break)).routes(routes!(exclude))
}

/// One's own limits
#[utoipa::path(get, path = "/v1/me/limits", tag = "Accounts", security(("bearer" = [])), responses(
    (status = 200, body = Limits),
))]
async fn own_limits(State(auth): State<Auth>, caller: Caller) -> Result<Json<Limits>, Problem> {
    Ok(Json(limits::load(auth.pool(), caller.player).await?))
}

/// Limits to set, in minor units; null for none. What is missing stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewLimits {
    /// Deposits of the last 24 hours.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0)]
    deposit_day: Wanted,
    /// Deposits of the last 7 days.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0)]
    deposit_week: Wanted,
    /// Deposits of the last 30 days.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0)]
    deposit_month: Wanted,
    /// What matches that ended in the last 24 hours have cost in all, with what is staked.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0)]
    loss_day: Wanted,
    /// The stake of one match.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0)]
    stake_match: Wanted,
}

/// What is wanted of a limit: null is none, a field that is missing changes nothing.
#[derive(Clone, Copy, Debug, Default)]
enum Wanted {
    #[default]
    NoChange,
    To(Option<i64>),
}

impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::To)
    }
}

impl NewLimits {
    fn check(self) -> Result<Vec<(LimitKind, Option<i64>)>, Problem> {
        let asked = [
            (LimitKind::DepositDay, self.deposit_day),
            (LimitKind::DepositWeek, self.deposit_week),
            (LimitKind::DepositMonth, self.deposit_month),
            (LimitKind::LossDay, self.loss_day),
            (LimitKind::StakeMatch, self.stake_match),
        ];
        let asked: Vec<_> = asked
            .into_iter()
            .filter_map(|(kind, wanted)| match wanted {
                Wanted::NoChange => None,
                Wanted::To(amount) => Some((kind, amount)),
            })
            .collect();
        match asked.iter().find(|(_, wanted)| wanted.is_some_and(|amount| !(0..=limits::LARGEST).contains(&amount))) {
            Some((kind, _)) => Err(Problem::field(kind.as_str(), FieldRule::OutOfRange(0, limits::LARGEST))),
            None => Ok(asked),
        }
    }
}

/// Set one's own limits
///
/// A lower limit works at once. A higher one, or none, works after 24 hours: until then it is in `pending`. Windows
/// roll. A stake is refused where the losses of the last 24 hours, what is staked and the new stake together are above
/// `loss_day`.
#[utoipa::path(put, path = "/v1/me/limits", tag = "Accounts", security(("bearer" = [])), request_body = NewLimits, responses(
    (status = 200, description = "The limits as they are now", body = Limits),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn set_limits(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    Account(caller): Account,
    Body(request): Body<NewLimits>,
) -> Result<Json<Limits>, Problem> {
    let wanted = request.check()?;
    db::uncut(&tasks, async move {
        let limits: Result<_, sqlx::Error> = db::in_transaction(auth.pool(), |tx| {
            let wanted = wanted.clone();
            Box::pin(async move {
                ledger::lock_available(tx, &[caller.player]).await?;
                limits::set(tx, caller.player, &wanted).await
            })
        })
        .await;
        Ok(Json(limits?))
    })
    .await
}

/// How long a break is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewBreak {
    /// 1 to 92.
    #[schema(minimum = 1, maximum = 92)]
    days: i32,
}

/// Take a break
///
/// No new stakes and no deposits from now on, open seeks go, all tokens and sockets end. Logging in again stays
/// possible for finishing the running match, reading, withdrawing. A break can't be shortened.
#[utoipa::path(post, path = "/v1/me/break", tag = "Accounts", security(("bearer" = [])), request_body = NewBreak, responses(
    (status = 200, description = "The pause that is in force: a longer one stays", body = PauseView),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn take_break(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    State(lobby): State<Lobby>,
    Account(caller): Account,
    Body(request): Body<NewBreak>,
) -> Result<Json<PauseView>, Problem> {
    if !(1..=92).contains(&request.days) {
        return Err(Problem::field("days", FieldRule::OutOfRange(1, 92)));
    }
    pause(&tasks, auth, lobby, caller.player, Pause::Break(request.days)).await
}

/// How long an exclusion is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewExclusion {
    /// 6 to 60.
    #[schema(minimum = 6, maximum = 60)]
    months: i32,
}

/// Exclude oneself
///
/// As a break, for longer.
#[utoipa::path(post, path = "/v1/me/exclusion", tag = "Accounts", security(("bearer" = [])), request_body = NewExclusion, responses(
    (status = 200, description = "The pause that is in force: a longer one stays", body = PauseView),
    (status = 403, description = "`account_needed`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn exclude(
    State(auth): State<Auth>,
    State(tasks): State<TaskTracker>,
    State(lobby): State<Lobby>,
    Account(caller): Account,
    Body(request): Body<NewExclusion>,
) -> Result<Json<PauseView>, Problem> {
    if !(6..=60).contains(&request.months) {
        return Err(Problem::field("months", FieldRule::OutOfRange(6, 60)));
    }
    pause(&tasks, auth, lobby, caller.player, Pause::Exclusion(request.months)).await
}

async fn pause(
    tasks: &TaskTracker,
    auth: Auth,
    lobby: Lobby,
    player: PlayerId,
    pause: Pause,
) -> Result<Json<PauseView>, Problem> {
    db::uncut(tasks, async move {
        let done: Result<_, sqlx::Error> = db::in_transaction(auth.pool(), |tx| {
            Box::pin(async move {
                ledger::lock_available(tx, &[player]).await?;
                let view = exclusion::begin(tx, player, pause).await?;
                lobby::withdraw_all(tx, player).await?;
                Ok((view, sessions::end_all(tx, player).await?))
            })
        })
        .await;
        let (view, ended) = done?;
        auth.announce(ended);
        lobby.feed().player_changed(player);
        Ok(Json(view))
    })
    .await
}
