//! P-2: the limits players set for themselves. A lower one works at once, a higher one, or none, after a day.

use serde::Serialize;
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use crate::{clock::rfc3339_ms, db::Tx, ids::PlayerId, money::Cents};

/// How long a higher limit waits.
const PATIENCE: Duration = Duration::hours(24);
/// The largest limit that can be set; beyond it none is meant.
pub const LARGEST: i64 = 1_000_000_000_000;

/// What is limited. Windows roll: the last 24 hours, 7 days, 30 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Deposits of 24 hours.
    DepositDay,
    /// Deposits of 7 days.
    DepositWeek,
    /// Deposits of 30 days.
    DepositMonth,
    /// Losses of 24 hours.
    LossDay,
    /// The stake of one match.
    StakeMatch,
}

impl LimitKind {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::DepositDay, Self::DepositWeek, Self::DepositMonth, Self::LossDay, Self::StakeMatch];

    /// The limit as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DepositDay => "deposit_day",
            Self::DepositWeek => "deposit_week",
            Self::DepositMonth => "deposit_month",
            Self::LossDay => "loss_day",
            Self::StakeMatch => "stake_match",
        }
    }
}

/// A higher limit that waits for its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PendingLimit {
    /// Which limit.
    pub limit: LimitKind,
    /// What it will be; null for none.
    pub amount: Option<Cents>,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub at: OffsetDateTime,
}

/// A player's limits, in minor units; null for none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Limits {
    /// Deposits of the last 24 hours.
    pub deposit_day: Option<Cents>,
    /// Deposits of the last 7 days.
    pub deposit_week: Option<Cents>,
    /// Deposits of the last 30 days.
    pub deposit_month: Option<Cents>,
    /// What matches that ended in the last 24 hours have cost in all.
    pub loss_day: Option<Cents>,
    /// The stake of one match.
    pub stake_match: Option<Cents>,
    /// Higher limits that wait for their time.
    pub pending: Vec<PendingLimit>,
}

impl Limits {
    /// One of them.
    pub fn get(&self, kind: LimitKind) -> Option<Cents> {
        match kind {
            LimitKind::DepositDay => self.deposit_day,
            LimitKind::DepositWeek => self.deposit_week,
            LimitKind::DepositMonth => self.deposit_month,
            LimitKind::LossDay => self.loss_day,
            LimitKind::StakeMatch => self.stake_match,
        }
    }

    fn set(&mut self, kind: LimitKind, amount: Option<Cents>) {
        *match kind {
            LimitKind::DepositDay => &mut self.deposit_day,
            LimitKind::DepositWeek => &mut self.deposit_week,
            LimitKind::DepositMonth => &mut self.deposit_month,
            LimitKind::LossDay => &mut self.loss_day,
            LimitKind::StakeMatch => &mut self.stake_match,
        } = amount;
    }
}

/// One limit with the change that waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Setting {
    amount: Option<i64>,
    next: Option<(Option<i64>, OffsetDateTime)>,
}

impl Setting {
    /// The limit after its player has asked for another one.
    fn asked_for(self, wanted: Option<i64>, now: OffsetDateTime) -> Self {
        if !is_higher(wanted, self.amount) {
            return Self { amount: wanted, next: None };
        }
        let at = match self.next {
            // It was asked for before, or more was: the wait goes on.
            Some((next, at)) if !is_higher(wanted, next) => at,
            _ => now + PATIENCE,
        };
        Self { amount: self.amount, next: Some((wanted, at)) }
    }
}

/// No limit is higher than any.
fn is_higher(one: Option<i64>, other: Option<i64>) -> bool {
    match (one, other) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(one), Some(other)) => one > other,
    }
}

/// The limits of a player now.
pub async fn load(executor: impl sqlx::PgExecutor<'_>, player: PlayerId) -> Result<Limits, sqlx::Error> {
    let rows = sqlx::query!(
        "select kind,
             case when next_at <= clock_timestamp() then next_amount else amount end as amount,
             case when next_at > clock_timestamp() then next_amount end as next_amount,
             case when next_at > clock_timestamp() then next_at end as next_at
         from player_limits where player_id = $1",
        player.0
    )
    .fetch_all(executor)
    .await?;
    let mut limits = Limits::default();
    for kind in LimitKind::ALL {
        if let Some(row) = rows.iter().find(|row| row.kind == kind.as_str()) {
            limits.set(kind, row.amount.map(Cents));
            let waits = row.next_at.map(|at| PendingLimit { limit: kind, amount: row.next_amount.map(Cents), at });
            limits.pending.extend(waits);
        }
    }
    Ok(limits)
}

/// Sets limits. The player's balance is locked by the caller, as it is wherever a limit is applied.
pub async fn set(tx: &mut Tx, player: PlayerId, wanted: &[(LimitKind, Option<i64>)]) -> Result<Limits, sqlx::Error> {
    let now = sqlx::query_scalar!(r#"select clock_timestamp() as "now!""#).fetch_one(&mut **tx).await?;
    let before = load(&mut **tx, player).await?;
    for (kind, wanted) in wanted {
        let waits = before.pending.iter().find(|pending| pending.limit == *kind);
        let setting = Setting {
            amount: before.get(*kind).map(|cents| cents.0),
            next: waits.map(|pending| (pending.amount.map(|cents| cents.0), pending.at)),
        };
        let after = setting.asked_for(*wanted, now);
        sqlx::query!(
            "insert into player_limits (player_id, kind, amount, next_amount, next_at) values ($1, $2, $3, $4, $5)
             on conflict (player_id, kind) do update
             set amount = excluded.amount, next_amount = excluded.next_amount, next_at = excluded.next_at",
            player.0,
            kind.as_str(),
            after.amount,
            after.next.and_then(|(amount, _)| amount),
            after.next.map(|(_, at)| at)
        )
        .execute(&mut **tx)
        .await?;
    }
    load(&mut **tx, player).await
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);
    const DAY: OffsetDateTime = datetime!(2026-12-01 12:00 UTC);
    const SOON: OffsetDateTime = datetime!(2026-11-30 13:00 UTC);

    #[test]
    fn p_2_lower_at_once_higher_or_none_after_a_day() {
        let at = |amount, next| Setting { amount, next };
        let cases = [
            ("a first limit", at(None, None), Some(100), at(Some(100), None)),
            ("none where there is none", at(None, None), None, at(None, None)),
            ("lower", at(Some(100), None), Some(50), at(Some(50), None)),
            ("zero", at(Some(100), None), Some(0), at(Some(0), None)),
            ("the same", at(Some(100), None), Some(100), at(Some(100), None)),
            ("higher", at(Some(100), None), Some(200), at(Some(100), Some((Some(200), DAY)))),
            ("none", at(Some(100), None), None, at(Some(100), Some((None, DAY)))),
            (
                "higher again: the wait goes on",
                at(Some(100), Some((Some(200), SOON))),
                Some(200),
                at(Some(100), Some((Some(200), SOON))),
            ),
            (
                "less high: the wait goes on",
                at(Some(100), Some((None, SOON))),
                Some(150),
                at(Some(100), Some((Some(150), SOON))),
            ),
            (
                "yet higher: another day",
                at(Some(100), Some((Some(200), SOON))),
                Some(201),
                at(Some(100), Some((Some(201), DAY))),
            ),
            ("lower while a higher one waits", at(Some(100), Some((Some(200), SOON))), Some(50), at(Some(50), None)),
            ("taken back", at(Some(100), Some((None, SOON))), Some(100), at(Some(100), None)),
        ];
        for (what, before, wanted, after) in cases {
            assert_eq!(before.asked_for(wanted, NOW), after, "{what}");
        }
    }
}
