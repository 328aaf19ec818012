//! The first limit: a bare relay. The same socket stack reads a frame and writes an answer and two events of the same
//! sizes, and there is no match behind it.

use std::{
    collections::HashMap,
    net::SocketAddr,
    process::{Child, Command, ExitCode, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use axum::{
    Router,
    extract::{
        Path, State, WebSocketUpgrade,
        ws::{Message, Utf8Bytes, WebSocket},
    },
    response::Response,
    routing::get,
};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    sync::mpsc,
    task::JoinSet,
};

use crate::{ROLE, line::Line, processes::Processes, tally::Sizes};

/// Frames that wait for a socket.
const QUEUE: usize = 256;

type Sockets = Arc<Mutex<HashMap<(u32, u32), mpsc::Sender<Utf8Bytes>>>>;

#[derive(Clone)]
struct Relay {
    sockets: Sockets,
    answer: Utf8Bytes,
    event: Utf8Bytes,
}

/// Is the relay: prints where it listens, and serves until it is killed.
pub fn serve() -> ExitCode {
    let size = |name: &str| std::env::var(name).ok().and_then(|size| size.parse().ok()).unwrap_or(100);
    let text = |name: &str| Utf8Bytes::from("x".repeat(size(name)));
    let relay = Relay { sockets: Sockets::default(), answer: text("ANSWER"), event: text("EVENT") };
    // As many threads as the server has unless it is told otherwise.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let served = runtime.and_then(|runtime| runtime.block_on(listen(relay)));
    if let Err(error) = served {
        eprintln!("relay: {error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

async fn listen(relay: Relay) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let router = Router::new().route("/{pair}/{side}", get(upgrade)).with_state(relay);
    axum::serve(axum::serve::ListenerExt::tap_io(listener, |stream| drop(stream.set_nodelay(true))), router).await
}

/// With the buffers of the server's own sockets.
async fn upgrade(State(relay): State<Relay>, Path(place): Path<(u32, u32)>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.read_buffer_size(1_024).write_buffer_size(2 * 1_024).on_upgrade(move |socket| pass_on(relay, place, socket))
}

async fn pass_on(relay: Relay, (pair, side): (u32, u32), socket: WebSocket) {
    let (mut sink, mut stream) = socket.split();
    let (own, mut queue) = mpsc::channel::<Utf8Bytes>(QUEUE);
    relay.sockets.lock().unwrap_or_else(PoisonError::into_inner).insert((pair, side), own.clone());
    // A welcome: who has read it is in the table of sockets.
    drop(own.try_send(relay.answer.clone()));
    tokio::spawn(async move {
        while let Some(first) = queue.recv().await {
            let mut fed = sink.feed(Message::Text(first)).await;
            while let Ok(next) = queue.try_recv() {
                fed = fed.and(sink.feed(Message::Text(next)).await);
            }
            if fed.is_err() || sink.flush().await.is_err() {
                return;
            }
        }
    });
    let mut rival = None;
    while let Some(Ok(Message::Text(_))) = stream.next().await {
        if rival.is_none() {
            let sockets = relay.sockets.lock().unwrap_or_else(PoisonError::into_inner);
            rival = sockets.get(&(pair, 1 - side)).cloned();
        }
        drop(own.try_send(relay.answer.clone()));
        drop(own.try_send(relay.event.clone()));
        if let Some(rival) = &rival {
            drop(rival.try_send(relay.event.clone()));
        }
    }
}

/// Processor time of the relay for each move, in microseconds, with as many pairs as matches were played.
pub async fn measure(pairs: u32, sizes: Sizes, length: Duration) -> anyhow::Result<f64> {
    let mut child = Command::new(std::env::current_exe()?)
        .env(ROLE, "relay")
        .env("ANSWER", sizes.answer.to_string())
        .env("EVENT", sizes.event.to_string())
        .stdout(Stdio::piped())
        .spawn()?;
    let measured = drive(&mut child, pairs, sizes, length).await;
    child.kill()?;
    child.wait()?;
    measured
}

async fn drive(child: &mut Child, pairs: u32, sizes: Sizes, length: Duration) -> anyhow::Result<f64> {
    let out = tokio::process::ChildStdout::from_std(child.stdout.take().context("no output")?)?;
    let address = BufReader::new(out).lines().next_line().await?.context("the relay did not start")?;
    let address: SocketAddr = address.parse()?;
    let (moves, stopping) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut playing = JoinSet::new();
    for pair in 0..pairs {
        let mut lines =
            [Line::open(address, &format!("/{pair}/0")).await?, Line::open(address, &format!("/{pair}/1")).await?];
        for line in &mut lines {
            line.receive().await?;
        }
        playing.spawn(play(lines, sizes, Arc::clone(&moves), Arc::clone(&stopping)));
    }
    // The first second settles who waits for whom.
    tokio::time::sleep(length / 8).await;
    let process = Processes::one(child.id());
    let before = (process.processor(), moves.load(Ordering::Relaxed));
    tokio::time::sleep(length).await;
    let after = (process.processor(), moves.load(Ordering::Relaxed));
    stopping.store(true, Ordering::Relaxed);
    while let Some(played) = playing.join_next().await {
        played??;
    }
    let moves = (after.1 - before.1).max(1);
    Ok(after.0.saturating_sub(before.0).as_secs_f64() * 1e6 / moves as f64)
}

/// The sides take turns: one sends, and reads the answer and the event; the other reads the event, and sends.
async fn play(
    mut lines: [Line; 2],
    sizes: Sizes,
    moves: Arc<AtomicU64>,
    stopping: Arc<AtomicBool>,
) -> anyhow::Result<()> {
    let request = tokio_tungstenite::tungstenite::Utf8Bytes::from("x".repeat(sizes.request));
    let mut mover = 0;
    while !stopping.load(Ordering::Relaxed) {
        lines[mover].send(request.clone()).await?;
        for side in [mover, mover, 1 - mover] {
            lines[side].receive().await?;
        }
        moves.fetch_add(1, Ordering::Relaxed);
        mover = 1 - mover;
    }
    Ok(())
}
