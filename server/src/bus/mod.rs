//! Fan-out between sockets and the rest of the server.

mod connections;
mod outbox;

pub use connections::{Connections, Presence, PresenceChange};
pub use outbox::{CloseReason, Frame, Inbox, Outbox, Outgoing, SocketId, frame};
