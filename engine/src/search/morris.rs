//! Nine Men's Morris as the search sees it.

use crate::endgame::{MorrisTables, Worth};
use crate::history::{Counts, Step};
use crate::morris::{self, Effects, Move, NO_MILL_LIMIT, Options, Position};
use crate::{Outcome, Seat};

use super::node::{Candidate, Node, mix};
use super::score::KNOWN_WIN;

/// A position of Nine Men's Morris in a search.
#[derive(Copy, Clone)]
pub(super) struct MorrisNode<'t> {
    pub(super) options: Options,
    pub(super) position: Position,
    pub(super) tables: Option<&'t MorrisTables>,
}

/// What a piece is worth, on the board or in hand.
const PIECE: i32 = 100;
/// What a mill is worth, and a point where a piece more would close one.
const MILL: i32 = 12;
const OPEN_LINE: i32 = 14;
/// What a way to move is worth.
const WAY: i32 = 4;
/// The least guess of a move that takes a piece.
const TAKING: i32 = 1 << 22;

impl<'t> Node for MorrisNode<'t> {
    type Move = Move;
    type Effects = Effects;

    const SLOTS: usize = 25 * 24;
    const FORCING_DEPTH: i32 = 2;
    const REPEATING_DRAWS: bool = true;
    const QUIET_LIMIT: u32 = NO_MILL_LIMIT;

    fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    fn key(&self) -> u128 {
        self.position.key()
    }

    fn hash(&self) -> u64 {
        mix(self.position.key())
    }

    fn moves(&self, list: &mut Vec<Candidate<Move>>) {
        let rival_closes = self.position.open_lines(self.to_move().other());
        for m in morris::legal(self.options, self.position) {
            let is_forcing = m.taken().len() > 0;
            let blocks = if rival_closes.contains(m.to()) { TAKING / 2 } else { 0 };
            let guess = if is_forcing { TAKING } else { blocks };
            list.push(Candidate { m, guess, is_forcing });
        }
    }

    fn forcing_moves(&self, list: &mut Vec<Candidate<Move>>) {
        let closing = morris::legal(self.options, self.position).closing();
        let taking = closing.filter(|m| m.taken().len() > 0);
        list.extend(taking.map(|m| Candidate { m, guess: TAKING, is_forcing: true }));
    }

    fn play(&self, m: Move) -> (MorrisNode<'t>, Effects, Step) {
        let (position, effects) = morris::play(self.position, m);
        let step = morris::step(self.position, effects);
        (MorrisNode { position, ..*self }, effects, step)
    }

    fn outcome(&self, _: &Effects, counts: Counts) -> Option<Outcome> {
        morris::after_move(self.options, self.position, counts)
    }

    fn evaluate(&self) -> i32 {
        let value = |seat| {
            let features = self.position.features(seat);
            features.pieces * PIECE + features.mills * MILL + features.open_lines * OPEN_LINE + features.ways * WAY
        };
        let own = self.to_move();
        let estimate = value(own) - value(own.other());
        match self.tables.and_then(|tables| tables.get(&self.position)) {
            None => estimate,
            Some(Worth::Won) => estimate + KNOWN_WIN,
            Some(Worth::Drawn) => estimate / 16,
            Some(Worth::Lost) => estimate - KNOWN_WIN,
        }
    }

    fn slot(m: Move) -> usize {
        m.from().map_or(24, morris::Point::place) * 24 + m.to().place()
    }

    fn pack(m: Move) -> u32 {
        m.packed()
    }
}
