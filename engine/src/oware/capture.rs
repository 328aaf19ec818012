//! Capturing (OW-3), and what a move did.

use super::board::{HIGHS, House, ONES, Position, ROW, sum};
use super::sow::path;

/// The houses that a chain takes, from `last` backwards.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    last: House,
    /// The seeds taken from each house of the rival row, in lanes.
    seeds: u64,
}

impl Chain {
    /// A chain that takes nothing.
    pub(super) fn none(last: House) -> Chain {
        Chain { last, seeds: 0 }
    }

    /// What the rule of two or three takes after the last seed fell in `last` (OW-3), before the
    /// option for grand slams is looked at. The mover is still the player to move.
    pub(super) fn from(sown: &Position, last: House) -> Chain {
        let rival = sown.to_move().other();
        if last.owner() != rival {
            return Chain::none(last);
        }
        let row = sown.row_lanes(rival);
        // The highest bit of each lane that holds anything but two or three: these two differ from
        // two in the lowest bit at most.
        let breaks = (((row ^ (ONES * 2)) & !ONES) + (HIGHS - ONES)) & HIGHS;
        let end = 8 * (last.place() % ROW as usize + 1);
        let up_to_last = (1_u64 << end) - 1;
        // The chain is what follows the last break at or before the last seed's house.
        let start = 64 - (breaks & up_to_last).leading_zeros();
        Chain { last, seeds: row & up_to_last & (u64::MAX << start) }
    }

    /// The seeds taken in all.
    pub(super) fn total(self) -> u8 {
        sum(self.seeds)
    }

    /// The seeds taken from each house of the rival row, in lanes.
    pub(super) fn seeds(self) -> u64 {
        self.seeds
    }

    /// The houses with the seeds taken from them, in order of capture.
    pub(super) fn taken(self) -> impl ExactSizeIterator<Item = (House, u8)> + Clone {
        let houses = self.seeds.to_le_bytes().into_iter().filter(|&seeds| seeds > 0).count();
        (0..houses).map(move |back| {
            let house = House::ALL[self.last.place() - back];
            (house, self.seeds.to_le_bytes()[house.place() % ROW as usize])
        })
    }
}

/// What a move did to the board: enough to animate it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Effects {
    pub(super) origin: House,
    pub(super) lifted: u8,
    pub(super) chain: Chain,
    pub(super) grand_slam: bool,
    pub(super) moves_again: bool,
}

impl Effects {
    /// The house whose seeds were lifted; it is empty afterwards (OW-2).
    #[must_use]
    pub fn origin(&self) -> House {
        self.origin
    }

    /// The houses that the seeds fell in, in order, one entry a seed: a house comes again on
    /// each lap, the origin never does (OW-2).
    pub fn sown(&self) -> impl ExactSizeIterator<Item = House> + Clone {
        path(self.origin, self.lifted)
    }

    /// The houses that were captured with the seeds each held, in order of capture: backwards
    /// from the house of the last seed (OW-3). Empty where nothing was captured.
    pub fn captured(&self) -> impl ExactSizeIterator<Item = (House, u8)> + Clone {
        self.chain.taken()
    }

    /// The seeds captured in all.
    #[must_use]
    pub fn seeds_captured(&self) -> u8 {
        self.chain.total()
    }

    /// Whether the move was a grand slam, also one that captured nothing (OW-5).
    #[must_use]
    pub fn is_grand_slam(&self) -> bool {
        self.grand_slam
    }

    /// Whether the mover has the next move too (OW-5, `captures_all`), unless the game ended.
    #[must_use]
    pub fn moves_again(&self) -> bool {
        self.moves_again
    }
}
