//! What came out.

use std::{collections::BTreeMap, time::Duration};

use serde_json::json;

use crate::{
    arguments::Arguments,
    faults::{Fault, Happened},
};

/// Everything that is told at the end.
#[derive(Debug, Default)]
pub struct Report {
    /// For how long matches were played.
    pub length: Duration,
    /// Every fault, in order.
    pub happened: Vec<Happened>,
    /// Matches that were played to their end.
    pub matches: u64,
    /// Moves that were acknowledged.
    pub acknowledged: u64,
    /// Those of them that are in the journal.
    pub found: u64,
    /// Settlements of these matches.
    pub settlements: i64,
    /// Checks of the ledger that passed.
    pub ledger_checks: usize,
    /// Lines that players lost.
    pub lines_lost: u64,
    /// Moves that were sent again, since no answer came.
    pub sent_again: u64,
    /// For each player and match, how much their clock lost beyond the time that they had, in milliseconds.
    pub clock_lost_ms: Vec<i64>,
    /// What should not be.
    pub breaches: Vec<String>,
}

impl Report {
    /// Takes a fault down.
    pub fn happened(&mut self, happened: Happened) {
        if happened.recovered.is_none() {
            self.breaches.push(format!("{happened}"));
        }
        self.happened.push(happened);
    }

    /// Times to recovery by kind of fault, in milliseconds, each kind in order.
    fn recoveries(&self) -> BTreeMap<Fault, Vec<u128>> {
        let mut all: BTreeMap<Fault, Vec<u128>> = BTreeMap::new();
        for happened in &self.happened {
            let recovered = happened.recovered.map(|at| (at - happened.over).as_millis());
            all.entry(happened.fault).or_default().extend(recovered);
        }
        for times in all.values_mut() {
            times.sort_unstable();
        }
        all
    }

    /// Prints all of it, and one object of JSON last.
    pub fn print(&self, arguments: &Arguments) {
        println!("\n| fault | times | recovery, median | recovery, worst |\n| --- | ---: | ---: | ---: |");
        for (fault, times) in self.recoveries() {
            let (median, worst) = (times.get(times.len().saturating_sub(1) / 2), times.last());
            let shown = |time: Option<&u128>| time.map_or_else(|| "-".to_owned(), |time| format!("{time} ms"));
            println!("| {fault} | {} | {} | {} |", times.len(), shown(median), shown(worst));
        }
        let worst = self.clock_lost_ms.iter().max().copied().unwrap_or_default();
        println!("\n{} matches in {:.1} minutes", self.matches, self.length.as_secs_f64() / 60.0);
        println!("{} moves acknowledged, {} of them found", self.acknowledged, self.found);
        println!("{} lines lost, {} moves sent again", self.lines_lost, self.sent_again);
        println!("{} settlements, {} checks of the ledger passed", self.settlements, self.ledger_checks);
        println!("the most that a clock lost to faults in a match: {worst} ms");
        for breach in &self.breaches {
            println!("BREACH {breach}");
        }
        let mut recoveries: Vec<u128> = self.recoveries().into_values().flatten().collect();
        recoveries.sort_unstable();
        println!(
            "{}",
            json!({
                "seed": arguments.seed,
                "nodes": arguments.nodes,
                "faults": self.happened.len(),
                "matches": self.matches,
                "moves_acknowledged": self.acknowledged,
                "moves_found": self.found,
                "settlements": self.settlements,
                "recovery_ms_median": recoveries.get(recoveries.len().saturating_sub(1) / 2),
                "recovery_ms_worst": recoveries.last(),
                "clock_lost_ms_worst": worst,
                "breaches": self.breaches.len(),
            })
        );
    }
}
