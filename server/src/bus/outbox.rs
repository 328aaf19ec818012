//! The bounded queue between the server and one socket.

use std::{
    cell::RefCell,
    future::poll_fn,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::task::AtomicWaker;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::code::Code;

/// A message as JSON text, serialised once.
pub type Frame = Bytes;

/// Larger than nearly every message; what a larger one needed is given back.
const SCRATCH: usize = 16 * 1_024;

/// Serialises a message once, for any number of sockets.
pub fn frame(message: &impl Serialize) -> Frame {
    thread_local! {
        /// Grown once and not with every message, which then takes just as much room as it needs.
        static SCRATCH_TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    SCRATCH_TEXT.with_borrow_mut(|text| {
        // Only maps with keys that are no texts can fail, and no message has one.
        serde_json::to_writer(&mut *text, message).expect("messages have text keys");
        let frame = Frame::copy_from_slice(text);
        text.clear();
        text.shrink_to(SCRATCH);
        frame
    })
}

/// One socket of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SocketId(u64);

/// Why the server closes a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// No valid session, or it has ended.
    Unauthenticated,
    /// It did not read what was sent to it.
    TooSlow,
    /// A newer socket of the same player took its place.
    TooMany,
    /// A frame that is not JSON text of a size that is read.
    Protocol,
    /// The server goes down.
    Stopping,
    /// The other side has gone, or has been silent for so long that it must have.
    Gone,
}

impl CloseReason {
    /// The code it is told by; none where there is nothing to tell.
    pub fn code(self) -> Option<Code> {
        match self {
            Self::Unauthenticated => Some(Code::Unauthenticated),
            Self::TooSlow => Some(Code::TooSlow),
            Self::TooMany => Some(Code::TooMany),
            Self::Protocol => Some(Code::Protocol),
            Self::Stopping => Some(Code::Stopping),
            Self::Gone => None,
        }
    }

    /// The close code of the WebSocket protocol; 4000 and above are ours.
    pub fn close_code(self) -> u16 {
        match self {
            Self::Protocol => 4400,
            Self::Unauthenticated => 4401,
            Self::TooSlow => 4408,
            Self::TooMany => 4429,
            Self::Stopping => 1012,
            Self::Gone => 1000,
        }
    }
}

/// How many frames wait for a socket before it is cut off as too slow.
const QUEUE: usize = 256;

/// The sending end: cheap to copy, never waits.
#[derive(Clone, Debug)]
pub struct Outbox {
    id: SocketId,
    frames: mpsc::Sender<Frame>,
    closing: Arc<Closing>,
}

/// Why a socket closes, and who waits to hear of it: the task that writes, and the one that reads.
#[derive(Debug, Default)]
struct Closing {
    reason: OnceLock<CloseReason>,
    writer: AtomicWaker,
    reader: AtomicWaker,
}

/// The receiving end, owned by the task that writes to the socket.
#[derive(Debug)]
pub struct Inbox {
    frames: mpsc::Receiver<Frame>,
    closing: Arc<Closing>,
}

impl Outbox {
    /// A new queue for a new socket.
    pub fn new() -> (Self, Inbox) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = SocketId(NEXT.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = mpsc::channel(QUEUE);
        let closing = Arc::new(Closing::default());
        (Self { id, frames: sender, closing: Arc::clone(&closing) }, Inbox { frames: receiver, closing })
    }

    /// Which socket this is.
    pub fn id(&self) -> SocketId {
        self.id
    }

    /// Whether it still takes frames.
    pub fn is_open(&self) -> bool {
        self.closing.reason.get().is_none() && !self.frames.is_closed()
    }

    /// Queues a frame. A full queue closes the socket as too slow: it never delays others. False where the
    /// socket is closed or closing.
    pub fn push(&self, frame: Frame) -> bool {
        if self.closing.reason.get().is_some() {
            return false;
        }
        match self.frames.try_send(frame) {
            Ok(()) => true,
            Err(mpsc::error::TrySendError::Full(_)) => {
                metrics::counter!("stakeboard_sockets_too_slow_total").increment(1);
                self.close(CloseReason::TooSlow);
                false
            }
            Err(mpsc::error::TrySendError::Closed(_)) => false,
        }
    }

    /// Asks for the socket to be closed. The first reason counts.
    pub fn close(&self, reason: CloseReason) {
        if self.closing.reason.set(reason).is_ok() {
            self.closing.writer.wake();
            self.closing.reader.wake();
        }
    }

    /// Waits until the socket is asked to close. For the task that reads from the socket: only one can wait.
    pub async fn closed(&self) -> CloseReason {
        poll_fn(|context| self.closing.poll(&self.closing.reader, context)).await
    }
}

impl Closing {
    fn poll(&self, waiting: &AtomicWaker, context: &Context<'_>) -> Poll<CloseReason> {
        // Before the question: a reason that is given after it wakes.
        waiting.register(context.waker());
        self.reason.get().map_or(Poll::Pending, |reason| Poll::Ready(*reason))
    }
}

/// What the writing task does next.
#[derive(Debug)]
pub enum Outgoing {
    /// Send this.
    Frame(Frame),
    /// Close, telling why.
    Close(CloseReason),
}

impl Inbox {
    /// The next thing to write. A close that was asked for comes before frames that still wait.
    pub async fn next(&mut self) -> Outgoing {
        poll_fn(|context| {
            if let Poll::Ready(reason) = self.closing.poll(&self.closing.writer, context) {
                return Poll::Ready(Outgoing::Close(reason));
            }
            let frame = self.frames.poll_recv(context);
            frame.map(|frame| frame.map_or(Outgoing::Close(CloseReason::Gone), Outgoing::Frame))
        })
        .await
    }

    /// A frame that waits already, to be sent in the same write.
    pub fn waiting(&mut self) -> Option<Frame> {
        self.frames.try_recv().ok()
    }
}
