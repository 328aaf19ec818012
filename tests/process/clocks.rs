//! What an outage may do to a clock: at most 1,000 ms in the player's favour and 250 ms against (MA-5).

use serde_json::Value;
use time::OffsetDateTime;

use crate::support::{milliseconds, time_of};

/// The most a player may gain by one outage.
pub const FAVOUR_MS: i64 = 1_000;
/// The most a player may lose by one outage.
pub const AGAINST_MS: i64 = 250;

/// An outage as it was seen from outside.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    /// Just before the service was cut off.
    pub before: OffsetDateTime,
    /// When it certainly was.
    pub gone: OffsetDateTime,
    /// When it was there again, as far as a client can tell.
    pub back: OffsetDateTime,
}

/// What a clock shows in an event, and when.
fn shown(event: &Value, seat: &str) -> (i64, OffsetDateTime) {
    let clocks = &event["clocks"];
    (clocks[format!("{seat}_ms")].as_i64().unwrap(), time_of(&clocks["at"]))
}

/// Checks every credit of a match against the outages that were measured. `began` is when its first clock began to
/// run. Gives how many credits there were.
///
/// What a clock lost or gained is counted from its last event before the outage to its first event after it: this is
/// how long it ran in all, less how long the service was there to be played on.
pub fn check_credits(events: &[Value], began: OffsetDateTime, clock_ms: i64, outages: &[Outage]) -> usize {
    let mut credits = 0;
    for (place, credit) in events.iter().enumerate().filter(|(_, event)| event["type"] == "clock_credited") {
        let running = credit["clocks"]["running"].as_str().unwrap();
        let standing = if running == "first" { "second" } else { "first" };
        let before = place.checked_sub(1).map(|place| &events[place]);
        let (had, had_at) = before.map_or((clock_ms, began), |event| shown(event, running));
        let (has, has_at) = shown(credit, running);
        let still = before.map_or(clock_ms, |event| shown(event, standing).0);
        assert_eq!(shown(credit, standing).0, still, "the clock that stood stays: {credit}");
        assert!(has <= had, "a credit is never above the clock's last record: {credit}");

        let outage = outages.iter().rev().find(|outage| outage.before <= has_at);
        let outage = outage.unwrap_or_else(|| panic!("no outage before {credit}"));
        credits += 1;
        if had_at > outage.gone {
            // By a start that was itself killed: nobody knows from outside how long it served.
            continue;
        }
        let charged = had - has;
        let served = milliseconds(outage.before - had_at).max(0);
        assert!(served - charged <= FAVOUR_MS, "{} ms too little charged: {credit} {outage:?}", served - charged);

        // What ran on before anybody could play is charged too.
        let early = events.get(place + 1).map_or(0, |next| {
            let (then, then_at) = shown(next, running);
            milliseconds((outage.back - then_at) + time::Duration::milliseconds(has - then)).max(0)
        });
        let served = milliseconds(outage.gone - had_at).max(0);
        assert!(
            charged + early - served <= AGAINST_MS,
            "{charged} ms charged before and {early} after the outage, {served} served: {credit} {outage:?}"
        );
    }
    credits
}
