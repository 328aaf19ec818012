//! Practice against a bot: in memory only, bounded in number and idle time, nothing put on record (PR-1).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;
use stakeboard_engine::{Game, Illegal, Move, Options, Play, Seat};
use tokio::sync::Mutex as AsyncMutex;
use utoipa::ToSchema;

pub use stakeboard_engine::bot::Level;

use crate::{
    clock::Clock,
    ids::{NodeId, PlayerId, PracticeId},
    matches::events::{CapturedHouse, EffectsView, OutcomeView, SeatName},
    practice::{AnalysisError, Bots, GuardError, PlyAnalysis, analysis::analyse, refuse_play, refuse_while_staked},
    rng,
};

/// How much practice there may be.
#[derive(Clone, Copy, Debug)]
pub struct PracticeSettings {
    /// Open sessions of a player; one more drops the oldest.
    pub sessions: usize,
    /// Open sessions of the process; one more drops the one that was idle longest.
    pub sessions_in_all: usize,
    /// How long a session may be idle before it is forgotten.
    pub idle: Duration,
}

impl Default for PracticeSettings {
    fn default() -> Self {
        Self { sessions: 20, sessions_in_all: 20_000, idle: Duration::from_hours(1) }
    }
}

/// What somebody wants to practise.
#[derive(Clone, Copy, Debug)]
pub struct NewPractice {
    /// The game and its options.
    pub options: Options,
    /// How well the bot plays.
    pub level: Level,
    /// The player's seat; drawn where it is missing.
    pub seat: Option<Seat>,
}

/// Why practice refuses.
#[derive(Debug, thiserror::Error)]
pub enum PracticeError {
    /// There is no such session of this player.
    #[error("there is no such session of this player")]
    NotFound,
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// The move is for another position.
    #[error("the move is for another position; {0} have been made")]
    StalePly(u32),
    /// The text is no move of this game.
    #[error("the text is no move of {0}")]
    UnreadableMove(Game),
    /// The rules of the game forbid it.
    #[error("the move is illegal")]
    Illegal(Illegal),
    /// There is no move of the player's to take back.
    #[error("there is no move to take back")]
    NothingToUndo,
    /// Too many bots think.
    #[error("too many bots wait to think")]
    Busy,
    /// Practice of this game is closed to the player for now.
    #[error(transparent)]
    Guard(#[from] GuardError),
}

/// A move that was made, and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MadeMove {
    /// The number of the move: 1 for the first.
    pub ply: u32,
    /// Who moved.
    #[schema(value_type = SeatName)]
    pub by: Seat,
    /// The move in the game's text form.
    #[serde(rename = "move")]
    pub text: String,
    /// The position after it.
    pub position: String,
    /// Houses sown, in order (Oware family).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sown: Option<Vec<char>>,
    /// Houses emptied by the capture, in order (Oware family).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub captured: Option<Vec<CapturedHouse>>,
    /// Points of the lines that the move closed (Nine Men's Morris).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mill: Option<Vec<String>>,
    /// Points whose pieces were taken, in order (Nine Men's Morris).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<Vec<String>>,
}

/// A practice session at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PracticeView {
    /// The session.
    pub id: PracticeId,
    /// The game.
    pub game: &'static str,
    /// Its options.
    #[schema(value_type = Object)]
    pub options: Value,
    /// `easy`, `medium` or `hard`.
    pub level: &'static str,
    /// The player's seat.
    #[schema(value_type = SeatName)]
    pub seat: Seat,
    /// `live` or `ended`.
    pub status: &'static str,
    /// The position in the game's text form.
    pub position: String,
    /// How many moves have been made.
    pub ply: u32,
    /// Who is to move; null after the end.
    #[schema(value_type = Option<SeatName>)]
    pub to_move: Option<Seat>,
    /// What they may play, sorted.
    pub legal: Vec<String>,
    /// How often the position has occurred.
    pub occurrences: u32,
    /// Moves without a capture or a mill so far.
    pub quiet: u32,
    /// How the game ended.
    pub outcome: Option<OutcomeView>,
    /// The moves so far.
    pub moves: Vec<String>,
    /// The moves that this request made, the player's and the bot's; all of them where the session is looked at.
    pub made: Vec<MadeMove>,
}

struct Session {
    id: PracticeId,
    options: Options,
    level: Level,
    seat: Seat,
    play: Play,
    moves: Vec<(Seat, Move)>,
}

/// A session in the list, with what can be seen without waiting for its bot.
struct Listed {
    owner: PlayerId,
    used: Instant,
    session: Arc<AsyncMutex<Session>>,
}

/// All practice of this process. Copies share everything.
#[derive(Clone)]
pub struct Practice(Arc<Inner>);

struct Inner {
    pool: PgPool,
    clock: Clock,
    bots: Bots,
    settings: PracticeSettings,
    node: NodeId,
    sessions: Mutex<HashMap<PracticeId, Listed>>,
}

impl Practice {
    /// No sessions yet. They are this node's.
    pub fn new(pool: PgPool, clock: Clock, bots: Bots, settings: PracticeSettings, node: NodeId) -> Self {
        Self(Arc::new(Inner { pool, clock, bots, settings, node, sessions: Mutex::default() }))
    }

    /// Begins a session. Where the bot opens, it has moved already.
    pub async fn begin(&self, player: PlayerId, new: NewPractice) -> Result<PracticeView, PracticeError> {
        refuse_play(&self.0.pool, player, new.options.game()).await?;
        let mut session = Session {
            id: PracticeId::generate_at(self.0.node),
            options: new.options,
            level: new.level,
            seat: new.seat.unwrap_or_else(rng::draw_seat),
            play: Play::new(new.options),
            moves: Vec::new(),
        };
        let made = self.let_bot_move(&mut session).await?;
        let view = session.view(made);
        self.list(player, session);
        Ok(view)
    }

    /// A session as it stands.
    pub async fn look(&self, player: PlayerId, id: PracticeId) -> Result<PracticeView, PracticeError> {
        let session = self.find(player, id)?;
        let session = session.lock().await;
        Ok(session.view(all_made(session.options, session.moves.iter().map(|(_, the_move)| *the_move))))
    }

    /// Plays a move and lets the bot answer. A repeat of the recorded move at that `ply` changes nothing.
    pub async fn play(
        &self,
        player: PlayerId,
        id: PracticeId,
        ply: u32,
        text: &str,
    ) -> Result<PracticeView, PracticeError> {
        let session = self.find(player, id)?;
        let mut session = session.lock().await;
        let game = session.options.game();
        refuse_play(&self.0.pool, player, game).await?;
        let the_move = Move::parse(game, text).map_err(|_| PracticeError::UnreadableMove(game))?;
        let recorded = ply.checked_sub(1).and_then(|before| session.moves.get(before as usize));
        if recorded == Some(&(session.seat, the_move)) {
            return Ok(session.view(Vec::new()));
        }
        if session.play.outcome().is_some() {
            return Err(PracticeError::Over);
        }
        let made = session.play.ply();
        if ply != made + 1 || session.play.to_move() != session.seat {
            return Err(PracticeError::StalePly(made));
        }
        // Put into effect only once the bot has answered: a request that is cut off leaves nothing half done.
        let mut after = session.copy();
        let mut made = vec![after.make(the_move).map_err(PracticeError::Illegal)?];
        made.extend(self.let_bot_move(&mut after).await?);
        *session = after;
        Ok(session.view(made))
    }

    /// What a strong bot would play in the player's place.
    pub async fn hint(&self, player: PlayerId, id: PracticeId) -> Result<String, PracticeError> {
        let session = self.find(player, id)?;
        let session = session.lock().await;
        refuse_play(&self.0.pool, player, session.options.game()).await?;
        let hint = self.0.bots.choose(&session.play, Level::Hard).await.map_err(|_| PracticeError::Busy)?;
        hint.map(|the_move| the_move.to_string()).ok_or(PracticeError::Over)
    }

    /// Takes back the player's last move and what the bot answered.
    pub async fn undo(&self, player: PlayerId, id: PracticeId) -> Result<PracticeView, PracticeError> {
        let session = self.find(player, id)?;
        let mut session = session.lock().await;
        refuse_play(&self.0.pool, player, session.options.game()).await?;
        let own = session.seat;
        let last = session.moves.iter().rposition(|(seat, _)| *seat == own).ok_or(PracticeError::NothingToUndo)?;
        let kept: Vec<Move> = session.moves[..last].iter().map(|(_, the_move)| *the_move).collect();
        session.play = Play::new(session.options);
        session.moves.clear();
        for the_move in kept {
            session.make(the_move).map_err(PracticeError::Illegal)?;
        }
        Ok(session.view(Vec::new()))
    }

    /// What each move of an ended session of Mū tōrere was worth.
    pub async fn analysis(&self, player: PlayerId, id: PracticeId) -> Result<Vec<PlyAnalysis>, AnalysisError> {
        let session = self.find(player, id).map_err(|_| AnalysisError::NotFound)?;
        let session = session.lock().await;
        if session.options.game() != Game::MuTorere {
            return Err(AnalysisError::NotFound);
        }
        refuse_while_staked(&self.0.pool, player, Game::MuTorere).await?;
        if session.play.outcome().is_none() {
            return Err(AnalysisError::StillLive);
        }
        Ok(analyse(session.moves.iter().map(|(_, the_move)| *the_move)))
    }

    /// Forgets what was idle too long.
    pub fn forget_idle(&self) {
        let now = self.0.clock.now();
        let idle = self.0.settings.idle;
        self.sessions().retain(|_, listed| now.saturating_duration_since(listed.used) < idle);
    }

    async fn let_bot_move(&self, session: &mut Session) -> Result<Vec<MadeMove>, PracticeError> {
        let mut made = Vec::new();
        while session.play.outcome().is_none() && session.play.to_move() != session.seat {
            let chosen = self.0.bots.choose(&session.play, session.level).await.map_err(|_| PracticeError::Busy)?;
            let Some(the_move) = chosen else { break };
            made.push(session.make(the_move).map_err(PracticeError::Illegal)?);
        }
        Ok(made)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<PracticeId, Listed>> {
        // Nothing in here can panic half-way through a change.
        self.0.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self, owner: PlayerId, session: Session) {
        let used = self.0.clock.now();
        let mut sessions = self.sessions();
        sessions.insert(session.id, Listed { owner, used, session: Arc::new(AsyncMutex::new(session)) });
        // Identifiers sort by their age.
        let own: Vec<PracticeId> =
            sessions.iter().filter(|(_, listed)| listed.owner == owner).map(|(id, _)| *id).collect();
        if own.len() > self.0.settings.sessions
            && let Some(oldest) = own.iter().min()
        {
            sessions.remove(oldest);
        }
        if sessions.len() > self.0.settings.sessions_in_all {
            let idlest = sessions.iter().min_by_key(|(_, listed)| listed.used).map(|(id, _)| *id);
            if let Some(idlest) = idlest {
                sessions.remove(&idlest);
            }
        }
    }

    fn find(&self, player: PlayerId, id: PracticeId) -> Result<Arc<AsyncMutex<Session>>, PracticeError> {
        let now = self.0.clock.now();
        let mut sessions = self.sessions();
        match sessions.get_mut(&id) {
            Some(listed) if listed.owner == player => {
                listed.used = now;
                Ok(Arc::clone(&listed.session))
            }
            _ => Err(PracticeError::NotFound),
        }
    }
}

impl Session {
    fn copy(&self) -> Self {
        Self {
            id: self.id,
            options: self.options,
            level: self.level,
            seat: self.seat,
            play: self.play.clone(),
            moves: self.moves.clone(),
        }
    }

    fn make(&mut self, the_move: Move) -> Result<MadeMove, Illegal> {
        let by = self.play.to_move();
        let made = made(&mut self.play, the_move)?;
        self.moves.push((by, the_move));
        Ok(made)
    }

    fn view(&self, made: Vec<MadeMove>) -> PracticeView {
        let outcome = self.play.outcome();
        PracticeView {
            id: self.id,
            game: self.options.game().code(),
            options: self.options.to_json(),
            level: self.level.code(),
            seat: self.seat,
            status: if outcome.is_some() { "ended" } else { "live" },
            position: self.play.position().to_string(),
            ply: self.play.ply(),
            to_move: if outcome.is_some() { None } else { Some(self.play.to_move()) },
            legal: self.play.legal().iter().map(ToString::to_string).collect(),
            occurrences: self.play.occurrences(),
            quiet: self.play.quiet(),
            outcome: outcome.map(OutcomeView::from),
            moves: self.moves.iter().map(|(_, the_move)| the_move.to_string()).collect(),
            made,
        }
    }
}

/// Plays a move and says what it did.
pub(super) fn made(play: &mut Play, the_move: Move) -> Result<MadeMove, Illegal> {
    let by = play.to_move();
    let EffectsView { sown, captured, mill, taken } = play.play(the_move)?.into();
    Ok(MadeMove {
        ply: play.ply(),
        by,
        text: the_move.to_string(),
        position: play.position().to_string(),
        sown,
        captured,
        mill,
        taken,
    })
}

/// Plays a game again from its start and says what each move did. Ends where a move is none of this game.
pub(super) fn all_made(options: Options, moves: impl IntoIterator<Item = Move>) -> Vec<MadeMove> {
    let mut play = Play::new(options);
    moves.into_iter().map_while(|the_move| made(&mut play, the_move).ok()).collect()
}
