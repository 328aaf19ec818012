//! Limits on how often something may happen: token buckets, told the time by their caller.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How much is allowed: so many at once, and one more each time this much has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    burst: u32,
    every: Duration,
}

impl Limit {
    /// `burst` at once, then one `every` so often. A burst of zero is taken for one.
    pub fn new(burst: u32, every: Duration) -> Self {
        Self { burst: burst.max(1), every }
    }

    /// `burst` at once, `per_second` sustained. A rate of zero is taken for one.
    pub fn per_second(per_second: u32, burst: u32) -> Self {
        Self::new(burst, Duration::from_secs(1) / per_second.max(1))
    }

    /// How many at once.
    pub fn burst(self) -> u32 {
        self.burst
    }

    /// How long until one more is allowed.
    pub fn every(self) -> Duration {
        self.every
    }

    /// The time in which an empty bucket fills up.
    fn depth(self) -> Duration {
        self.every.saturating_mul(self.burst)
    }
}

/// One bucket. Its whole state is the instant at which it is full again, so that filling it needs no timer.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    limit: Limit,
    full_at: Level,
}

/// When a bucket is full again.
#[derive(Clone, Copy, Debug)]
struct Level(Instant);

impl Level {
    /// How long until one more is allowed, or `None` where it is allowed now.
    fn refusal(self, limit: Limit, now: Instant) -> Option<Duration> {
        let taken = self.0.saturating_duration_since(now);
        let over = (taken + limit.every).saturating_sub(limit.depth());
        (!over.is_zero()).then_some(over)
    }

    fn take(&mut self, limit: Limit, now: Instant) -> Result<(), Duration> {
        if let Some(wait) = self.refusal(limit, now) {
            return Err(wait);
        }
        self.0 = self.0.max(now) + limit.every;
        Ok(())
    }
}

impl Bucket {
    /// A full bucket.
    pub fn new(limit: Limit, now: Instant) -> Self {
        Self { limit, full_at: Level(now) }
    }

    /// Takes one, or tells how long to wait for it.
    pub fn take(&mut self, now: Instant) -> Result<(), Duration> {
        self.full_at.take(self.limit, now)
    }

    /// Tells how long to wait where nothing could be taken now. Takes nothing.
    pub fn refusal(&self, now: Instant) -> Option<Duration> {
        self.full_at.refusal(self.limit, now)
    }
}

/// A bucket for each key, of which only those that are not full are remembered.
///
/// Bounded: where more keys than `capacity` are in use at once, the half that is nearest to full is forgotten.
/// Who has used up most of an allowance is therefore remembered longest.
#[derive(Debug)]
pub struct Buckets<K> {
    limit: Limit,
    capacity: usize,
    levels: Mutex<HashMap<K, Level>>,
}

/// Enough for every player of one process; some ten megabytes where all are in use.
pub const CAPACITY: usize = 100_000;

impl<K: Eq + Hash> Buckets<K> {
    /// Full buckets for all keys, of which [`CAPACITY`] are told apart.
    pub fn new(limit: Limit) -> Self {
        Self::with_capacity(limit, CAPACITY)
    }

    /// The same with another bound on its memory.
    pub fn with_capacity(limit: Limit, capacity: usize) -> Self {
        Self { limit, capacity: capacity.max(2), levels: Mutex::default() }
    }

    /// What each key is allowed.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Takes one from the bucket of `key`, or tells how long to wait for it.
    pub fn take(&self, key: K, now: Instant) -> Result<(), Duration> {
        let mut levels = self.levels();
        if levels.len() >= self.capacity && !levels.contains_key(&key) {
            forget(&mut levels, self.capacity, now);
        }
        levels.entry(key).or_insert(Level(now)).take(self.limit, now)
    }

    /// Tells how long to wait where nothing could be taken now. Takes nothing.
    pub fn refusal(&self, key: &K, now: Instant) -> Option<Duration> {
        self.levels().get(key).and_then(|level| level.refusal(self.limit, now))
    }

    /// Fills the bucket of `key`.
    pub fn clear(&self, key: &K) {
        self.levels().remove(key);
    }

    /// A panic elsewhere leaves the map whole: each change to it is a single call.
    fn levels(&self) -> MutexGuard<'_, HashMap<K, Level>> {
        self.levels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room: full buckets first, then those nearest to full. At least half is free afterwards, so that the
/// sweep is paid for by the keys that came since the last one.
fn forget<K: Eq + Hash>(levels: &mut HashMap<K, Level>, capacity: usize, now: Instant) {
    levels.retain(|_, level| level.0 > now);
    let keep = capacity / 2;
    if levels.len() <= keep {
        return;
    }
    let mut instants: Vec<Instant> = levels.values().map(|level| level.0).collect();
    let surplus = instants.len() - keep;
    let (_, highest_forgotten, _) = instants.select_nth_unstable(surplus - 1);
    let highest_forgotten = *highest_forgotten;
    levels.retain(|_, level| level.0 > highest_forgotten);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_burst_then_the_sustained_rate() {
        let start = Clock::start().now();
        let mut bucket = Bucket::new(Limit::per_second(2, 3), start);
        for _ in 0..3 {
            assert_eq!(bucket.take(start), Ok(()));
        }
        assert_eq!(bucket.take(start), Err(SECOND / 2));
        assert_eq!(bucket.take(start + SECOND / 4), Err(SECOND / 4), "a refusal takes nothing");
        assert_eq!(bucket.take(start + SECOND / 2), Ok(()));
        assert_eq!(bucket.take(start + SECOND / 2), Err(SECOND / 2));
    }

    #[test]
    fn a_long_rest_fills_no_further_than_the_burst() {
        let start = Clock::start().now();
        let mut bucket = Bucket::new(Limit::per_second(100, 5), start);
        let later = start + SECOND * 3_600;
        assert_eq!((0..10).filter(|_| bucket.take(later).is_ok()).count(), 5);
    }

    #[test]
    fn looking_takes_nothing_and_time_never_runs_back() {
        let before = Clock::start().now();
        let start = before + SECOND;
        let mut bucket = Bucket::new(Limit::new(1, SECOND), start);
        assert_eq!(bucket.refusal(start), None);
        assert_eq!(bucket.refusal(start), None);
        assert_eq!(bucket.take(start), Ok(()));
        assert_eq!(bucket.refusal(start), Some(SECOND));
        // A stamp from before the last one counts as later than it is, never as a refill.
        assert_eq!(bucket.take(before), Err(SECOND * 2));
    }

    #[test]
    fn each_key_has_its_own_bucket_and_a_cleared_one_is_full() {
        let start = Clock::start().now();
        let buckets = Buckets::new(Limit::new(1, SECOND));
        assert_eq!(buckets.take("ana", start), Ok(()));
        assert_eq!(buckets.take("ana", start), Err(SECOND));
        assert_eq!(buckets.refusal(&"ana", start), Some(SECOND));
        assert_eq!(buckets.refusal(&"rui", start), None);
        assert_eq!(buckets.take("rui", start), Ok(()));
        buckets.clear(&"ana");
        assert_eq!(buckets.take("ana", start), Ok(()));
    }

    #[test]
    fn many_keys_do_not_grow_it_and_the_emptiest_bucket_is_remembered() {
        let start = Clock::start().now();
        let buckets = Buckets::with_capacity(Limit::new(10, SECOND), 100);
        for _ in 0..10 {
            assert_eq!(buckets.take(0, start), Ok(()));
        }
        for key in 1..10_000 {
            assert_eq!(buckets.take(key, start), Ok(()), "{key}");
            assert!(buckets.levels().len() <= 100);
        }
        assert_eq!(buckets.take(0, start), Err(SECOND));
        assert_eq!(buckets.take(10_000, start + SECOND * 60), Ok(()));
        assert!(buckets.levels().len() <= 51, "full buckets are forgotten first");
    }
}
