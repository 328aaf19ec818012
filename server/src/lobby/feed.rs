//! News of the lobby: one task reads what changed from the database and tells every watcher, in order.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Serialize;
use sqlx::PgPool;
use tokio::sync::mpsc;
use utoipa::ToSchema;

use crate::{
    bus::{News, Outbox, Outside, SocketId, frame},
    db,
    ids::{PlayerId, SeekId},
    lobby::seeks::{self, Seek, SeekFilter},
    matches::events::RequestName,
};

/// The lobby as a watcher first sees it, and every change after.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LobbyFrame {
    /// The answer to `watch_lobby`.
    Lobby {
        /// The client's own name for its request.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(value_type = Option<RequestName>)]
        id: Option<serde_json::Value>,
        /// The open seeks, newest first: the newest 500 of them, and the rest by `GET /v1/lobby/seeks`.
        seeks: Vec<Seek>,
    },
    /// Seeks came and went.
    LobbyChange {
        /// New seeks.
        added: Vec<Seek>,
        /// Seeks that are no longer open.
        removed: Vec<SeekId>,
    },
}

/// How many seeks a watcher is told at first. Each of them some 300 bytes, for every watcher: more would fill the
/// lines of a full house with what nobody reads to the end.
const MOST_AT_FIRST: usize = 500;

enum Hint {
    Seek(SeekId),
    Player(PlayerId),
    All,
}

/// How often a server that is not alone reads all seeks: a hint from elsewhere can be lost.
const READ_ALL: Duration = Duration::from_secs(15);

/// The lobby's news. Copies share everything.
#[derive(Clone)]
pub struct Feed {
    hints: mpsc::UnboundedSender<Hint>,
    board: Arc<Mutex<Board>>,
    outside: Outside,
}

#[derive(Default)]
struct Board {
    seeks: BTreeMap<SeekId, Seek>,
    watchers: Vec<Outbox>,
}

impl Feed {
    /// Starts the task, with the seeks that are open now. Other nodes are told of changes too.
    pub async fn start(pool: PgPool, outside: Outside) -> Result<Self, sqlx::Error> {
        let (hints, inbox) = mpsc::unbounded_channel();
        let open = all_open(&pool).await?;
        let board = Board { seeks: open.into_iter().map(|seek| (seek.id, seek)).collect(), watchers: Vec::new() };
        let feed = Self { hints, board: Arc::new(Mutex::new(board)), outside };
        tokio::spawn(run(feed.board.clone(), pool, inbox));
        if feed.outside.is_open() {
            tokio::spawn(keep_reading(feed.hints.clone()));
        }
        Ok(feed)
    }

    fn board(&self) -> MutexGuard<'_, Board> {
        lock(&self.board)
    }

    /// A seek was posted or taken away; to be called after the commit.
    pub fn changed(&self, id: SeekId) {
        self.outside.tell(|| News::Seek { seek: id });
        self.changed_elsewhere(id);
    }

    /// The same, as said by another node.
    pub fn changed_elsewhere(&self, id: SeekId) {
        drop(self.hints.send(Hint::Seek(id)));
    }

    /// A pairing took away all seeks of a player; to be called after the commit.
    pub fn player_changed(&self, player: PlayerId) {
        self.outside.tell(|| News::Seeks { player });
        self.player_changed_elsewhere(player);
    }

    /// The same, as said by another node.
    pub fn player_changed_elsewhere(&self, player: PlayerId) {
        drop(self.hints.send(Hint::Player(player)));
    }

    /// A socket watches: it is sent the newest open seeks, then every change.
    pub fn watch(&self, outbox: Outbox, request: Option<serde_json::Value>) {
        let mut board = self.board();
        let seeks = board.seeks.values().rev().take(MOST_AT_FIRST).cloned().collect();
        if outbox.push(frame(&LobbyFrame::Lobby { id: request, seeks }))
            && board.watchers.iter().all(|watcher| watcher.id() != outbox.id())
        {
            board.watchers.push(outbox);
        }
    }

    /// A socket has seen enough.
    pub fn unwatch(&self, socket: SocketId) {
        self.board().watchers.retain(|watcher| watcher.id() != socket);
    }

    /// All seeks known to be open.
    pub fn all(&self) -> Vec<Seek> {
        self.board().seeks.values().cloned().collect()
    }
}

fn lock(board: &Mutex<Board>) -> MutexGuard<'_, Board> {
    // Nothing in here can panic half-way through a change.
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn all_open(pool: &PgPool) -> Result<Vec<Seek>, sqlx::Error> {
    seeks::list(pool, &SeekFilter { limit: i64::MAX, ..SeekFilter::default() }).await
}

async fn keep_reading(hints: mpsc::UnboundedSender<Hint>) {
    while hints.send(Hint::All).is_ok() {
        tokio::time::sleep(READ_ALL).await;
    }
}

async fn run(board: Arc<Mutex<Board>>, pool: PgPool, mut hints: mpsc::UnboundedReceiver<Hint>) {
    let mut batch = Vec::new();
    let mut reads = db::Lasting::new("the lobby's news wait for the database", "the lobby's news are read again");
    while hints.recv_many(&mut batch, 1_000).await > 0 {
        let mut ids = BTreeSet::new();
        let everything = batch.iter().any(|hint| matches!(hint, Hint::All));
        for hint in batch.drain(..) {
            match hint {
                Hint::Seek(id) => drop(ids.insert(id)),
                Hint::Player(player) => {
                    let board = lock(&board);
                    ids.extend(board.seeks.values().filter(|seek| seek.player.id == player).map(|seek| seek.id));
                }
                Hint::All => ids.extend(lock(&board).seeks.keys()),
            }
        }
        let ids: Vec<SeekId> = ids.into_iter().collect();
        let open = loop {
            // What the database says now is at least as new as the hint.
            let read = if everything { all_open(&pool).await } else { seeks::select(&pool, &ids).await };
            reads.tried(&read);
            match read {
                Ok(open) => break open,
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        };
        tell(&mut lock(&board), &ids, open);
    }
}

fn tell(board: &mut Board, ids: &[SeekId], open: Vec<Seek>) {
    let still_open: BTreeSet<SeekId> = open.iter().map(|seek| seek.id).collect();
    let removed: Vec<SeekId> =
        ids.iter().copied().filter(|id| !still_open.contains(id) && board.seeks.remove(id).is_some()).collect();
    let added: Vec<Seek> =
        open.into_iter().filter(|seek| board.seeks.insert(seek.id, seek.clone()).is_none()).collect();
    if added.is_empty() && removed.is_empty() {
        return;
    }
    let change = frame(&LobbyFrame::LobbyChange { added, removed });
    board.watchers.retain(|watcher| watcher.push(change.clone()));
}
