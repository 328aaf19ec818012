//! Who is connected: every player's open sockets, here and at other nodes.

mod neighbours;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::sync::mpsc;

use crate::{
    bus::{CloseReason, Frame, News, Outbox, Outside, SocketId},
    clock::Clock,
    ids::{NodeId, PlayerId, SessionId},
};

/// What has become of a player's sockets, all nodes taken together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresenceChange {
    /// The first one opened.
    Came(PlayerId),
    /// The last one closed.
    Left(PlayerId),
    /// Those there are hang on nodes that have not been heard of since then.
    CutOff(PlayerId, Instant),
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

/// All open sockets of this process, by player, and who has one at another node.
pub struct Connections {
    clock: Clock,
    /// Sockets a player can have open; one more closes the oldest.
    most: usize,
    known: Mutex<Known>,
    outside: Outside,
    presence: mpsc::UnboundedSender<PresenceChange>,
    wallets: mpsc::UnboundedSender<PlayerId>,
}

#[derive(Default)]
struct Known {
    players: HashMap<PlayerId, Player>,
    /// Other nodes that were heard of.
    nodes: HashMap<NodeId, neighbours::Neighbour>,
    /// How much other nodes were told of who comes and goes here: the number of the last news.
    told: u64,
}

#[derive(Default)]
struct Player {
    sockets: Vec<(SessionId, Outbox)>,
    /// Other nodes at which a socket is open.
    elsewhere: Vec<NodeId>,
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
        Self { clock, most, known: Mutex::default(), outside: Outside::default(), presence, wallets }
    }

    /// The same, with other nodes that are told too.
    pub fn with_others(self, outside: Outside) -> Self {
        Self { outside, ..self }
    }

    /// Where other nodes are told what they have to know.
    pub fn outside(&self) -> &Outside {
        &self.outside
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing in here can panic half-way through a change.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A socket has said who it is. `welcome` is its first frame: news of the player come after it.
    pub fn open(&self, player: PlayerId, session: SessionId, outbox: Outbox, welcome: Frame) {
        let now = self.clock.now();
        let mut known = self.known();
        let entry = known.players.entry(player).or_default();
        (entry.opened, entry.left) = (Some(now), None);
        outbox.push(welcome);
        entry.sockets.push((session, outbox));
        if entry.sockets.len() > self.most {
            let (_, oldest) = entry.sockets.remove(0);
            oldest.close(CloseReason::TooMany);
        }
        if entry.sockets.len() == 1 && entry.elsewhere.is_empty() {
            // Sent under the lock, so that changes are told in the order in which they happened.
            let _ = self.presence.send(PresenceChange::Came(player));
        }
        self.tell_presence(&mut known, player, true);
        metrics::gauge!("stakeboard_sockets").increment(1);
    }

    /// A socket is gone.
    pub fn close(&self, player: PlayerId, socket: SocketId) {
        metrics::gauge!("stakeboard_sockets").decrement(1);
        let now = self.clock.now();
        let mut known = self.known();
        let Some(entry) = known.players.get_mut(&player) else { return };
        let before = entry.sockets.len();
        entry.sockets.retain(|(_, outbox)| outbox.id() != socket);
        if !entry.sockets.is_empty() || before == 0 {
            return;
        }
        if entry.elsewhere.is_empty() {
            entry.left = Some(now);
            let _ = self.presence.send(PresenceChange::Left(player));
        }
        self.tell_presence(&mut known, player, false);
    }

    /// Sends a frame to all sockets of a player.
    pub fn push(&self, player: PlayerId, frame: &Frame) {
        self.push_here(player, frame);
        self.outside.tell(|| News::Push { player, frame: String::from_utf8_lossy(frame).into_owned() });
    }

    /// Sends a frame to those sockets of a player that are open here.
    pub fn push_here(&self, player: PlayerId, frame: &Frame) {
        if let Some(entry) = self.known().players.get(&player) {
            for (_, outbox) in &entry.sockets {
                outbox.push(frame.clone());
            }
        }
    }

    /// A player's money moved: their sockets are told what they have now.
    pub fn wallet_changed(&self, player: PlayerId) {
        self.wallet_changed_elsewhere(player);
        self.outside.tell(|| News::Wallet { player });
    }

    /// The same, as said by another node.
    pub(super) fn wallet_changed_elsewhere(&self, player: PlayerId) {
        if self.known().players.get(&player).is_some_and(|entry| !entry.sockets.is_empty()) {
            let _ = self.wallets.send(player);
        }
    }

    /// What is known of a player's presence.
    pub fn presence(&self, player: PlayerId) -> Presence {
        match self.known().players.get(&player) {
            Some(entry) if entry.is_online() => Presence::Online,
            Some(Player { opened: Some(opened), left: Some(left), .. }) => {
                Presence::Left { opened: *opened, left: *left }
            }
            _ => Presence::Unseen,
        }
    }

    /// Every player who has a socket open, in the order of their identifiers; several sockets are one presence.
    pub fn online(&self) -> Vec<PlayerId> {
        let known = self.known();
        let mut online: Vec<_> =
            known.players.iter().filter(|(_, entry)| entry.is_online()).map(|(player, _)| *player).collect();
        online.sort_unstable();
        online
    }

    /// Every session that has a socket open here.
    pub fn sessions(&self) -> Vec<SessionId> {
        self.known().players.values().flat_map(|entry| entry.sockets.iter().map(|(session, _)| *session)).collect()
    }

    /// A session has ended: its sockets act on nothing more and close.
    pub fn end_session(&self, session: SessionId) {
        for entry in self.known().players.values() {
            for (_, outbox) in entry.sockets.iter().filter(|(of, _)| *of == session) {
                outbox.close(CloseReason::Unauthenticated);
            }
        }
    }

    /// The server goes down, or lets go of everything: all its sockets are told and closed.
    pub fn stop(&self) {
        for entry in self.known().players.values() {
            for (_, outbox) in &entry.sockets {
                outbox.close(CloseReason::Stopping);
            }
        }
    }

    /// Forgets players who left long ago.
    pub fn forget_old(&self) {
        let now = self.clock.now();
        self.known()
            .players
            .retain(|_, entry| entry.left.is_none_or(|left| now.saturating_duration_since(left) < REMEMBERED));
    }
}

impl Player {
    fn is_online(&self) -> bool {
        !self.sockets.is_empty() || !self.elsewhere.is_empty()
    }
}
