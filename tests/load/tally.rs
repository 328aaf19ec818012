//! What all players count together.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use hdrhistogram::Histogram;
use tokio::sync::Semaphore;

/// Counted by every player, read by the report.
#[derive(Debug)]
pub struct Tally {
    /// Acknowledged moves since the measuring began.
    pub moves: AtomicU64,
    /// Matches that ended since the measuring began, by the board or by resigning.
    pub ended: AtomicU64,
    /// Those that ended before.
    pub ended_before: AtomicU64,
    /// Whatever went otherwise than it should.
    pub errors: AtomicU64,
    /// Whether all matches are under way: until then nobody hurries, so that those that have begun do not keep the others
    /// from it.
    pub under_way: AtomicBool,
    /// Whether moves count: matches begin and end as they will for the whole of the run, and the time is not up.
    pub measuring: AtomicBool,
    /// Whether the players are to resign and stop.
    pub stopping: AtomicBool,
    /// Held by who resigns when the run is over. Thousands that end in the same second are a case of their own.
    pub leaving: Semaphore,
    /// From sending a move to its acknowledgement, in microseconds: since the measuring began, and since the last look.
    acknowledged: Mutex<[Histogram<u64>; 2]>,
    sizes: [AtomicU64; 3],
    sized: AtomicU64,
}

/// How large frames are on average, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// A move as it is sent.
    pub request: usize,
    /// Its answer.
    pub answer: usize,
    /// The event that tells of it.
    pub event: usize,
}

impl Tally {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self {
            moves: AtomicU64::new(0),
            ended: AtomicU64::new(0),
            ended_before: AtomicU64::new(0),
            under_way: AtomicBool::new(false),
            errors: AtomicU64::new(0),
            measuring: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            leaving: Semaphore::new(32),
            // Up to a minute, to three digits.
            acknowledged: Mutex::new(
                [(); 2].map(|()| Histogram::new_with_max(60_000_000, 3).expect("bounds that are fixed")),
            ),
            sizes: [const { AtomicU64::new(0) }; 3],
            sized: AtomicU64::new(0),
        }
    }

    /// A move was acknowledged after so long.
    pub fn acknowledge(&self, after: Duration, sizes: Sizes) {
        if !self.measuring.load(Ordering::Relaxed) {
            return;
        }
        self.moves.fetch_add(1, Ordering::Relaxed);
        self.sized.fetch_add(1, Ordering::Relaxed);
        for (sum, size) in self.sizes.iter().zip([sizes.request, sizes.answer, sizes.event]) {
            sum.fetch_add(size as u64, Ordering::Relaxed);
        }
        let micros = u64::try_from(after.as_micros()).unwrap_or(u64::MAX);
        for histogram in &mut *self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner) {
            histogram.saturating_record(micros);
        }
    }

    /// A match ended.
    pub fn end(&self) {
        let ended = if self.measuring.load(Ordering::Relaxed) { &self.ended } else { &self.ended_before };
        ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Something went wrong; the first few are told.
    pub fn fail(&self, error: &anyhow::Error) {
        if self.errors.fetch_add(1, Ordering::Relaxed) < 10 {
            eprintln!("error: {error:#}");
        }
    }

    /// Whether the players are to stop.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// The time within which this share of the moves was acknowledged, in milliseconds.
    pub fn acknowledged_ms(&self, share: f64) -> f64 {
        let [all, _] = &*self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        all.value_at_quantile(share) as f64 / 1_000.0
    }

    /// The same of the moves since this was last called.
    pub fn lately_acknowledged(&self) -> Histogram<u64> {
        let [_, lately] = &mut *self.acknowledged.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = lately.clone();
        lately.reset();
        taken
    }

    /// How large frames were on average.
    pub fn sizes(&self) -> Sizes {
        let count = self.sized.load(Ordering::Relaxed).max(1);
        let mean = |sum: &AtomicU64| usize::try_from(sum.load(Ordering::Relaxed) / count).unwrap_or(usize::MAX);
        let [request, answer, event] = &self.sizes;
        Sizes { request: mean(request), answer: mean(answer), event: mean(event) }
    }
}
