//! Which moves are legal, what they do, and when the game ends.

use crate::history::{Counts, Step};
use crate::{Ending, Illegal, Outcome, Seat};

use super::board::{House, Move, Moves, Position};
use super::capture::{Chain, Effects};
use super::sow::sow;
use super::{GrandSlam, MAJORITY, NO_CAPTURE_LIMIT, Options};

#[cfg(test)]
mod tests;

/// Why the move is illegal in a game that is not over, in the order of the rules.
pub(crate) fn judge(options: Options, position: &Position, m: Move) -> Result<(), Illegal> {
    if m.house.owner() != position.to_move() {
        return Err(Illegal::NotYourHouse);
    }
    if position.seeds(m.house) == 0 {
        return Err(Illegal::EmptyHouse);
    }
    if must_feed(position) {
        return if feeds(options, position, m.house) { Ok(()) } else { Err(Illegal::MustFeed) };
    }
    if options.grand_slam == GrandSlam::Forbidden
        && is_grand_slam(position, m.house)
        && position.filled().any(|other| !is_grand_slam(position, other.house))
    {
        return Err(Illegal::GrandSlamForbidden);
    }
    Ok(())
}

/// The legal moves in a game that is not over.
pub(crate) fn legal(options: Options, position: &Position) -> Moves {
    let filled = position.filled();
    if must_feed(position) {
        return filled.keeping(|house| feeds(options, position, house));
    }
    if options.grand_slam == GrandSlam::Forbidden {
        let others = filled.clone().keeping(|house| !is_grand_slam(position, house));
        if !others.is_empty() {
            return others;
        }
    }
    filled
}

/// Plays a legal move: the position afterwards, before any sharing out, and what was done.
pub(crate) fn play(options: Options, position: &Position, m: Move) -> (Position, Effects) {
    let (mut next, last) = sow(*position, m.house);
    let mut chain = Chain::from(&next, last);
    let grand_slam = takes_all(&next, chain);
    if grand_slam && options.grand_slam == GrandSlam::NoCapture {
        chain = Chain::none(last);
    }
    next = next.capturing(chain.seeds());
    let moves_again = grand_slam && options.grand_slam == GrandSlam::CapturesAll;
    if !moves_again {
        next = next.passed();
    }
    let effects = Effects { origin: m.house, lifted: position.seeds(m.house), chain, grand_slam, moves_again };
    (next, effects)
}

/// The seeds that a legal move captures.
pub(crate) fn captured_by(options: Options, position: &Position, m: Move) -> u8 {
    let (sown, last) = sow(*position, m.house);
    let chain = Chain::from(&sown, last);
    if options.grand_slam == GrandSlam::NoCapture && takes_all(&sown, chain) { 0 } else { chain.total() }
}

/// What a move means for the history: a capture is final, anything else is quiet (OW-9).
pub(crate) fn step(effects: &Effects) -> Step {
    if effects.seeds_captured() > 0 { Step::FINAL } else { Step::QUIET }
}

/// The end that a position brings by itself, before a move is played from it: OW-6, then OW-7.
pub(crate) fn before_first_move(options: Options, position: &Position) -> Option<Outcome> {
    if let Some(outcome) = majority(position) {
        return Some(outcome);
    }
    if !has_move(options, position) {
        return Some(share_out(Ending::NoMove, position));
    }
    None
}

/// The end by OW-6.
fn majority(position: &Position) -> Option<Outcome> {
    let captured = position.captured();
    let most = captured.first.max(captured.second);
    (most >= MAJORITY).then(|| Outcome::by_totals(Ending::Majority, captured))
}

/// The end that a move brought: OW-6, the two of OW-5, then OW-7, OW-8 and OW-9. `counts`
/// already include the position after the move.
pub(crate) fn after_move(options: Options, position: &Position, effects: &Effects, counts: Counts) -> Option<Outcome> {
    if let Some(outcome) = majority(position) {
        return Some(outcome);
    }
    let ending = if ends_by_slam(options, effects) {
        Ending::ForcedGrandSlam
    } else if !has_move(options, position) {
        if effects.moves_again { Ending::CannotFeed } else { Ending::NoMove }
    } else if counts.occurrences >= 2 {
        Ending::Repetition
    } else if counts.quiet >= NO_CAPTURE_LIMIT {
        Ending::NoCaptureLimit
    } else {
        return None;
    };
    Some(share_out(ending, position))
}

/// Whether the move was a forced slam, which ends the game (OW-5).
pub(crate) fn ends_by_slam(options: Options, effects: &Effects) -> bool {
    effects.grand_slam && options.grand_slam == GrandSlam::Forbidden
}

/// The outcome of an end outside the board: each keeps what was captured so far (MA-14).
pub(crate) fn outside(position: &Position, ending: Ending, winner: Option<Seat>) -> Outcome {
    Outcome { winner, ending, totals: Some(position.captured()) }
}

/// Each player takes the own row and the larger total wins. One function for every such end:
/// where OW-5 gives the mover only the own row, the rival row is empty.
fn share_out(ending: Ending, position: &Position) -> Outcome {
    Outcome::by_totals(ending, position.shared_out())
}

/// Whether the player to move has a legal move (OW-4, OW-7). A grand slam is never what stands
/// in the way: where only forbidden ones are left, one must be played (OW-5).
fn has_move(options: Options, position: &Position) -> bool {
    if must_feed(position) {
        position.filled().any(|m| feeds(options, position, m.house))
    } else {
        position.row_lanes(position.to_move()) > 0
    }
}

/// Whether the rival row is empty, so that only moves that feed it are legal (OW-4).
fn must_feed(position: &Position) -> bool {
    position.row_lanes(position.to_move().other()) == 0
}

/// Whether the move leaves a seed in the rival row after its captures (OW-4). A grand slam that
/// captures does not, also where it is forbidden: OW-4 is applied first, and what it would do if
/// it were played counts.
fn feeds(options: Options, position: &Position, house: House) -> bool {
    let (next, _) = play(options, position, Move { house });
    next.row_lanes(position.to_move().other()) > 0
}

/// Whether the move would capture every seed of the rival row (OW-5).
fn is_grand_slam(position: &Position, house: House) -> bool {
    let (sown, last) = sow(*position, house);
    takes_all(&sown, Chain::from(&sown, last))
}

/// Whether the chain would empty the rival row of a position that has just been sown.
fn takes_all(sown: &Position, chain: Chain) -> bool {
    chain.seeds() > 0 && chain.seeds() == sown.row_lanes(sown.to_move().other())
}
