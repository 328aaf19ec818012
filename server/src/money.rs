//! Amounts of money: whole minor units (cents), checked arithmetic, no fractions anywhere.
#![deny(clippy::float_arithmetic)]

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An amount in minor units of the deployment's currency. Can be negative where a change is meant.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type, ToSchema,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Cents(pub i64);

impl Cents {
    /// No money.
    pub const ZERO: Self = Self(0);

    /// The sum, or `None` where it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }
}

impl std::fmt::Display for Cents {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}

/// What each player puts up: a multiple of [`Stake::GRID`], so that a tenth of the pot is exact (MA-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
#[serde(transparent)]
pub struct Stake(i64);

impl Stake {
    /// Stakes are multiples of this many minor units.
    pub const GRID: i64 = 5;
    /// The largest stake a deployment can allow: its pot is far from the limits of the arithmetic.
    pub const LARGEST: i64 = 1_000_000_000;

    /// A stake of this many minor units, or `None` off the grid, at or below zero, or beyond [`Stake::LARGEST`].
    pub fn new(cents: i64) -> Option<Self> {
        (cents > 0 && cents <= Self::LARGEST && cents % Self::GRID == 0).then_some(Self(cents))
    }

    /// The stake in minor units.
    pub fn cents(self) -> Cents {
        Cents(self.0)
    }

    /// Both stakes together.
    pub fn pot(self) -> Cents {
        Cents(self.0 * 2)
    }

    /// The house's tenth of the pot, taken only from a decided match.
    pub fn fee(self) -> Cents {
        Cents(self.0 * 2 / 10)
    }

    /// What a winner receives: the pot less the fee.
    pub fn payout(self) -> Cents {
        Cents(self.pot().0 - self.fee().0)
    }
}

/// What a match is played for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wager {
    /// MA-10: for nothing. The ledger never hears of such a match, and neither do ratings.
    Friendly,
    /// Each player puts up this much.
    Staked(Stake),
}

impl Wager {
    /// What this many minor units of each player are: nothing, a stake, or `None` where they can be neither.
    pub fn new(cents: i64) -> Option<Self> {
        if cents == 0 { Some(Self::Friendly) } else { Stake::new(cents).map(Self::Staked) }
    }

    /// The stake, where there is one.
    pub fn stake(self) -> Option<Stake> {
        match self {
            Self::Friendly => None,
            Self::Staked(stake) => Some(stake),
        }
    }

    /// What each player puts up.
    pub fn cents(self) -> Cents {
        self.stake().map_or(Cents::ZERO, Stake::cents)
    }

    /// What a winner receives.
    pub fn payout(self) -> Cents {
        self.stake().map_or(Cents::ZERO, Stake::payout)
    }

    /// The house's part of a decided match.
    pub fn fee(self) -> Cents {
        self.stake().map_or(Cents::ZERO, Stake::fee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ma_2_only_multiples_of_five_are_stakes() {
        let refused = [i64::MIN, -5, -1, 0, 1, 4, 6, 99, Stake::LARGEST + 5, i64::MAX];
        for cents in refused {
            assert_eq!(Stake::new(cents), None, "{cents}");
        }
        for cents in [5, 10, 100, 1_000_000, Stake::LARGEST] {
            assert_eq!(Stake::new(cents).map(Stake::cents), Some(Cents(cents)));
        }
    }

    #[test]
    fn ma_10_a_match_for_nothing_pays_nothing() {
        assert_eq!(Wager::new(0), Some(Wager::Friendly));
        let friendly = Wager::Friendly;
        assert_eq!((friendly.cents(), friendly.payout(), friendly.fee()), (Cents::ZERO, Cents::ZERO, Cents::ZERO));
        let staked = Wager::new(500).expect("a stake");
        assert_eq!((staked.cents(), staked.payout(), staked.fee()), (Cents(500), Cents(900), Cents(100)));
        for neither in [i64::MIN, -5, 1, 4, 6, Stake::LARGEST + 5] {
            assert_eq!(Wager::new(neither), None, "{neither}");
        }
    }

    proptest! {
        #[test]
        fn ma_2_the_split_is_exact(units in 1..=Stake::LARGEST / Stake::GRID) {
            let stake = Stake::new(units * Stake::GRID).expect("on the grid");
            prop_assert_eq!(stake.fee().0 * 10, stake.pot().0);
            prop_assert_eq!(stake.fee().0 + stake.payout().0, stake.pot().0);
            prop_assert_eq!(stake.payout().0 * 10, stake.pot().0 * 9);
        }
    }
}
