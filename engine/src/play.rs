//! A game in progress: what a match holds, rebuilt at any time from its moves.

use crate::game::Moves;
use crate::history::{History, Step};
use crate::{
    Effects, Ending, Game, Illegal, Move, Options, Outcome, ParseError, Position, Seat, morris, mu_torere, oware,
};

#[cfg(test)]
mod tests;

/// A game in progress or finished: position, options and the history that repetition and move
/// counts need (C-6, MT-5, OW-8, OW-9, MM-9, MM-10).
///
/// It is a function of the options, the starting position and the moves alone (C-2): playing the
/// same moves again gives an equal state. It takes fewer than 100 bytes, and 16 bytes for each
/// position that can still come back: at most 101 in Oware and Nine Men's Morris.
#[derive(Debug, PartialEq, Eq)]
pub struct Play {
    options: Options,
    position: Position,
    history: History,
    outcome: Option<Outcome>,
    ply: u32,
}

impl Play {
    /// A game from its starting position.
    #[must_use]
    pub fn new(options: Options) -> Play {
        Play::begin(options, Position::start(options.game()))
    }

    /// A game from any position; the side to move opens (C-7). Counts start afresh. A position
    /// that is already over is finished from the start.
    ///
    /// # Errors
    /// A position of another game than the options are for.
    pub fn from_position(options: Options, position: Position) -> Result<Play, ParseError> {
        if position.game() != options.game() {
            let expected = format!("one of {}", options.game());
            return Err(ParseError::whole("a starting position", expected));
        }
        Ok(Play::begin(options, position))
    }

    fn begin(options: Options, position: Position) -> Play {
        let outcome = match Table::of(options, position) {
            Table::MuTorere(position) => mu_torere::before_first_move(position),
            Table::Oware(options, position) => oware::before_first_move(options, &position),
            Table::Morris(options, position) => morris::before_first_move(options, position),
        };
        Play { options, position, history: History::starting_at(position.key()), outcome, ply: 0 }
    }

    /// The game that is played.
    #[must_use]
    pub fn game(&self) -> Game {
        self.options.game()
    }

    /// The options it is played with.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// The position on the board. After the end it is the one after the last move and its
    /// captures, before any sharing out.
    #[must_use]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The player to move as the position says, also after the end.
    #[must_use]
    pub fn to_move(&self) -> Seat {
        self.position.to_move()
    }

    /// The outcome once the board has ended the game (C-4).
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// How often the current position has occurred, the starting position included (C-6).
    #[must_use]
    pub fn occurrences(&self) -> u32 {
        self.history.counts().occurrences
    }

    /// Consecutive moves, both players' together, that count towards a limit: without a capture
    /// in Oware (OW-9), with both hands empty and without a mill in Nine Men's Morris (MM-10).
    /// Always 0 in Mū tōrere, which has no such limit.
    #[must_use]
    pub fn quiet(&self) -> u32 {
        self.history.counts().quiet
    }

    /// Moves played so far.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The legal moves, sorted by the code points of their texts; none after the end (C-4).
    #[must_use]
    pub fn legal(&self) -> Vec<Move> {
        self.legal_moves().collect()
    }

    /// The moves of [`Play::legal`], without allocation. The iterator knows its length and does
    /// not borrow the game.
    #[must_use]
    pub fn legal_moves(&self) -> Moves {
        let over = self.outcome.is_some();
        match self.table() {
            Table::MuTorere(_) if over => Moves::MuTorere(mu_torere::Moves::NONE),
            Table::MuTorere(position) => Moves::MuTorere(mu_torere::legal(position)),
            Table::Oware(..) if over => Moves::Oware(oware::Moves::NONE),
            Table::Oware(options, position) => Moves::Oware(oware::legal(options, &position)),
            Table::Morris(..) if over => Moves::Morris(morris::Moves::NONE),
            Table::Morris(options, position) => Moves::Morris(morris::legal(options, position)),
        }
    }

    /// Says whether the move is legal now.
    ///
    /// # Errors
    /// The first of the game's reasons that forbids it (C-3).
    ///
    /// # Panics
    /// If the move is one of another game ([`Move::game`]). [`Move::parse`] with this game never
    /// gives one, so no text can bring this about.
    pub fn judge(&self, m: Move) -> Result<(), Illegal> {
        let table = self.table();
        if self.outcome.is_some() && m.game() == self.game() {
            return Err(Illegal::GameOver);
        }
        match (table, m) {
            (Table::MuTorere(position), Move::MuTorere(m)) => mu_torere::judge(position, m),
            (Table::Oware(options, position), Move::Oware(m)) => oware::judge(options, &position, m),
            (Table::Morris(options, position), Move::Morris(m)) => morris::judge(options, position, m),
            (Table::MuTorere(_) | Table::Oware(..) | Table::Morris(..), _) => self.not_of_this_game(m),
        }
    }

    /// Plays a move and says what it did; [`Play::outcome`] says whether it ended the game.
    ///
    /// # Errors
    /// The reason why the move is illegal, as from [`Play::judge`]. Nothing has changed then.
    ///
    /// # Panics
    /// As [`Play::judge`].
    pub fn play(&mut self, m: Move) -> Result<Effects, Illegal> {
        self.judge(m)?;
        let effects = match (self.table(), m) {
            (Table::MuTorere(before), Move::MuTorere(m)) => {
                let (position, effects) = mu_torere::play(before, m);
                self.history.record(position.key(), Step::MOVED);
                self.outcome = mu_torere::after_move(position, self.history.counts());
                self.position = Position::MuTorere(position);
                Effects::MuTorere(effects)
            }
            (Table::Oware(options, before), Move::Oware(m)) => {
                let (position, effects) = oware::play(options, &before, m);
                self.history.record(position.key(), oware::step(&effects));
                self.outcome = oware::after_move(options, &position, &effects, self.history.counts());
                self.position = Position::Oware(position);
                Effects::Oware(effects)
            }
            (Table::Morris(options, before), Move::Morris(m)) => {
                let (position, effects) = morris::play(before, m);
                self.history.record(position.key(), morris::step(before, effects));
                self.outcome = morris::after_move(options, position, self.history.counts());
                self.position = Position::Morris(position);
                Effects::Morris(effects)
            }
            (Table::MuTorere(_) | Table::Oware(..) | Table::Morris(..), _) => self.not_of_this_game(m),
        };
        self.ply += 1;
        Ok(effects)
    }

    /// The positions that can come back, and the counts.
    pub(crate) fn history(&self) -> &History {
        &self.history
    }

    fn table(&self) -> Table {
        Table::of(self.options, self.position)
    }

    /// A move of another game is a slip in the calling program, not something a rule speaks of.
    fn not_of_this_game(&self, m: Move) -> ! {
        panic!("{m} is a move of {}, and the game is {}", m.game(), self.game())
    }

    /// The outcome if the game ends now outside the rules of the board (C-5), with the totals of
    /// MA-14. The game itself does not change: whoever holds it records the end.
    ///
    /// `winner` is the player who wins a resignation or a timeout. An agreed draw and a void have
    /// none (C-5, MA-14), whatever is given.
    ///
    /// # Panics
    /// If `ending` is one that only the board can bring ([`Ending::is_outside`] is false).
    #[must_use]
    pub fn end_outside(&self, ending: Ending, winner: Option<Seat>) -> Outcome {
        assert!(ending.is_outside(), "{ending} is for the board to say");
        let winner = winner.filter(|_| !ending.is_never_won());
        match &self.position {
            Position::MuTorere(_) | Position::Morris(_) => Outcome { winner, ending, totals: None },
            Position::Oware(position) => oware::outside(position, ending, winner),
        }
    }
}

/// Options and position of one and the same game.
enum Table {
    MuTorere(mu_torere::Position),
    Oware(oware::Options, oware::Position),
    Morris(morris::Options, morris::Position),
}

impl Table {
    fn of(options: Options, position: Position) -> Table {
        match (options, position) {
            (Options::MuTorere, Position::MuTorere(position)) => Table::MuTorere(position),
            (Options::Oware(options), Position::Oware(position)) => Table::Oware(options, position),
            (Options::Morris(options), Position::Morris(position)) => Table::Morris(options, position),
            (Options::MuTorere | Options::Oware(_) | Options::Morris(_), _) => {
                unreachable!("a game begins with both of one game")
            }
        }
    }
}

impl Clone for Play {
    fn clone(&self) -> Play {
        Play { history: self.history.clone(), ..*self }
    }

    /// Copies into the memory that `self` already has, which makes a copy per move cheap.
    fn clone_from(&mut self, source: &Play) {
        self.history.clone_from(&source.history);
        self.options = source.options;
        self.position = source.position;
        self.outcome = source.outcome;
        self.ply = source.ply;
    }
}
