//! Sowing (OW-2).

use super::SEEDS;
use super::board::{HOUSES, House, Position};

/// What one sowing does, for an origin and a number of seeds.
#[derive(Copy, Clone)]
struct Sowing {
    /// What it adds to each house, in the lanes of a position.
    added: u128,
    /// The house of the last seed; the origin itself where there is nothing to sow.
    last: House,
}

/// Every sowing, by origin and seeds.
static SOWINGS: [[Sowing; SEEDS as usize + 1]; HOUSES] = {
    let mut all = [[Sowing { added: 0, last: House::ALL[0] }; SEEDS as usize + 1]; HOUSES];
    let mut place = 0;
    while place < HOUSES {
        let origin = House::ALL[place];
        let mut sowing = Sowing { added: 0, last: origin };
        let mut seeds = 0;
        while seeds <= SEEDS as usize {
            all[place][seeds] = sowing;
            sowing.last = after(sowing.last, origin);
            sowing.added += 1 << (8 * sowing.last.place());
            seeds += 1;
        }
        place += 1;
    }
    all
};

/// Lifts the seeds of `origin` and sows them one by one into the houses that follow, leaving out
/// the origin on every lap (OW-2). Gives back the house of the last seed too; the origin itself if
/// there was nothing to sow.
pub(super) fn sow(position: Position, origin: House) -> (Position, House) {
    let seeds = position.seeds(origin);
    let Sowing { added, last } = SOWINGS[origin.place()][usize::from(seeds)];
    (position.sown(origin, added), last)
}

/// The house that a seed falls in after one fell in `house`.
const fn after(house: House, origin: House) -> House {
    let next = house.next();
    if next.place() == origin.place() { next.next() } else { next }
}

/// The houses that `lifted` seeds from `origin` fall in, in order, one entry a seed.
pub(super) fn path(origin: House, lifted: u8) -> impl ExactSizeIterator<Item = House> + Clone {
    let mut house = origin;
    (0..lifted).map(move |_| {
        house = after(house, origin);
        house
    })
}
