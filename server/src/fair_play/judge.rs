//! What the moves of a match were worth, by the solver of Mū tōrere or by search, and the time they took. Pure: the same
//! match gives the same figures.

use stakeboard_engine::{
    BySeat, Move, Play,
    endgame::Endgames,
    search::{Limits, analyse},
};

use crate::matches::{entry::Act, state::State};

/// How far a search goes for one move: deeper than most people look, and some milliseconds at most.
const LIMITS: Limits = Limits { nodes: 20_000, depth: 6, every_move: true };

/// How one side played a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Moves made.
    pub moves: i32,
    /// Of them those with a choice: some legal move was worse than the best.
    pub choices: i32,
    /// Of those the ones that were best.
    pub best: i32,
    /// Milliseconds used on all moves.
    pub used_ms: i64,
    /// The sum of the squares of the milliseconds used on each.
    pub used_squares: i128,
}

/// Looks at every move of an ended match.
pub fn judge(state: &State) -> BySeat<Played> {
    let mut played = BySeat::new(Played::default(), Played::default());
    let mut play = state.setup().play();
    let mut clocks = BySeat::new(state.setup().clock_ms, state.setup().clock_ms);
    for entry in state.entries() {
        if let Act::Moved(seat, the_move) = entry.act {
            let used = i64::from(clocks[seat].saturating_sub(entry.clocks[seat]));
            let side = &mut played[seat];
            side.moves += 1;
            side.used_ms += used;
            side.used_squares += i128::from(used) * i128::from(used);
            if let Some(is_best) = is_best(&play, the_move) {
                side.choices += 1;
                side.best += i32::from(is_best);
            }
            if play.play(the_move).is_err() {
                break;
            }
        }
        clocks = entry.clocks;
    }
    played
}

/// Whether a move is as good as the best there is; `None` where all are.
fn is_best(play: &Play, the_move: Move) -> Option<bool> {
    let valued = analyse(play, LIMITS, Endgames::default(), |_| {}).moves;
    let (best, worst) = (valued.first()?.score, valued.last()?.score);
    let chosen = valued.iter().find(|valued| valued.m == the_move)?.score;
    (worst < best).then_some(chosen >= best)
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
