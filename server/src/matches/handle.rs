//! How the rest of the server speaks to a live match.

use std::time::Instant;

use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

use crate::{
    bus::{Outbox, SocketId, frame},
    ids::PlayerId,
    matches::{Refusal, events::RefusedFrame, view::MatchView},
};

/// What a player asks of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Play a move; `ply` is the number of that move, 1 for the first.
    Move {
        /// The number of the move.
        ply: u32,
        /// The move in the game's text form.
        text: String,
    },
    /// Give up.
    Resign,
    /// About a draw.
    Draw(DrawAct),
}

/// What can be done about a draw. An offer is named by its `seq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DrawAct {
    /// Offer one, or accept the rival's open offer.
    Offer,
    /// Accept this offer.
    Accept(u32),
    /// Decline this offer.
    Decline(u32),
}

/// An order of the staff to void a match. Plain data, as every other message that may have to travel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoidOrder {
    /// Who of the staff.
    pub by: PlayerId,
    /// Why.
    pub reason: String,
}

/// Called once with the `seq` at which the act stands, or why it was refused. Must not block.
pub type Reply = Box<dyn FnOnce(Result<u32, Refusal>) + Send>;

/// A message to the actor of a match.
pub enum Message {
    /// A player acts.
    Act {
        /// Who.
        player: PlayerId,
        /// What.
        command: Command,
        /// When the request had been read: it decides against the flag.
        stamp: Instant,
        /// Where the answer goes.
        reply: Reply,
    },
    /// The staff voids the match. No player's command can come to this.
    Void {
        /// Who, and why.
        order: VoidOrder,
        /// Where the answer goes.
        reply: Reply,
    },
    /// A socket wants all events from now on, after a snapshot or after what it missed.
    Watch {
        /// The socket.
        outbox: Outbox,
        /// The last `seq` it has seen.
        since: Option<u32>,
        /// Its own name for the request, as JSON.
        request: Option<serde_json::Value>,
    },
    /// A socket has seen enough.
    Unwatch {
        /// The socket.
        socket: SocketId,
        /// Called once nothing more will come.
        reply: Reply,
    },
    /// Someone wants a snapshot.
    Snapshot(oneshot::Sender<MatchView>),
    /// Someone asks how many sockets watch.
    Audience(oneshot::Sender<usize>),
    /// A player's first socket opened or last one closed.
    Presence {
        /// Who.
        player: PlayerId,
        /// Whether a socket is open.
        online: bool,
    },
    /// A player's connection has been cut off from this node since then, by no fault of theirs.
    CutOff {
        /// Since when.
        since: Instant,
    },
    /// The server goes down, or has lost its lease: nothing more is accepted. Answered when the last commit is through.
    Stop(oneshot::Sender<()>),
}

/// How many messages wait for a match before it refuses more.
pub const MAILBOX: usize = 64;

/// What the actor of a match reads. In boxes: a mailbox has room for dozens from the start, and most stay empty.
pub type Mail = mpsc::Receiver<Box<Message>>;

/// A live match. Copies speak to the same actor.
#[derive(Clone)]
pub struct Handle {
    mailbox: mpsc::Sender<Box<Message>>,
}

impl Handle {
    /// A handle with the end that the actor reads.
    pub fn new() -> (Self, Mail) {
        let (mailbox, inbox) = mpsc::channel(MAILBOX);
        (Self { mailbox }, inbox)
    }

    /// Hands over a message without waiting. Gives it back where the match has just ended; a full mailbox
    /// refuses requests as overloaded and drops the rest.
    pub fn send(&self, message: Message) -> Result<(), Message> {
        match self.mailbox.try_send(Box::new(message)) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Full(message)) => {
                match *message {
                    Message::Act { reply, .. } | Message::Void { reply, .. } | Message::Unwatch { reply, .. } => {
                        reply(Err(Refusal::Overloaded));
                    }
                    Message::Watch { outbox, request, .. } => {
                        outbox.push(frame(&RefusedFrame::new(request, &Refusal::Overloaded)));
                    }
                    Message::Snapshot(_)
                    | Message::Audience(_)
                    | Message::Presence { .. }
                    | Message::CutOff { .. }
                    | Message::Stop(_) => {}
                }
                Ok(())
            }
            Err(mpsc::error::TrySendError::Closed(message)) => Err(*message),
        }
    }

    /// Hands over a message that must arrive, waiting for room.
    pub async fn deliver(&self, message: Message) -> Result<(), Message> {
        self.mailbox.send(Box::new(message)).await.map_err(|mpsc::error::SendError(message)| *message)
    }
}
