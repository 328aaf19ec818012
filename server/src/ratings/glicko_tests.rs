//! The numbers agree with the paper, and what a player can count on.

use proptest::prelude::*;
use skillratings::glicko2::glicko2_rating_period;
use time::macros::datetime;

use super::*;

fn known(rating: f64, deviation: f64) -> Rating {
    Rating { rating, deviation, volatility: 0.06 }
}

fn is_near(value: f64, expected: f64, within: f64) -> bool {
    (value - expected).abs() <= within
}

/// Glickman, "Example of the Glicko-2 system": 1500/200 plays 1400/30, 1550/100, 1700/300 in one period, wins the first and
/// loses the others.
#[test]
fn the_papers_worked_example_comes_out_as_it_is_printed() {
    let rivals = [(1400.0, 30.0, Outcomes::WIN), (1550.0, 100.0, Outcomes::LOSS), (1700.0, 300.0, Outcomes::LOSS)]
        .map(|(rating, deviation, outcome)| (known(rating, deviation).into(), outcome));
    let after = glicko2_rating_period(&known(1500.0, 200.0).into(), &rivals, &CONFIG);
    assert!(is_near(after.rating, 1464.06, 0.01), "{}", after.rating);
    assert!(is_near(after.deviation, 151.52, 0.01), "{}", after.deviation);
    assert!(is_near(after.volatility, 0.05999, 0.00001), "{}", after.volatility);
}

/// A match is a period with one result: both sides as the paper's steps 2 to 8 give them, worked out by hand for the
/// paper's first pairing. g(30) = 0.9955, E = 0.639, v = 2.2107… in units of 173.7178, delta = v g (1 − E).
#[test]
fn one_match_is_a_rating_period_with_one_result_for_both_sides() {
    let (one, other) = (known(1500.0, 200.0), known(1400.0, 30.0));
    let (after, other_after) = one.after_match(other, Score::Won);
    let period = |player: Rating, rival: Rating, outcome| {
        Rating::from(glicko2_rating_period(&player.into(), &[(rival.into(), outcome)], &CONFIG))
    };
    assert_eq!(after, period(one, other, Outcomes::WIN));
    assert_eq!(other_after, period(other, one, Outcomes::LOSS));
    // phi* ² = 1.1513² + 0.06²; 1/phi'² = 1/phi*² + 1/v; mu' = phi'² g (1 − E).
    let (g, e) = (0.9955, 0.6395);
    let v: f64 = 1.0 / (g * g * e * (1.0 - e));
    let phi_squared: f64 = 1.0 / (1.0 / (1.1513_f64.powi(2) + 0.06_f64.powi(2)) + 1.0 / v);
    assert!(is_near(after.deviation, 173.7178 * phi_squared.sqrt(), 0.1), "{}", after.deviation);
    assert!(is_near(after.rating, 1500.0 + 173.7178 * phi_squared * g * (1.0 - e), 0.1), "{}", after.rating);
}

#[test]
fn whoever_is_new_begins_at_1500_with_the_widest_deviation() {
    assert_eq!(Rating::NEW, Rating { rating: 1500.0, deviation: 350.0, volatility: 0.06 });
    assert_eq!(Rating::NEW.view(), RatingView { rating: 1500, deviation: 350, provisional: true });
}

#[test]
fn only_whole_periods_of_idle_time_widen_the_deviation_and_the_rating_stays() {
    let rating = known(1720.0, 60.0);
    assert_eq!(rating.after_idling(Duration::ZERO), rating);
    // A clock that is behind takes nothing back.
    assert_eq!(rating.after_idling(Duration::days(-40)), rating);
    assert_eq!(rating.after_idling(Duration::days(5) - Duration::MILLISECOND), rating);
    // phi'² = phi² + sigma² for each of them.
    let one: f64 = (60.0_f64.powi(2) + (0.06 * 173.7178_f64).powi(2)).sqrt();
    assert!(is_near(rating.after_idling(Duration::days(5)).deviation, one, 1e-9));
    assert!(is_near(rating.after_idling(Duration::days(9)).deviation, one, 1e-9));
    let ten: f64 = (60.0_f64.powi(2) + 10.0 * (0.06 * 173.7178_f64).powi(2)).sqrt();
    assert!(is_near(rating.after_idling(Duration::days(50)).deviation, ten, 1e-9));
    let for_ever = rating.after_idling(Duration::days(100 * 365));
    assert_eq!((for_ever.rating, for_ever.deviation), (1720.0, 350.0));
}

#[test]
fn a_well_known_rating_stays_in_the_leaderboard_for_about_a_year_without_a_match() {
    let now = datetime!(2026-01-01 00:00 UTC);
    let until = known(1800.0, 60.0).settled_until(now).expect("60 is below 110");
    // (110² − 60²) / (0.06 × 173.7178)² = 78.2: the 79th period of five days ends it.
    assert_eq!(until, now + Duration::days(79 * 5));
    assert!(known(1800.0, 60.0).after_idling(until - now).view().provisional);
    assert!(!known(1800.0, 60.0).after_idling(until - now - Duration::SECOND).view().provisional);
    assert_eq!(known(1800.0, 110.0).settled_until(now), None);
    assert_eq!(Rating::NEW.settled_until(now), None);
}

prop_compose! {
    fn any_rating()(rating in 100.0..3500.0_f64, deviation in 20.0..350.0_f64, volatility in 0.03..0.12_f64) -> Rating {
        Rating { rating, deviation, volatility }
    }
}

proptest! {
    #[test]
    fn the_winner_never_goes_down_and_the_loser_never_up(one in any_rating(), two in any_rating()) {
        let (winner, loser) = one.after_match(two, Score::Won);
        prop_assert!(winner.rating >= one.rating && loser.rating <= two.rating, "{winner:?} {loser:?}");
    }

    #[test]
    fn a_draw_draws_the_two_together(one in any_rating(), two in any_rating()) {
        let (after_one, after_two) = one.after_match(two, Score::Drawn);
        let (weaker, stronger) = if one.rating < two.rating { ((one, after_one), (two, after_two)) } else { ((two, after_two), (one, after_one)) };
        prop_assert!(weaker.1.rating >= weaker.0.rating && stronger.1.rating <= stronger.0.rating);
    }

    #[test]
    fn it_does_not_matter_who_is_named_first(one in any_rating(), two in any_rating()) {
        let (winner, loser) = one.after_match(two, Score::Won);
        let (other_loser, other_winner) = two.after_match(one, Score::Lost);
        prop_assert!(is_near(winner.rating, other_winner.rating, 1e-6) && is_near(loser.rating, other_loser.rating, 1e-6));
    }

    #[test]
    fn every_rating_stays_finite_and_within_what_the_database_takes(one in any_rating(), two in any_rating()) {
        for score in [Score::Won, Score::Drawn, Score::Lost] {
            let (after_one, after_two) = one.after_match(two, score);
            for after in [after_one, after_two] {
                prop_assert!(after.rating.is_finite() && after.volatility > 0.0 && after.volatility < 1.0, "{after:?}");
                prop_assert!(after.deviation > 0.0 && after.deviation <= 350.0, "{after:?}");
            }
        }
    }
}
