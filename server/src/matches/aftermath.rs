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

/// Who watches which ended match. Nothing is kept of the matches themselves: people watch on who have long forgotten it.
#[derive(Default)]
pub struct Aftermath(Mutex<HashMap<MatchId, Vec<Watcher>>>);

struct Watcher {
    outbox: Outbox,
    /// The place of the last entry that it was told of.
    told: u32,
}

impl Aftermath {
    fn matches(&self) -> MutexGuard<'_, HashMap<MatchId, Vec<Watcher>>> {
        // Nothing in here can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a socket what came before, up to the end of `state`; from then on it is told what [`Aftermath::news`] brings.
    /// The journal may have more already, so it has to be looked at afterwards.
    pub fn watch(&self, state: &State, outbox: Outbox, before: Frame) {
        // Told under the lock, so that no news comes before it.
        let mut matches = self.matches();
        if outbox.push(before) {
            add(matches.entry(state.setup().id).or_default(), outbox, state.seq());
        }
    }

    /// The actor of a match is done: those who watched go on watching. Says whether somebody has been told of more, so
    /// that the journal has to be looked at.
    pub fn adopt(&self, state: &State, outboxes: Vec<Outbox>) -> bool {
        if outboxes.is_empty() {
            return false;
        }
        let mut matches = self.matches();
        let watchers = matches.entry(state.setup().id).or_default();
        let is_behind = watchers.iter().any(|watcher| watcher.told > state.seq());
        for outbox in outboxes {
            add(watchers, outbox, state.seq());
        }
        is_behind
    }

    /// A socket has seen enough.
    pub fn unwatch(&self, id: MatchId, socket: SocketId) {
        let mut matches = self.matches();
        if let Some(watchers) = matches.get_mut(&id) {
            watchers.retain(|watcher| watcher.outbox.id() != socket);
            if watchers.is_empty() {
                matches.remove(&id);
            }
        }
    }

    /// The place of the last entry that every watcher of a match was told of; `None` where nobody watches.
    pub fn known(&self, id: MatchId) -> Option<u32> {
        self.matches().get(&id)?.iter().map(|watcher| watcher.told).min()
    }

    /// What the journal says now: watchers are told what is new to them, in order.
    pub fn news(&self, state: &State) {
        let mut matches = self.matches();
        let Some(watchers) = matches.get_mut(&state.setup().id) else { return };
        let known = watchers.iter().map(|watcher| watcher.told).min().unwrap_or_default();
        for event in state.events_since(known) {
            let (seq, event) = (event.seq(), frame(&event));
            watchers.retain_mut(|watcher| {
                if watcher.told >= seq {
                    return true;
                }
                watcher.told = seq;
                watcher.outbox.push(event.clone())
            });
        }
        if watchers.is_empty() {
            matches.remove(&state.setup().id);
        }
    }
}

/// One socket is told once, from where it was told last.
fn add(watchers: &mut Vec<Watcher>, outbox: Outbox, told: u32) {
    watchers.retain(|watcher| watcher.outbox.id() != outbox.id());
    watchers.push(Watcher { outbox, told });
}
