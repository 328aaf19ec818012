//! Sowing (OW-2).

use super::board::{HOUSES, House};

/// Lifts the seeds of `origin` and sows them one by one into the houses that follow, leaving out
/// the origin on every lap (OW-2). Gives back the house of the last seed; the origin itself if
/// there was nothing to sow.
pub(super) fn sow(seeds: &mut [u8; HOUSES], origin: House) -> House {
    let lifted = std::mem::take(&mut seeds[origin.place()]);
    let mut last = origin;
    for house in path(origin, lifted) {
        seeds[house.place()] += 1;
        last = house;
    }
    last
}

/// The houses that `lifted` seeds from `origin` fall in, in order, one entry a seed.
pub(super) fn path(origin: House, lifted: u8) -> impl ExactSizeIterator<Item = House> + Clone {
    let mut house = origin;
    (0..lifted).map(move |_| {
        house = house.next();
        if house == origin {
            house = house.next();
        }
        house
    })
}
