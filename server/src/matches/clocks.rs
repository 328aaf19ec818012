//! The two clocks of a match: arithmetic on instants handed in (MA-4, MA-5).

use std::time::{Duration, Instant};

use stakeboard_engine::{BySeat, Seat};

/// Both clocks. At most one runs; it can stand for a while when the service itself is in trouble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clocks {
    remaining: BySeat<Duration>,
    turn: Option<Turn>,
}

/// Whose clock it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    seat: Seat,
    /// Since when it has been running, with `remaining` as it was then; `None` while it stands.
    since: Option<Instant>,
}

impl Clocks {
    /// Full clocks, `seat` to move, standing until [`Clocks::run`].
    pub fn new(each: Duration, seat: Seat) -> Self {
        Self { remaining: BySeat::new(each, each), turn: Some(Turn { seat, since: None }) }
    }

    /// What a clock shows at an instant; never below zero.
    pub fn remaining(&self, seat: Seat, at: Instant) -> Duration {
        let used = match self.turn {
            Some(Turn { seat: owner, since: Some(since) }) if owner == seat => at.saturating_duration_since(since),
            _ => Duration::ZERO,
        };
        self.remaining[seat].saturating_sub(used)
    }

    /// What both clocks show at an instant, in whole milliseconds. A part of one counts as one, so that
    /// a clock that shows zero has run out.
    pub fn shown(&self, at: Instant) -> BySeat<u32> {
        let show = |seat| milliseconds(self.remaining(seat, at));
        BySeat::new(show(Seat::First), show(Seat::Second))
    }

    /// Whose clock runs; `None` while it stands and after the end.
    pub fn running(&self) -> Option<Seat> {
        self.turn.filter(|turn| turn.since.is_some()).map(|turn| turn.seat)
    }

    /// Whose turn it is, running or standing.
    pub fn turn(&self) -> Option<Seat> {
        self.turn.map(|turn| turn.seat)
    }

    /// When the running clock reaches zero.
    pub fn deadline(&self) -> Option<Instant> {
        let turn = self.turn?;
        Some(turn.since? + self.remaining[turn.seat])
    }

    /// Sets both clocks to what was recorded, and `turn` (whose it is then) standing.
    pub fn set(&mut self, shown: BySeat<u32>, turn: Option<Seat>) {
        self.remaining = shown.map(|shown| Duration::from_millis(u64::from(shown)));
        self.turn = turn.map(|seat| Turn { seat, since: None });
    }

    /// Lets the clock of whose turn it is run from an instant; one that runs already runs on.
    pub fn run(&mut self, from: Instant) {
        if let Some(turn) = &mut self.turn
            && turn.since.is_none()
        {
            turn.since = Some(from);
        }
    }

    /// The service is in trouble: the running clock is charged up to `until` and stands from then on.
    /// Where it stands already, it stands.
    pub fn stand(&mut self, until: Instant) {
        let Some(Turn { seat, since: Some(_) }) = self.turn else { return };
        self.remaining[seat] = self.remaining(seat, until);
        self.turn = Some(Turn { seat, since: None });
    }

    /// Ends both clocks.
    pub fn stop(&mut self) {
        self.turn = None;
    }
}

/// A duration in whole milliseconds, a part of one counted as one.
fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u32::MAX)
}

/// MA-5: what is left of the running clock after an outage: its recorded value, less the time from its record to the
/// last sign of life, which is the later of the record itself and the last heartbeat.
pub fn after_outage(recorded_ms: u32, recorded: time::OffsetDateTime, heartbeat: time::OffsetDateTime) -> u32 {
    let charged = (heartbeat - recorded).whole_milliseconds().max(0);
    recorded_ms.saturating_sub(u32::try_from(charged).unwrap_or(u32::MAX))
}

#[cfg(test)]
#[path = "clocks_tests.rs"]
mod tests;
