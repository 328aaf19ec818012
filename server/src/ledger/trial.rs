//! The trial balance, now or at a time, and the gate that a failed one closes (L-10).

use std::time::Duration;

use serde::Serialize;
use sqlx::{PgConnection, PgExecutor, PgPool};
use time::{Date, OffsetDateTime, Time};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    clock::{Clock, rfc3339_ms},
    ids::PlayerId,
    ledger::{Check, until, verify, verify::KindTotal},
};

/// The totals of the ledger with each of its promises.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TrialBalance {
    /// The run, where it is kept; a look at the past is not.
    pub id: Option<Uuid>,
    /// The time it is about.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub at: OffsetDateTime,
    /// Whether every check passed.
    pub passed: bool,
    /// All balances together: 0.
    pub sum: i128,
    /// The totals by kind of account and currency.
    pub accounts: Vec<KindTotal>,
    /// Each promise with its figure.
    pub checks: Vec<Check>,
    /// Whether new staked matches are refused, until an administrator acknowledges a failed run.
    pub stakes_closed: bool,
}

/// What stands in for the tables when a time is asked for. `$until` becomes the first moment that is not part of it. A
/// match counts as ended once its escrow was paid out; the rows of matches have the time of another clock.
const TABLES_AT_A_TIME: &str = "with
    entries as not materialized (select * from public.entries where created_at < '$until'::timestamptz),
    transfers as not materialized (select * from public.transfers where created_at < '$until'::timestamptz),
    last as (select account_id, max(version) as version, sum(change) as balance from entries group by account_id),
    balances as not materialized (
        select b.account_id, b.floored, coalesce(l.version, 0) as version, coalesce(l.balance, 0) as balance
        from public.balances b left join last l using (account_id)
    ),
    settlements as not materialized (
        select * from public.settlements s where exists (
            select from transfers t where t.match_id = s.match_id and t.kind in ('payout', 'refund'))
    ),
    matches as not materialized (
        select m.id, m.stake, m.first_player, m.second_player, m.winner, m.ending, m.payout, m.fee,
               case when exists (select from transfers t where t.match_id = m.id and t.kind in ('payout', 'refund'))
                    then 'ended' else 'live' end as status
        from public.matches m
        where exists (select from transfers t where t.match_id = m.id and t.kind = 'stake')
    )";

/// The checks that can be made for a time: those of what is never changed, where every row has its time.
const AT_A_TIME: [&str; 9] = [
    "every balance is the sum of its entries",
    "versions count up by one",
    "every entry follows from the one before",
    "no account is below its floor",
    "every transfer has its two entries",
    "every entry belongs to its transfer",
    "transfers stay within one currency",
    "each live staked match holds exactly both stakes",
    "each ended staked match has an empty escrow and one settlement",
];

/// Takes the trial balance of this moment and keeps it. Where a check fails that was not seen failing before, new
/// staked matches are refused from now on.
pub async fn take(pool: &PgPool, night: Option<Date>) -> Result<TrialBalance, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let mut tx = verify::begin(&mut connection).await?;
    let mut trial = read(&mut tx, "", |_| true).await?;
    if night.is_some() {
        let whole = verify::whole(&mut tx).await?;
        trial.passed &= whole.iter().all(|check| check.passed);
        trial.checks.extend(whole);
    }
    tx.commit().await?;
    trial.id = keep(&mut connection, &trial, night).await?;
    trial.stakes_closed = stakes_closed(&mut *connection).await?;
    tell(&trial);
    Ok(trial)
}

/// The trial balance as it was at a time. A look at the past: it is not kept and closes nothing.
pub async fn take_at(pool: &PgPool, at: OffsetDateTime) -> Result<TrialBalance, sqlx::Error> {
    let mut connection = pool.acquire().await?;
    let mut tx = verify::begin(&mut connection).await?;
    let tables = TABLES_AT_A_TIME.replace("$until", &rfc3339_ms::text(until(at)));
    let mut trial = read(&mut tx, &tables, |name| AT_A_TIME.contains(&name)).await?;
    trial.at = at;
    trial.stakes_closed = stakes_closed(&mut *tx).await?;
    tx.commit().await?;
    Ok(trial)
}

async fn read(
    connection: &mut PgConnection,
    tables: &str,
    asked: impl Fn(&str) -> bool,
) -> Result<TrialBalance, sqlx::Error> {
    let at = sqlx::query_scalar!(r#"select now() as "now!""#).fetch_one(&mut *connection).await?;
    let (accounts, checks) = verify::run(connection, tables, asked).await?;
    Ok(TrialBalance {
        id: None,
        at,
        passed: checks.iter().all(|check| check.passed),
        sum: accounts.iter().map(|total| total.balance).sum(),
        accounts,
        checks,
        stakes_closed: false,
    })
}

/// Keeps a run. It closes new stakes, unless each check that failed did so with the same figure when it was last made,
/// and was seen: what an administrator knows of does not shut the house again each night. Not every run makes every
/// check: one without a check says nothing about it.
async fn keep(
    connection: &mut PgConnection,
    trial: &TrialBalance,
    night: Option<Date>,
) -> Result<Option<Uuid>, sqlx::Error> {
    let failed: Vec<_> = trial.checks.iter().filter(|check| !check.passed).collect();
    let text = |value: serde_json::Result<String>| value.map_err(|error| sqlx::Error::Encode(error.into()));
    let failed = text(serde_json::to_string(&failed))?;
    // As text: the totals can be wider than what a JSON value of the driver holds.
    let result = text(serde_json::to_string(trial))?;
    sqlx::query_scalar!(
        "insert into trial_balances (id, night, passed, closes, result)
         select $1, $2, $3, not $3 and exists (
             select from jsonb_array_elements($4::text::jsonb) f where not coalesce((
                 select (not t.closes or k.trial_balance_id is not null)
                     and t.result -> 'checks' @> jsonb_build_array(f.value)
                 from trial_balances t left join trial_acknowledgements k on k.trial_balance_id = t.id
                 where t.result -> 'checks' @> jsonb_build_array(jsonb_build_object('name', f.value -> 'name'))
                 order by t.id desc limit 1
             ), false)
         ), $5::text::jsonb
         on conflict on constraint trial_balances_one_a_night do nothing
         returning id",
        Uuid::now_v7(),
        night,
        trial.passed,
        failed,
        result
    )
    .fetch_optional(connection)
    .await
}

/// Says in the log and in the metrics what a run found.
fn tell(trial: &TrialBalance) {
    for check in &trial.checks {
        metrics::counter!("stakeboard_ledger_check_failures_total", "check" => check.name)
            .increment(u64::from(!check.passed));
        if !check.passed {
            tracing::error!(check = check.name, figure = check.figure, "the ledger breaks a promise");
        }
    }
    let (passed, stakes_closed) = (trial.passed, trial.stakes_closed);
    tracing::info!(passed, stakes_closed, sum = %trial.sum, checks = trial.checks.len(), "trial balance");
}

/// Whether new staked matches are refused: a failed trial balance waits for an administrator.
pub async fn stakes_closed(executor: impl PgExecutor<'_>) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from trial_balances t where t.closes
                   and not exists (select from trial_acknowledgements k where k.trial_balance_id = t.id)
           ) as "closed!""#
    )
    .fetch_one(executor)
    .await
}

/// An administrator has seen every failed run up to now: new staked matches may begin. Gives the runs it was about.
pub async fn acknowledge(
    connection: &mut PgConnection,
    admin: PlayerId,
    reason: &str,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "insert into trial_acknowledgements (trial_balance_id, player_id, reason)
         select t.id, $1, $2 from trial_balances t where t.closes
         on conflict do nothing
         returning trial_balance_id",
        admin.0,
        reason
    )
    .fetch_all(connection)
    .await
}

/// When the nightly run begins, in UTC.
const HOUR: Time = time::macros::time!(3:00);
/// How long a server that finds the last night's run missing leaves it at first, and how often it looks.
const LOOK: Duration = Duration::from_mins(1);

/// Takes the trial balance once a night, and soon after the start where the last night's is missing.
pub async fn every_night(pool: PgPool, clock: Clock) {
    loop {
        tokio::time::sleep(wait(clock.wall())).await;
        if let Err(error) = take_nightly(&pool, clock.wall()).await {
            tracing::error!(%error, "the nightly trial balance could not be taken; it will be in a minute");
        }
    }
}

/// Takes the run of the night that `now` belongs to, unless it was taken.
pub async fn take_nightly(pool: &PgPool, now: OffsetDateTime) -> Result<Option<TrialBalance>, sqlx::Error> {
    let night = night(now);
    let taken =
        sqlx::query_scalar!(r#"select exists (select from trial_balances where night = $1) as "taken!""#, night)
            .fetch_one(pool)
            .await?;
    if taken { Ok(None) } else { take(pool, Some(night)).await.map(Some) }
}

/// The date of the last three o'clock.
fn night(now: OffsetDateTime) -> Date {
    let now = now.to_offset(time::UtcOffset::UTC);
    if now.time() < HOUR { now.date().previous_day().unwrap_or(Date::MIN) } else { now.date() }
}

/// Until the next three o'clock, but no longer than until the next look.
fn wait(now: OffsetDateTime) -> Duration {
    let next = night(now).next_day().unwrap_or(Date::MAX).with_time(HOUR).assume_utc();
    Duration::try_from(next - now).unwrap_or(LOOK).min(LOOK)
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    #[test]
    fn l10_a_night_begins_at_three_in_utc() {
        let cases = [
            (datetime!(2026-03-01 02:59:59.999 UTC), date!(2026 - 02 - 28)),
            (datetime!(2026-03-01 03:00 UTC), date!(2026 - 03 - 01)),
            (datetime!(2026-03-02 02:00 UTC), date!(2026 - 03 - 01)),
            (datetime!(2026-03-01 23:30 -03:00), date!(2026 - 03 - 01)),
            (datetime!(2026-03-02 00:00 -03:00), date!(2026 - 03 - 02)),
        ];
        for (now, expected) in cases {
            assert_eq!(night(now), expected, "{now}");
        }
    }

    #[test]
    fn l10_the_task_wakes_at_three_and_looks_each_minute_before() {
        assert_eq!(wait(datetime!(2026-03-01 02:59:50 UTC)), Duration::from_secs(10));
        assert_eq!(wait(datetime!(2026-03-01 03:00 UTC)), LOOK);
        assert_eq!(wait(datetime!(2026-12-31 23:59:59 UTC)), LOOK);
    }

    #[test]
    fn every_check_that_is_made_for_a_time_exists() {
        for name in AT_A_TIME {
            assert!(verify::names().any(|known| known == name), "{name}");
        }
    }
}
