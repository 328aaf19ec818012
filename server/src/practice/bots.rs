//! Computer players, which think on threads of their own, a bounded number at once.

use std::sync::Arc;

use stakeboard_engine::{
    Move, Play,
    bot::{self, Level},
    endgame::Endgames,
};
use tokio::sync::Semaphore;

use crate::{practice::Tables, rng};

/// How many positions the strongest bot looks at for a move: some 50 ms on one core of a release build, and within 150 ms
/// where others use that core too.
const NODES: u64 = 400_000;
/// How many bots think at once.
const AT_ONCE: usize = 1;
/// How many more may wait; beyond, the answer is `overloaded`.
const WAITING: usize = 64;

/// Why there is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many bots wait to think")]
pub struct Busy;

/// The computer players of this process. Copies share their threads.
#[derive(Clone)]
pub struct Bots {
    thinking: Arc<Semaphore>,
    room: Arc<Semaphore>,
    tables: Tables,
}

impl Bots {
    /// With the endgame tables that the strongest one looks into. Starts nothing.
    pub fn new(tables: Tables) -> Self {
        let (thinking, room) = (Arc::new(Semaphore::new(AT_ONCE)), Arc::new(Semaphore::new(AT_ONCE + WAITING)));
        Self { thinking, room, tables }
    }

    /// The bot's move; `None` after the end of the game.
    pub async fn choose(&self, play: &Play, level: Level) -> Result<Option<Move>, Busy> {
        let _room = self.room.try_acquire().map_err(|_| Busy)?;
        let thinking = Arc::clone(&self.thinking).acquire_owned().await.map_err(|_| Busy)?;
        let (play, tables) = (play.clone(), self.tables.clone());
        tokio::task::spawn_blocking(move || {
            let endgames = if level == Level::Hard { tables.for_ruleset(play.options()) } else { Endgames::default() };
            let chosen = bot::choose_with(&play, level, NODES, endgames, &mut rng::dice());
            drop(thinking);
            chosen
        })
        .await
        .map_err(|_| Busy)
    }
}
