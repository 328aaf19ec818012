//! Fan-out between sockets and the rest of the server, on this node and between nodes.

mod connections;
mod exchange;
mod link;
mod news;
mod outbox;

pub use connections::{Connections, Presence, PresenceChange};
pub use exchange::{Exchange, Transit};
pub use link::{Answer, Bus, ConnectError, Delivery, RequestError, Subscription};
pub use news::{News, Outside};
pub use outbox::{CloseReason, Frame, Inbox, Outbox, Outgoing, SocketId, frame};
