//! Who of those who wait may meet whom: pure rules over ratings and waiting times.

use std::time::Duration;

/// How far apart two ratings may be at first.
const AT_FIRST: f64 = 100.0;
/// After this long anybody will do.
const LONGEST: Duration = Duration::from_secs(20);

/// How far from the own rating a rival may be, for somebody who has waited this long: 100 points, and twice as many with
/// each second. Where many wait a near one is found at once; where few do, holding out would not bring a nearer one.
pub fn window(waited: Duration) -> f64 {
    AT_FIRST * 2_f64.powf(waited.min(LONGEST).as_secs_f64())
}

/// Somebody who waits, as the pairing sees them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// Their rating.
    pub rating: f64,
    /// For how long they have waited.
    pub waited: Duration,
}

impl Waiting {
    /// Whether two may meet: it is enough that the wider of their windows reaches the other.
    pub fn may_meet(self, other: Self) -> bool {
        (self.rating - other.rating).abs() <= window(self.waited.max(other.waited))
    }
}

/// Pairs those who wait on the same terms, by their places in the list. Who has waited longest chooses first, and gets
/// the nearest rating that is still free, if it is within reach.
pub fn pairs(waiting: &[Waiting]) -> Vec<[usize; 2]> {
    let mut by_rating: Vec<usize> = (0..waiting.len()).collect();
    by_rating.sort_by(|one, other| waiting[*one].rating.total_cmp(&waiting[*other].rating));
    let mut places = Places::of(by_rating.len());
    let mut choosers: Vec<usize> = (0..by_rating.len()).collect();
    choosers.sort_by_key(|place| std::cmp::Reverse(waiting[by_rating[*place]].waited));
    let mut pairs = Vec::new();
    for place in choosers {
        if !places.is_free(place) {
            continue;
        }
        let chooser = waiting[by_rating[place]];
        let gap = |other: &usize| (waiting[by_rating[*other]].rating - chooser.rating).abs();
        let neighbours = places.neighbours(place).into_iter().flatten();
        let nearest = neighbours.min_by(|one, other| gap(one).total_cmp(&gap(other)));
        if let Some(nearest) = nearest.filter(|nearest| chooser.may_meet(waiting[by_rating[*nearest]])) {
            pairs.push([by_rating[place], by_rating[nearest]]);
            places.take(place);
            places.take(nearest);
        }
    }
    pairs
}

/// Places in a row, some of them taken; each knows the nearest free one on either side.
struct Places {
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Places {
    fn of(count: usize) -> Self {
        Self {
            before: (0..count).map(|place| place.checked_sub(1)).collect(),
            after: (0..count).map(|place| Some(place + 1).filter(|next| *next < count)).collect(),
            taken: vec![false; count],
        }
    }

    fn is_free(&self, place: usize) -> bool {
        !self.taken[place]
    }

    fn neighbours(&self, place: usize) -> [Option<usize>; 2] {
        [self.before[place], self.after[place]]
    }

    fn take(&mut self, place: usize) {
        self.taken[place] = true;
        let (before, after) = (self.before[place], self.after[place]);
        if let Some(before) = before {
            self.after[before] = after;
        }
        if let Some(after) = after {
            self.before[after] = before;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn who(rating: f64, waited_ms: u64) -> Waiting {
        Waiting { rating, waited: Duration::from_millis(waited_ms) }
    }

    #[test]
    fn the_window_begins_at_a_hundred_points_and_doubles_with_each_second() {
        for (waited_ms, points) in [(0, 100.0), (1_000, 200.0), (2_000, 400.0), (5_000, 3_200.0)] {
            assert!((window(Duration::from_millis(waited_ms)) - points).abs() < 1e-9, "{waited_ms}");
        }
        // No two ratings are further apart than this.
        assert!(window(Duration::MAX).is_finite() && window(Duration::MAX) > 10_000.0);
    }

    #[test]
    fn two_may_meet_where_the_wider_window_reaches() {
        assert!(who(1500.0, 0).may_meet(who(1600.0, 0)));
        assert!(!who(1500.0, 0).may_meet(who(1600.1, 0)));
        assert!(who(1500.0, 0).may_meet(who(1700.0, 1_000)), "whoever has waited reaches out");
        assert!(who(1700.0, 1_000).may_meet(who(1500.0, 0)));
    }

    #[test]
    fn whoever_has_waited_longest_chooses_first_and_gets_the_nearest() {
        let waiting = [who(1500.0, 10), who(1540.0, 500), who(1570.0, 0), who(1400.0, 100)];
        // 1540 chooses 1570 (30 away), then 1400 gets 1500.
        assert_eq!(pairs(&waiting), [[1, 2], [3, 0]]);
        assert_eq!(pairs(&[who(1500.0, 0), who(1900.0, 0)]), Vec::<[usize; 2]>::new());
        assert_eq!(pairs(&[who(1500.0, 0)]), Vec::<[usize; 2]>::new());
        assert_eq!(pairs(&[]), Vec::<[usize; 2]>::new());
    }

    prop_compose! {
        fn anybody()(rating in 800.0..2800.0_f64, waited_ms in 0..6_000_u64) -> Waiting {
            who(rating, waited_ms)
        }
    }

    proptest! {
        #[test]
        fn nobody_is_paired_twice_or_out_of_reach_and_nobody_is_left_beside_a_free_rival_within_reach(
            waiting in prop::collection::vec(anybody(), 0..60)
        ) {
            let pairs = pairs(&waiting);
            let mut seen = vec![false; waiting.len()];
            for [one, other] in &pairs {
                prop_assert!(!seen[*one] && !seen[*other] && one != other);
                (seen[*one], seen[*other]) = (true, true);
                prop_assert!(waiting[*one].may_meet(waiting[*other]));
            }
            let left: Vec<_> = waiting.iter().zip(&seen).filter(|(_, seen)| !**seen).map(|(who, _)| *who).collect();
            for (place, one) in left.iter().enumerate() {
                for other in &left[place + 1..] {
                    prop_assert!(!one.may_meet(*other), "{one:?} and {other:?} were left");
                }
            }
        }
    }
}
