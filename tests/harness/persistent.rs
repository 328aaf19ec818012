//! A player who never gives up: after each lost line comes back, asks for what was missed, and sends again
//! what had no answer.

use std::{
    net::SocketAddr,
    pin::pin,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Error;

use crate::{Player, Socket, play::pick, socket::is_trouble};

/// Moves that were acknowledged, of all players of this process.
pub static ACKNOWLEDGED: AtomicU64 = AtomicU64::new(0);

/// Players of this process who know that they are not served: their line is lost, or the service says that it is paused.
pub static UNSERVED: AtomicI64 = AtomicI64::new(0);

/// A move and its acknowledgement.
#[derive(Clone, Debug)]
pub struct Acknowledged {
    /// The number of the move.
    pub ply: u64,
    /// The move.
    pub text: String,
    /// The number of its event.
    pub seq: u64,
    /// When it was sent first.
    pub sent: Instant,
    /// When it was acknowledged.
    pub at: Instant,
}

/// What a player went through.
#[derive(Debug, Default)]
pub struct Seen {
    /// Every event, in the order it came.
    pub events: Vec<Value>,
    /// Moves that were acknowledged.
    pub acknowledged: Vec<Acknowledged>,
    /// How often the line was lost.
    pub lines_lost: u32,
    /// How many moves were sent again because the answer was lost.
    pub sent_again: u32,
    /// From when to when the player knew that they were not served.
    pub unserved: Vec<(Instant, Instant)>,
}

/// A move that was sent and has no answer yet.
struct Open {
    ply: u64,
    text: String,
    times_sent: u32,
    sent: Instant,
}

/// How somebody plays.
#[derive(Clone, Debug)]
pub struct Manner {
    /// Where servers listen: each line goes to any of them.
    pub servers: Vec<SocketAddr>,
    /// How long a player thinks about a move on average, in milliseconds; can change meanwhile.
    pub think_ms: watch::Receiver<u64>,
    /// Each change of it cuts the line.
    pub cuts: watch::Receiver<u64>,
}

impl Manner {
    /// On one server, at once, with nobody who cuts the line.
    pub fn at_once(server: SocketAddr) -> Self {
        // Receivers keep their last value when the sender is gone.
        Self { servers: vec![server], think_ms: watch::channel(0).1, cuts: watch::channel(0).1 }
    }
}

/// A player of one match of Oware.
pub struct Persistent<'a> {
    manner: Manner,
    match_id: &'a str,
    player: &'a Player,
    seat: &'a str,
    dice: SmallRng,
    seen: Seen,
    open: Option<Open>,
    unserved_since: Option<Instant>,
}

impl<'a> Persistent<'a> {
    /// Somebody with this seat of a match.
    pub fn new(manner: Manner, match_id: &'a str, player: &'a Player, seat: &'a str, seed: u64) -> Self {
        let dice = SmallRng::seed_from_u64(seed);
        Self { manner, match_id, player, seat, dice, seen: Seen::default(), open: None, unserved_since: None }
    }

    /// Plays random legal moves to the end of the match, over as many lines as it takes.
    pub async fn play(mut self) -> Seen {
        let mut cuts = self.manner.cuts.clone();
        cuts.mark_unchanged();
        loop {
            let line = tokio::select! {
                line = self.on_one_line() => line,
                () = cut(&mut cuts) => Err(Error::ConnectionClosed),
            };
            if line.is_ok() {
                break;
            }
            self.is_not_served();
            self.seen.lines_lost += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.is_served();
        self.seen
    }

    fn is_not_served(&mut self) {
        if self.unserved_since.is_none() {
            self.unserved_since = Some(Instant::now());
            UNSERVED.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_served(&mut self) {
        if let Some(since) = self.unserved_since.take() {
            self.seen.unserved.push((since, Instant::now()));
            UNSERVED.fetch_sub(1, Ordering::Relaxed);
        }
    }

    async fn on_one_line(&mut self) -> Result<(), Error> {
        let server = self.manner.servers[pick(&mut self.dice, self.manner.servers.len())];
        let mut socket = Socket::try_open(server, &self.player.token).await?;
        if pick(&mut self.dice, 2) == 0 {
            // At times before anything is known of what happened meanwhile.
            self.send(&mut socket).await?;
        }
        let since = self.seen.events.len();
        let answer = socket.try_request(json!({"type": "watch", "match": self.match_id, "since": since})).await?;
        not_served(&answer)?;
        assert_eq!(answer["type"], "events", "{answer}");
        assert_eq!(answer["from"].as_u64().unwrap(), since as u64 + 1, "{answer}");
        for event in answer["events"].as_array().unwrap() {
            self.take(event.clone());
        }
        assert_eq!(answer["to"].as_u64().unwrap(), self.seen.events.len() as u64, "{answer}");
        self.is_served();
        loop {
            self.send(&mut socket).await?;
            if self.seen.events.last().is_some_and(|event| event["type"] == "ended") {
                return Ok(());
            }
            self.open = self.next_move();
            if self.open.is_some() {
                self.think(&mut socket).await?;
            } else {
                let frame = socket.try_next().await?;
                self.hear(frame);
            }
        }
    }

    fn hear(&mut self, frame: Value) {
        if frame["match"] != self.match_id {
            return;
        }
        match frame["type"].as_str() {
            Some("paused") => self.is_not_served(),
            Some("resumed") => self.is_served(),
            _ if frame["seq"].is_u64() => self.take(frame),
            _ => {}
        }
    }

    /// Half as long as the average, up to half as long again. Whoever thinks hears what is told meanwhile: that the
    /// service stands, that it goes on, that the line is lost.
    async fn think(&mut self, socket: &mut Socket) -> Result<(), Error> {
        let average = *self.manner.think_ms.borrow();
        if average == 0 {
            return Ok(());
        }
        let length = average * (500 + self.dice.next_u64() % 1_000) / 1_000;
        let mut over = pin!(tokio::time::sleep(Duration::from_millis(length)));
        let mut changes = self.manner.think_ms.clone();
        changes.mark_unchanged();
        loop {
            let frame = tokio::select! {
                () = &mut over => return Ok(()),
                // A change of the pace ends it.
                () = cut(&mut changes) => return Ok(()),
                frame = socket.try_next() => frame?,
            };
            self.hear(frame);
        }
    }

    /// Nothing may be missing between one event and the next, and nothing may come twice.
    fn take(&mut self, event: Value) {
        assert_eq!(event["seq"].as_u64().unwrap(), self.seen.events.len() as u64 + 1, "{event}");
        self.seen.events.push(event);
    }

    /// Sends the open move, where there is one, and waits for its answer.
    async fn send(&mut self, socket: &mut Socket) -> Result<(), Error> {
        let Some(open) = &mut self.open else { return Ok(()) };
        self.seen.sent_again += u32::from(open.times_sent > 0);
        if open.times_sent == 0 {
            open.sent = Instant::now();
        }
        open.times_sent += 1;
        let request = json!({"type": "move", "match": self.match_id, "ply": open.ply, "move": open.text});
        let answer = socket.try_request(request).await?;
        not_served(&answer)?;
        let Open { ply, text, sent, .. } = self.open.take().unwrap();
        assert_eq!(answer["type"], "ok", "{answer} to ply {ply} {text}");
        let seq = answer["seq"].as_u64().unwrap();
        self.seen.acknowledged.push(Acknowledged { ply, text, seq, sent, at: Instant::now() });
        ACKNOWLEDGED.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// A random legal move, where it is this player's turn and none was made yet.
    fn next_move(&mut self) -> Option<Open> {
        let last = self.seen.events.iter().rev().find(|event| event["type"] == "moved");
        let (to_move, made, legal) = match last {
            Some(event) => (event["to_move"].as_str()?, event["ply"].as_u64().unwrap(), event["legal"].clone()),
            None => ("first", 0, json!(["A", "B", "C", "D", "E", "F"])),
        };
        let answered = self.seen.acknowledged.last().is_some_and(|move_made| move_made.ply > made);
        if to_move != self.seat || answered {
            return None;
        }
        let place = pick(&mut self.dice, legal.as_array().unwrap().len());
        let text = legal[place].as_str().unwrap().to_owned();
        Some(Open { ply: made + 1, text, times_sent: 0, sent: Instant::now() })
    }
}

/// Waits for a change; for ever, where nobody is there to make one.
async fn cut(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn not_served(answer: &Value) -> Result<(), Error> {
    if is_trouble(answer) { Err(Error::ConnectionClosed) } else { Ok(()) }
}
