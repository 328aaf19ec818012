//! Who watches here what is played at another node.
//!
//! The owner sends everything that happens to each node with watchers, once. Each watcher is told what comes after what it
//! knows; where something is missing, because a message was lost or the match has changed hands, it is read from the
//! journal, which has everything before anybody is told of it.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use serde_json::Value;

use super::{clocks_of, placed};
use crate::{
    bus::{Frame, Outbox, SocketId, frame},
    ids::{MatchId, NodeId},
    matches::{
        Matches, Refusal,
        events::{ClocksView, EventsFrame, Notice, RefusedFrame},
        queries::{self, Whereabouts},
        state::State,
    },
};

/// How often it is looked for the owners of matches that have none, and for what is owed to watchers.
const LOOK: Duration = Duration::from_millis(100);
/// How long a watcher waits for a snapshot.
const PATIENCE: Duration = Duration::from_secs(10);
/// How soon an owner that sent nothing is asked again, and one whose match stands.
const ASK_AGAIN: Duration = Duration::from_millis(500);
/// How often it is asked whether the last of what happened has come.
const CHECK: Duration = Duration::from_secs(10);
/// How long a match may have nobody who sends it before its watchers are told that it stands.
const UNHEARD: Duration = Duration::from_millis(300);
/// How many owners are asked at once.
const AT_ONCE: usize = 8;

/// Everything of other nodes that is watched here.
#[derive(Default)]
pub struct Relays {
    matches: Mutex<HashMap<MatchId, Relay>>,
    /// How often owners were asked.
    questions: AtomicU64,
}

#[derive(Default)]
struct Relay {
    /// Who sends what happens; `None` while that is not known.
    owner: Option<NodeId>,
    watchers: Vec<Watcher>,
    waiting: Vec<Waiting>,
    /// The place of the newest event that was heard of.
    newest: u32,
    /// A task is reading the journal.
    reading: bool,
    /// Watchers were told that the match stands.
    paused: bool,
    /// What they are told once they know everything up to where it went on.
    resumed: Option<Frame>,
    asked: Asked,
    /// The number of the last question to the owner.
    number: u64,
    /// Since when nobody sends it.
    lost: Option<Instant>,
    /// The match is over: watchers move on once they have been told everything.
    ended: bool,
}

/// Whether the owner was asked for a snapshot, which shows what is missing.
#[derive(Clone, Copy, Default)]
enum Asked {
    /// It is to be asked.
    #[default]
    Not,
    /// It was asked then, and has sent nothing yet.
    At(Instant),
    /// It was asked then, and has sent one.
    Answered(Instant),
}

struct Watcher {
    outbox: Outbox,
    /// The place of the last event that it knows.
    told: u32,
}

/// Somebody who wants to begin with a snapshot.
struct Waiting {
    outbox: Outbox,
    request: Option<Value>,
    until: Instant,
}

impl Relays {
    fn relays(&self) -> MutexGuard<'_, HashMap<MatchId, Relay>> {
        // Nothing in here can panic half-way through a change.
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A socket watches: after what it missed, or after a snapshot, it is told everything.
    pub(super) async fn watch(
        &self,
        matches: &Matches,
        id: MatchId,
        outbox: Outbox,
        since: Option<u32>,
        request: Option<Value>,
    ) {
        self.leave(matches, id, outbox.id());
        if let Some(since) = since {
            match queries::load(&matches.context().pool, id).await {
                Ok(Some(state)) if since <= state.seq() => {
                    self.begin_after(&state, outbox, since, request);
                    // The next snapshot says whether something has happened in between.
                    return attach(matches, id).await;
                }
                Ok(_) => {}
                Err(_) => {
                    outbox.push(frame(&RefusedFrame::new(request, &Refusal::Paused)));
                    return;
                }
            }
        }
        let until = matches.clock().now() + PATIENCE;
        self.relays().entry(id).or_default().waiting.push(Waiting { outbox, request, until });
        attach(matches, id).await;
    }

    fn begin_after(&self, state: &State, outbox: Outbox, since: u32, request: Option<Value>) {
        let id = state.setup().id;
        let told = frame(&EventsFrame {
            kind: "events",
            id: request,
            match_id: id,
            from: since + 1,
            to: state.seq(),
            events: state.events_since(since),
        });
        let mut relays = self.relays();
        if outbox.push(told) {
            relays.entry(id).or_default().watchers.push(Watcher { outbox, told: state.seq() });
        }
    }

    /// Those who watched a match that this node has let go of, and know everything up to `told`.
    pub(in crate::matches) fn adopt(&self, id: MatchId, watchers: Vec<Outbox>, told: u32) {
        if !watchers.is_empty() {
            let mut relays = self.relays();
            let relay = relays.entry(id).or_default();
            relay.watchers.extend(watchers.into_iter().map(|outbox| Watcher { outbox, told }));
            relay.asked = Asked::Not;
        }
    }

    /// A socket has seen enough.
    pub(in crate::matches) fn leave(&self, matches: &Matches, id: MatchId, socket: SocketId) {
        let mut relays = self.relays();
        if let Some(relay) = relays.get_mut(&id) {
            relay.watchers.retain(|watcher| watcher.outbox.id() != socket);
            relay.waiting.retain(|waiting| waiting.outbox.id() != socket);
        }
        drop_empty(matches, &mut relays, id);
    }

    /// Whether somebody watches a match here that goes on elsewhere.
    pub(in crate::matches) fn has(&self, id: MatchId) -> bool {
        self.relays().contains_key(&id)
    }

    /// How many sockets watch a match here that goes on elsewhere.
    pub(super) fn watchers(&self, id: MatchId) -> usize {
        self.relays()
            .get(&id)
            .map_or(0, |relay| relay.watchers.iter().filter(|watcher| watcher.outbox.is_open()).count())
    }

    /// Who owns a match that is watched here.
    pub(in crate::matches) fn owner(&self, id: MatchId) -> Option<NodeId> {
        self.relays().get(&id).and_then(|relay| relay.owner)
    }

    /// The owner of a match is not who it was believed to be.
    pub(in crate::matches) fn forget_owner(&self, id: MatchId) {
        if let Some(relay) = self.relays().get_mut(&id) {
            relay.owner = None;
        }
    }

    /// Matches whose owner is none any more are looked for.
    pub(in crate::matches) fn keep_owners(&self, is_owner: impl Fn(NodeId) -> bool) {
        for relay in self.relays().values_mut() {
            if relay.owner.is_some_and(|owner| !is_owner(owner)) {
                (relay.owner, relay.asked) = (None, Asked::Not);
            }
        }
    }

    /// The owner tells what has happened.
    pub(super) fn heard(&self, matches: &Matches, from: NodeId, id: MatchId, event: &Frame) {
        let Some(about) = placed(event) else { return };
        let mut relays = self.relays();
        let Some(relay) = relays.get_mut(&id) else { return };
        if about.seq.is_none() && relay.owner.is_some_and(|owner| owner != from) {
            // It stood still while the match was taken from it, and says that it stands. What has a place is stored,
            // whoever tells it.
            return;
        }
        match (about.kind.as_str(), about.seq) {
            ("match", _) => relay.begin(event),
            (kind, Some(seq)) => {
                relay.pass_on(seq, event);
                relay.ended |= kind == "ended";
            }
            (kind, None) => relay.notice(kind, event),
        }
        if relay.misses_something() && !relay.reading {
            relay.reading = true;
            tokio::spawn(read_on(matches.clone(), id));
        }
        drop_empty(matches, &mut relays, id);
    }

    /// What the journal says: watchers are told what they have missed, and of an ended match move on.
    fn catch_up(&self, matches: &Matches, state: &State) -> Vec<Outbox> {
        let id = state.setup().id;
        let mut relays = self.relays();
        let Some(relay) = relays.get_mut(&id) else { return Vec::new() };
        relay.watchers.retain_mut(|watcher| {
            let missed = state.events_since(watcher.told);
            watcher.told = watcher.told.max(state.seq());
            missed.iter().all(|event| watcher.outbox.push(frame(event)))
        });
        let mut moving = Vec::new();
        if state.outcome().is_some() {
            moving.extend(relay.watchers.drain(..).map(|watcher| watcher.outbox));
        }
        relay.say_resumed();
        // What came while the journal was read may be in it only now.
        relay.reading = relay.misses_something();
        if relay.reading {
            tokio::spawn(read_on(matches.clone(), id));
        }
        drop_empty(matches, &mut relays, id);
        moving
    }

    fn give_up_reading(&self, id: MatchId) {
        if let Some(relay) = self.relays().get_mut(&id) {
            // Looked at again at the next snapshot.
            (relay.reading, relay.asked) = (false, Asked::Not);
        }
    }

    /// Matches whose owner is to be asked now; those who have waited for too long are refused.
    fn due(&self, matches: &Matches) -> Vec<MatchId> {
        let now = matches.clock().now();
        let mut relays = self.relays();
        let mut due = Vec::new();
        let ids: Vec<MatchId> = relays.keys().copied().collect();
        for id in ids {
            let Some(relay) = relays.get_mut(&id) else { continue };
            relay.waiting.retain_mut(|waiting| {
                let in_time = waiting.until > now;
                if !in_time {
                    waiting.outbox.push(frame(&RefusedFrame::new(waiting.request.take(), &Refusal::Paused)));
                }
                in_time
            });
            let is_due = match relay.asked {
                Asked::Not => true,
                Asked::At(asked) => now.saturating_duration_since(asked) >= ASK_AGAIN,
                // That it goes on again can be lost too, and somebody waits for it.
                Asked::Answered(asked) => {
                    now.saturating_duration_since(asked) >= if relay.paused { ASK_AGAIN } else { CHECK }
                }
            };
            if relay.owner.is_none() || is_due {
                due.push(id);
            }
            drop_empty(matches, &mut relays, id);
        }
        due
    }

    /// The owner is about to be asked for a snapshot. The number of the question; `None` where nobody watches any more.
    fn asks(&self, id: MatchId, now: Instant) -> Option<u64> {
        let number = self.questions.fetch_add(1, Ordering::Relaxed);
        let mut relays = self.relays();
        let relay = relays.get_mut(&id)?;
        (relay.asked, relay.number) = (Asked::At(now), number);
        Some(number)
    }

    /// Who sends what happens now. Whether watchers have yet to be told that nobody does.
    fn attached(&self, id: MatchId, owner: Option<NodeId>, now: Instant) -> bool {
        let mut relays = self.relays();
        let Some(relay) = relays.get_mut(&id) else { return false };
        relay.owner = owner;
        if owner.is_some() {
            relay.lost = None;
            return false;
        }
        let lost = *relay.lost.get_or_insert(now);
        !relay.paused && !relay.watchers.is_empty() && now.saturating_duration_since(lost) >= UNHEARD
    }

    fn tell_paused(&self, state: &State, at: time::OffsetDateTime, now: Instant) {
        let id = state.setup().id;
        // Who serves it may have been found while the match was read.
        if let Some(relay) = self.relays().get_mut(&id).filter(|relay| relay.owner.is_none()) {
            (relay.paused, relay.resumed) = (true, None);
            let clocks = ClocksView::new(state.clocks().shown(now), None, at);
            let paused = frame(&Notice::Paused { match_id: id, clocks });
            relay.watchers.retain(|watcher| watcher.outbox.push(paused.clone()));
        }
    }
}

impl Relay {
    /// A snapshot: it is what those begin with who wait for one, and tells the others whether they have missed something.
    fn begin(&mut self, event: &Frame) {
        let Ok(mut snapshot) = serde_json::from_slice::<Value>(event) else { return };
        let Some((_, running, seq)) = snapshot.get("match").and_then(clocks_of) else { return };
        if let Asked::At(asked) = self.asked {
            self.asked = Asked::Answered(asked);
        }
        self.newest = self.newest.max(seq);
        if self.paused && running.is_some() {
            self.resumed = resumed(&snapshot);
            self.say_resumed();
        }
        for Waiting { outbox, request, .. } in self.waiting.drain(..) {
            snapshot["id"] = request.clone().unwrap_or_default();
            if request.is_none()
                && let Some(snapshot) = snapshot.as_object_mut()
            {
                snapshot.remove("id");
            }
            if outbox.push(frame(&snapshot)) {
                self.watchers.push(Watcher { outbox, told: seq });
            }
        }
    }

    /// What has no place in the record. That somebody comes or goes changes nothing of what watchers are still to be told.
    fn notice(&mut self, kind: &str, event: &Frame) {
        match kind {
            "resumed" => {
                self.resumed = Some(event.clone());
                return self.say_resumed();
            }
            "paused" => (self.paused, self.resumed) = (true, None),
            _ => {}
        }
        self.watchers.retain(|watcher| watcher.outbox.push(event.clone()));
    }

    /// After what was missed, the credit for the outage most of all.
    fn say_resumed(&mut self) {
        if !self.misses_something()
            && let Some(resumed) = self.resumed.take()
        {
            self.paused = false;
            self.watchers.retain(|watcher| watcher.outbox.push(resumed.clone()));
        }
    }

    fn pass_on(&mut self, seq: u32, event: &Frame) {
        self.newest = self.newest.max(seq);
        self.watchers.retain_mut(|watcher| {
            let is_next = seq == watcher.told + 1;
            watcher.told += u32::from(is_next);
            !is_next || watcher.outbox.push(event.clone())
        });
    }

    /// Whether the journal has something for those who watch: what they were not told, or how they go on after the end.
    fn misses_something(&self) -> bool {
        let is_behind = |watcher: &Watcher| watcher.told < self.newest;
        self.watchers.iter().any(|watcher| self.ended || is_behind(watcher))
    }
}

/// The notice that a match goes on, with the clocks of a snapshot.
fn resumed(snapshot: &Value) -> Option<Frame> {
    let (id, clocks) = (snapshot["match"].get("id")?, snapshot["match"].get("clocks")?);
    Some(frame(&serde_json::json!({"type": "resumed", "match": id, "clocks": clocks})))
}

/// Without anybody who watches there is nothing to be told of.
fn drop_empty(matches: &Matches, relays: &mut HashMap<MatchId, Relay>, id: MatchId) {
    if relays.get(&id).is_some_and(|relay| relay.watchers.is_empty() && relay.waiting.is_empty())
        && let Some(relay) = relays.remove(&id)
        && let (Some(owner), Some(remote)) = (relay.owner, matches.remote())
    {
        remote.detach(matches.node(), owner, id, relay.number);
    }
}

/// Reads what watchers have missed. Those of an ended match go on with what comes after its end.
async fn read_on(matches: Matches, id: MatchId) {
    let Some(remote) = matches.remote() else { return };
    match queries::load(&matches.context().pool, id).await {
        Ok(Some(state)) => {
            let moving = remote.relays.catch_up(&matches, &state);
            matches.adopt(&state, moving);
        }
        Ok(None) | Err(_) => remote.relays.give_up_reading(id),
    }
}

/// Sees to it that everything that is watched here has somebody who sends it.
pub(super) async fn keep_attached(matches: Matches) {
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        let Some(remote) = matches.remote() else { return };
        let is_paused = matches.is_paused();
        remote.relays.keep_owners(|owner| !is_paused && !is_silent(&matches, owner));
        let due = remote.relays.due(&matches);
        stream::iter(due).for_each_concurrent(AT_ONCE, |id| attach(&matches, id)).await;
    }
}

/// Whether another node is not heard of: nobody hears then what is played there.
pub(super) fn is_silent(matches: &Matches, node: NodeId) -> bool {
    node != matches.node() && matches.context().connections.is_silent(node)
}

async fn attach(matches: &Matches, id: MatchId) {
    let Some(remote) = matches.remote() else { return };
    let own = matches.node();
    let Some(number) = remote.relays.asks(id, matches.clock().now()) else { return };
    let owner = match matches.whereabouts(id).await {
        Ok(Some(Whereabouts::Live(owner))) => (!is_silent(matches, owner)).then_some(owner),
        Ok(Some(Whereabouts::Ended)) => return end(matches, id).await,
        Ok(Some(Whereabouts::Orphaned) | None) | Err(_) => None,
    };
    let owner = match owner {
        Some(owner) if remote.attach(own, owner, id, number).await => Some(owner),
        _ => None,
    };
    let now = matches.clock().now();
    if remote.relays.attached(id, owner, now)
        && let Ok(Some(state)) = queries::load(&matches.context().pool, id).await
        && state.outcome().is_none()
    {
        remote.relays.tell_paused(&state, matches.clock().wall_at(now), now);
    }
}

/// The match has ended meanwhile: who waits gets its last snapshot, who watches what they have missed.
async fn end(matches: &Matches, id: MatchId) {
    let Some(remote) = matches.remote() else { return };
    let waiting = match remote.relays.relays().get_mut(&id) {
        Some(relay) => std::mem::take(&mut relay.waiting),
        None => return,
    };
    for Waiting { outbox, request, .. } in waiting {
        matches.watch(id, outbox, None, request);
    }
    read_on(matches.clone(), id).await;
}

#[cfg(test)]
#[path = "relay_tests.rs"]
mod tests;
