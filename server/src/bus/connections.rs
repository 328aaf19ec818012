//! Who is connected: every player's open sockets.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use crate::{
    bus::{CloseReason, Frame, Outbox, SocketId},
    clock::Clock,
    ids::{PlayerId, SessionId},
};

/// A player's first socket opened, or their last one closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresenceChange {
    /// Who.
    pub player: PlayerId,
    /// Whether a socket is open now.
    pub online: bool,
}

/// What is known of a player's presence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// At least one socket is open.
    Online,
    /// The last socket opened at one instant, and none has been open since another.
    Left {
        /// When the last one was opened.
        opened: Instant,
        /// When the last one closed.
        left: Instant,
    },
    /// No socket has been open since the process started, or for so long that it is forgotten.
    Unseen,
}

/// All open sockets of this process, by player.
pub struct Connections {
    clock: Clock,
    /// Sockets a player can have open; one more closes the oldest.
    most: usize,
    players: Mutex<HashMap<PlayerId, Player>>,
    presence: mpsc::UnboundedSender<PresenceChange>,
    wallets: mpsc::UnboundedSender<PlayerId>,
}

#[derive(Default)]
struct Player {
    sockets: Vec<(SessionId, Outbox)>,
    opened: Option<Instant>,
    left: Option<Instant>,
}

/// How long a player who left is remembered; longer than any rule asks for.
const REMEMBERED: Duration = Duration::from_mins(2);

impl Connections {
    /// No sockets yet. Changes of presence and players whose money moved are told to the two channels.
    pub fn new(
        clock: Clock,
        most: usize,
        presence: mpsc::UnboundedSender<PresenceChange>,
        wallets: mpsc::UnboundedSender<PlayerId>,
    ) -> Self {
        Self { clock, most, players: Mutex::default(), presence, wallets }
    }

    fn players(&self) -> std::sync::MutexGuard<'_, HashMap<PlayerId, Player>> {
        // Nothing in here can panic half-way through a change.
        self.players.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A socket has said who it is. `welcome` is its first frame: news of the player come after it.
    pub fn open(&self, player: PlayerId, session: SessionId, outbox: Outbox, welcome: Frame) {
        let now = self.clock.now();
        let mut players = self.players();
        let entry = players.entry(player).or_default();
        (entry.opened, entry.left) = (Some(now), None);
        outbox.push(welcome);
        entry.sockets.push((session, outbox));
        if entry.sockets.len() > self.most {
            let (_, oldest) = entry.sockets.remove(0);
            oldest.close(CloseReason::TooMany);
        }
        if entry.sockets.len() == 1 {
            // Sent under the lock, so that changes are told in the order in which they happened.
            let _ = self.presence.send(PresenceChange { player, online: true });
        }
        metrics::gauge!("stakeboard_sockets").increment(1);
    }

    /// A socket is gone.
    pub fn close(&self, player: PlayerId, socket: SocketId) {
        metrics::gauge!("stakeboard_sockets").decrement(1);
        let now = self.clock.now();
        let mut players = self.players();
        let Some(entry) = players.get_mut(&player) else { return };
        entry.sockets.retain(|(_, outbox)| outbox.id() != socket);
        if entry.sockets.is_empty() && entry.left.is_none() {
            entry.left = Some(now);
            let _ = self.presence.send(PresenceChange { player, online: false });
        }
    }

    /// Sends a frame to all sockets of a player.
    pub fn push(&self, player: PlayerId, frame: &Frame) {
        if let Some(entry) = self.players().get(&player) {
            for (_, outbox) in &entry.sockets {
                outbox.push(frame.clone());
            }
        }
    }

    /// A player's money moved: their sockets are told what they have now.
    pub fn wallet_changed(&self, player: PlayerId) {
        if self.presence(player) == Presence::Online {
            let _ = self.wallets.send(player);
        }
    }

    /// What is known of a player's presence.
    pub fn presence(&self, player: PlayerId) -> Presence {
        match self.players().get(&player) {
            Some(entry) if !entry.sockets.is_empty() => Presence::Online,
            Some(Player { opened: Some(opened), left: Some(left), .. }) => {
                Presence::Left { opened: *opened, left: *left }
            }
            _ => Presence::Unseen,
        }
    }

    /// Every player who has a socket open, in the order of their identifiers; several sockets are one presence.
    pub fn online(&self) -> Vec<PlayerId> {
        let players = self.players();
        let mut online: Vec<_> =
            players.iter().filter(|(_, entry)| !entry.sockets.is_empty()).map(|(player, _)| *player).collect();
        online.sort_unstable();
        online
    }

    /// Every session that has a socket open.
    pub fn sessions(&self) -> Vec<SessionId> {
        self.players().values().flat_map(|entry| entry.sockets.iter().map(|(session, _)| *session)).collect()
    }

    /// A session has ended: its sockets act on nothing more and close.
    pub fn end_session(&self, session: SessionId) {
        for entry in self.players().values() {
            for (_, outbox) in entry.sockets.iter().filter(|(of, _)| *of == session) {
                outbox.close(CloseReason::Unauthenticated);
            }
        }
    }

    /// The server goes down: all sockets are told and closed.
    pub fn stop(&self) {
        for entry in self.players().values() {
            for (_, outbox) in &entry.sockets {
                outbox.close(CloseReason::Stopping);
            }
        }
    }

    /// Forgets players who left long ago.
    pub fn forget_old(&self) {
        let now = self.clock.now();
        self.players()
            .retain(|_, entry| entry.left.is_none_or(|left| now.saturating_duration_since(left) < REMEMBERED));
    }
}
