//! MA-4 and MA-5 as tables.
#![expect(clippy::disallowed_methods, reason = "any instant will do as the start of a table")]

use stakeboard_engine::Seat::{First, Second};
use time::macros::datetime;

use super::*;

const TEN_MINUTES: Duration = Duration::from_mins(10);

fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

#[test]
fn ma_4_a_clock_runs_only_on_its_owners_turn() {
    let start = Instant::now();
    let mut clocks = Clocks::new(TEN_MINUTES, First);
    assert_eq!(clocks.running(), None);
    assert_eq!(clocks.remaining(First, start + seconds(100)), TEN_MINUTES, "it stands until it is run");

    clocks.run(start);
    assert_eq!(clocks.running(), Some(First));
    assert_eq!(clocks.remaining(First, start + seconds(30)), seconds(570));
    assert_eq!(clocks.remaining(Second, start + seconds(30)), TEN_MINUTES);

    clocks.set(clocks.shown(start + seconds(30)), Some(Second));
    clocks.run(start + seconds(31));
    assert_eq!(clocks.remaining(First, start + seconds(90)), seconds(570));
    assert_eq!(clocks.remaining(Second, start + seconds(91)), seconds(540));
}

#[test]
fn ma_4_the_deadline_is_when_the_running_clock_reaches_zero() {
    let start = Instant::now();
    let mut clocks = Clocks::new(TEN_MINUTES, First);
    assert_eq!(clocks.deadline(), None);
    clocks.run(start);
    assert_eq!(clocks.deadline(), Some(start + TEN_MINUTES));
    assert_eq!(clocks.remaining(First, start + seconds(601)), Duration::ZERO);
    clocks.stop();
    assert_eq!((clocks.deadline(), clocks.running()), (None, None));
}

#[test]
fn a_clock_shows_zero_only_once_it_has_run_out() {
    let start = Instant::now();
    let mut clocks = Clocks::new(Duration::from_millis(10), First);
    clocks.run(start);
    for (microseconds, shown) in [(0, 10), (1, 10), (1_000, 9), (9_001, 1), (9_999, 1), (10_000, 0), (20_000, 0)] {
        assert_eq!(clocks.shown(start + Duration::from_micros(microseconds)).first, shown, "{microseconds} µs");
    }
}

#[test]
fn running_a_clock_that_runs_changes_nothing() {
    let start = Instant::now();
    let mut clocks = Clocks::new(TEN_MINUTES, First);
    clocks.run(start);
    let before = clocks.clone();
    clocks.run(start + seconds(5));
    assert_eq!(clocks, before);
}

#[test]
fn ma_5_time_in_which_a_clock_stands_is_nobodys() {
    let start = Instant::now();
    let mut clocks = Clocks::new(TEN_MINUTES, First);
    clocks.run(start);
    clocks.stand(start + seconds(10));
    clocks.stand(start + seconds(50));
    assert_eq!(clocks.running(), None);
    assert_eq!(clocks.turn(), Some(First));
    assert_eq!(clocks.deadline(), None);
    assert_eq!(clocks.remaining(First, start + seconds(70)), seconds(590));
    clocks.run(start + seconds(70));
    assert_eq!(clocks.remaining(First, start + seconds(71)), seconds(589));
}

#[test]
fn ma_5_a_clock_told_to_stand_from_before_it_ran_is_charged_nothing() {
    let start = Instant::now() + seconds(10);
    let mut clocks = Clocks::new(TEN_MINUTES, First);
    clocks.run(start);
    clocks.stand(start.checked_sub(seconds(5)).expect("after the machine's start"));
    assert_eq!(clocks.remaining(First, start + seconds(70)), TEN_MINUTES);
}

#[test]
fn ma_5_an_outage_is_charged_up_to_the_last_sign_of_life() {
    let recorded = datetime!(2026-01-01 12:00:00 UTC);
    let cases = [
        (600_000, datetime!(2026-01-01 12:00:00 UTC), 600_000),
        (600_000, datetime!(2026-01-01 12:00:07.5 UTC), 592_500),
        // The record is later than the heartbeat: nothing is charged.
        (600_000, datetime!(2026-01-01 11:59:00 UTC), 600_000),
        // It ran out while the service was there.
        (5_000, datetime!(2026-01-01 12:00:05 UTC), 0),
        (5_000, datetime!(2026-01-01 13:00:00 UTC), 0),
        (5_000, datetime!(2036-01-01 13:00:00 UTC), 0),
    ];
    for (recorded_ms, heartbeat, left) in cases {
        assert_eq!(after_outage(recorded_ms, recorded, heartbeat), left, "{recorded_ms} {heartbeat}");
    }
}
