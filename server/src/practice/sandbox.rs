//! Friendly matches against a bot, over the same interface as against anybody: what the developer of a client tries it
//! with. The bot watches its match as a socket would, thinks on the threads of all bots and acts as a player does, so
//! that nothing of a match waits for it.

mod rival;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use sqlx::PgPool;
use stakeboard_engine::{Options, Seat, bot::Level};
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::{
    clock::Clock,
    db::{self, AsDatabaseError, Tx},
    ids::{MatchId, PlayerId},
    matches::{self, Matches, Seating, Setup, StartError, Terms},
    money::Wager,
    players::{
        bots,
        standing::{self, Barred},
    },
    practice::{Bots, GuardError, refuse_while_staked},
    rng,
};

/// How often matches are looked for that a bot should play and does not: those of an earlier process.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// How much there may be of it.
#[derive(Clone, Copy, Debug)]
pub struct SandboxSettings {
    /// Friendly matches a player can be in at once, whoever the rival.
    pub friendly_most: i64,
    /// Friendly matches that each of the bots can be in at once.
    pub bot_matches_most: i64,
}

/// Why there is no match with a bot.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The bots of the game are closed to the player for now.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// The player may not play now.
    #[error(transparent)]
    Barred(#[from] Barred),
    /// The player is in as many friendly matches as allowed.
    #[error("the player is in as many friendly matches as allowed")]
    TooManyMatches,
    /// The bot is.
    #[error("the bot is in as many matches as allowed")]
    BotBusy,
    /// No match can begin.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl AsDatabaseError for SandboxError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Start(error) => error.database(),
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

/// All matches of bots in this process. Copies share everything.
#[derive(Clone)]
pub struct Sandbox(Arc<Inner>);

struct Inner {
    pool: PgPool,
    clock: Clock,
    matches: Matches,
    bots: Bots,
    /// The bots of matches think one after another: they take one place of those in practice.
    turn: Semaphore,
    tasks: TaskTracker,
    settings: SandboxSettings,
    played: Mutex<HashSet<MatchId>>,
}

impl Sandbox {
    /// With everything it needs. Starts nothing. New matches are made in `tasks`, to their end also where a request is
    /// dropped.
    pub fn new(
        pool: PgPool,
        clock: Clock,
        matches: Matches,
        bots: Bots,
        tasks: TaskTracker,
        settings: SandboxSettings,
    ) -> Self {
        let (turn, played) = (Semaphore::new(1), Mutex::default());
        Self(Arc::new(Inner { pool, clock, matches, bots, turn, tasks, settings, played }))
    }

    /// Begins a friendly match of a player with the bot of a level. Who opens is drawn.
    pub async fn begin(&self, player: PlayerId, options: Options, level: Level) -> Result<MatchId, SandboxError> {
        refuse_while_staked(&self.0.pool, player, options.game()).await?;
        let sandbox = self.clone();
        db::uncut(&self.0.tasks, async move {
            let setup = db::in_transaction(&sandbox.0.pool, |tx| {
                let inner = Arc::clone(&sandbox.0);
                Box::pin(async move { seat(&inner, tx, player, options, bots::of_level(level)).await })
            })
            .await?;
            let id = setup.id;
            sandbox.0.matches.serve(setup);
            sandbox.play(id);
            Ok(id)
        })
        .await
    }

    /// Has the bot of a match play it, unless it does.
    fn play(&self, id: MatchId) {
        if self.played().insert(id) {
            let sandbox = self.clone();
            tokio::spawn(async move {
                if let Err(error) = rival::play(&sandbox.0, id).await {
                    tracing::warn!(match_id = %id, %error, "a bot has left its match; it will be back");
                }
                sandbox.played().remove(&id);
            });
        }
    }

    fn played(&self) -> MutexGuard<'_, HashSet<MatchId>> {
        // Nothing in here can panic half-way through a change.
        self.0.played.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has bots go on with the matches of this process that nobody plays: after a restart, or where one gave up.
    async fn play_what_is_left(&self) -> Result<(), sqlx::Error> {
        let bots: Vec<_> = Level::ALL.iter().map(|level| bots::of_level(*level).0).collect();
        let live = sqlx::query_scalar!(
            r#"select id as "id!: MatchId" from matches
               where stake = 0 and status = 'live' and first_player = any($1) and owner = $2
               union all
               select id from matches
               where stake = 0 and status = 'live' and second_player = any($1) and owner = $2"#,
            &bots,
            self.0.matches.node().0
        )
        .fetch_all(&self.0.pool)
        .await?;
        for id in live {
            // One whose commit was not heard of is not served yet.
            if !self.0.matches.is_served(id) {
                self.0.matches.serve_unheard_of(id).await?;
            }
            self.play(id);
        }
        Ok(())
    }
}

/// Keeps every bot at its matches, until the process ends.
pub async fn keep_playing(sandbox: Sandbox) {
    let mut ticks = tokio::time::interval(LOOK_AGAIN);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut looks =
        db::Lasting::new("the matches of bots can't be looked for", "the matches of bots are looked for again");
    loop {
        ticks.tick().await;
        looks.tried(&sandbox.play_what_is_left().await);
    }
}

/// The row of a match. The bot's row is locked with the player's: how many matches each is in is exact.
async fn seat(
    inner: &Inner,
    tx: &mut Tx,
    player: PlayerId,
    options: Options,
    bot: PlayerId,
) -> Result<Setup, SandboxError> {
    standing::lock_rows(tx, &[player, bot]).await?;
    if let Some(barred) = standing::shut_out(&mut **tx, player).await? {
        return Err(barred.into());
    }
    if matches::friendly_of(tx, player).await? >= inner.settings.friendly_most {
        return Err(SandboxError::TooManyMatches);
    }
    if matches::friendly_of(tx, bot).await? >= inner.settings.bot_matches_most {
        return Err(SandboxError::BotBusy);
    }
    let (opener, other) = match rng::draw_seat() {
        Seat::First => (player, bot),
        Seat::Second => (bot, player),
    };
    // Never for a stake: the type has none, and the database would refuse it.
    let terms = Terms { options, wager: Wager::Friendly };
    let seating = Seating { id: MatchId::generate(), terms, opener, other };
    Ok(matches::start(tx, &inner.matches, seating).await?)
}
