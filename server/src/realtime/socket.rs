//! One socket: a task that reads and a task that writes, with a bounded queue between the server and the latter.

use std::{
    collections::HashSet,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{
    extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade},
    response::Response,
};
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use metrics::Histogram;
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval_at, timeout};
use tokio_util::task::TaskTracker;

use crate::{
    auth::{Auth, Caller, IdentifyError},
    bus::{CloseReason, Connections, Frame, Inbox, Outbox, Outgoing, frame},
    clock::Clock,
    code::Code,
    ids::{MatchId, PlayerId},
    lobby::{Lobby, RematchAct, RematchError},
    matches::{Matches, PlayerRef},
    players::profile,
    rate::{Bucket, Limit},
    realtime::protocol::{self, ErrorFrame, OkFrame, PongFrame, Request, WelcomeFrame},
};

/// The largest frame that is read as a request.
pub const LARGEST_FRAME: usize = 4 * 1_024;
/// The largest frame that is received at all, so that a too large one can be told so.
const LARGEST_RECEIVED: usize = 64 * 1_024;
/// The library's default of 128 KiB is zero-filled at every read and kept for every socket. A request takes some 130
/// bytes; larger frames take more reads.
const READ_BUFFER: usize = 1_024;
/// Frames that wait together go out in one write, up to about this much; it is taken only when it is needed.
const WRITE_BUFFER: usize = 2 * 1_024;
/// How long a socket may take to say who it is.
pub const HELLO_PATIENCE: Duration = Duration::from_secs(10);
/// How long one write may take before the socket counts as too slow.
const WRITE_PATIENCE: Duration = Duration::from_secs(10);
/// How long a closing socket may take to take note of it.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);
/// Into how many parts a heartbeat is cut: the pings of one part go out together.
const PINGS_TOGETHER: u32 = 64;
/// How many matches one socket can watch.
pub const MOST_WATCHED: usize = 100;

/// Looked up once: it is written to with every act.
static ACK_SECONDS: LazyLock<Histogram> = LazyLock::new(|| metrics::histogram!("stakeboard_ack_seconds"));

/// How sockets are served.
#[derive(Clone, Copy, Debug)]
pub struct RealtimeSettings {
    /// How often a protocol ping is sent; three without an answer close the socket.
    pub heartbeat: Duration,
    /// How many frames a socket may send.
    pub frames: Limit,
}

/// What sockets need of the server. Copies share everything.
#[derive(Clone)]
pub struct Realtime {
    /// Who is calling.
    pub auth: Auth,
    /// All open sockets.
    pub connections: Arc<Connections>,
    /// All matches.
    pub matches: Matches,
    /// The lobby.
    pub lobby: Lobby,
    /// The time.
    pub clock: Clock,
    /// How sockets are served.
    pub settings: RealtimeSettings,
    /// Every socket's tasks, waited for when the server stops.
    pub tasks: TaskTracker,
}

/// Turns a request into a socket. `token` is that of an `Authorization` header.
pub fn upgrade(realtime: Realtime, upgrade: WebSocketUpgrade, token: Option<String>) -> Response {
    upgrade
        .max_message_size(LARGEST_RECEIVED)
        .max_frame_size(LARGEST_RECEIVED)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .on_upgrade(move |socket| {
            let tasks = realtime.tasks.clone();
            tasks.track_future(serve(realtime, socket, token))
        })
}

async fn serve(realtime: Realtime, socket: WebSocket, token: Option<String>) {
    let (sink, stream) = socket.split();
    let (outbox, inbox) = Outbox::new();
    let heard = Arc::new(Heard::new(realtime.clock));
    let writer =
        Writer { sink, heartbeat: realtime.settings.heartbeat, heard: Arc::clone(&heard), outbox: outbox.clone() };
    let writing = realtime.tasks.spawn(writer.run(inbox));
    let mut reader = Reader {
        bucket: Bucket::new(realtime.settings.frames, realtime.clock.now()),
        realtime,
        stream,
        outbox,
        heard,
        watched: HashSet::new(),
        player: None,
    };
    let outbox = reader.outbox.clone();
    let reason = tokio::select! {
        reason = reader.run(token) => reason,
        reason = outbox.closed() => reason,
    };
    outbox.close(reason);
    reader.leave();
    drop(reader);
    drop(writing.await);
}

/// When a socket was last heard of.
struct Heard {
    clock: Clock,
    started: Instant,
    after_ms: AtomicU64,
}

impl Heard {
    fn new(clock: Clock) -> Self {
        Self { clock, started: clock.now(), after_ms: AtomicU64::new(0) }
    }

    /// Something has come; gives when.
    fn now(&self) -> Instant {
        let now = self.clock.now();
        let after = now.saturating_duration_since(self.started);
        self.after_ms.store(u64::try_from(after.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        now
    }

    fn silent_for(&self) -> Duration {
        let heard = self.started + Duration::from_millis(self.after_ms.load(Ordering::Relaxed));
        self.clock.now().saturating_duration_since(heard)
    }
}

struct Writer {
    sink: SplitSink<WebSocket, Message>,
    heartbeat: Duration,
    heard: Arc<Heard>,
    outbox: Outbox,
}

impl Writer {
    async fn run(mut self, mut inbox: Inbox) {
        let mut pings = interval_at(self.first_ping().into(), self.heartbeat);
        pings.set_missed_tick_behavior(MissedTickBehavior::Skip);
        loop {
            let done = tokio::select! {
                outgoing = inbox.next() => match outgoing {
                    Outgoing::Frame(first) => self.write(first, &mut inbox).await,
                    Outgoing::Close(reason) => return self.close(reason, inbox).await,
                },
                _ = pings.tick() => {
                    if self.heard.silent_for() > self.heartbeat * 3 {
                        return self.outbox.close(CloseReason::Gone);
                    }
                    self.flush(Message::Ping(Frame::new())).await
                }
            };
            if done.is_err() {
                return self.outbox.close(CloseReason::TooSlow);
            }
        }
    }

    /// Pings of many sockets go out together, a part of a heartbeat later than they might: thousands of sockets at rest then
    /// wake the process some dozen times a second, and not each by itself.
    fn first_ping(&self) -> Instant {
        let now = self.heard.clock.now();
        let part = (self.heartbeat / PINGS_TOGETHER).max(Duration::from_millis(1)).as_nanos();
        let since = self.heard.clock.running_for(now).as_nanos();
        now + Duration::from_nanos(u64::try_from(part - since % part).unwrap_or_default())
    }

    /// Writes a frame and those that wait behind it, then flushes once.
    async fn write(&mut self, first: Frame, inbox: &mut Inbox) -> Result<(), ()> {
        let feed = async {
            self.sink.feed(text(first)).await?;
            while let Some(next) = inbox.waiting() {
                self.sink.feed(text(next)).await?;
            }
            self.sink.flush().await
        };
        within(WRITE_PATIENCE, feed).await
    }

    async fn flush(&mut self, message: Message) -> Result<(), ()> {
        within(WRITE_PATIENCE, self.sink.send(message)).await
    }

    /// Tells why in a frame and in the close, as far as the socket still takes it.
    async fn close(mut self, reason: CloseReason, mut inbox: Inbox) {
        let said = async {
            if reason != CloseReason::TooSlow {
                while let Some(waiting) = inbox.waiting() {
                    self.sink.feed(text(waiting)).await?;
                }
            }
            if let Some(code) = reason.code() {
                self.sink.feed(text(frame(&ErrorFrame::new(None, code)))).await?;
            }
            let words = reason.code().map_or("", Code::as_str);
            let close = CloseFrame { code: reason.close_code(), reason: Utf8Bytes::from_static(words) };
            self.sink.send(Message::Close(Some(close))).await
        };
        let _ = within(CLOSE_PATIENCE, said).await;
    }
}

async fn within(patience: Duration, work: impl Future<Output = Result<(), axum::Error>>) -> Result<(), ()> {
    match timeout(patience, work).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(()),
    }
}

fn text(frame: Frame) -> Message {
    // What we serialise is UTF-8; this checks it once more rather than trusting it.
    Utf8Bytes::try_from(frame).map_or_else(|_| Message::Text(Utf8Bytes::default()), Message::Text)
}

struct Reader {
    realtime: Realtime,
    stream: SplitStream<WebSocket>,
    outbox: Outbox,
    heard: Arc<Heard>,
    bucket: Bucket,
    watched: HashSet<MatchId>,
    player: Option<PlayerId>,
}

impl Reader {
    /// Serves the socket until it ends, and says why it does.
    async fn run(&mut self, token: Option<String>) -> CloseReason {
        // In a box of its own: the room that getting in takes is not kept for as long as the socket is open.
        match Box::pin(self.enter(token)).await {
            Ok(caller) => self.requests(&caller).await,
            Err(reason) => reason,
        }
    }

    /// Learns who it is, and enters the socket in the list of theirs.
    async fn enter(&mut self, token: Option<String>) -> Result<Caller, CloseReason> {
        let (caller, id) = match token {
            Some(token) => (self.identify(&token).await?, None),
            None => match timeout(HELLO_PATIENCE, self.hello()).await {
                Ok(Ok((token, id))) => (self.identify(&token).await?, id),
                Ok(Err(reason)) => return Err(reason),
                Err(_) => return Err(CloseReason::Unauthenticated),
            },
        };
        let me = profile::read(self.realtime.auth.pool(), caller.player).await.map_err(|error| unknown(&error))?;
        self.player = Some(caller.player);
        let welcome = self.welcome(&caller, me.display_name, id);
        self.realtime.connections.open(caller.player, caller.session, self.outbox.clone(), welcome);
        // The session can have ended between the question and the entry in the list of sockets.
        match self.realtime.auth.is_running(caller.session).await {
            Ok(true) => Ok(caller),
            Ok(false) => Err(CloseReason::Unauthenticated),
            Err(error) => Err(unknown(&error)),
        }
    }

    async fn identify(&self, token: &str) -> Result<Caller, CloseReason> {
        match self.realtime.auth.identify(token).await {
            Ok(caller) => Ok(caller),
            Err(IdentifyError::Unauthenticated) => Err(CloseReason::Unauthenticated),
            Err(IdentifyError::Database(error)) => Err(unknown(&error)),
        }
    }

    fn welcome(&self, caller: &Caller, display_name: String, id: Option<Value>) -> Frame {
        frame(&WelcomeFrame {
            kind: "welcome",
            id,
            player: PlayerRef { id: caller.player, display_name },
            server_time: self.realtime.clock.wall(),
            heartbeat_ms: u64::try_from(self.realtime.settings.heartbeat.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// The token of the first request, which has to be `hello`.
    async fn hello(&mut self) -> Result<(String, Option<Value>), CloseReason> {
        let (text, _) = self.next().await?;
        match protocol::read(&text) {
            Ok(protocol::ClientFrame { id, request: Ok(Request::Hello { token }) }) => Ok((token, id)),
            Ok(_) => Err(CloseReason::Unauthenticated),
            Err(protocol::NotJson) => Err(CloseReason::Protocol),
        }
    }

    /// The next text frame of a size that is read, and when it had been read.
    async fn next(&mut self) -> Result<(Utf8Bytes, Instant), CloseReason> {
        loop {
            let message = match self.stream.next().await {
                Some(Ok(message)) => message,
                // Broken frames and too large ones end the stream, and so does a lost line: it costs nothing to
                // say why to one that is gone.
                Some(Err(_)) => return Err(CloseReason::Protocol),
                None => return Err(CloseReason::Gone),
            };
            let now = self.heard.now();
            match message {
                Message::Text(text) if text.len() <= LARGEST_FRAME => return Ok((text, now)),
                Message::Text(_) | Message::Binary(_) => return Err(CloseReason::Protocol),
                Message::Ping(_) | Message::Pong(_) => {}
                Message::Close(_) => return Err(CloseReason::Gone),
            }
        }
    }

    async fn requests(&mut self, caller: &Caller) -> CloseReason {
        loop {
            // When it had been read is the stamp of everything that is asked for in it.
            let (text, stamp) = match self.next().await {
                Ok(next) => next,
                Err(reason) => return reason,
            };
            let Ok(protocol::ClientFrame { id, request }) = protocol::read(&text) else {
                return CloseReason::Protocol;
            };
            if let Err(wait) = self.bucket.take(stamp) {
                // Rounded up: after that long it is taken.
                let retry_after_ms = Some(u64::try_from(wait.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX));
                self.answer(&ErrorFrame { retry_after_ms, ..ErrorFrame::new(id, Code::RateLimited) });
                // Reading no faster than requests are taken makes a flood its sender's problem.
                tokio::time::sleep(wait).await;
                continue;
            }
            match request {
                Ok(request) => self.serve(caller, id, request, stamp),
                Err(bad) => self.answer(&ErrorFrame::field(id, bad.field)),
            }
        }
    }

    fn answer(&self, message: &impl serde::Serialize) {
        self.outbox.push(frame(message));
    }

    /// Serves one request without waiting: answers come through the outbox.
    fn serve(&mut self, caller: &Caller, id: Option<Value>, request: Request, stamp: Instant) {
        match request {
            Request::Hello { .. } => self.answer(&ErrorFrame::field(id, "type")),
            Request::Ping {} => {
                self.answer(&PongFrame { kind: "pong", id, server_time: self.realtime.clock.wall() });
            }
            Request::Watch { match_id, since } => self.watch(match_id, since, id),
            Request::Unwatch { match_id } => {
                self.watched.remove(&match_id);
                let outbox = self.outbox.clone();
                let reply = Box::new(move |result: Result<u32, _>| {
                    let told = match result {
                        Ok(_) => frame(&OkFrame::new(id, None)),
                        Err(refusal) => frame(&ErrorFrame::refused(id, &refusal)),
                    };
                    outbox.push(told);
                });
                self.realtime.matches.unwatch(match_id, self.outbox.id(), reply);
            }
            Request::WatchLobby {} => self.realtime.lobby.feed().watch(self.outbox.clone(), id),
            Request::UnwatchLobby {} => {
                self.realtime.lobby.feed().unwatch(self.outbox.id());
                self.answer(&OkFrame::new(id, None));
            }
            Request::Rematch { match_id, action } => self.rematch(caller, match_id, action.into(), id),
            Request::Move { .. } | Request::Resign { .. } | Request::Draw { .. } => {
                self.act(caller, id, request, stamp);
            }
        }
    }

    fn watch(&mut self, match_id: MatchId, since: Option<u32>, id: Option<Value>) {
        if self.watched.len() >= MOST_WATCHED && !self.watched.contains(&match_id) {
            // Of matches that have ended little comes, and of those that never were nothing.
            let (matches, socket) = (&self.realtime.matches, self.outbox.id());
            self.watched.retain(|watched| {
                let is_served = matches.is_served(*watched);
                if !is_served {
                    matches.unwatch(*watched, socket, Box::new(drop));
                }
                is_served
            });
        }
        if self.watched.len() >= MOST_WATCHED && !self.watched.contains(&match_id) {
            return self.answer(&ErrorFrame::new(id, Code::Overloaded));
        }
        self.watched.insert(match_id);
        self.realtime.matches.watch(match_id, self.outbox.clone(), since, id);
    }

    fn act(&self, caller: &Caller, id: Option<Value>, request: Request, stamp: Instant) {
        let Some((match_id, command)) = protocol::command(request) else { return };
        let command = match command {
            Ok(command) => command,
            Err(bad) => return self.answer(&ErrorFrame::field(id, bad.field)),
        };
        let (outbox, clock) = (self.outbox.clone(), self.realtime.clock);
        let reply = Box::new(move |result: Result<u32, _>| {
            let told = match result {
                Ok(seq) => frame(&OkFrame::new(id, Some(seq))),
                Err(refusal) => frame(&ErrorFrame::refused(id, &refusal)),
            };
            outbox.push(told);
            let took = clock.now().saturating_duration_since(stamp);
            ACK_SECONDS.record(took.as_secs_f64());
        });
        self.realtime.matches.act(caller.player, match_id, command, stamp, reply);
    }

    /// A rematch needs the database: it is decided beside what the socket asks for next.
    fn rematch(&self, caller: &Caller, match_id: MatchId, act: RematchAct, id: Option<Value>) {
        let (lobby, outbox, player) = (self.realtime.lobby.clone(), self.outbox.clone(), caller.player);
        self.realtime.tasks.spawn(async move {
            let told = match lobby.rematch(player, match_id, act).await {
                Ok(seq) => frame(&OkFrame::new(id, Some(seq))),
                Err(error) => {
                    if let RematchError::Database(error) = &error {
                        tracing::warn!(%player, %match_id, %error, "a rematch could not be decided");
                    }
                    frame(&ErrorFrame::new(id, error.code()))
                }
            };
            outbox.push(told);
        });
    }

    /// The socket is gone: nobody sends to it any more.
    fn leave(&mut self) {
        for match_id in self.watched.drain() {
            self.realtime.matches.unwatch(match_id, self.outbox.id(), Box::new(drop));
        }
        self.realtime.lobby.feed().unwatch(self.outbox.id());
        if let Some(player) = self.player.take() {
            self.realtime.connections.close(player, self.outbox.id());
        }
    }
}

/// Who it is could not be asked: that is the service's trouble and nothing about the token. They come back.
fn unknown(error: &sqlx::Error) -> CloseReason {
    if matches!(error, sqlx::Error::RowNotFound) {
        return CloseReason::Unauthenticated;
    }
    tracing::warn!(%error, "a socket could not be identified");
    CloseReason::Stopping
}
