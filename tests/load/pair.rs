//! Two players who play one match after the other.

use std::{
    borrow::Cow,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail, ensure};
use rand::{Rng as _, SeedableRng as _, rngs::SmallRng};
use serde_json::{Value, json};
use stakeboard_engine::{Game, Seat};
use stakeboard_tests::play::pick;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::{
    line::{Line, Received},
    people::{Person, post},
    tally::{Sizes, Tally},
    target::Target,
};

/// Between two moves of a match while others have yet to begin.
const UNHURRIED: Duration = Duration::from_secs(1);

/// A match, and every move of it that was acknowledged, in order.
#[derive(Debug)]
pub struct Played {
    /// The match.
    pub id: String,
    /// Its acknowledged moves, each followed by a space.
    pub moves: String,
}

/// How the players play.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The game.
    pub game: Game,
    /// What each puts up, in minor units.
    pub stake: i64,
    /// How long they think about a move on average.
    pub think: Duration,
    /// The least time between two frames of one socket, where the server limits them.
    pub pace: Duration,
}

/// Two players.
pub struct Pair {
    tally: Arc<Tally>,
    manner: Manner,
    people: [Person; 2],
    lines: [Line; 2],
    asides: [Vec<Utf8Bytes>; 2],
    dice: SmallRng,
    played: Vec<Played>,
}

/// One posts a seek, the other accepts it; gives the match.
async fn meet([host, guest]: &mut [Person; 2], manner: Manner) -> anyhow::Result<String> {
    let terms = json!({ "game": manner.game.code(), "stake": manner.stake });
    let seek = post(host.client().await?, "/v1/lobby/seeks", &terms, 201).await?;
    let seek = seek["id"].as_str().context("a seek without an id")?;
    let agreed = json!({ "stake": manner.stake });
    let accepted = post(guest.client().await?, &format!("/v1/lobby/seeks/{seek}/accept"), &agreed, 201).await?;
    Ok(accepted["match_id"].as_str().context("no match")?.to_owned())
}

/// The size of the answer to the request that was sent last.
async fn answer(line: &mut Line, asides: &mut Vec<Utf8Bytes>) -> anyhow::Result<usize> {
    // What came before it was sent is no answer to it.
    asides.clear();
    loop {
        let frame = line.receive().await?;
        if frame.starts_with(r#"{"type":"ok","#) {
            return Ok(frame.len());
        }
        if frame.starts_with(r#"{"type":"error","#) {
            let refused = Received::read(&frame)?;
            bail!("a request was refused: {}", refused.code.unwrap_or_default());
        }
    }
}

/// A match under way.
struct Turn {
    /// Who is to move, by their place in the pair.
    mover: usize,
    /// How many moves have been made.
    ply: u32,
    legal: Vec<String>,
}

impl Pair {
    /// Two new players with a socket each.
    pub async fn new(target: &Target, tally: Arc<Tally>, manner: Manner, seed: u64) -> anyhow::Result<Self> {
        let (people, lines) = {
            let (one, first) = target.player().await?;
            let (two, second) = target.player().await?;
            ([one, two], [first, second])
        };
        let dice = SmallRng::seed_from_u64(seed);
        Ok(Self { tally, manner, people, lines, asides: Default::default(), dice, played: Vec::new() })
    }

    /// Plays until told to stop. Gives what was played; `under_way` is called when the first match has begun.
    pub async fn run(mut self, under_way: impl FnOnce()) -> Vec<Played> {
        let mut under_way = Some(under_way);
        while !self.tally.is_stopping() {
            let begun = self.begin().await;
            if let Some(under_way) = under_way.take() {
                under_way();
            }
            let ended = match begun {
                Ok((id, turn)) => self.play_and_leave(&id, turn).await,
                Err(error) => Err(error.context("starting a match")),
            };
            if let Err(error) = ended {
                // A pair whose line is lost plays no more: its error is in the report.
                self.tally.fail(&error);
                break;
            }
        }
        self.played
    }

    async fn begin(&mut self) -> anyhow::Result<(String, Turn)> {
        let Self { people, lines: [one, two], asides: [for_one, for_two], manner, .. } = self;
        // Where thousands begin at once each waits for its turn, and a socket that answers no ping is closed.
        let id = tokio::select! {
            met = meet(people, *manner) => met?,
            lost = one.attend(for_one) => match lost? {},
            lost = two.attend(for_two) => match lost? {},
        };
        let watch = json!({ "type": "watch", "match": id }).to_string();
        let mut snapshot = Value::Null;
        for line in &mut self.lines {
            line.send(watch.clone()).await?;
            snapshot = loop {
                let text = line.receive().await?;
                // The frame before any other that has a snapshot in it; news of earlier matches can come first.
                if text.starts_with(r#"{"type":"match","#) {
                    break serde_json::from_str(&text)?;
                }
            };
        }
        let snapshot = &snapshot["match"];
        let opener = usize::from(snapshot["players"]["first"]["id"] != self.people[0].id.as_str());
        let legal = snapshot["legal"].as_array().context("no legal moves")?;
        let legal = legal.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        // Seats by their place: `first` is whoever opens.
        if opener == 1 {
            self.people.swap(0, 1);
            self.lines.swap(0, 1);
        }
        self.played.push(Played { id: id.clone(), moves: String::new() });
        Ok((id, Turn { mover: 0, ply: 0, legal }))
    }

    async fn play_and_leave(&mut self, id: &str, turn: Turn) -> anyhow::Result<()> {
        self.play(id, turn).await?;
        for line in &mut self.lines {
            line.send(json!({ "type": "unwatch", "match": id }).to_string()).await?;
        }
        Ok(())
    }

    async fn play(&mut self, id: &str, mut turn: Turn) -> anyhow::Result<()> {
        loop {
            self.think().await?;
            if self.tally.is_stopping() {
                return self.resign(id, turn.mover).await;
            }
            let Some(next) = self.make_move(id, &turn).await? else {
                self.tally.end();
                return Ok(());
            };
            turn = next;
        }
    }

    /// Thinks for a while, answering pings on both sockets.
    async fn think(&mut self) -> anyhow::Result<()> {
        let think = self.manner.think;
        let mut length = self.manner.pace;
        if !self.tally.under_way.load(Ordering::Relaxed) {
            length = length.max(UNHURRIED);
        }
        if !think.is_zero() {
            let thousandths = 500 + self.dice.next_u32() % 1_000;
            length = length.max(think * thousandths / 1_000);
        }
        let mut rest = length;
        // In parts, so that the end of the run is not waited for.
        while !rest.is_zero() && !self.tally.is_stopping() {
            let part = rest.min(Duration::from_secs(1));
            self.rest(part).await?;
            rest -= part;
        }
        Ok(())
    }

    /// Answers pings on both sockets for so long.
    async fn rest(&mut self, length: Duration) -> anyhow::Result<()> {
        let [one, two] = &mut self.lines;
        let [for_one, for_two] = &mut self.asides;
        tokio::try_join!(one.rest(length, for_one), two.rest(length, for_two))?;
        Ok(())
    }

    async fn receive(&mut self, side: usize) -> anyhow::Result<Utf8Bytes> {
        if self.asides[side].is_empty() { self.lines[side].receive().await } else { Ok(self.asides[side].remove(0)) }
    }

    /// Plays a random move; gives the next turn, or nothing where the match has ended.
    async fn make_move(&mut self, id: &str, turn: &Turn) -> anyhow::Result<Option<Turn>> {
        let (mover, rival) = (turn.mover, 1 - turn.mover);
        let ply = turn.ply + 1;
        let text = &turn.legal[pick(&mut self.dice, turn.legal.len())];
        let request = format!(r#"{{"type":"move","id":{ply},"match":"{id}","ply":{ply},"move":"{text}"}}"#);
        let mut sizes = Sizes { request: request.len(), answer: 0, event: 0 };
        let sent = Instant::now();
        self.lines[mover].send(request).await?;
        sizes.answer = self.acknowledgement(mover).await?;
        let after = sent.elapsed();
        self.played.last_mut().context("a match")?.moves.extend([text.as_str(), " "]);
        loop {
            let frame = self.receive(rival).await?;
            if !frame.starts_with(r#"{"type":"moved","#) {
                continue;
            }
            let moved = Received::read(&frame)?;
            if moved.ply != Some(ply) {
                continue;
            }
            sizes.event = frame.len();
            self.tally.acknowledge(after, sizes);
            let Some(to_move) = moved.to_move else {
                self.ended(0).await?;
                self.ended(1).await?;
                return Ok(None);
            };
            let mover = usize::from(to_move != Seat::First.code());
            let legal = moved.legal.unwrap_or_default().into_iter().map(Cow::into_owned).collect();
            return Ok(Some(Turn { mover, ply, legal }));
        }
    }

    /// Waits for the answer to a request; gives its size. That of a last move comes when the match is settled, which takes
    /// its time where many end at once: the rival answers pings meanwhile.
    async fn acknowledgement(&mut self, side: usize) -> anyhow::Result<usize> {
        let Self { lines: [one, two], asides: [for_one, for_two], .. } = self;
        let (mover, own, rival, aside) =
            if side == 0 { (one, for_one, two, for_two) } else { (two, for_two, one, for_one) };
        tokio::select! {
            biased;
            size = answer(mover, own) => size,
            lost = rival.attend(aside) => match lost? {},
        }
    }

    async fn ended(&mut self, side: usize) -> anyhow::Result<()> {
        loop {
            let frame = self.receive(side).await?;
            if frame.starts_with(r#"{"type":"ended","#) {
                return Ok(());
            }
            ensure!(!frame.starts_with(r#"{"type":"error","#), "instead of the end: {frame}");
        }
    }

    async fn resign(&mut self, id: &str, side: usize) -> anyhow::Result<()> {
        let tally = Arc::clone(&self.tally);
        let _turn = loop {
            match tally.leaving.try_acquire() {
                Ok(turn) => break turn,
                Err(_) => self.rest(Duration::from_millis(100)).await?,
            }
        };
        self.lines[side].send(json!({ "type": "resign", "id": 0, "match": id }).to_string()).await?;
        self.ended(side).await?;
        self.ended(1 - side).await
    }
}
