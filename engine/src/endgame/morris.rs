//! Endgames of Nine Men's Morris with few pieces: won, drawn or lost.

use crate::ParseError;
use crate::morris::{BOARD, Point, Position, closing, in_mills, removable, take_lowest};

#[cfg(test)]
mod tests;

/// What is being read, in errors.
const READING: &str = "Nine Men's Morris endgame tables";
/// What the bytes begin with; the last byte is the version of the format.
const MAGIC: [u8; 4] = *b"MMT\x01";
/// The pieces of the weaker side, who flies.
const FEW: u8 = 3;
/// The most pieces of the stronger side that tables are made for.
const MOST: u8 = 5;

/// What a position is worth to the player to move, with best play of both. A game that never ends
/// is drawn, by MM-9 or MM-10.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Worth {
    /// The player to move wins.
    Won,
    /// Neither can force a win.
    Drawn,
    /// The rival wins.
    Lost,
}

/// Every position with empty hands and three pieces on one side, and from three to five on the
/// other, where flying is allowed (MM-4). Whether two mills take two pieces makes no difference:
/// only five pieces can close two, and of three it is the first one taken that decides.
///
/// Counts of repetitions and of quiet moves are left aside.
#[derive(Clone, PartialEq, Eq)]
pub struct MorrisTables {
    spaces: Vec<Space>,
}

impl MorrisTables {
    /// Works out the tables with three pieces against three, and then with more, up to `most`
    /// (five at the most). With five it takes many seconds and, while it is built, some 300 MB.
    #[must_use]
    pub fn build(most: u8) -> MorrisTables {
        let mut tables = MorrisTables { spaces: Vec::new() };
        for more in FEW..=most.clamp(FEW, MOST) {
            let sizes = if more == FEW { vec![(FEW, FEW)] } else { vec![(more, FEW), (FEW, more)] };
            let spaces = Backwards::solve(&sizes, &tables);
            tables.spaces.extend(spaces);
        }
        tables
    }

    /// What a position is worth; none where a hand is not empty, or there are more pieces than the
    /// tables have, or fewer than three of a player.
    #[must_use]
    pub fn get(&self, position: &Position) -> Option<Worth> {
        let hands = position.in_hand();
        if hands.first > 0 || hands.second > 0 {
            return None;
        }
        let [own, rival] = [position.to_move(), position.to_move().other()].map(|seat| position.pieces(seat).bits());
        self.worth(own, rival)
    }

    fn worth(&self, own: u32, rival: u32) -> Option<Worth> {
        let space = self.spaces.iter().find(|space| space.holds(own, rival))?;
        Some(space.worth(place(own, rival)))
    }

    /// How many positions there are with so many pieces of the player to move and of the rival,
    /// by worth: won, drawn, lost. None where the tables do not have them.
    #[must_use]
    pub fn counts(&self, own: u8, rival: u8) -> Option<[u64; 3]> {
        let space = self.spaces.iter().find(|space| (space.own, space.rival) == (own, rival))?;
        let mut counts = [0; 3];
        for place in 0..space.positions() {
            counts[space.worth(place) as usize] += 1;
        }
        Some(counts)
    }

    /// The most pieces of the stronger side.
    #[must_use]
    pub fn most(&self) -> u8 {
        self.spaces.iter().map(|space| space.own).max().unwrap_or(0)
    }

    /// The tables as bytes, four positions in each.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(self.most());
        bytes.extend(self.spaces.iter().flat_map(|space| &space.packed));
        bytes
    }

    /// Reads what [`MorrisTables::to_bytes`] wrote.
    ///
    /// # Errors
    /// Bytes of another kind, version or length, and values that cannot be. That the values are
    /// right is not checked: keep a checksum where the bytes could change.
    pub fn from_bytes(bytes: &[u8]) -> Result<MorrisTables, ParseError> {
        let Some(rest) = bytes.strip_prefix(&MAGIC) else {
            return Err(ParseError::at(READING, "its first four bytes, MMT and version 1", 0));
        };
        let Some((&most @ FEW..=MOST, mut rest)) = rest.split_first() else {
            return Err(ParseError::at(READING, "a number of pieces from 3 to 5", MAGIC.len()));
        };
        let mut spaces = Vec::new();
        for more in FEW..=most {
            for (own, rival) in [(more, FEW), (FEW, more)] {
                if more == FEW && !spaces.is_empty() {
                    continue;
                }
                let mut space = Space { own, rival, packed: Vec::new() };
                let length = space.positions().div_ceil(4);
                let Some((packed, after)) = rest.split_at_checked(length) else {
                    let expected = format!("{length} bytes for {own} against {rival}");
                    return Err(ParseError::whole(READING, expected));
                };
                // Three is no value, in any of the four places of a byte.
                if packed.iter().any(|byte| byte & byte >> 1 & 0b0101_0101 != 0) {
                    return Err(ParseError::whole(READING, "values from 0 to 2"));
                }
                space.packed = packed.to_vec();
                spaces.push(space);
                rest = after;
            }
        }
        if !rest.is_empty() {
            return Err(ParseError::whole(READING, format!("{} bytes fewer", rest.len())));
        }
        Ok(MorrisTables { spaces })
    }
}

/// All positions with the same numbers of pieces.
#[derive(Clone, PartialEq, Eq)]
struct Space {
    own: u8,
    rival: u8,
    packed: Vec<u8>,
}

impl Space {
    fn holds(&self, own: u32, rival: u32) -> bool {
        (own.count_ones(), rival.count_ones()) == (u32::from(self.own), u32::from(self.rival))
    }

    fn positions(&self) -> usize {
        positions(self.own, self.rival)
    }

    fn worth(&self, place: usize) -> Worth {
        match self.packed[place / 4] >> (2 * (place % 4)) & 0b11 {
            0 => Worth::Drawn,
            1 => Worth::Won,
            _ => Worth::Lost,
        }
    }
}

/// The binomial coefficients up to 24.
static CHOOSE: [[u32; 7]; 25] = {
    let mut choose = [[0; 7]; 25];
    let mut n = 0;
    while n < 25 {
        choose[n][0] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            choose[n][k] = choose[n - 1][k] + choose[n - 1][k - 1];
            k += 1;
        }
        n += 1;
    }
    choose
};

/// How many positions there are with so many pieces.
fn positions(own: u8, rival: u8) -> usize {
    let own_sets = CHOOSE[24][usize::from(own)] as usize;
    own_sets * CHOOSE[24 - usize::from(own)][usize::from(rival)] as usize
}

/// The place of a position among those with as many pieces: by the set of own pieces, then by the
/// set of rival pieces on the points that are left.
fn place(own: u32, rival: u32) -> usize {
    let mut own_rank = 0;
    let mut at = 0;
    let mut left = own;
    while let Some(point) = take_lowest(&mut left) {
        at += 1;
        own_rank += CHOOSE[point.place()][at];
    }
    let points_left = 24 - at;
    let mut rival_rank = 0;
    let mut at = 0;
    let mut left = rival;
    while let Some(point) = take_lowest(&mut left) {
        at += 1;
        let below = (own & (point.bit() - 1)).count_ones() as usize;
        rival_rank += CHOOSE[point.place() - below][at];
    }
    own_rank as usize * CHOOSE[points_left][at] as usize + rival_rank as usize
}

/// Every set of `size` points out of `points`, in ascending order.
fn sets(size: u8, points: u32) -> impl Iterator<Item = u32> {
    let first = (1_u32 << size) - 1;
    std::iter::successors(Some(first), |&set| {
        // The next number with as many bits.
        let lowest = set & set.wrapping_neg();
        let ripple = set + lowest;
        Some((((ripple ^ set) >> 2) / lowest) | ripple)
    })
    .take_while(move |&set| set >> points == 0)
}

/// The points of `among`, in order, that a set of their places names.
fn spread(set: u32, among: u32) -> u32 {
    let mut left = among;
    let mut spread = 0;
    let mut at = 0;
    while let Some(point) = take_lowest(&mut left) {
        spread |= (set >> at & 1) << point.place();
        at += 1;
    }
    spread
}

/// The player to move can be stopped from losing by no count of lost moves: one of them is drawn.
const NEVER_LOST: u8 = u8::MAX;
/// States of a position while the work goes on.
const OPEN: u8 = 0;
const WON: u8 = 1;
const LOST: u8 = 2;

/// The work on spaces that moves without removals join: backwards from decided positions.
struct Backwards<'t> {
    smaller: &'t MorrisTables,
    spaces: Vec<Work>,
    /// Positions that were decided in this round: own pieces, rival pieces.
    decided: Vec<(u32, u32)>,
    /// Rounds so far: decided positions of round n are decided in n moves or fewer.
    rounds: u32,
}

/// The work on one space.
struct Work {
    own: u8,
    rival: u8,
    states: Vec<u8>,
    /// Moves that are not known to lose; at 0 the position is lost.
    chances: Vec<u8>,
}

impl<'t> Backwards<'t> {
    fn solve(sizes: &[(u8, u8)], smaller: &'t MorrisTables) -> Vec<Space> {
        let mut work = Backwards::begin(sizes, smaller);
        while work.step() {}
        work.spaces.into_iter().map(Work::packed).collect()
    }

    /// Looks forward from every position: what ends at once, or by a removal.
    fn begin(sizes: &[(u8, u8)], smaller: &'t MorrisTables) -> Backwards<'t> {
        let mut work = Backwards { smaller, spaces: Vec::new(), decided: Vec::new(), rounds: 0 };
        for &(own, rival) in sizes {
            let mut space = Work { own, rival, states: Vec::new(), chances: Vec::new() };
            for own_set in sets(own, 24) {
                let free = BOARD & !own_set;
                for rival_set in sets(rival, 24 - u32::from(own)) {
                    let rival_set = spread(rival_set, free);
                    let (state, chances) = work.look(own_set, rival_set);
                    if state != OPEN {
                        work.decided.push((own_set, rival_set));
                    }
                    space.states.push(state);
                    space.chances.push(chances);
                }
            }
            work.spaces.push(space);
        }
        work
    }

    /// The state of a position by what its moves do at once, and how many others it has.
    fn look(&self, own: u32, rival: u32) -> (u8, u8) {
        let empty = BOARD & !(own | rival);
        let mut chances = 0_u32;
        let mut never_lost = false;
        let mut left = own;
        while let Some(from) = take_lowest(&mut left) {
            let staying = own & !from.bit();
            let targets = reach(from, own) & empty;
            let mut mills = closing(staying) & targets;
            chances += (targets & !mills).count_ones();
            while let Some(to) = take_lowest(&mut mills) {
                match self.by_taking(staying | to.bit(), rival) {
                    Worth::Won => return (WON, 0),
                    Worth::Drawn => never_lost = true,
                    Worth::Lost => {}
                }
            }
        }
        match u8::try_from(chances) {
            _ if never_lost => (OPEN, NEVER_LOST),
            Ok(0) => (LOST, 0),
            Ok(chances) => (OPEN, chances),
            Err(_) => (OPEN, NEVER_LOST),
        }
    }

    /// The best that comes of taking a piece.
    fn by_taking(&self, own: u32, rival: u32) -> Worth {
        if rival.count_ones() <= u32::from(FEW) {
            return Worth::Won;
        }
        let mut best = Worth::Lost;
        let mut left = removable(rival);
        while let Some(taken) = take_lowest(&mut left) {
            match self.smaller.worth(rival & !taken.bit(), own) {
                Some(Worth::Lost) => return Worth::Won,
                Some(Worth::Drawn) | None => best = Worth::Drawn,
                Some(Worth::Won) => {}
            }
        }
        best
    }

    /// Goes back a move from the positions decided in the last round; false where there were none.
    fn step(&mut self) -> bool {
        self.rounds += 1;
        let decided = std::mem::take(&mut self.decided);
        for &(own, rival) in &decided {
            let lost = self.space(own, rival).states[place(own, rival)] == LOST;
            // The rival has just moved a piece that now stands in no mill.
            let empty = BOARD & !(own | rival);
            let mut moved = rival & !in_mills(rival);
            while let Some(to) = take_lowest(&mut moved) {
                let mut origins = reach(to, rival) & empty;
                while let Some(from) = take_lowest(&mut origins) {
                    self.decide(rival & !to.bit() | from.bit(), own, lost);
                }
            }
        }
        !decided.is_empty()
    }

    /// Notes that a position has a move after which the rival has lost, or won.
    fn decide(&mut self, own: u32, rival: u32, rival_lost: bool) {
        let at = place(own, rival);
        let space = self.space(own, rival);
        if space.states[at] != OPEN {
            return;
        }
        if rival_lost {
            space.states[at] = WON;
        } else if space.chances[at] == NEVER_LOST {
            return;
        } else {
            space.chances[at] -= 1;
            if space.chances[at] > 0 {
                return;
            }
            space.states[at] = LOST;
        }
        self.decided.push((own, rival));
    }

    fn space(&mut self, own: u32, rival: u32) -> &mut Work {
        let own = own.count_ones();
        debug_assert!(self.spaces.iter().any(|space| u32::from(space.own) == own), "{rival:#x}");
        let at = usize::from(u32::from(self.spaces[0].own) != own);
        &mut self.spaces[at]
    }
}

impl Work {
    fn packed(self) -> Space {
        let pack = |four: &[u8]| four.iter().rev().fold(0, |byte, state| byte << 2 | state);
        Space { own: self.own, rival: self.rival, packed: self.states.chunks(4).map(pack).collect() }
    }
}

/// The points from which, and to which, a piece on a point can go in one move, if they are empty.
fn reach(point: Point, pieces: u32) -> u32 {
    if pieces.count_ones() == u32::from(FEW) { BOARD } else { point.neighbours().bits() }
}
