//! Logs and metrics.

use std::{
    io::IsTerminal as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::{EnvFilter, layer::SubscriberExt as _, util::SubscriberInitExt as _};

use crate::config::LogFormat;

/// Starts logging to standard error. Once a process.
pub fn start_logging(filter: &str, format: LogFormat) -> anyhow::Result<()> {
    let filter =
        EnvFilter::try_new(filter).map_err(|error| anyhow::anyhow!("STAKEBOARD_LOG can't be understood: {error}"))?;
    // Colours only where a person looks at them.
    let colours = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(colours);
    let registry = tracing_subscriber::registry().with(filter);
    match format {
        LogFormat::Text => registry.with(lines).try_init()?,
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init()?,
    }
    Ok(())
}

/// Bounds of the histograms of durations, in seconds.
const SECONDS: [f64; 14] =
    [0.000_25, 0.000_5, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.125, 0.25, 0.5, 1.0, 5.0];
/// Bounds of the histogram of batch sizes, in rows.
const ROWS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Bounds of the histogram of gaps between ratings, in points.
const POINTS: [f64; 9] = [10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1_600.0, 3_200.0];

/// Starts collecting metrics. Once a process; where they are collected already, those go on.
pub fn start_metrics() -> Result<PrometheusHandle, BuildError> {
    // Held to the end: of two that start at once (as in tests), one recorder counts for both, and its handle is theirs.
    static HANDLE: Mutex<Option<PrometheusHandle>> = Mutex::new(None);
    let mut held = HANDLE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = &*held {
        return Ok(handle.clone());
    }
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Suffix("_rows".into()), &ROWS)?
        .set_buckets_for_metric(Matcher::Suffix("_points".into()), &POINTS)?
        .build_recorder();
    let handle = recorder.handle();
    if metrics::set_global_recorder(recorder).is_ok() {
        describe();
    }
    *held = Some(handle.clone());
    Ok(handle)
}

/// Samples wait in memory until somebody asks for the metrics, or until this has added them up; nobody may ever ask.
pub async fn keep_adding_up(metrics: PrometheusHandle) {
    let mut ticks = tokio::time::interval(Duration::from_secs(5));
    loop {
        ticks.tick().await;
        metrics.run_upkeep();
    }
}

fn describe() {
    use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
    describe_gauge!("stakeboard_matches_live", "Live matches of this process");
    describe_gauge!("stakeboard_sockets", "Open sockets that have said who they are");
    describe_gauge!("stakeboard_heartbeat_lag_seconds", Unit::Seconds, "How late the last heartbeat began");
    describe_histogram!("stakeboard_commit_seconds", Unit::Seconds, "From judging an act to its commit");
    describe_histogram!("stakeboard_journal_batch_rows", "Rows of a commit of the journal");
    describe_histogram!("stakeboard_http_request_seconds", Unit::Seconds, "From a request to its answer");
    describe_gauge!("stakeboard_queue_waiting", "Players who wait in the queue");
    describe_histogram!(
        "stakeboard_queue_rating_gap_points",
        "How far apart the ratings of two were that the queue paired"
    );
    describe_histogram!(
        "stakeboard_queue_wait_seconds",
        Unit::Seconds,
        "How long a player waited in the queue until paired"
    );
    describe_counter!("stakeboard_settlements_total", "Matches settled");
    describe_counter!("stakeboard_ledger_check_failures_total", "Trial balances in which a check failed, by check");
    describe_counter!("stakeboard_refusals_total", "Requests refused over HTTP, by code");
    describe_counter!("stakeboard_sockets_too_slow_total", "Sockets cut off since they did not read");
}
