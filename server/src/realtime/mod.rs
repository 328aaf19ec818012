//! The socket: frames in, frames out.

mod protocol;
mod socket;

pub use protocol::{
    ClientFrame, DrawAction, ErrorFrame, MatchName, OkFrame, PongFrame, RematchAction, Request, WelcomeFrame, read,
};
pub use socket::{HELLO_PATIENCE, LARGEST_FRAME, MOST_WATCHED, Realtime, RealtimeSettings, upgrade};
