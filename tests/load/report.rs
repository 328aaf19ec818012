//! What came out: a table, and one line of JSON.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::arguments::Arguments;

/// What was measured.
#[derive(Debug)]
pub struct Figures {
    /// For how long.
    pub length: Duration,
    /// Acknowledged moves.
    pub moves: u64,
    /// Matches that ended.
    pub ended: u64,
    /// The median and the 99th percentile of the time to an acknowledgement.
    pub acknowledged_ms: [f64; 2],
    /// The 99th percentile in the first and in the second half of the time.
    pub halves_ms: [f64; 2],
    /// Of the processes, where they are ours.
    pub usage: Option<Usage>,
}

/// What the processes used meanwhile.
#[derive(Debug)]
pub struct Usage {
    /// For how long.
    pub length: Duration,
    /// Processor time of the server.
    pub server: Duration,
    /// Processor time of Postgres.
    pub postgres: Duration,
    /// Of that, the journal's.
    pub journal: Duration,
    /// The server's resident memory at the end, in bytes.
    pub resident: u64,
    /// The same before the first player came.
    pub resident_before: u64,
    /// The same after half of the time.
    pub resident_midway: u64,
    /// Rows of the journal.
    pub rows: f64,
    /// Commits of the journal.
    pub batches: f64,
}

/// What the least would be.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Processor time of a bare relay for a move, in microseconds.
    pub relay_us: Option<f64>,
    /// Processor time of Postgres for a row of a bare loop of inserts, in microseconds.
    pub floor_us: Option<f64>,
}

impl Figures {
    /// Prints the table, and the line of JSON last.
    pub fn print(&self, arguments: &Arguments, limits: &Limits, errors: u64) {
        let rows = self.rows(arguments, limits, errors);
        println!();
        for (name, value, meaning) in &rows {
            let shown = value.as_f64().map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"));
            println!("{name:<30} {shown:>14}  {meaning}");
        }
        let object: Map<String, Value> = rows.into_iter().map(|(name, value, _)| (name.to_owned(), value)).collect();
        println!("{}", Value::Object(object));
    }

    fn rows(&self, arguments: &Arguments, limits: &Limits, errors: u64) -> Vec<(&'static str, Value, &'static str)> {
        let seconds = self.length.as_secs_f64();
        let moves = self.moves.max(1) as f64;
        let usage = self.usage.as_ref();
        let server = usage.map(|usage| usage.server.as_secs_f64() * 1e6 / moves);
        let postgres = usage.map(|usage| usage.postgres.as_secs_f64() * 1e6 / moves);
        let journal = usage.map(|usage| usage.journal.as_secs_f64() * 1e6 / moves);
        // What is no move is a match that begins or ends, and in the long run as many begin as end.
        let rest = |usage: &Usage| usage.postgres.saturating_sub(usage.journal).as_secs_f64();
        let whole = usage.filter(|_| self.ended > 0).map(|usage| rest(usage) * 1e6 / self.ended as f64);
        let percent = |time: Duration, length: Duration| time.as_secs_f64() * 100.0 / length.as_secs_f64();
        let per_match =
            |usage: &Usage| usage.resident.saturating_sub(usage.resident_before) as f64 / f64::from(arguments.matches);
        let over = |of: Option<f64>, limit: Option<f64>| Some(of? / limit?);
        vec![
            ("matches", json!(arguments.matches), "at once"),
            ("seconds", rounded(Some(seconds)), "measured"),
            ("moves_per_s", rounded(Some(self.moves as f64 / seconds)), "acknowledged moves a second"),
            ("ack_ms_p50", rounded(Some(self.acknowledged_ms[0])), "from sending a move to its acknowledgement"),
            ("ack_ms_p99", rounded(Some(self.acknowledged_ms[1])), "the same, 99th percentile"),
            ("ack_ms_p99_first_half", rounded(Some(self.halves_ms[0])), "of the moves in the first half of the time"),
            ("ack_ms_p99_second_half", rounded(Some(self.halves_ms[1])), "of those in the second"),
            ("server_cpu_us_per_move", rounded(server), "processor time of the server"),
            ("postgres_cpu_us_per_move", rounded(postgres), "processor time of Postgres"),
            ("journal_cpu_us_per_move", rounded(journal), "of that, what writes moves"),
            ("postgres_cpu_us_per_match", rounded(whole), "the rest, for each match that ended"),
            ("server_cpu_percent", rounded(usage.map(|usage| percent(usage.server, usage.length))), "of one core"),
            ("postgres_cpu_percent", rounded(usage.map(|usage| percent(usage.postgres, usage.length))), "of one core"),
            ("server_rss_bytes", json!(usage.map(|usage| usage.resident)), "resident memory of the server"),
            (
                "server_rss_bytes_midway",
                json!(usage.map(|usage| usage.resident_midway)),
                "the same after half of the time",
            ),
            ("rss_bytes_per_match", rounded(usage.map(per_match)), "what each match with its two sockets added"),
            ("settlements_per_s", rounded(Some(self.ended as f64 / seconds)), "matches that ended"),
            ("journal_batch_rows", rounded(usage.map(|usage| usage.rows / usage.batches.max(1.0))), "rows of a commit"),
            ("relay_cpu_us_per_move", rounded(limits.relay_us), "processor time of a bare relay"),
            ("server_over_relay", rounded(over(server, limits.relay_us)), "how much more the server takes"),
            ("floor_postgres_cpu_us_per_row", rounded(limits.floor_us), "processor time of Postgres in a bare loop"),
            ("postgres_over_floor", rounded(over(postgres, limits.floor_us)), "how much more Postgres takes"),
            ("journal_over_floor", rounded(over(journal, limits.floor_us)), "how much more the journal takes"),
            ("errors", json!(errors), "refusals, lost sockets, moves not found, failed checks"),
        ]
    }
}

fn rounded(figure: Option<f64>) -> Value {
    json!(figure.map(|figure| (figure * 1_000.0).round() / 1_000.0))
}
