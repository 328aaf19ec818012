//! Who has a socket open at another node, as the other nodes tell it.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use super::{Connections, Known, Player, PresenceChange};
use crate::{
    bus::News,
    ids::{NodeId, PlayerId},
};

/// How long a node may not be heard of before its players count as cut off.
const SILENCE: Duration = Duration::from_millis(1_250);

/// Another node.
pub(super) struct Neighbour {
    /// The number of the last news of its players; `None` while it is not known who they are.
    told: Option<u64>,
    /// When it was last heard of.
    heard: Instant,
}

impl Connections {
    /// Numbered under the lock, so that what a node is told, one after another, is what a list says at any moment.
    pub(super) fn tell_presence(&self, known: &mut Known, player: PlayerId, online: bool) {
        known.told += 1;
        let told = known.told;
        self.outside.tell(|| News::Presence { told, player, online });
    }

    /// The number of the last news of who is connected here.
    pub(in crate::bus) fn told(&self) -> u64 {
        self.known().told
    }

    /// Who is connected here, and the number of the last news that led to it.
    pub(in crate::bus) fn list(&self) -> (u64, Vec<PlayerId>) {
        let known = self.known();
        let here = known.players.iter().filter(|(_, entry)| !entry.sockets.is_empty()).map(|(player, _)| *player);
        (known.told, here.collect())
    }

    /// Another node beats. Whether something that it told was missed.
    pub(in crate::bus) fn heard(&self, node: NodeId, told: u64) -> bool {
        let heard = self.clock.now();
        let mut known = self.known();
        let neighbour = known.nodes.entry(node).or_insert(Neighbour { told: None, heard });
        neighbour.heard = heard;
        if neighbour.told != Some(told) {
            neighbour.told = None;
        }
        neighbour.told.is_none()
    }

    /// Another node tells who came or left. Whether something that it told before was missed.
    pub(in crate::bus) fn heard_news(&self, node: NodeId, told: u64, player: PlayerId, online: bool) -> bool {
        let now = self.clock.now();
        let mut known = self.known();
        let neighbour = known.nodes.entry(node).or_insert(Neighbour { told: None, heard: now });
        match neighbour.told {
            Some(before) if told <= before => return false,
            Some(before) if told == before + 1 => neighbour.told = Some(told),
            Some(_) => {
                neighbour.told = None;
                return true;
            }
            // The list is asked for at the next beat.
            None => return false,
        }
        self.set_elsewhere(&mut known, node, player, online, now);
        false
    }

    /// Who is connected to another node. Older lists than what is known are passed over.
    pub(in crate::bus) fn set_list(&self, node: NodeId, told: u64, players: Vec<PlayerId>) {
        let now = self.clock.now();
        let mut known = self.known();
        match known.nodes.get_mut(&node) {
            Some(neighbour) if neighbour.told.is_none_or(|before| before < told) => neighbour.told = Some(told),
            _ => return,
        }
        let listed: BTreeSet<PlayerId> = players.into_iter().collect();
        let before = known.players.iter().filter(|(_, entry)| entry.elsewhere.contains(&node));
        let gone: Vec<PlayerId> = before.map(|(player, _)| *player).filter(|player| !listed.contains(player)).collect();
        for player in gone {
            self.set_elsewhere(&mut known, node, player, false, now);
        }
        for player in listed {
            self.set_elsewhere(&mut known, node, player, true, now);
        }
    }

    /// Nodes that hold no lease are gone, and their sockets with them.
    pub fn keep_nodes(&self, leased: &BTreeSet<NodeId>) {
        let now = self.clock.now();
        let mut known = self.known();
        let gone: Vec<NodeId> = known.nodes.keys().filter(|node| !leased.contains(node)).copied().collect();
        for node in gone {
            known.nodes.remove(&node);
            let there = known.players.iter().filter(|(_, entry)| entry.elsewhere.contains(&node));
            let left: Vec<PlayerId> = there.map(|(player, _)| *player).collect();
            for player in left {
                self.set_elsewhere(&mut known, node, player, false, now);
            }
        }
    }

    fn set_elsewhere(&self, known: &mut Known, node: NodeId, player: PlayerId, online: bool, now: Instant) {
        let entry: &mut Player = known.players.entry(player).or_default();
        let was_online = entry.is_online();
        entry.elsewhere.retain(|other| *other != node);
        if online {
            entry.elsewhere.push(node);
            (entry.opened, entry.left) = (Some(now), None);
        }
        match (was_online, entry.is_online()) {
            (false, true) => {
                let _ = self.presence.send(PresenceChange::Came(player));
            }
            (true, false) => {
                entry.left = Some(now);
                let _ = self.presence.send(PresenceChange::Left(player));
            }
            _ => {}
        }
    }

    /// Whether of all these nodes it is known who is connected to them. `own` is this one.
    pub fn knows_all_of(&self, own: NodeId, leased: &BTreeSet<NodeId>) -> bool {
        let known = self.known();
        leased.iter().all(|node| *node == own || known.nodes.get(node).is_some_and(|node| node.told.is_some()))
    }

    /// Whether a node that was heard of is no longer.
    pub fn is_silent(&self, node: NodeId) -> bool {
        let now = self.clock.now();
        let is_silent = |heard: Instant| now.saturating_duration_since(heard) > SILENCE;
        self.known().nodes.get(&node).is_some_and(|node| is_silent(node.heard))
    }

    /// Whether a player acts through another node.
    pub fn is_elsewhere(&self, player: PlayerId) -> bool {
        self.known().players.get(&player).is_some_and(|entry| !entry.elsewhere.is_empty())
    }

    /// Until when all of these players could certainly act: now, but for those whose sockets are all at nodes that have
    /// been silent since.
    pub fn served_until(&self, players: [PlayerId; 2]) -> Instant {
        let now = self.clock.now();
        let known = self.known();
        let until = |player| known.players.get(&player).and_then(|entry| known.heard_until(entry)).unwrap_or(now);
        players.into_iter().map(until).min().unwrap_or(now)
    }

    /// Since when one of these players has been cut off, where one is.
    pub fn cut_off(&self, players: [PlayerId; 2]) -> Option<Instant> {
        let until = self.served_until(players);
        (self.clock.now().saturating_duration_since(until) > SILENCE).then_some(until)
    }

    /// Says of everybody who is cut off that they are.
    pub(in crate::bus) fn tell_cut_off(&self) {
        let now = self.clock.now();
        let known = self.known();
        if known.nodes.values().all(|node| now.saturating_duration_since(node.heard) <= SILENCE) {
            return;
        }
        for (player, entry) in &known.players {
            let until = known.heard_until(entry).filter(|until| now.saturating_duration_since(*until) > SILENCE);
            if let Some(until) = until {
                let _ = self.presence.send(PresenceChange::CutOff(*player, until));
            }
        }
    }
}

impl Known {
    /// When the last of the nodes that a player is connected to was heard of; `None` for who is connected here or nowhere.
    fn heard_until(&self, player: &Player) -> Option<Instant> {
        if !player.sockets.is_empty() {
            return None;
        }
        player.elsewhere.iter().filter_map(|node| self.nodes.get(node)).map(|node| node.heard).max()
    }
}
