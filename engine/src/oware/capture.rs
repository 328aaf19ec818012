//! Capturing (OW-3), and what a move did.

use crate::Seat;

use super::board::{HOUSES, House, ROW};
use super::sow::path;

/// The houses that a chain takes: `houses` of them, from `last` backwards.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    last: House,
    seeds: [u8; ROW as usize],
    houses: u8,
}

impl Chain {
    /// A chain that takes nothing.
    pub(super) fn none(last: House) -> Chain {
        Chain { last, seeds: [0; ROW as usize], houses: 0 }
    }

    /// What the rule of two or three takes after the last seed fell in `last` (OW-3), before the
    /// option for grand slams is looked at.
    pub(super) fn from(seeds: &[u8; HOUSES], last: House, mover: Seat) -> Chain {
        let mut chain = Chain::none(last);
        let mut next = (last.owner() != mover).then_some(last);
        while let Some(house) = next {
            let here = seeds[house.place()];
            if here != 2 && here != 3 {
                break;
            }
            chain.seeds[chain.houses as usize] = here;
            chain.houses += 1;
            next = house.before_in_row();
        }
        chain
    }

    /// The seeds taken in all.
    pub(super) fn total(self) -> u8 {
        self.seeds.iter().sum()
    }

    /// The houses with the seeds taken from them, in order of capture.
    pub(super) fn taken(self) -> impl ExactSizeIterator<Item = (House, u8)> + Clone {
        let last = self.last;
        let seeds = self.seeds;
        (0..self.houses).map(move |back| {
            let house = House::ALL[last.place() - back as usize];
            (house, seeds[back as usize])
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
