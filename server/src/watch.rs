//! What the database knows and an operator should hear of: read every few seconds and told as metrics.

use std::{sync::Arc, time::Duration};

use metrics::gauge;
use sqlx::PgPool;
use time::OffsetDateTime;

use crate::{
    agreement::Agreement,
    clock::Clock,
    db,
    ids::NodeId,
    ledger::{self, Books, Suspense},
    matches,
    wallet::{self, Waiting},
};

/// How often it is read: more often than anybody collects it.
const EVERY: Duration = Duration::from_secs(5);

/// Reads and tells for as long as the process lives. While the database can't be read, what was last read stands.
pub async fn keep_telling(pool: PgPool, clock: Clock, node: NodeId, agreement: Arc<Agreement>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let read = async {
            gauge!("stakeboard_database_archive_failing").set(u8::from(db::archive_fails(&pool).await?));
            let differing = matches::differing(&pool, node, &agreement).await?;
            for name in agreement.names() {
                gauge!("stakeboard_settings_differ", "setting" => name).set(u8::from(differing.contains(&name)));
            }
            Ok::<_, sqlx::Error>((ledger::books(&pool).await?, wallet::waiting(&pool).await?))
        };
        match read.await {
            Ok((books, waiting)) => tell(&books, &waiting, clock.wall()),
            Err(error) => tracing::debug!(%error, "what is watched in the database could not be read"),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for a graph; the books themselves are integers")]
fn tell(books: &Books, waiting: &[Waiting], now: OffsetDateTime) {
    if let Some((taken, failing)) = books.trial {
        gauge!("stakeboard_ledger_trial_timestamp_seconds").set(taken.unix_timestamp() as f64);
        gauge!("stakeboard_ledger_checks_failing").set(failing);
    }
    gauge!("stakeboard_stakes_closed").set(u8::from(books.stakes_closed));
    gauge!("stakeboard_ledger_unsealed_seconds").set(age(books.unsealed_since, now));
    for Suspense { currency, balance, payments, since } in &books.suspense {
        gauge!("stakeboard_suspense_minor_units", "currency" => currency.clone()).set(balance.0 as f64);
        gauge!("stakeboard_suspense_payments", "currency" => currency.clone()).set(*payments);
        gauge!("stakeboard_suspense_oldest_seconds", "currency" => currency.clone()).set(age(*since, now));
    }
    for Waiting { status, count, since } in waiting {
        gauge!("stakeboard_withdrawals_waiting", "status" => status.as_str()).set(*count);
        gauge!("stakeboard_withdrawals_oldest_seconds", "status" => status.as_str()).set(age(*since, now));
    }
}

fn age(since: Option<OffsetDateTime>, now: OffsetDateTime) -> f64 {
    since.map_or(0.0, |since| (now - since).as_seconds_f64().max(0.0))
}
