//! A bot at one match: it sees what its rival sees, and does what its rival could do.

use std::time::Duration;

use serde::Deserialize;
use stakeboard_engine::{Move, Play, Seat, bot::Level};
use tokio::sync::oneshot;

use super::Inner;
use crate::{
    bus::{Outbox, Outgoing},
    ids::{MatchId, PlayerId},
    matches::{self, Command, DrawAct, LoadError, Refusal},
    players::bots,
    practice::{GuardError, refuse_while_staked},
};

/// How long a bot waits before it tries again what could not be done.
const AGAIN: Duration = Duration::from_millis(250);
/// How long it waits before it asks again whether it is closed to its rival.
const CLOSED: Duration = Duration::from_secs(1);

/// Why a bot leaves a match that goes on.
#[derive(Debug, thiserror::Error)]
pub(super) enum Left {
    /// The match can't be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// What was heard of the match makes no sense.
    #[error("the match can't be followed")]
    Lost,
    /// The server goes down, or the bot did not keep up.
    #[error("the line to the match was closed")]
    Closed,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

/// What a watcher hears, as far as a bot understands it.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Heard {
    Match {
        #[serde(rename = "match")]
        snapshot: Snapshot,
    },
    Moved {
        #[serde(rename = "move")]
        text: String,
    },
    DrawOffered {
        seq: u32,
        by: SeatText,
    },
    Ended {},
    #[serde(other)]
    Else,
}

#[derive(Deserialize)]
struct Snapshot {
    status: String,
    moves: Vec<String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum SeatText {
    First,
    Second,
}

impl From<Seat> for SeatText {
    fn from(seat: Seat) -> Self {
        match seat {
            Seat::First => Self::First,
            Seat::Second => Self::Second,
        }
    }
}

/// A bot at its board.
struct Rival<'a> {
    inner: &'a Inner,
    id: MatchId,
    bot: PlayerId,
    level: Level,
    seat: Seat,
    human: PlayerId,
    play: Play,
    /// An offer of a draw that waits for an answer.
    offer: Option<u32>,
    ended: bool,
}

/// Plays a match to its end.
pub(super) async fn play(inner: &Inner, id: MatchId) -> Result<(), Left> {
    let Some(state) = matches::load(&inner.pool, id).await? else { return Err(Left::Lost) };
    let players = &state.setup().players;
    let at = |seat: Seat| bots::level_of(players[seat].id).map(|level| (seat, level));
    let Some((seat, level)) = [Seat::First, Seat::Second].into_iter().find_map(at) else { return Err(Left::Lost) };
    let (bot, human) = (players[seat].id, players[seat.other()].id);
    let play = state.setup().play();
    Rival { inner, id, bot, level, seat, human, play, offer: None, ended: false }.follow().await
}

impl Rival<'_> {
    async fn follow(&mut self) -> Result<(), Left> {
        let (outbox, mut inbox) = Outbox::new();
        self.inner.matches.watch(self.id, outbox, None, None);
        while !self.ended {
            let Outgoing::Frame(frame) = inbox.next().await else { return Err(Left::Closed) };
            self.hear(&frame)?;
            // What has happened meanwhile is heard before anything is answered.
            while let Some(frame) = inbox.waiting() {
                self.hear(&frame)?;
            }
            self.answer().await?;
        }
        Ok(())
    }

    fn hear(&mut self, frame: &[u8]) -> Result<(), Left> {
        match serde_json::from_slice(frame).map_err(|_| Left::Lost)? {
            Heard::Match { snapshot } => {
                self.ended = snapshot.status == "ended";
                self.play = Play::new(self.play.options());
                snapshot.moves.iter().try_for_each(|text| self.moved(text))
            }
            Heard::Moved { text } => {
                self.offer = None;
                self.moved(&text)
            }
            Heard::DrawOffered { seq, by } => {
                self.offer = (by != self.seat.into()).then_some(seq);
                Ok(())
            }
            Heard::Ended {} => {
                self.ended = true;
                Ok(())
            }
            Heard::Else => Ok(()),
        }
    }

    fn moved(&mut self, text: &str) -> Result<(), Left> {
        let the_move = Move::parse(self.play.game(), text).map_err(|_| Left::Lost)?;
        self.play.play(the_move).map(drop).map_err(|_| Left::Lost)
    }

    /// Turns an offer of a draw down, and plays where it is the bot's turn.
    async fn answer(&mut self) -> Result<(), Left> {
        if let Some(offer) = self.offer.take() {
            self.act(Command::Draw(DrawAct::Decline(offer))).await;
        }
        if self.ended || self.play.outcome().is_some() || self.play.to_move() != self.seat {
            return Ok(());
        }
        self.wait_while_closed().await?;
        let Some(the_move) = self.think().await else { return Err(Left::Lost) };
        self.act(Command::Move { ply: self.play.ply() + 1, text: the_move.to_string() }).await;
        Ok(())
    }

    /// PR-1: whoever plays a game for a stake gets no move of it from a bot.
    async fn wait_while_closed(&self) -> Result<(), Left> {
        loop {
            match refuse_while_staked(&self.inner.pool, self.human, self.play.game()).await {
                // A break lets a match that runs go on (P-3).
                Ok(()) | Err(GuardError::Barred(_)) => return Ok(()),
                Err(GuardError::PlayingForStakes) => tokio::time::sleep(CLOSED).await,
                Err(GuardError::Database(error)) => return Err(error.into()),
            }
        }
    }

    async fn think(&self) -> Option<Move> {
        let _turn = self.inner.turn.acquire().await.ok()?;
        loop {
            match self.inner.bots.choose(&self.play, self.level).await {
                Ok(chosen) => return chosen,
                Err(_) => tokio::time::sleep(AGAIN).await,
            }
        }
    }

    /// Acts as a player does. What the match refuses because it has gone on is left: its events say so.
    async fn act(&self, command: Command) {
        loop {
            let (done, answer) = oneshot::channel();
            let reply = Box::new(move |result| drop(done.send(result)));
            self.inner.matches.act(self.bot, self.id, command.clone(), self.inner.clock.now(), reply);
            match answer.await {
                Ok(Err(Refusal::Paused | Refusal::Overloaded)) => tokio::time::sleep(AGAIN).await,
                _ => return,
            }
        }
    }
}
