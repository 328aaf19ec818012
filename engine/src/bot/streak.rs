//! The computer of the Mū tōrere streak (PR-2 to PR-5).

use crate::mu_torere::{Move, Position, Solution};

use super::any;

/// The move of the streak's computer at a level from 1 (PR-3); none where there is no legal move.
///
/// Where its position is not lost and a losing move is at hand, it plays one of those with
/// probability 0.55 · 0.8^(level−1), which never reaches 0. Otherwise it plays a best move: of
/// those that win, one that wins most quickly, or else one that keeps the draw, or else one that
/// holds out longest. Among equals any. Level 0 is taken for 1.
#[must_use]
pub fn streak_move(position: Position, level: u32, dice: &mut impl FnMut() -> u64) -> Option<Move> {
    let solution = Solution::shared();
    let blunders = solution.blunders(position);
    if !blunders.is_empty() && dice() < error_threshold(level) {
        return any(&blunders, dice);
    }
    any(&solution.best_moves(position), dice)
}

/// Whether the move hands the rival a forced win, from a position that is not lost already: what
/// level 1 warns of (PR-5). False for a move that is illegal.
#[must_use]
pub fn gives_forced_win(position: Position, m: Move) -> bool {
    Solution::shared().blunders(position).contains(&m)
}

/// The numbers of 64 bits below this one are the errors of a level: 0.55 · 0.8^(level−1) of all,
/// and at least one.
pub(super) fn error_threshold(level: u32) -> u64 {
    let start = (1_u128 << 64) * 55 / 100;
    let step = |threshold: u128, _| threshold * 4 / 5;
    // After 200 levels nothing is left to multiply.
    let threshold = (1..level.min(200)).fold(start, step);
    u64::try_from(threshold).unwrap_or(u64::MAX).max(1)
}
