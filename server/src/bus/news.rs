//! What nodes tell each other, all of them: hints of what has changed, and what is for a player wherever they are.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::ids::{MatchId, NodeId, PlayerId, SeekId, SessionId};

/// Something that all nodes are told. Each is a hint: where one is lost the truth is found without it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "news", rename_all = "snake_case")]
pub enum News {
    /// The sender is there.
    Beat {
        /// Counts up by one.
        beat: u64,
        /// The number of its last news of presence.
        told: u64,
    },
    /// A player opened a socket at the sender, or closed their last one there.
    Presence {
        /// Counts up by one.
        told: u64,
        /// Who.
        player: PlayerId,
        /// Whether one is open.
        online: bool,
    },
    /// A frame for all sockets of a player.
    Push {
        /// Whose.
        player: PlayerId,
        /// JSON.
        frame: String,
    },
    /// A player's money moved.
    Wallet {
        /// Whose.
        player: PlayerId,
    },
    /// A session has ended.
    SessionEnded {
        /// Which.
        session: SessionId,
    },
    /// A log-in, or a code, was wrong.
    LoginFailed {
        /// The account, as a hash of its address.
        account: [u8; 32],
        /// Where from, where that is counted.
        network: Option<IpAddr>,
    },
    /// A log-in was right.
    LoggedIn {
        /// The account, as a hash of its address.
        account: [u8; 32],
    },
    /// Somebody signed up.
    SignedUp {
        /// Where from.
        network: IpAddr,
    },
    /// A seek was posted or taken away.
    Seek {
        /// Which.
        seek: SeekId,
    },
    /// A player's seeks were taken away.
    Seeks {
        /// Whose.
        player: PlayerId,
    },
    /// The journal of an ended match has grown.
    Epilogue {
        /// Which.
        #[serde(rename = "match")]
        match_id: MatchId,
    },
    /// A node's lease has ended, or it has let go of what it owned.
    LetGo {
        /// Which.
        node: NodeId,
    },
}

/// Where news for other nodes go; nowhere where there are none. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Outside(Option<mpsc::UnboundedSender<News>>);

impl Outside {
    /// Where there is a bus: with what is to be sent over it.
    pub fn open() -> (Self, mpsc::UnboundedReceiver<News>) {
        let (sender, news) = mpsc::unbounded_channel();
        (Self(Some(sender)), news)
    }

    /// Whether there may be other nodes.
    pub fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Tells all other nodes.
    pub fn tell(&self, news: impl FnOnce() -> News) {
        if let Some(sender) = &self.0 {
            drop(sender.send(news()));
        }
    }
}
