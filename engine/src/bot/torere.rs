//! The three levels in Mū tōrere, which is solved: they differ in how often they err.

use std::sync::LazyLock;

use crate::mu_torere::{Move, Position, Solution, Verdict};
use crate::{Move as AnyMove, Play, Position as AnyPosition};

use super::{Level, any, below};

/// How a level errs.
struct Manner {
    /// Out of a hundred times that a losing move is at hand, how often it is played.
    errors: u64,
    /// Out of a hundred times that only the draw can be kept, how often the rival is led to where
    /// they can err.
    temptations: u64,
}

/// Chosen by the tournament: each level scores 85 % against the next one, and the lowest against a
/// random player, who errs half the time.
fn manner(level: Level) -> Manner {
    match level {
        Level::Easy => Manner { errors: 50, temptations: 85 },
        Level::Medium => Manner { errors: 10, temptations: 100 },
        Level::Hard => Manner { errors: 0, temptations: 100 },
    }
}

/// The move of a level; none after the end.
pub(super) fn choose(play: &Play, level: Level, dice: &mut impl FnMut() -> u64) -> Option<AnyMove> {
    let (None, AnyPosition::MuTorere(position)) = (play.outcome(), *play.position()) else {
        return None;
    };
    let solution = Solution::shared();
    let Manner { errors, temptations } = manner(level);
    // Blunders are there only where nothing wins: a win of one move is always seen.
    let blunders = solution.blunders(position);
    let drawn = solution.verdict(position) == Verdict::Drawn;
    if drawn && !blunders.is_empty() && below(100, dice) < errors {
        return any(&blunders, dice).map(AnyMove::MuTorere);
    }
    let mut best = solution.best_moves(position);
    if drawn && below(100, dice) < temptations {
        best = most_tempting(play, best);
    }
    any(&best, dice).map(AnyMove::MuTorere)
}

/// Of moves that keep the draw, those after which a rival who errs now and then is most likely to
/// lose. A move that ends the game by repetition is left for last.
fn most_tempting(play: &Play, moves: Vec<Move>) -> Vec<Move> {
    let value = |&m: &Move| {
        let mut next = play.clone();
        let ends = next.play(AnyMove::MuTorere(m)).is_err() || next.outcome().is_some();
        let AnyPosition::MuTorere(after) = *next.position() else { return 0 };
        let chance = if ends { 0 } else { 1 + Temptation::shared().of_rival(after) };
        // A position that has been before is closer to the draw by repetition.
        chance / u64::from(next.occurrences())
    };
    let best = moves.iter().map(value).max();
    moves.into_iter().filter(|m| Some(value(m)) == best).collect()
}

/// How likely a rival who errs is to lose, from each drawn position.
struct Temptation {
    /// By the place of the position, to its player to move, out of [`SURE`].
    chances: Vec<u64>,
}

/// A chance of one.
const SURE: u64 = 1 << 32;
/// How far chances are looked for, in moves of both players.
const ROUNDS: u32 = 24;

impl Temptation {
    fn shared() -> &'static Temptation {
        static SHARED: LazyLock<Temptation> = LazyLock::new(Temptation::build);
        &SHARED
    }

    /// Goes over all drawn positions some times: each time chances reach two moves farther.
    fn build() -> Temptation {
        let solution = Solution::shared();
        let mut temptation = Temptation { chances: vec![0; Solution::PLACES] };
        let drawn: Vec<_> = Position::every().filter(|&p| solution.verdict(p) == Verdict::Drawn).collect();
        for _ in 0..ROUNDS {
            let next = |&position: &Position| (Solution::place(position), temptation.look(solution, position));
            let chances: Vec<_> = drawn.iter().map(next).collect();
            for (place, chance) in chances {
                temptation.chances[place] = chance;
            }
        }
        temptation
    }

    /// The chance from a drawn position with the erring player to move, from the chances two moves
    /// later. They err once in four times that they can, and a chance that is near is worth more.
    fn look(&self, solution: &Solution, position: Position) -> u64 {
        let kept: Vec<_> = solution.drawn_moves(position).map(|m| self.best(solution, position.after(m))).collect();
        let later = kept.iter().sum::<u64>() / (kept.len() as u64).max(1) * 7 / 8;
        if solution.blunders(position).is_empty() { later } else { SURE / 4 + later / 4 * 3 }
    }

    /// The chance from a drawn position with the other player to move, who chooses the best.
    fn best(&self, solution: &Solution, position: Position) -> u64 {
        let moves = solution.drawn_moves(position);
        moves.map(|m| self.of_rival(position.after(m))).max().unwrap_or(0)
    }

    fn of_rival(&self, position: Position) -> u64 {
        self.chances[Solution::place(position)]
    }
}
