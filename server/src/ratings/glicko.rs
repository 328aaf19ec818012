//! The arithmetic of ratings: values in, values out.
//!
//! Decided: each staked match is a rating period of its own for its two players, so that a rating is never behind. Each
//! whole [`PERIOD`] without one is a period without a result, in which only the deviation grows. With five days a
//! player who is known well (60) counts as known badly ([`SETTLED_BELOW`]) after a year away. Rulesets of one game share
//! a rating: they differ in few positions, and splitting players by them would leave everybody unknown.

use serde::Serialize;
use skillratings::{
    Outcomes,
    glicko2::{Glicko2Config, Glicko2Rating, decay_deviation, glicko2},
};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

/// How much time without a staked match counts as a rating period.
const PERIOD: Duration = Duration::days(5);

/// No rating is said to hold for longer than this.
const LONGEST: Duration = Duration::days(36_525);

/// From this deviation on a rating says little: it counts as provisional and stands in no leaderboard.
pub const SETTLED_BELOW: f64 = 110.0;

/// The deviation of whoever nothing is known of; no idle time leads beyond it.
const UNKNOWN: f64 = 350.0;

/// How strong a player is in a game, as far as is known: 95 % of the time within twice the deviation of the rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// 1500 for whoever nothing is known of.
    pub rating: f64,
    /// How well it is known.
    pub deviation: f64,
    /// How much the player's strength moves.
    pub volatility: f64,
}

/// What came of a match, for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Score {
    Won,
    Drawn,
    Lost,
}

impl Rating {
    /// That of a player who has not played a staked match of the game.
    pub const NEW: Self = Self { rating: 1500.0, deviation: UNKNOWN, volatility: 0.06 };

    /// A rating from the columns of a row that may not be there.
    pub fn read(rating: Option<f64>, deviation: Option<f64>, volatility: Option<f64>) -> Option<Self> {
        let (rating, (deviation, volatility)) = rating.zip(deviation.zip(volatility))?;
        Some(Self { rating, deviation, volatility })
    }

    /// The same after a time without a match.
    pub fn after_idling(self, time: Duration) -> Self {
        let mut rating = Glicko2Rating::from(self);
        let mut left = time;
        while left >= PERIOD && rating.deviation < UNKNOWN {
            rating = decay_deviation(&rating);
            left -= PERIOD;
        }
        rating.into()
    }

    /// Both ratings after a match.
    pub(super) fn after_match(self, other: Self, score: Score) -> (Self, Self) {
        let outcome = match score {
            Score::Won => Outcomes::WIN,
            Score::Drawn => Outcomes::DRAW,
            Score::Lost => Outcomes::LOSS,
        };
        let (one, two) = glicko2(&self.into(), &other.into(), &outcome, &CONFIG);
        (Self::from(one).within_bounds(), Self::from(two).within_bounds())
    }

    fn within_bounds(self) -> Self {
        Self { deviation: self.deviation.min(UNKNOWN), ..self }
    }

    /// Until when the deviation stays below [`SETTLED_BELOW`] without a further match; `None` where it is not.
    pub(super) fn settled_until(self, now: OffsetDateTime) -> Option<OffsetDateTime> {
        if self.deviation >= SETTLED_BELOW {
            return None;
        }
        let mut rating = Glicko2Rating::from(self);
        let mut until = now;
        while rating.deviation < SETTLED_BELOW && until - now < LONGEST {
            rating = decay_deviation(&rating);
            until = until.saturating_add(PERIOD);
        }
        Some(until)
    }

    /// As it is shown.
    pub fn view(self) -> RatingView {
        RatingView {
            rating: whole(self.rating),
            deviation: whole(self.deviation),
            provisional: self.deviation >= SETTLED_BELOW,
        }
    }
}

/// The system's constant: how fast volatility moves. Glickman advises 0.3 to 1.2 and uses 0.5 himself.
const CONFIG: Glicko2Config = Glicko2Config { tau: 0.5, convergence_tolerance: 0.000_001 };

impl From<Rating> for Glicko2Rating {
    fn from(Rating { rating, deviation, volatility }: Rating) -> Self {
        Self { rating, deviation, volatility }
    }
}

impl From<Glicko2Rating> for Rating {
    fn from(Glicko2Rating { rating, deviation, volatility }: Glicko2Rating) -> Self {
        Self { rating, deviation, volatility }
    }
}

/// A rating with how well it is known, in whole points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RatingView {
    /// The rating; 1500 is where everybody begins.
    pub rating: i32,
    /// Its deviation: with 95 % the strength is within twice this.
    pub deviation: i32,
    /// Whether too little is known for a place in the leaderboard.
    pub provisional: bool,
}

#[expect(clippy::cast_possible_truncation, reason = "ratings are thousands; a cast from float saturates")]
fn whole(points: f64) -> i32 {
    points.round() as i32
}

#[cfg(test)]
#[path = "glicko_tests.rs"]
mod tests;
