//! The lobby: open seeks, the queue, tables by link, rematches, and the pairing of two players.

mod feed;
mod pairing;
mod people;
mod presence;
mod queue;
mod rematch;
mod seeks;
mod tables;

use std::{sync::Arc, time::Instant};

use sqlx::PgPool;
use time::OffsetDateTime;
use tokio_util::task::TaskTracker;

pub use feed::{Feed, LobbyFrame};
pub use pairing::{Accepted, StakedTerms, Unready, withdraw_all};
pub use people::OnlinePlayer;
pub use presence::AWAY;
pub use queue::{Joined, QueueEntry, QueueError, QueueFrame, QueueStatus, keep_pairing};
pub use rematch::{RematchAct, RematchError};
pub use seeks::{AcceptError, PostError, Seek, SeekFilter, WithdrawError};
pub use tables::{JoinError, OpenError, Table, TableCode, TableSeat};

use crate::{
    bus::{Connections, Presence},
    clock::Clock,
    ids::PlayerId,
    matches::{Matches, Setup},
    money::Stake,
};

/// What can be asked for in the lobby.
#[derive(Clone, Copy, Debug)]
pub struct LobbySettings {
    /// The smallest stake.
    pub stake_min: Stake,
    /// The largest stake.
    pub stake_max: Stake,
    /// How many seeks a player can have open.
    pub seeks_most: i64,
    /// How many tables a player can have open.
    pub tables_most: i64,
    /// How many friendly matches a player can be in at once.
    pub friendly_most: i64,
    /// Whether a stake needs a player whose identity has been verified.
    pub identity_needed: bool,
}

/// The lobby of this process. Copies share everything.
#[derive(Clone)]
pub struct Lobby(Arc<Parts>);

/// What the lobby is made of.
pub struct Parts {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: Clock,
    /// Who is there.
    pub connections: Arc<Connections>,
    /// Where pairings become matches.
    pub matches: Matches,
    /// News of the lobby.
    pub feed: Feed,
    /// Work on money, waited for when the server stops.
    pub tasks: TaskTracker,
    /// What can be asked for.
    pub settings: LobbySettings,
    /// When this process started: for a posting from before only a socket counts as presence.
    pub started: Instant,
}

impl Parts {
    /// Whether who posted something then is there to be paired (AWAY).
    fn is_there(&self, poster: PlayerId, posted_at: OffsetDateTime) -> bool {
        let posted = (posted_at >= self.clock.wall_at(self.started)).then(|| self.clock.instant_at(posted_at));
        let presence = self.connections.presence(poster);
        let is_known = presence == Presence::Online || self.knows_presence();
        is_known && presence::is_there(presence, posted, self.clock.now())
    }
}

impl Parts {
    /// Whether it is known who is connected to each node: without that whoever is not seen counts neither as there nor as
    /// gone.
    fn knows_presence(&self) -> bool {
        self.connections.knows_all_of(self.matches.node(), &self.matches.peers())
    }
}

impl Lobby {
    /// Opens the lobby.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// What can be asked for.
    pub fn settings(&self) -> &LobbySettings {
        &self.0.settings
    }

    /// News of the lobby.
    pub fn feed(&self) -> &Feed {
        &self.0.feed
    }

    /// Serves a match that a pairing has just committed, and tells who watches the lobby what went with it.
    fn serve(&self, setup: Setup) {
        let players = setup.players.clone();
        self.0.matches.serve(setup);
        for (_, paired) in players.iter() {
            self.0.feed.player_changed(paired.id);
        }
    }

    /// Withdraws what was posted by players who have been away too long, and what has expired.
    pub async fn sweep(&self) -> Result<(), sqlx::Error> {
        if !self.0.knows_presence() {
            return Ok(());
        }
        self.sweep_seeks().await?;
        self.sweep_rematches().await?;
        self.sweep_tables().await
    }
}
