//! Metrics: named after the conventions of Prometheus, each described here.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use crate::code::Code;

/// Bounds of the histograms of durations, in seconds.
const SECONDS: [f64; 14] =
    [0.000_25, 0.000_5, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.125, 0.25, 0.5, 1.0, 5.0];
/// Bounds of the histogram of batch sizes, in rows.
const ROWS: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];
/// Bounds of the histogram of gaps between ratings, in points.
const POINTS: [f64; 9] = [10.0, 25.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1_600.0, 3_200.0];

/// The metrics of this process. Copies are the same.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    process: metrics_process::Collector,
}

impl Metrics {
    /// All of them in Prometheus' text format, with those of the process as they are now.
    pub fn render(&self) -> String {
        self.process.collect();
        self.handle.render()
    }
}

/// Samples wait in memory until somebody asks for the metrics, or until this has added them up; nobody may ever ask.
pub async fn keep_adding_up(metrics: Metrics) {
    let mut ticks = tokio::time::interval(Duration::from_secs(5));
    loop {
        ticks.tick().await;
        metrics.handle.run_upkeep();
    }
}

/// Starts collecting metrics. Once a process; where they are collected already, those go on.
pub fn start_metrics() -> Result<Metrics, BuildError> {
    // Held to the end: of two that start at once (as in tests), one recorder counts for both, and its handle is theirs.
    static METRICS: Mutex<Option<Metrics>> = Mutex::new(None);
    let mut held = METRICS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(metrics) = &*held {
        return Ok(metrics.clone());
    }
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Suffix("_rows".into()), &ROWS)?
        .set_buckets_for_metric(Matcher::Suffix("_points".into()), &POINTS)?
        .build_recorder();
    let metrics = Metrics { handle: recorder.handle(), process: metrics_process::Collector::default() };
    if ::metrics::set_global_recorder(recorder).is_ok() {
        metrics.process.describe();
        describe_play();
        describe_edges();
        describe_nodes();
        describe_books();
        begin_at_zero();
    }
    *held = Some(metrics.clone());
    Ok(metrics)
}

fn describe_play() {
    describe_gauge!("stakeboard_matches_live", "Live matches of this process");
    describe_histogram!("stakeboard_commit_seconds", Unit::Seconds, "From judging an act to its commit");
    describe_histogram!("stakeboard_ack_seconds", Unit::Seconds, "From reading an act of a socket to its answer");
    describe_histogram!("stakeboard_journal_batch_rows", "Rows of a commit of the journal");
    describe_gauge!("stakeboard_journal_queue_rows", "Rows that wait for a writer of the journal, by writer");
    describe_counter!("stakeboard_journal_failures_total", "Commits of the journal whose outcome is not known");
    describe_gauge!("stakeboard_heartbeat_lag_seconds", Unit::Seconds, "How late the last heartbeat began");
    describe_counter!("stakeboard_clock_credits_total", "Times a clock was given back what an outage took, by reason");
    describe_counter!("stakeboard_settlements_total", "Staked matches settled");
    describe_counter!("stakeboard_settlement_failures_total", "Attempts at a settlement that are made again");
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
}

fn describe_edges() {
    describe_gauge!("stakeboard_build_info", "Always 1; its label is the version of the server");
    describe_gauge!("stakeboard_ready", "1 while a move could be committed, else 0");
    describe_gauge!("stakeboard_sockets", "Open sockets that have said who they are");
    describe_counter!("stakeboard_sockets_too_slow_total", "Sockets cut off since they did not read");
    describe_histogram!("stakeboard_http_request_seconds", Unit::Seconds, "From a request to its answer");
    describe_counter!("stakeboard_refusals_total", "Requests refused, by code and by what they came over");
    describe_gauge!("stakeboard_database_connections", "Connections that requests share, by state");
    describe_gauge!("stakeboard_database_connections_max", "How many of them there can be");
    describe_gauge!("stakeboard_database_archive_failing", "1 while Postgres can't archive its write-ahead log");
}

fn describe_nodes() {
    describe_gauge!("stakeboard_nodes", "Servers that hold a lease on the database, as this one sees them");
    describe_gauge!("stakeboard_node_leased", "1 while this server holds its lease, else 0");
    describe_gauge!(
        "stakeboard_settings_differ",
        "1 while a server on the database is set to something else, by setting"
    );
    describe_counter!("stakeboard_leases_lost_total", "Times this server lost its lease and let go of everything");
    describe_counter!("stakeboard_leases_ended_total", "Leases of silent servers that this one ended");
    describe_counter!(
        "stakeboard_matches_taken_over_total",
        "Matches taken over: after the stop of their server, which handed them over, or after its silence"
    );
    describe_gauge!("stakeboard_bus_connected", "1 while connected to the bus between servers, else 0");
    describe_gauge!(
        "stakeboard_bus_silent_seconds",
        Unit::Seconds,
        "How long ago this server heard itself over the bus"
    );
    describe_gauge!("stakeboard_bus_transit_seconds", Unit::Seconds, "How long its last word to itself took");
    describe_counter!("stakeboard_bus_disconnections_total", "Times the connection to the bus was lost");
    describe_counter!("stakeboard_bus_messages_total", "Messages over the bus, by direction");
    describe_counter!("stakeboard_bus_messages_unsent_total", "Messages that were dropped since there was no bus");
    describe_histogram!(
        "stakeboard_bus_request_seconds",
        Unit::Seconds,
        "From asking another server to its answer, by what it is about and by what became of it"
    );
}

fn describe_books() {
    describe_counter!("stakeboard_ledger_check_failures_total", "Trial balances in which a check failed, by check");
    describe_gauge!("stakeboard_ledger_checks_failing", "Checks that failed when the trial balance was last taken");
    describe_gauge!("stakeboard_ledger_trial_timestamp_seconds", Unit::Seconds, "When it was last taken");
    describe_gauge!("stakeboard_ledger_unsealed_seconds", Unit::Seconds, "Age of the oldest entry that is not sealed");
    describe_gauge!("stakeboard_stakes_closed", "1 while new stakes wait for an administrator to see a failed check");
    describe_gauge!("stakeboard_suspense_minor_units", "Money that fits nothing: what came in less what went out");
    describe_gauge!("stakeboard_suspense_payments", "Payments that fit nothing and have no place yet, by currency");
    describe_gauge!(
        "stakeboard_suspense_oldest_seconds",
        Unit::Seconds,
        "How long ago the first of them was told of, by currency"
    );
    describe_gauge!("stakeboard_withdrawals_waiting", "Withdrawals that have not ended, by status");
    describe_gauge!(
        "stakeboard_withdrawals_oldest_seconds",
        Unit::Seconds,
        "How long the first of them has been there, by status"
    );
    describe_counter!("stakeboard_payment_events_total", "Callbacks of the payment provider, by outcome");
}

/// What an alert watches the growth of has to be there before it grows: a counter that is first seen at one has not
/// grown, as far as Prometheus knows.
fn begin_at_zero() {
    gauge!("stakeboard_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
    for code in Code::ALL {
        for over in ["http", "socket"] {
            counter!("stakeboard_refusals_total", "code" => code.as_str(), "over" => over).increment(0);
        }
    }
    for outcome in ["credited", "suspense", "contradicts", "unreadable"] {
        counter!("stakeboard_payment_events_total", "outcome" => outcome).increment(0);
    }
    for reason in ["outage", "restart"] {
        counter!("stakeboard_clock_credits_total", "reason" => reason).increment(0);
    }
    for after in ["stop", "silence"] {
        counter!("stakeboard_matches_taken_over_total", "after" => after).increment(0);
    }
    for of in ["matches", "http", "list"] {
        for outcome in ["answered", "nobody", "no_answer"] {
            // Made, and so told, without a sample.
            drop(histogram!("stakeboard_bus_request_seconds", "of" => of, "outcome" => outcome));
        }
    }
    for direction in ["sent", "received"] {
        counter!("stakeboard_bus_messages_total", "direction" => direction).increment(0);
    }
    counter!("stakeboard_bus_messages_unsent_total").increment(0);
    counter!("stakeboard_bus_disconnections_total").increment(0);
    counter!("stakeboard_leases_lost_total").increment(0);
    counter!("stakeboard_leases_ended_total").increment(0);
    counter!("stakeboard_journal_failures_total").increment(0);
    counter!("stakeboard_settlements_total").increment(0);
    counter!("stakeboard_settlement_failures_total").increment(0);
    counter!("stakeboard_sockets_too_slow_total").increment(0);
}
