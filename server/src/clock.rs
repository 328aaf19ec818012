//! Time. The only place that asks the system for it; everything else is handed an instant.
#![expect(clippy::disallowed_methods, reason = "this is the place the ban points to")]

use std::time::{Duration, Instant, SystemTime};

use time::OffsetDateTime;

/// The time of this process. Copies agree with each other.
///
/// Wall time is read once, when the process starts, and counted on with the monotonic clock: a step of the
/// machine's clock can't reach the journal, whose times are compared with each other (MA-5). A server reads it from its
/// database, so that several on one database agree.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    started: Instant,
    started_wall: OffsetDateTime,
}

impl Clock {
    /// A clock that starts from the machine's time now.
    pub fn start() -> Self {
        Self { started: Instant::now(), started_wall: SystemTime::now().into() }
    }

    /// A clock on which `wall` was the time at `then`.
    pub fn agreeing_with(wall: OffsetDateTime, then: Instant) -> Self {
        Self { started: then, started_wall: wall }
    }

    /// The present, for arithmetic.
    pub fn now(&self) -> Instant {
        Instant::now()
    }

    /// How long the process had been running at an instant.
    pub fn running_for(&self, instant: Instant) -> Duration {
        instant.saturating_duration_since(self.started)
    }

    /// The instant at which the process had been running for so long.
    pub fn instant_after(&self, running: Duration) -> Instant {
        self.started + running
    }

    /// The present, for people and for the database.
    pub fn wall(&self) -> OffsetDateTime {
        self.wall_at(self.now())
    }

    /// An instant of this process as wall time, cut to the microseconds that Postgres keeps.
    pub fn wall_at(&self, instant: Instant) -> OffsetDateTime {
        let wall = match instant.checked_duration_since(self.started) {
            Some(after) => self.started_wall + after,
            None => self.started_wall - self.started.duration_since(instant),
        };
        let nanoseconds = wall.nanosecond();
        wall - Duration::from_nanos(u64::from(nanoseconds % 1_000))
    }

    /// A wall time of this process as an instant; times before the process existed are cut to what an instant can say.
    pub fn instant_at(&self, wall: OffsetDateTime) -> Instant {
        let offset = wall - self.started_wall;
        let distance = offset.unsigned_abs();
        if offset.is_negative() {
            self.started.checked_sub(distance).unwrap_or(self.started)
        } else {
            self.started + distance
        }
    }
}

/// RFC 3339 in UTC with milliseconds: how every time looks in an answer.
pub mod rfc3339_ms {
    use serde::{Serialize, Serializer};
    use time::{OffsetDateTime, UtcOffset, format_description::BorrowedFormatItem, macros::format_description};

    const FORMAT: &[BorrowedFormatItem<'static>] =
        format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

    /// The text of a time.
    pub fn text(time: OffsetDateTime) -> String {
        time.to_offset(UtcOffset::UTC).format(FORMAT).unwrap_or_default()
    }

    /// For `#[serde(serialize_with)]`.
    pub fn serialize<S: Serializer>(time: &OffsetDateTime, serializer: S) -> Result<S::Ok, S::Error> {
        text(*time).serialize(serializer)
    }

    /// The same for a time that may be missing.
    pub fn serialize_option<S: Serializer>(time: &Option<OffsetDateTime>, serializer: S) -> Result<S::Ok, S::Error> {
        time.map(text).serialize(serializer)
    }
}
