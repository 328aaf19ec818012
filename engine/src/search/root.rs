//! Searching from the position of a game.

use crate::endgame::Endgames;
use crate::mu_torere::{self, Verdict};
use crate::{Move, Play, Position};

use super::morris::MorrisNode;
use super::node::Node;
use super::oware::OwareNode;
use super::score::{INFINITE, Score};
use super::tree::{Child, Place, Stop, Tree, Window};

/// How far a search goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Positions looked at in all, by all moves together. The first look at each move is taken in
    /// any case.
    pub nodes: u64,
    /// Moves ahead, forced sequences at the horizon not counted.
    pub depth: u32,
    /// Whether every move is valued exactly, and not just the best one. Takes longer.
    pub every_move: bool,
}

/// A legal move with its value to the player who makes it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Valued {
    /// The move.
    pub m: Move,
    /// What it is worth. Where only the best is valued exactly, that of another is what was seen
    /// when it was found not to be better.
    pub score: Score,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Analysis {
    /// The legal moves, the best first; none after the end. Equal ones stay in the order given to
    /// the search.
    pub moves: Vec<Valued>,
    /// The depth that was searched to its end.
    pub depth: u32,
    /// Positions looked at.
    pub nodes: u64,
}

/// Values the legal moves of a game. The same game, order and limits give the same answer.
///
/// `order` sorts the legal moves beforehand: the first of equal ones is best. At the horizon the
/// search looks into `endgames`; above it, it looks at moves, so that it also finds the way.
#[must_use]
pub fn analyse(play: &Play, limits: Limits, endgames: Endgames<'_>, order: impl FnOnce(&mut [Move])) -> Analysis {
    let mut moves = play.legal();
    order(&mut moves);
    let (options, position) = (play.options(), *play.position());
    match (options, position) {
        (crate::Options::Oware(options), Position::Oware(position)) => {
            let moves = moves.into_iter().filter_map(|m| if let Move::Oware(m) = m { Some(m) } else { None });
            let table = endgames.oware.filter(|table| table.grand_slam() == options.grand_slam);
            Root::new(play, OwareNode { options, position, table }, limits, moves).analyse(Move::Oware)
        }
        (crate::Options::Morris(options), Position::Morris(position)) => {
            let moves = moves.into_iter().filter_map(|m| if let Move::Morris(m) = m { Some(m) } else { None });
            let tables = endgames.morris.filter(|_| options.flying);
            Root::new(play, MorrisNode { options, position, tables }, limits, moves).analyse(Move::Morris)
        }
        (_, Position::MuTorere(position)) => solved(position, &moves),
        (_, Position::Oware(_) | Position::Morris(_)) => Analysis { moves: Vec::new(), depth: 0, nodes: 0 },
    }
}

/// Mū tōrere is solved: every value is known.
fn solved(position: mu_torere::Position, order: &[Move]) -> Analysis {
    let known: Vec<_> = mu_torere::Solution::shared().moves(position).collect();
    let value = |m: Move| {
        let (_, verdict) = known.iter().find(|&&(other, _)| Move::MuTorere(other) == m)?;
        let score = match *verdict {
            Verdict::Won { plies } => Score::won(plies),
            Verdict::Drawn => Score::DRAW,
            Verdict::Lost { plies } => Score::lost(plies),
        };
        Some(Valued { m, score })
    };
    let mut moves: Vec<Valued> = order.iter().filter_map(|&m| value(m)).collect();
    moves.sort_by_key(|valued| std::cmp::Reverse(valued.score));
    Analysis { moves, depth: 0, nodes: 0 }
}

/// A search from a root.
struct Root<N: Node> {
    tree: Tree<N>,
    node: N,
    place: Place,
    limits: Limits,
    /// The moves with their values, the best first.
    moves: Vec<(N::Move, i32)>,
}

impl<N: Node> Root<N> {
    fn new(play: &Play, node: N, limits: Limits, moves: impl Iterator<Item = N::Move>) -> Root<N> {
        Root {
            tree: Tree::new(play.history().seen(), limits.nodes),
            node,
            place: Tree::<N>::root(play.quiet()),
            limits,
            moves: moves.map(|m| (m, 0)).collect(),
        }
    }

    fn analyse(mut self, wrap: impl Fn(N::Move) -> Move) -> Analysis {
        let mut depth = 0;
        while depth < self.limits.depth && !self.is_decided(depth) {
            // The first look is taken whatever the nodes, so that every move has a value.
            self.tree.set_limit(if depth == 0 { u64::MAX } else { self.limits.nodes });
            if self.deepen(i32::try_from(depth + 1).unwrap_or(i32::MAX)).is_err() {
                break;
            }
            depth += 1;
        }
        let valued = self.moves.into_iter().map(|(m, value)| Valued { m: wrap(m), score: Score::new(value) });
        Analysis { moves: valued.collect(), depth, nodes: self.tree.nodes }
    }

    /// Whether looking further changes nothing: there is no choice, or the end is in sight.
    fn is_decided(&self, depth: u32) -> bool {
        let seen = |&(_, value): &(N::Move, i32)| Score::new(value).plies().is_some_and(|plies| plies <= depth);
        let one_is_enough = !self.limits.every_move && (self.moves.len() < 2 || self.moves.first().is_none_or(seen));
        depth > 0 && (one_is_enough || self.moves.iter().all(seen))
    }

    /// Values all moves to a depth. Stopped on the way, it keeps what it knows: a move that was
    /// found to be better comes first.
    fn deepen(&mut self, depth: i32) -> Result<(), Stop> {
        let mut alpha = -INFINITE;
        let mut values = Vec::with_capacity(self.moves.len());
        for at in 0..self.moves.len() {
            let Ok(value) = self.value(at, depth, alpha) else {
                self.keep_better(&values);
                return Err(Stop);
            };
            values.push(value);
            alpha = alpha.max(value);
        }
        for (of_move, value) in self.moves.iter_mut().zip(values) {
            of_move.1 = value;
        }
        self.moves.sort_by_key(|&(_, value)| std::cmp::Reverse(value));
        Ok(())
    }

    /// Uses the values of a depth that was not searched to its end: the move that was best so far
    /// and those after it that were found to be better are known at that depth.
    fn keep_better(&mut self, values: &[i32]) {
        if self.limits.every_move {
            return;
        }
        let best = (0..values.len()).reduce(|best, at| if values[at] > values[best] { at } else { best });
        if let Some(best) = best.filter(|&best| best > 0) {
            self.moves[best].1 = values[best];
            self.moves[..=best].rotate_right(1);
        }
    }

    fn value(&mut self, at: usize, depth: i32, alpha: i32) -> Result<i32, Stop> {
        let (m, _) = self.moves[at];
        let (node, place) = (self.node, self.place);
        let (next, place) = match self.tree.enter(&node, m, place) {
            Child::Over(value) => return Ok(value),
            Child::Open(next, place) => (next, place),
        };
        let value = if at == 0 || self.limits.every_move {
            self.tree.child_value(&node, &next, place, depth - 1, Window::FULL)
        } else {
            self.value_if_better(&node, &next, place, depth - 1, alpha)
        };
        self.tree.leave();
        value
    }

    /// The value of a move, exactly only where it is above `alpha`.
    fn value_if_better(&mut self, node: &N, next: &N, place: Place, depth: i32, alpha: i32) -> Result<i32, Stop> {
        let null = Window { alpha, beta: alpha + 1 };
        let value = self.tree.child_value(node, next, place, depth, null)?;
        if value <= alpha {
            return Ok(value.min(alpha));
        }
        self.tree.child_value(node, next, place, depth, Window { alpha, beta: INFINITE })
    }
}
