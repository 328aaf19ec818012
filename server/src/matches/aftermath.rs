//! Who watches matches that have ended: a rematch is told of to everybody who saw the match.
//!
//! The journal is the truth: whoever writes to it says so after the commit, and what was written is read here and passed
//! on in order. A hint that is lost is made up for by the next one, or by the next watcher.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    bus::{Frame, Outbox, SocketId, frame},
    ids::MatchId,
    matches::state::State,
};

/// Every ended match that somebody watches.
#[derive(Default)]
pub struct Aftermath(Mutex<HashMap<MatchId, Ended>>);

struct Ended {
    state: State,
    watchers: Vec<Outbox>,
}

impl Aftermath {
    fn matches(&self) -> MutexGuard<'_, HashMap<MatchId, Ended>> {
        // Nothing in here can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a socket what came before, as `told` has it, and everything that comes after. `state` is as new as the
    /// journal was a moment ago.
    pub fn watch(&self, state: State, outbox: Outbox, told: impl FnOnce(&State) -> Frame) {
        let mut matches = self.matches();
        let id = state.setup().id;
        let ended = matches.entry(id).or_insert_with(|| Ended { state: state.clone(), watchers: Vec::new() });
        ended.catch_up(state);
        if outbox.push(told(&ended.state)) {
            ended.add(outbox);
        }
        if ended.watchers.is_empty() {
            matches.remove(&id);
        }
    }

    /// The actor of a match is done: those who watched go on watching.
    pub fn adopt(&self, state: &State, watchers: Vec<Outbox>) {
        if watchers.is_empty() {
            return;
        }
        let mut matches = self.matches();
        let id = state.setup().id;
        let ended = matches.entry(id).or_insert_with(|| Ended { state: state.clone(), watchers: Vec::new() });
        // Somebody who came in between may have brought news with them.
        let missed: Vec<Frame> = ended.state.events_since(state.seq()).iter().map(frame).collect();
        for watcher in watchers {
            if missed.iter().all(|event| watcher.push(event.clone())) {
                ended.add(watcher);
            }
        }
    }

    /// A socket has seen enough.
    pub fn unwatch(&self, id: MatchId, socket: SocketId) {
        let mut matches = self.matches();
        if let Some(ended) = matches.get_mut(&id) {
            ended.watchers.retain(|watcher| watcher.id() != socket);
            if ended.watchers.is_empty() {
                matches.remove(&id);
            }
        }
    }

    /// The place of the last entry that the watchers of a match were told of; `None` where nobody watches.
    pub fn known(&self, id: MatchId) -> Option<u32> {
        self.matches().get(&id).map(|ended| ended.state.seq())
    }

    /// What the journal says now: watchers are told what is new in it.
    pub fn news(&self, state: State) {
        let mut matches = self.matches();
        if let Some(ended) = matches.get_mut(&state.setup().id) {
            ended.catch_up(state);
        }
    }
}

impl Ended {
    fn catch_up(&mut self, newer: State) {
        let known = self.state.seq();
        if newer.seq() <= known {
            return;
        }
        for event in newer.events_since(known) {
            let event = frame(&event);
            self.watchers.retain(|watcher| watcher.push(event.clone()));
        }
        self.state = newer;
    }

    fn add(&mut self, outbox: Outbox) {
        if self.watchers.iter().all(|watcher| watcher.id() != outbox.id()) {
            self.watchers.push(outbox);
        }
    }
}
