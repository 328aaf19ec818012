//! Which moves are legal, what they do, and when the game ends.

use crate::history::Counts;
use crate::{Ending, Illegal, Outcome};

use super::REPETITION_LIMIT;
use super::board::{Effects, Move, Moves, Point, Position, beside, lines_of};

#[cfg(test)]
mod tests;

/// Why the move is illegal in a game that is not over, in the order of the rules.
pub(crate) fn judge(position: Position, m: Move) -> Result<(), Illegal> {
    let own = position.pieces[position.to_move];
    if own & m.from.bit() == 0 {
        return Err(Illegal::NotYourPiece);
    }
    if position.empty() != m.to {
        return Err(Illegal::TargetNotEmpty);
    }
    if !m.from.touches(m.to) {
        return Err(Illegal::NotAdjacent);
    }
    if m.to == Point::CENTRE && m.from.bit() & beside_rival(position) == 0 {
        return Err(Illegal::NoRivalNeighbour);
    }
    Ok(())
}

/// The legal moves in a game that is not over.
pub(crate) fn legal(position: Position) -> Moves {
    let to = position.empty();
    let mut from = position.pieces[position.to_move] & lines_of(to);
    if to == Point::CENTRE {
        from &= beside_rival(position);
    }
    Moves::new(from, to)
}

/// Plays a legal move: the position afterwards, and what was done.
pub(crate) fn play(position: Position, m: Move) -> (Position, Effects) {
    let mut next = position;
    next.pieces[position.to_move] ^= m.from.bit() | m.to.bit();
    next.to_move = position.to_move.other();
    (next, Effects { from: m.from, to: m.to })
}

/// The end that a position brings by itself, before a move is played from it: MT-4.
pub(crate) fn before_first_move(position: Position) -> Option<Outcome> {
    let blocked = legal(position) == Moves::new(0, position.empty());
    blocked.then(|| Outcome::won(position.to_move.other(), Ending::Blocked))
}

/// The end that a move brought: MT-4, then MT-5. `counts` already include the position after the
/// move.
pub(crate) fn after_move(position: Position, counts: Counts) -> Option<Outcome> {
    before_first_move(position)
        .or_else(|| (counts.occurrences >= REPETITION_LIMIT).then(|| Outcome::drawn(Ending::ThreefoldRepetition)))
}

/// The ring points with a piece of the rival of the player to move beside them, as a set (MT-3).
fn beside_rival(position: Position) -> u16 {
    beside(position.pieces[position.to_move.other()])
}
