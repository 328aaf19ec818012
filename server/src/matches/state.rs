//! One match as a value: it judges what players ask for, and becomes what was written. It never waits.
//!
//! [`State::judge`] changes nothing; what it wants written is committed by the caller and only then put into
//! effect by [`State::apply`]. Recovery puts the same entries into effect, so both paths end in the same state.

use std::{sync::Arc, time::Instant};

use stakeboard_engine::{BySeat, Ending, Game, Move, Outcome, Play, Seat};
use time::OffsetDateTime;

use crate::{
    ids::MatchId,
    matches::{
        Refusal, Setup,
        clocks::Clocks,
        entry::{Act, Entry, Trouble},
        events::{ClocksView, EffectsView, Event, OutcomeView},
        handle::{Command, DrawAct},
    },
};

/// A draw offer that has not been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Who offered.
    pub by: Seat,
    /// The `seq` of the offer, its name.
    pub seq: u32,
}

/// What has come of a rematch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rematch {
    /// It was proposed.
    Proposed {
        /// Who proposed.
        by: Seat,
        /// When.
        at: OffsetDateTime,
    },
    /// It has begun, as this match.
    Started(MatchId),
}

/// What a command comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is in the record already, at this `seq`.
    Recorded(u32),
    /// These entries are to be written; the command is then acknowledged with the first one's `seq`.
    Write(Vec<Entry>),
}

/// When something was asked for: for arithmetic and for the record.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// The instant.
    pub instant: Instant,
    /// The same as wall time.
    pub wall: OffsetDateTime,
}

/// A match.
#[derive(Clone, Debug)]
pub struct State {
    setup: Arc<Setup>,
    play: Play,
    clocks: Clocks,
    entries: Vec<Entry>,
    offer: Option<Offer>,
    /// MA-7: whose last offer was turned down, with no move of the rival since.
    turned_down: BySeat<bool>,
    outcome: Option<Outcome>,
    rematch: Option<Rematch>,
}

impl State {
    /// The match at its start, clocks standing.
    pub fn new(setup: Arc<Setup>) -> Self {
        let play = setup.play();
        let each = std::time::Duration::from_millis(u64::from(setup.clock_ms));
        Self {
            clocks: Clocks::new(each, play.to_move()),
            play,
            entries: Vec::new(),
            offer: None,
            turned_down: BySeat::new(false, false),
            outcome: None,
            rematch: None,
            setup,
        }
    }

    /// What was fixed at the start.
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The game on the board.
    pub fn play(&self) -> &Play {
        &self.play
    }

    /// The game's kind.
    pub fn game(&self) -> Game {
        self.play.game()
    }

    /// Both clocks.
    pub fn clocks(&self) -> &Clocks {
        &self.clocks
    }

    /// Both clocks, to let them stand and run.
    pub fn clocks_mut(&mut self) -> &mut Clocks {
        &mut self.clocks
    }

    /// How the match ended; `None` while it goes on.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The open draw offer.
    pub fn offer(&self) -> Option<Offer> {
        self.offer
    }

    /// What has come of a rematch, as far as the journal says: an open proposal can have been withdrawn since.
    pub fn rematch(&self) -> Option<Rematch> {
        self.rematch
    }

    /// When the match ended; `None` while it goes on.
    pub fn ended_at(&self) -> Option<OffsetDateTime> {
        self.entries.iter().find(|entry| matches!(entry.act, Act::Ended(..))).map(|entry| entry.at)
    }

    /// The place of the last entry, 0 at the start.
    pub fn seq(&self) -> u32 {
        self.entries.last().map_or(0, |entry| entry.seq)
    }

    /// All entries in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Who is to move; `None` after the end.
    pub fn to_move(&self) -> Option<Seat> {
        if self.outcome.is_some() { None } else { Some(self.play.to_move()) }
    }

    /// The moves in order, with who made each and where it stands.
    pub fn moves(&self) -> impl Iterator<Item = (u32, Seat, Move)> {
        self.entries.iter().filter_map(|entry| match entry.act {
            Act::Moved(seat, the_move) => Some((entry.seq, seat, the_move)),
            _ => None,
        })
    }

    /// Judges what a player asks for. Changes nothing.
    pub fn judge(&self, by: Seat, command: &Command, stamp: Stamp) -> Result<Verdict, Refusal> {
        match command {
            Command::Move { ply, text } => self.judge_move(by, *ply, text, stamp),
            Command::Resign => {
                self.still_live()?;
                Ok(Verdict::Write(vec![self.end(1, Some(by.other()), Ending::Resignation, stamp)]))
            }
            Command::Draw(DrawAct::Offer) => self.judge_offer(by, stamp),
            Command::Draw(DrawAct::Accept(offer)) => {
                self.rivals_offer(by, *offer)?;
                Ok(Verdict::Write(vec![self.end(1, None, Ending::Agreement, stamp)]))
            }
            Command::Draw(DrawAct::Decline(offer)) => {
                self.rivals_offer(by, *offer)?;
                Ok(Verdict::Write(vec![self.next(1, Act::DrawDeclined(by), stamp)]))
            }
        }
    }

    fn judge_move(&self, by: Seat, ply: u32, text: &str, stamp: Stamp) -> Result<Verdict, Refusal> {
        let game = self.game();
        let the_move = Move::parse(game, text).map_err(|error| Refusal::UnreadableMove(game, error.to_string()))?;
        let made = self.play.ply();
        // Only what has been made can be in the record, and nearly always it is the next one.
        let recorded = if (1..=made).contains(&ply) { self.moves().nth(ply as usize - 1) } else { None };
        if let Some((seq, seat, recorded)) = recorded
            && seat == by
            && recorded == the_move
        {
            return Ok(Verdict::Recorded(seq));
        }
        self.still_live()?;
        if ply != made + 1 {
            return Err(Refusal::StalePly { ply: made });
        }
        if self.play.to_move() != by {
            return Err(Refusal::NotYourTurn);
        }
        let mut after = self.play.clone();
        after.play(the_move).map_err(Refusal::Illegal)?;
        let mut entries = vec![self.next(1, Act::Moved(by, the_move), stamp)];
        if let Some(outcome) = after.outcome() {
            entries.push(self.end(2, outcome.winner, outcome.ending, stamp));
        }
        Ok(Verdict::Write(entries))
    }

    fn judge_offer(&self, by: Seat, stamp: Stamp) -> Result<Verdict, Refusal> {
        self.still_live()?;
        match self.offer {
            Some(offer) if offer.by == by => Err(Refusal::OfferOpen),
            // MA-7: an offer while the rival's is open accepts it.
            Some(_) => Ok(Verdict::Write(vec![self.end(1, None, Ending::Agreement, stamp)])),
            None if self.turned_down[by] => Err(Refusal::OfferTooSoon),
            None => Ok(Verdict::Write(vec![self.next(1, Act::DrawOffered(by), stamp)])),
        }
    }

    /// MA-7: an answer meets the offer that its sender saw, or none.
    fn rivals_offer(&self, by: Seat, named: u32) -> Result<(), Refusal> {
        self.still_live()?;
        match self.offer {
            Some(offer) if offer.by != by && offer.seq == named => Ok(()),
            Some(offer) if offer.by != by => Err(Refusal::OfferGone),
            _ if self.was_offered(by, named) => Err(Refusal::OfferGone),
            _ => Err(Refusal::NoOpenOffer),
        }
    }

    fn was_offered(&self, to: Seat, named: u32) -> bool {
        self.entries.iter().any(|entry| entry.seq == named && entry.act == Act::DrawOffered(to.other()))
    }

    fn still_live(&self) -> Result<(), Refusal> {
        if self.outcome.is_some() { Err(Refusal::MatchOver) } else { Ok(()) }
    }

    /// MA-4: the running clock has reached zero: its owner loses, whatever the board says.
    pub fn flag(&self, stamp: Stamp) -> Option<Entry> {
        let loser = self.clocks.running()?;
        Some(self.end(1, Some(loser.other()), Ending::Timeout, stamp))
    }

    /// MA-5: the clocks, which stand, run on from here; what they stood for is nobody's time.
    pub fn credit(&self, trouble: Trouble, stamp: Stamp) -> Entry {
        self.next(1, Act::ClockCredited(trouble), stamp)
    }

    /// MA-5, after a restart: nothing was left of the clock when the service was last alive.
    pub fn flag_after_outage(&self, stamp: Stamp) -> Option<Entry> {
        let loser = self.clocks.turn()?;
        (self.clocks.remaining(loser, stamp.instant).is_zero())
            .then(|| self.end(1, Some(loser.other()), Ending::Timeout, stamp))
    }

    /// MA-3: the staff voids the match. `None` where it has ended.
    pub fn void(&self, stamp: Stamp) -> Option<Entry> {
        self.outcome.is_none().then(|| self.end(1, None, Ending::Void, stamp))
    }

    fn end(&self, ahead: u32, winner: Option<Seat>, ending: Ending, stamp: Stamp) -> Entry {
        self.next(ahead, Act::Ended(winner, ending), stamp)
    }

    fn next(&self, ahead: u32, act: Act, stamp: Stamp) -> Entry {
        Entry { seq: self.seq() + ahead, act, clocks: self.clocks.shown(stamp.instant), at: stamp.wall }
    }

    /// Puts a written entry into effect and says what watchers see. A clock that starts with it stands until
    /// it is run: the time of the commit is nobody's.
    ///
    /// # Panics
    ///
    /// Where the entry does not follow from this state: the journal would contradict the rules of the game.
    pub fn apply(&mut self, entry: Entry) -> Event {
        assert_eq!(entry.seq, self.seq() + 1, "entries of match {} follow each other", self.setup.id);
        let event = match entry.act {
            Act::Moved(by, the_move) => self.apply_move(by, the_move, &entry),
            Act::DrawOffered(by) => {
                self.offer = Some(Offer { by, seq: entry.seq });
                Event::DrawOffered { match_id: self.setup.id, seq: entry.seq, by }
            }
            Act::DrawDeclined(by) => {
                self.offer = None;
                self.turned_down[by.other()] = true;
                Event::DrawDeclined { match_id: self.setup.id, seq: entry.seq, by }
            }
            Act::ClockCredited(trouble) => {
                self.clocks.set(entry.clocks, self.clocks.turn());
                Event::ClockCredited {
                    match_id: self.setup.id,
                    seq: entry.seq,
                    first_ms: entry.clocks.first,
                    second_ms: entry.clocks.second,
                    reason: trouble.code(),
                    clocks: ClocksView::new(entry.clocks, self.clocks.turn(), entry.at),
                }
            }
            Act::Ended(winner, ending) => self.apply_end(winner, ending, &entry),
            Act::RematchProposed(by, _) => {
                self.rematch = Some(Rematch::Proposed { by, at: entry.at });
                Event::RematchProposed { match_id: self.setup.id, seq: entry.seq, by }
            }
            Act::RematchDeclined(by) => {
                self.rematch = None;
                Event::RematchDeclined { match_id: self.setup.id, seq: entry.seq, by }
            }
            Act::RematchStarted(next_match) => {
                self.rematch = Some(Rematch::Started(next_match));
                Event::RematchStarted { match_id: self.setup.id, seq: entry.seq, next_match }
            }
        };
        self.entries.push(entry);
        event
    }

    fn apply_move(&mut self, by: Seat, the_move: Move, entry: &Entry) -> Event {
        let effects = self.play.play(the_move).unwrap_or_else(|illegal| {
            panic!("the journal of match {} holds an illegal move at {}: {illegal}", self.setup.id, entry.seq)
        });
        // MA-7: moving declines the rival's offer, and is the move that the rival's next offer waits for,
        // unless it is itself what turned the offer down.
        let declines = self.offer.is_some_and(|offer| offer.by != by);
        self.turned_down[by.other()] = declines;
        if declines {
            self.offer = None;
        }
        let over = self.play.outcome().is_some();
        let to_move = if over { None } else { Some(self.play.to_move()) };
        self.clocks.set(entry.clocks, to_move);
        let EffectsView { sown, captured, mill, taken } = effects.into();
        Event::Moved {
            match_id: self.setup.id,
            seq: entry.seq,
            ply: self.play.ply(),
            by,
            text: the_move,
            position: *self.play.position(),
            to_move,
            legal: self.legal(),
            occurrences: self.play.occurrences(),
            quiet: self.play.quiet(),
            clocks: ClocksView::new(entry.clocks, to_move, entry.at),
            sown,
            captured,
            mill,
            taken,
        }
    }

    fn apply_end(&mut self, winner: Option<Seat>, ending: Ending, entry: &Entry) -> Event {
        let outcome = match self.play.outcome() {
            Some(outcome) if !ending.is_outside() => outcome,
            _ => self.play.end_outside(ending, winner),
        };
        self.outcome = Some(outcome);
        self.offer = None;
        self.clocks.set(entry.clocks, None);
        let (payout, fee) = self.setup.split(outcome.winner.is_some());
        Event::Ended {
            match_id: self.setup.id,
            seq: entry.seq,
            outcome: OutcomeView::from(outcome),
            payout,
            fee,
            clocks: ClocksView::new(entry.clocks, None, entry.at),
        }
    }

    /// What the side to move may play, sorted; empty after the end, however it came about.
    pub fn legal(&self) -> Vec<Move> {
        if self.outcome.is_some() { Vec::new() } else { self.play.legal() }
    }

    /// All events after a `seq`, made anew from the entries: the same that were sent when they happened.
    pub fn events_since(&self, since: u32) -> Vec<Event> {
        let mut replayed = Self::new(Arc::clone(&self.setup));
        let events = self.entries.iter().map(|entry| replayed.apply(entry.clone()));
        events.filter(|event| event.seq() > since).collect()
    }
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
