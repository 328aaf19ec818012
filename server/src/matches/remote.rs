//! Matches of other nodes: acts are forwarded to the owner, and the owner serves those of others.
//!
//! Who owns a match is said by its row. A request that meets nobody, or a node that does not own the match any more, has
//! changed nothing and is sent again to whoever owns it then.

mod relay;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stakeboard_engine::{BySeat, Seat};
use tokio::sync::oneshot;

use crate::{
    bus::{Answer, Bus, Delivery, Outbox, Outgoing, RequestError, Transit, frame},
    ids::{MatchId, NodeId, PlayerId},
    matches::{
        Matches, Refusal, Reply,
        handle::{Command, Message, VoidOrder},
    },
};

pub use relay::Relays;

/// How long the owner of a match may take to answer. What has no answer by then may have been done: who asked is told
/// `paused`, and asks again.
const PATIENCE: Duration = Duration::from_millis(1_500);
/// The most that the way between two nodes may count in a player's favour.
const MOST_TRANSIT: Duration = Duration::from_millis(250);

/// The way to matches of other nodes, and what of them is watched here.
pub struct Remote {
    bus: Bus,
    transit: Transit,
    pub(super) relays: Relays,
    /// Matches of this node that others watch: what stands for all sockets of that node.
    watched_from: Mutex<HashMap<(MatchId, NodeId), Distant>>,
}

/// A node that watches a match of this one.
struct Distant {
    outbox: Outbox,
    /// The number of its last question to be told.
    number: u64,
}

/// What is asked of the owner of a match.
#[derive(Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
enum Ask {
    /// A player acts.
    Act {
        player: PlayerId,
        command: Command,
        /// How long ago the request had been read, by the clock of the asking node.
        spent_us: u64,
        /// How long a message takes.
        transit_us: u64,
    },
    /// The staff voids it.
    Void { order: VoidOrder },
    /// A snapshot.
    Snapshot,
    /// Who watches.
    Audience,
    /// How many sockets of a node watch what is played elsewhere; asked of that node.
    Watchers,
    /// A node watches: it is sent a snapshot, then everything that happens.
    Attach { node: NodeId, number: u64 },
    /// It does no longer, unless it has asked again since the question of this number: messages overtake each other.
    Detach { node: NodeId, number: u64 },
}

#[derive(Serialize, Deserialize)]
struct Question {
    #[serde(rename = "match")]
    match_id: MatchId,
    #[serde(flatten)]
    ask: Ask,
}

/// What the owner says.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Said {
    /// The act stands there.
    Seq(u32),
    /// It is refused.
    Refused(Refusal),
    /// A snapshot.
    Snapshot(Value),
    /// These watch.
    Audience(Audience),
    /// So many sockets watch there.
    Watchers(usize),
    /// It will come.
    Attached,
    /// This node does not serve the match: nothing was changed.
    NotHere,
}

/// Who watches a match, as its owner has it.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Audience {
    /// Sockets of the owner.
    here: usize,
    /// Other nodes with a watcher.
    nodes: Vec<NodeId>,
}

impl Said {
    fn of(result: Result<u32, Refusal>) -> Self {
        match result {
            Ok(seq) => Self::Seq(seq),
            // It was not begun, and goes on elsewhere.
            Err(Refusal::Stopping) => Self::NotHere,
            Err(refusal) => Self::Refused(refusal),
        }
    }
}

fn answer(to: Option<Answer>, said: &Said) {
    if let Some(to) = to {
        to.give(frame(said));
    }
}

fn subject(node: NodeId) -> String {
    format!("matches.{node}")
}

impl Remote {
    /// With a way to the other nodes.
    pub fn new(bus: Bus, transit: Transit) -> Self {
        Self { bus, transit, relays: Relays::default(), watched_from: Mutex::default() }
    }

    fn watched_from(&self) -> MutexGuard<'_, HashMap<(MatchId, NodeId), Distant>> {
        // Nothing in here can panic half-way through a change.
        self.watched_from.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask(&self, owner: NodeId, match_id: MatchId, ask: Ask) -> Result<Said, Refusal> {
        let question = frame(&Question { match_id, ask });
        match self.bus.request(&subject(owner), question, PATIENCE).await {
            // An answer that can't be read says as little as none.
            Ok(said) => serde_json::from_slice(&said).map_err(|_| Refusal::Paused),
            Err(RequestError::Nobody) => Ok(Said::NotHere),
            Err(RequestError::TimedOut) => Err(Refusal::Paused),
        }
    }

    /// Forwards a message to the owner. Gives it back where the owner does not serve the match.
    pub(super) async fn forward(
        &self,
        matches: &Matches,
        owner: NodeId,
        id: MatchId,
        message: Message,
    ) -> Result<(), Message> {
        if matches!(message, Message::Act { .. }) && relay::is_silent(matches, owner) {
            // It would not answer either, and another one may serve the match before that is known.
            return Err(message);
        }
        match message {
            Message::Act { player, command, stamp, reply } => {
                let spent = matches.clock().now().saturating_duration_since(stamp);
                let ask = Ask::Act {
                    player,
                    command: command.clone(),
                    spent_us: microseconds(spent),
                    transit_us: microseconds(self.transit.get()),
                };
                settle(self.ask(owner, id, ask).await, reply).map_err(|reply| Message::Act {
                    player,
                    command,
                    stamp,
                    reply,
                })
            }
            Message::Void { order, reply } => {
                let ask = Ask::Void { order: order.clone() };
                settle(self.ask(owner, id, ask).await, reply).map_err(|reply| Message::Void { order, reply })
            }
            Message::Watch { outbox, since, request } => {
                self.relays.watch(matches, id, outbox, since, request).await;
                Ok(())
            }
            other => Err(other),
        }
    }

    /// A snapshot as the owner has it; `None` where it does not serve the match.
    pub(super) async fn snapshot(&self, owner: NodeId, id: MatchId) -> Result<Option<Value>, Refusal> {
        match self.ask(owner, id, Ask::Snapshot).await? {
            Said::Snapshot(snapshot) => Ok(Some(snapshot)),
            Said::Refused(refusal) => Err(refusal),
            _ => Ok(None),
        }
    }

    /// How many sockets watch, at all nodes together. A node that does not answer counts as one: somebody watches there.
    pub(super) async fn audience(&self, matches: &Matches, owner: NodeId, id: MatchId) -> usize {
        let own = matches.node();
        let audience = if owner == own {
            self.audience_here(matches, id).await
        } else {
            match self.ask(owner, id, Ask::Audience).await {
                Ok(Said::Audience(audience)) => Some(audience),
                _ => None,
            }
        };
        let Audience { here, nodes } = audience.unwrap_or_default();
        let elsewhere = nodes.into_iter().map(async |node| {
            if node == own {
                return self.relays.watchers(id);
            }
            match self.ask(node, id, Ask::Watchers).await {
                Ok(Said::Watchers(watchers)) => watchers,
                _ => 1,
            }
        });
        here + join_all(elsewhere).await.into_iter().sum::<usize>()
    }

    async fn audience_here(&self, matches: &Matches, id: MatchId) -> Option<Audience> {
        let all = matches.audience_here(id).await?;
        let watched_from = self.watched_from();
        let open = watched_from.iter().filter(|((watched, _), from)| *watched == id && from.outbox.is_open());
        let nodes: Vec<NodeId> = open.map(|((_, node), _)| *node).collect();
        Some(Audience { here: all.saturating_sub(nodes.len()), nodes })
    }

    /// Lets the owner send what happens in a match. Whether it will.
    async fn attach(&self, own: NodeId, owner: NodeId, id: MatchId, number: u64) -> bool {
        matches!(self.ask(owner, id, Ask::Attach { node: own, number }).await, Ok(Said::Attached))
    }

    /// Nobody here watches any more.
    fn detach(&self, own: NodeId, owner: NodeId, id: MatchId, number: u64) {
        let question = Question { match_id: id, ask: Ask::Detach { node: own, number } };
        self.bus.publish(&subject(owner), frame(&question));
    }

    /// Nobody of other nodes watches any more: this one has let go of its matches.
    pub(super) fn let_go(&self) {
        self.watched_from().clear();
    }

    /// Nodes that hold no lease watch nothing.
    pub(super) fn keep_nodes(&self, leased: &std::collections::BTreeSet<NodeId>) {
        self.watched_from().retain(|(_, node), from| {
            let is_there = leased.contains(node);
            if !is_there {
                from.outbox.close(crate::bus::CloseReason::Gone);
            }
            is_there
        });
    }
}

fn microseconds(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Replies with what the owner said; gives the reply back where it does not serve the match.
fn settle(said: Result<Said, Refusal>, reply: Reply) -> Result<(), Reply> {
    match said {
        Ok(Said::Seq(seq)) => reply(Ok(seq)),
        Ok(Said::Refused(refusal)) | Err(refusal) => reply(Err(refusal)),
        Ok(_) => return Err(reply),
    }
    Ok(())
}

/// Serves what other nodes ask of the matches of this one, and tells their watchers here what other nodes tell.
pub async fn serve(matches: Matches) {
    let Some(remote) = matches.remote() else { return };
    let own = matches.node();
    let mut questions = remote.bus.subscribe(&subject(own)).await;
    let mut events = remote.bus.subscribe(&format!("events.{own}.*.*")).await;
    let attaching = matches.clone();
    tokio::spawn(async move { relay::keep_attached(attaching).await });
    loop {
        tokio::select! {
            Some(delivery) = questions.next() => serve_one(&matches, delivery),
            Some(delivery) = events.next() => {
                let (from, id) = delivery.last_two();
                if let (Ok(from), Ok(id)) = (from.parse(), id.parse()) {
                    remote.relays.heard(&matches, from, id, &delivery.payload);
                }
            }
            else => return,
        }
    }
}

fn serve_one(matches: &Matches, mut delivery: Delivery) {
    let arrived = matches.clock().now();
    let to = delivery.take_answer();
    let Ok(Question { match_id, ask }) = serde_json::from_slice(&delivery.payload) else { return };
    match ask {
        Ask::Detach { node, number } => return detach_here(matches, match_id, node, number),
        Ask::Watchers => {
            let watchers = matches.remote().map_or(0, |remote| remote.relays.watchers(match_id));
            return answer(to, &Said::Watchers(watchers));
        }
        _ => {}
    }
    let Some(handle) = matches.find(match_id) else { return answer(to, &Said::NotHere) };
    match ask {
        Ask::Act { player, command, spent_us, transit_us } => {
            // Not from the wall clock of another machine: how long ago it was, by that machine's own measure.
            let ago = Duration::from_micros(spent_us) + Duration::from_micros(transit_us).min(MOST_TRANSIT);
            let stamp = arrived.checked_sub(ago).unwrap_or(arrived);
            let reply: Reply = Box::new(move |result| answer(to, &Said::of(result)));
            if let Err(Message::Act { reply, .. }) = handle.send(Message::Act { player, command, stamp, reply }) {
                reply(Err(Refusal::Stopping));
            }
        }
        Ask::Void { order } => {
            let reply: Reply = Box::new(move |result| answer(to, &Said::of(result)));
            if let Err(Message::Void { reply, .. }) = handle.send(Message::Void { order, reply }) {
                reply(Err(Refusal::Stopping));
            }
        }
        Ask::Snapshot | Ask::Audience => {
            let matches = matches.clone();
            tokio::spawn(async move { answer(to, &look(&matches, match_id, matches!(ask, Ask::Snapshot)).await) });
        }
        Ask::Attach { node, number } => {
            let outbox = outbox_of(matches, match_id, node, number);
            let sent = handle.send(Message::Watch { outbox, since: None, request: None }).is_ok();
            answer(to, if sent { &Said::Attached } else { &Said::NotHere });
        }
        Ask::Detach { .. } | Ask::Watchers => {}
    }
}

async fn look(matches: &Matches, id: MatchId, snapshot: bool) -> Said {
    let (Some(handle), Some(remote)) = (matches.find(id), matches.remote()) else { return Said::NotHere };
    if snapshot {
        let (reply, view) = oneshot::channel();
        let _ = handle.deliver(Message::Snapshot(reply)).await;
        let view = view.await.ok().and_then(|view| serde_json::to_value(view).ok());
        view.map_or(Said::NotHere, Said::Snapshot)
    } else {
        remote.audience_here(matches, id).await.map_or(Said::NotHere, Said::Audience)
    }
}

/// What stands here for all sockets of another node that watch a match: what is pushed goes there, in order.
fn outbox_of(matches: &Matches, id: MatchId, node: NodeId, number: u64) -> Outbox {
    let Some(remote) = matches.remote() else { return Outbox::new().0 };
    let mut watched = remote.watched_from();
    if let Some(from) = watched.get_mut(&(id, node)).filter(|from| from.outbox.is_open()) {
        from.number = from.number.max(number);
        return from.outbox.clone();
    }
    let (outbox, mut inbox) = Outbox::new();
    watched.insert((id, node), Distant { outbox: outbox.clone(), number });
    let (bus, own) = (remote.bus.clone(), matches.node());
    tokio::spawn(async move {
        let subject = format!("events.{node}.{own}.{id}");
        while let Outgoing::Frame(event) = inbox.next().await {
            bus.publish(&subject, event);
        }
    });
    outbox
}

fn detach_here(matches: &Matches, id: MatchId, node: NodeId, number: u64) {
    let Some(remote) = matches.remote() else { return };
    let mut watched = remote.watched_from();
    if watched.get(&(id, node)).is_some_and(|from| from.number <= number)
        && let Some(from) = watched.remove(&(id, node))
    {
        matches.unwatch_here(id, from.outbox.id(), Box::new(drop));
    }
}

/// The clocks of a snapshot, as a notice has them.
fn clocks_of(snapshot: &Value) -> Option<(BySeat<u32>, Option<Seat>, u32)> {
    let clocks = snapshot.get("clocks")?;
    let shown = |name: &str| clocks.get(name)?.as_u64().and_then(|shown| u32::try_from(shown).ok());
    let running = clocks.get("running").and_then(Value::as_str).and_then(|seat| seat.parse().ok());
    let seq = snapshot.get("seq")?.as_u64().and_then(|seq| u32::try_from(seq).ok())?;
    Some((BySeat::new(shown("first_ms")?, shown("second_ms")?), running, seq))
}

/// Only what an event has to say of its place.
#[derive(Deserialize)]
struct Placed {
    #[serde(rename = "type")]
    kind: String,
    seq: Option<u32>,
}

fn placed(event: &Bytes) -> Option<Placed> {
    serde_json::from_slice(event).ok()
}
