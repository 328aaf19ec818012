//! A player who never gives up: after each lost line comes back, asks for what was missed, and sends again
//! what had no answer.

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use rand::{SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_tests::{Player, Socket, play::pick};
use tokio_tungstenite::tungstenite::Error;

/// Moves that were acknowledged, of all players of a test.
pub static ACKNOWLEDGED: AtomicU64 = AtomicU64::new(0);

/// What a player went through.
pub struct Seen {
    /// Every event, in the order it came.
    pub events: Vec<Value>,
    /// Moves that were acknowledged: ply, move, `seq`.
    pub acknowledged: Vec<(u64, String, u64)>,
    /// How often the line was lost.
    pub lines_lost: u32,
    /// How many moves were sent again because the answer was lost.
    pub sent_again: u32,
}

/// A move that was sent and has no answer yet.
struct Open {
    ply: u64,
    text: String,
    times_sent: u32,
}

/// A player of one match.
pub struct Persistent<'a> {
    address: SocketAddr,
    match_id: &'a str,
    player: &'a Player,
    seat: &'a str,
    dice: SmallRng,
    seen: Seen,
    open: Option<Open>,
}

impl<'a> Persistent<'a> {
    pub fn new(address: SocketAddr, match_id: &'a str, player: &'a Player, seat: &'a str, seed: u64) -> Self {
        let seen = Seen { events: Vec::new(), acknowledged: Vec::new(), lines_lost: 0, sent_again: 0 };
        Self { address, match_id, player, seat, dice: SmallRng::seed_from_u64(seed), seen, open: None }
    }

    /// Plays random legal moves to the end of the match, over as many lines as it takes.
    pub async fn play(mut self) -> Seen {
        while self.on_one_line().await.is_err() {
            self.seen.lines_lost += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.seen
    }

    async fn on_one_line(&mut self) -> Result<(), Error> {
        let mut socket = Socket::try_open(self.address, &self.player.token).await?;
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
        loop {
            self.send(&mut socket).await?;
            if self.seen.events.last().is_some_and(|event| event["type"] == "ended") {
                return Ok(());
            }
            self.open = self.next_move();
            if self.open.is_none() {
                let frame = socket.try_next().await?;
                if frame["match"] == self.match_id && frame["seq"].is_u64() {
                    self.take(frame);
                }
            }
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
        open.times_sent += 1;
        let request = json!({"type": "move", "match": self.match_id, "ply": open.ply, "move": open.text});
        let answer = socket.try_request(request).await?;
        not_served(&answer)?;
        assert_eq!(answer["type"], "ok", "{answer} to ply {} {}", open.ply, open.text);
        self.seen.acknowledged.push((open.ply, open.text.clone(), answer["seq"].as_u64().unwrap()));
        self.open = None;
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
        let answered = self.seen.acknowledged.last().is_some_and(|(ply, ..)| *ply > made);
        if to_move != self.seat || answered {
            return None;
        }
        let place = pick(&mut self.dice, legal.as_array().unwrap().len());
        Some(Open { ply: made + 1, text: legal[place].as_str().unwrap().to_owned(), times_sent: 0 })
    }
}

/// A server that is in trouble says so, and is asked again over another line.
fn not_served(answer: &Value) -> Result<(), Error> {
    let in_trouble = ["stopping", "paused", "overloaded"].iter().any(|code| answer["code"] == *code);
    if in_trouble { Err(Error::ConnectionClosed) } else { Ok(()) }
}
