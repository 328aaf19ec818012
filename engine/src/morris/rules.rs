//! Which moves are legal, what they do, and when the game ends.

use crate::history::{Counts, Quiet, Step};
use crate::{Ending, Illegal, Outcome, Seat};

use super::board::Position;
use super::legal::{Moves, removable, to_take};
use super::moves::{Effects, Move};
use super::points::{Point, closed, ways};
use super::{NO_MILL_LIMIT, Options, REPETITION_LIMIT};

#[cfg(test)]
mod tests;

/// Why the move is illegal in a game that is not over, in the order of the rules.
#[inline]
pub(crate) fn judge(options: Options, position: Position, m: Move) -> Result<(), Illegal> {
    let mover = position.to_move();
    let own = position.set(mover);
    let staying = match (m.from(), position.hand(mover)) {
        (None, 0) => return Err(Illegal::NothingInHand),
        (Some(_), 1..) => return Err(Illegal::MustPlace),
        (Some(from), 0) if own & from.bit() == 0 => return Err(Illegal::NotYourPiece),
        (Some(from), 0) => own & !from.bit(),
        (None, 1..) => own,
    };
    if position.empty() & m.to().bit() == 0 {
        return Err(Illegal::PointTaken);
    }
    let reaches = |from: Point| from.neighbours().contains(m.to()) || position.flies(options);
    if !m.from().is_none_or(reaches) {
        return Err(Illegal::NotAdjacent);
    }
    judge_taking(options, position.set(mover.other()), staying, m)
}

/// Why what the move takes is illegal (MM-5, MM-6).
fn judge_taking(options: Options, mut rival: u32, staying: u32, m: Move) -> Result<(), Illegal> {
    let (_, mills) = closed(staying, m.to());
    let wanted = to_take(options, mills, rival) as usize;
    let named = m.taken().len();
    if named < wanted {
        return Err(Illegal::MustTake);
    }
    if named > wanted {
        return Err(Illegal::NoMill);
    }
    for point in m.taken() {
        if rival & point.bit() == 0 {
            return Err(Illegal::NothingToTake);
        }
        if removable(rival) & point.bit() == 0 {
            return Err(Illegal::ProtectedByMill);
        }
        rival &= !point.bit();
    }
    Ok(())
}

/// The legal moves in a game that is not over.
#[inline]
pub(crate) fn legal(options: Options, position: Position) -> Moves {
    Moves::of(options, position)
}

/// Plays a legal move: the position afterwards, and what was done.
#[inline]
pub(crate) fn play(position: Position, m: Move) -> (Position, Effects) {
    let lifted = position.taking_up(m.from());
    let (mill, _) = closed(lifted.set(position.to_move()), m.to());
    let put = lifted.putting(m.to());
    let next = m.taken().fold(put, Position::without_rival).passed();
    (next, Effects { played: m, mill })
}

/// What the move that led from `before` to where it did means for the history: a placing or a
/// removal is final, and quiet moves are those with both hands empty and no mill (MM-10).
#[inline]
pub(crate) fn step(before: Position, effects: Effects) -> Step {
    let both_hands_empty = Seat::ALL.iter().all(|&seat| before.hand(seat) == 0);
    let quiet = match (effects.mill, both_hands_empty) {
        (1.., _) => Quiet::Resets,
        (0, true) => Quiet::Counts,
        (0, false) => Quiet::Stays,
    };
    Step { is_final: effects.from().is_none() || effects.taken().len() > 0, quiet }
}

/// The end that a position brings by itself, before a move is played from it: MM-7, for the
/// player to move first, then MM-8.
pub(crate) fn before_first_move(options: Options, position: Position) -> Option<Outcome> {
    let to_move = position.to_move();
    let reduced = [to_move, to_move.other()].into_iter().find(|&seat| position.is_reduced(seat));
    if let Some(loser) = reduced {
        return Some(Outcome::won(loser.other(), Ending::Reduced));
    }
    let blocked = !has_move(options, position);
    blocked.then(|| Outcome::won(to_move.other(), Ending::Blocked))
}

/// The end that a move brought: MM-7, MM-8, MM-9, MM-10. `counts` already include the position
/// after the move.
#[inline]
pub(crate) fn after_move(options: Options, position: Position, counts: Counts) -> Option<Outcome> {
    before_first_move(options, position).or_else(|| {
        if counts.occurrences >= REPETITION_LIMIT {
            Some(Outcome::drawn(Ending::ThreefoldRepetition))
        } else {
            (counts.quiet >= NO_MILL_LIMIT).then(|| Outcome::drawn(Ending::FiftyMoves))
        }
    })
}

/// Whether the player to move has a legal move (MM-8). What a mill takes never stands in the way:
/// there is always a piece that may be taken, or none to take (MM-5, MM-6).
fn has_move(options: Options, position: Position) -> bool {
    let empty = position.empty();
    if position.hand(position.to_move()) > 0 || position.flies(options) {
        return empty != 0;
    }
    ways(position.set(position.to_move()), empty) != 0
}
