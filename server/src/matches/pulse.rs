//! Whether this process itself stood still: stopped, starved of processor time, or on a machine that slept (MA-5).
//!
//! Nobody tells a process so. It has a pulse, and notices by how much later than due it is. What comes first after
//! waking is not the pulse but, as likely, a move that was sent meanwhile: so whoever is about to charge a clock asks, and
//! not only the pulse.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::{clock::Clock, matches::health::Alarm};

/// How often it beats.
const INTERVAL: Duration = Duration::from_millis(100);
/// A process whose last beat is older than this stood still.
const STANDSTILL: Duration = Duration::from_millis(750);

/// The pulse of this process.
#[derive(Debug)]
pub(super) struct Pulse {
    clock: Clock,
    /// The last beat, in microseconds of the process.
    last: AtomicU64,
    standstills: AtomicU64,
    alarm: Alarm,
}

impl Pulse {
    /// Begins to beat, until the last copy is dropped. A standstill raises the alarm.
    pub fn start(clock: Clock, alarm: Alarm) -> Arc<Self> {
        let last = AtomicU64::new(microseconds(clock.running_for(clock.now())));
        let pulse = Arc::new(Self { clock, last, standstills: AtomicU64::new(0), alarm });
        let weak = Arc::downgrade(&pulse);
        tokio::spawn(async move {
            while let Some(pulse) = weak.upgrade() {
                pulse.beat();
                drop(pulse);
                tokio::time::sleep(INTERVAL).await;
            }
        });
        pulse
    }

    /// This process runs at this moment. Says that the service is paused, since the last beat, where that is too long ago.
    fn beat(&self) {
        self.notice();
        self.last.fetch_max(microseconds(self.clock.running_for(self.clock.now())), Ordering::Release);
    }

    /// Whether the process stood still until now and nobody has noticed yet; from here on everybody knows.
    pub fn notice(&self) -> bool {
        let now = self.clock.running_for(self.clock.now());
        let last = Duration::from_micros(self.last.load(Ordering::Acquire));
        let stood = now.saturating_sub(last);
        if stood <= STANDSTILL {
            return false;
        }
        let since = self.clock.instant_after(last);
        self.alarm.raise(since);
        self.standstills.fetch_add(1, Ordering::Release);
        // Only now: whoever no longer sees that it stood sees that it is paused.
        self.last.fetch_max(microseconds(now), Ordering::Release);
        tracing::error!(stood_ms = stood.as_millis(), "this process stood still; clocks stand since then");
        true
    }

    /// How often it stood still so far.
    pub fn standstills(&self) -> u64 {
        self.standstills.load(Ordering::Acquire)
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use time::OffsetDateTime;

    use super::*;

    /// A process that beat so long ago.
    fn pulse(ago: Duration) -> (Pulse, Instant) {
        let beat = Clock::start().now().checked_sub(ago).expect("a machine that has run for longer");
        let clock = Clock::agreeing_with(OffsetDateTime::UNIX_EPOCH, beat);
        let (last, standstills) = (AtomicU64::new(0), AtomicU64::new(0));
        (Pulse { clock, last, standstills, alarm: Alarm::default() }, beat)
    }

    #[test]
    fn ma_5_a_process_that_stood_still_is_paused_since_its_last_beat_and_is_told_so_once() {
        let (pulse, beat) = pulse(STANDSTILL + Duration::from_millis(1));
        assert!(pulse.notice());
        assert_eq!((*pulse.alarm.0.borrow(), pulse.standstills()), (Some(beat), 1));
        assert!(!pulse.notice(), "it is awake now");
        assert_eq!(pulse.standstills(), 1);
    }

    #[test]
    fn a_pulse_that_is_late_by_less_is_no_standstill() {
        let (pulse, _) = pulse(STANDSTILL / 2);
        assert!(!pulse.notice());
        assert_eq!((*pulse.alarm.0.borrow(), pulse.standstills()), (None, 0));
    }

    #[test]
    fn a_service_that_is_paused_already_stays_paused_since_then() {
        let (pulse, beat) = pulse(STANDSTILL * 2);
        let earlier = beat.checked_sub(STANDSTILL).expect("the same");
        pulse.alarm.0.send_replace(Some(earlier));
        assert!(pulse.notice());
        assert_eq!(*pulse.alarm.0.borrow(), Some(earlier));
    }
}
