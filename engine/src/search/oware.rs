//! Oware as the search sees it.

use crate::endgame::{Known, OwareTable};
use crate::history::{Counts, Step};
use crate::oware::{self, Effects, Move, NO_CAPTURE_LIMIT, Options, Position};
use crate::{Outcome, Seat};

use super::node::{Candidate, Node, mix};
use super::score::KNOWN_WIN;

/// A position of Oware in a search.
#[derive(Copy, Clone)]
pub(super) struct OwareNode<'t> {
    pub(super) options: Options,
    pub(super) position: Position,
    pub(super) table: Option<&'t OwareTable>,
}

/// What a captured seed is worth.
const SEED: i32 = 100;
/// What a seed in the own row is worth: it is the owner's when the seeds are shared out.
const IN_ROW: i32 = 4;
/// What a house to move from is worth.
const MOBILITY: i32 = 12;

impl OwareNode<'_> {
    /// What the table says, to the player to move.
    fn look_up(&self) -> Option<i32> {
        let Known { value, is_proven } = self.table?.get(&self.position)?;
        let captured = self.position.captured();
        let own = self.to_move();
        let ahead = i32::from(captured[own]) - i32::from(captured[own.other()]);
        let lead = ahead + i32::from(value);
        // Seeds that are captured already are worth more: a win must not be put off for ever.
        let estimate = lead * SEED + ahead * IN_ROW;
        Some(if is_proven { estimate + KNOWN_WIN * lead.signum() } else { estimate })
    }
}

impl<'t> Node for OwareNode<'t> {
    type Move = Move;
    type Effects = Effects;

    const SLOTS: usize = 12;
    const FORCING_DEPTH: i32 = 8;
    // A second occurrence ends the game by the rules themselves (OW-8).
    const REPEATING_DRAWS: bool = false;
    const QUIET_LIMIT: u32 = NO_CAPTURE_LIMIT;

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
        for m in oware::legal(self.options, &self.position) {
            let captured = i32::from(oware::captured_by(self.options, &self.position, m));
            // Houses near the rival come first among moves that take nothing.
            let guess = if captured > 0 { captured << 22 } else { i32::try_from(m.house.place() % 6).unwrap_or(0) };
            list.push(Candidate { m, guess, is_forcing: captured > 0 });
        }
    }

    fn forcing_moves(&self, list: &mut Vec<Candidate<Move>>) {
        for m in oware::legal(self.options, &self.position) {
            let captured = i32::from(oware::captured_by(self.options, &self.position, m));
            if captured > 0 {
                list.push(Candidate { m, guess: captured, is_forcing: true });
            }
        }
    }

    fn play(&self, m: Move) -> (OwareNode<'t>, Effects, Step) {
        let (position, effects) = oware::play(self.options, &self.position, m);
        let step = oware::step(&effects);
        (OwareNode { position, ..*self }, effects, step)
    }

    fn outcome(&self, effects: &Effects, counts: Counts) -> Option<Outcome> {
        oware::after_move(self.options, &self.position, effects, counts)
    }

    fn evaluate(&self) -> i32 {
        if let Some(known) = self.look_up() {
            return known;
        }
        let value = |seat| {
            let captured = i32::from(self.position.captured()[seat]) * SEED;
            let row = i32::from(self.position.row(seat)) * IN_ROW;
            captured + row + MOBILITY * i32::from(self.position.filled_houses(seat))
        };
        let own = self.to_move();
        value(own) - value(own.other())
    }

    fn slot(m: Move) -> usize {
        m.house.place()
    }

    fn pack(m: Move) -> u32 {
        u32::try_from(m.house.place()).unwrap_or(0)
    }
}
