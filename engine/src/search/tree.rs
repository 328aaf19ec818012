//! The search of a tree: values of positions, to a depth or until the nodes run out.

use crate::history::{Counts, occurrences};

use super::node::{Candidate, Node};
use super::score::{INFINITE, from_table, of_end, to_table};
use super::table::{Bound, NO_MOVE, Table};

/// Lines longer than this are not looked at.
const MOST_PLIES: u32 = 120;
/// Guesses of the move that was best before, and of moves that were best beside this position.
const BEST_BEFORE: i32 = 1 << 28;
const KILLER: i32 = 1 << 20;
/// From this many moves before the limit on quiet moves, positions are told apart by the count.
const NEAR_LIMIT: u32 = 30;

/// The nodes have run out.
pub(super) struct Stop;

/// Where in a line a position stands.
#[derive(Copy, Clone)]
pub(super) struct Place {
    /// Moves from the root.
    ply: u32,
    /// Where in the list of keys the positions that can come back begin.
    since_final: usize,
    quiet: u32,
}

/// A window of values that matter: what lies outside need only be known to do so.
#[derive(Copy, Clone)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    pub(super) const FULL: Window = Window { alpha: -INFINITE, beta: INFINITE };

    fn seen_by_rival(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    fn above(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

/// What a move leads to.
pub(super) enum Child<N> {
    /// The game is over, with this value to whoever made the move.
    Over(i32),
    /// It goes on. The key of the position has been added to the line.
    Open(N, Place),
}

/// The state of a search. Its memory is used again from node to node.
pub(super) struct Tree<N: Node> {
    table: Table,
    /// The positions of the game and of the current line.
    keys: Vec<u128>,
    /// The positions of the game before the root.
    game: usize,
    list: Vec<Candidate<N::Move>>,
    killers: Vec<[u32; 2]>,
    /// How often a move was best, by slot and side.
    credit: Vec<i32>,
    pub(super) nodes: u64,
    limit: u64,
}

impl<N: Node> Tree<N> {
    /// A search of a game in which these positions can come back, the root last.
    pub(super) fn new(seen: &[u128], limit: u64) -> Tree<N> {
        let mut keys = Vec::with_capacity(seen.len() + MOST_PLIES as usize + 8);
        keys.extend_from_slice(seen);
        Tree {
            table: Table::for_nodes(limit),
            keys,
            game: seen.len().saturating_sub(1),
            list: Vec::with_capacity(1024),
            killers: vec![[NO_MOVE; 2]; MOST_PLIES as usize + 1],
            credit: vec![0; 2 * N::SLOTS],
            nodes: 0,
            limit,
        }
    }

    /// Changes how many nodes the search may look at in all.
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
    }

    /// The place of the root.
    pub(super) fn root(quiet: u32) -> Place {
        Place { ply: 0, since_final: 0, quiet }
    }

    /// Plays a move. Where the game goes on, [`Tree::leave`] must follow.
    pub(super) fn enter(&mut self, node: &N, m: N::Move, place: Place) -> Child<N> {
        self.nodes += 1;
        let (next, effects, step) = node.play(m);
        let key = next.key();
        let since_final = if step.is_final { self.keys.len() } else { place.since_final };
        let quiet = step.quiet.after(place.quiet);
        let ply = place.ply + 1;
        let seen = &self.keys[since_final..];
        // Two moves of each player are the least that brings a position back.
        let occurrences = if seen.len() < 4 { 1 } else { occurrences(seen, key) };
        let over = |winner| Child::Over(of_end(winner, node.to_move(), ply));
        if let Some(outcome) = next.outcome(&effects, Counts { occurrences, quiet }) {
            return over(outcome.winner);
        }
        if N::REPEATING_DRAWS && occurrences > 1 && self.repeats_in_line(since_final, key) {
            return over(None);
        }
        self.keys.push(key);
        Child::Open(next, Place { ply, since_final, quiet })
    }

    fn repeats_in_line(&self, since_final: usize, key: u128) -> bool {
        self.keys[since_final.max(self.game)..].contains(&key)
    }

    /// Takes back what [`Tree::enter`] added.
    pub(super) fn leave(&mut self) {
        self.keys.pop();
    }

    /// The value of a position that a move of `node` led to, to whoever made that move.
    pub(super) fn child_value(
        &mut self,
        node: &N,
        next: &N,
        place: Place,
        depth: i32,
        window: Window,
    ) -> Result<i32, Stop> {
        if next.to_move() == node.to_move() {
            return self.value(next, place, depth, window);
        }
        self.value(next, place, depth, window.seen_by_rival()).map(|value| -value)
    }

    /// The value of a position to the player to move. Where the true value lies outside the
    /// window, a bound on it.
    fn value(&mut self, node: &N, place: Place, depth: i32, window: Window) -> Result<i32, Stop> {
        if self.nodes >= self.limit {
            return Err(Stop);
        }
        if place.ply >= MOST_PLIES {
            return Ok(node.evaluate());
        }
        if depth <= 0 {
            return self.forcing_value(node, place, depth, window);
        }
        let hash = hash(node, place);
        let known = self.table.get(hash);
        if let Some(entry) = known
            && i32::from(entry.depth) >= depth
            && window.is_null()
        {
            let value = from_table(entry.value(), place.ply);
            let settles = match entry.bound {
                Bound::Exact => true,
                Bound::AtLeast => value >= window.beta,
                Bound::AtMost => value <= window.alpha,
            };
            if settles {
                return Ok(value);
            }
        }
        let first = self.list.len();
        node.moves(&mut self.list);
        self.guess(node, first, place, known.map_or(NO_MOVE, |entry| entry.best));
        let found = self.best(node, place, depth, window, first);
        self.list.truncate(first);
        let (value, best) = found?;
        let bound = if value >= window.beta {
            Bound::AtLeast
        } else if value > window.alpha {
            Bound::Exact
        } else {
            Bound::AtMost
        };
        self.table.put(hash, best, to_table(value, place.ply), depth, bound);
        Ok(value)
    }

    /// Looks at the moves from `first` in the list, and finds the value and the best of them.
    fn best(
        &mut self,
        node: &N,
        place: Place,
        depth: i32,
        mut window: Window,
        first: usize,
    ) -> Result<(i32, u32), Stop> {
        let mut best = (-INFINITE, NO_MOVE);
        for at in first..self.list.len() {
            self.bring_next(at);
            let Candidate { m, is_forcing, .. } = self.list[at];
            let late = if is_forcing { 0 } else { at - first };
            let value = match self.enter(node, m, place) {
                Child::Over(value) => value,
                Child::Open(next, place) => {
                    let value = self.look_at(node, &next, place, depth, window, late, at == first);
                    self.leave();
                    value?
                }
            };
            if value > best.0 {
                best = (value, N::pack(m));
            }
            if value >= window.beta {
                if !is_forcing {
                    self.praise(node, m, place, depth);
                }
                break;
            }
            window.alpha = window.alpha.max(value);
        }
        Ok(best)
    }

    /// The value of a child: in full for the first, and for others only if it seems to be better
    /// than what is known; late ones are looked at less deeply at first.
    #[expect(clippy::too_many_arguments, reason = "all of it is the state of the loop in `best`")]
    fn look_at(
        &mut self,
        node: &N,
        next: &N,
        place: Place,
        depth: i32,
        window: Window,
        late: usize,
        is_first: bool,
    ) -> Result<i32, Stop> {
        if is_first {
            return self.child_value(node, next, place, depth - 1, window);
        }
        let less = match late {
            _ if depth < 3 => 0,
            0..=2 => 0,
            3..=8 => 1,
            _ => 2,
        };
        let null = Window::above(window.alpha);
        let mut value = self.child_value(node, next, place, depth - 1 - less, null)?;
        if less > 0 && value > window.alpha {
            value = self.child_value(node, next, place, depth - 1, null)?;
        }
        if value > window.alpha && value < window.beta {
            value = self.child_value(node, next, place, depth - 1, window)?;
        }
        Ok(value)
    }

    /// The value of a position at the horizon: what it seems to be worth, unless a forcing move
    /// does better.
    fn forcing_value(&mut self, node: &N, place: Place, depth: i32, mut window: Window) -> Result<i32, Stop> {
        let mut best = node.evaluate();
        if best >= window.beta || depth <= -N::FORCING_DEPTH {
            return Ok(best);
        }
        window.alpha = window.alpha.max(best);
        let first = self.list.len();
        node.forcing_moves(&mut self.list);
        for at in first..self.list.len() {
            self.bring_next(at);
            let m = self.list[at].m;
            let value = match self.enter(node, m, place) {
                Child::Over(value) => Ok(value),
                Child::Open(next, place) => {
                    let value = self.child_value(node, &next, place, depth - 1, window);
                    self.leave();
                    value
                }
            };
            let Ok(value) = value else {
                self.list.truncate(first);
                return Err(Stop);
            };
            best = best.max(value);
            if value >= window.beta {
                break;
            }
            window.alpha = window.alpha.max(value);
        }
        self.list.truncate(first);
        Ok(best)
    }

    /// Improves the guesses of the moves from `first` on by what the search has seen.
    fn guess(&mut self, node: &N, first: usize, place: Place, best: u32) {
        let killers = self.killers[place.ply as usize];
        let side = N::SLOTS * node.to_move() as usize;
        for candidate in &mut self.list[first..] {
            let packed = N::pack(candidate.m);
            if packed == best {
                candidate.guess += BEST_BEFORE;
            } else if !candidate.is_forcing && killers.contains(&packed) {
                candidate.guess += KILLER;
            } else if !candidate.is_forcing {
                candidate.guess += self.credit[side + N::slot(candidate.m)];
            }
        }
    }

    /// Brings the move with the highest guess among those from `at` on to that place.
    fn bring_next(&mut self, at: usize) {
        let mut best = at;
        for other in at + 1..self.list.len() {
            if self.list[other].guess > self.list[best].guess {
                best = other;
            }
        }
        self.list.swap(at, best);
    }

    /// Notes that a quiet move refuted the line.
    fn praise(&mut self, node: &N, m: N::Move, place: Place, depth: i32) {
        let packed = N::pack(m);
        let [first, second] = &mut self.killers[place.ply as usize];
        if *first != packed {
            *second = *first;
            *first = packed;
        }
        let credit = &mut self.credit[N::SLOTS * node.to_move() as usize + N::slot(m)];
        *credit = (*credit + depth * depth).min(KILLER - 1);
    }
}

/// The hash of a position at its place: where the limit on quiet moves is near, what it is worth
/// depends on their count.
fn hash<N: Node>(node: &N, place: Place) -> u64 {
    let near = place.quiet.saturating_sub(N::QUIET_LIMIT - NEAR_LIMIT);
    node.hash() ^ u64::from(near).wrapping_mul(0xa076_1d64_78bd_642f)
}
