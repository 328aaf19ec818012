//! Every live match of this process: one owner each.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use stakeboard_engine::BySeat;
use time::OffsetDateTime;
use tokio::sync::oneshot;

use crate::{
    bus::{Frame, Outbox, Presence, PresenceChange, SocketId, frame},
    ids::{MatchId, PlayerId},
    matches::{
        PlayerRef, Refusal, Reply, Setup,
        actor::{Actor, Context},
        aftermath::Aftermath,
        events::{EventsFrame, MatchFrame, RefusedFrame},
        handle::{Command, Handle, Message, VoidOrder},
        queries::{self, LoadError},
        state::{Stamp, State, Verdict},
        view::{AttendanceView, MatchView, Players},
    },
};

/// How matches are played here.
#[derive(Clone, Copy, Debug)]
pub struct MatchesSettings {
    /// Each player's time for a match, in milliseconds.
    pub clock_ms: u32,
}

/// All live matches of this process, and the way to the ended ones.
#[derive(Clone)]
pub struct Matches(Arc<Inner>);

struct Inner {
    context: Context,
    settings: MatchesSettings,
    live: Mutex<Live>,
    aftermath: Aftermath,
}

#[derive(Default)]
struct Live {
    stopping: bool,
    matches: HashMap<MatchId, Handle>,
    by_player: HashMap<PlayerId, Vec<MatchId>>,
}

/// How soon the journal is asked again for news that could not be read.
const NEWS_AGAIN: Duration = Duration::from_millis(200);
/// How long a match that is committed, but not served yet, is waited for.
const SERVED_SOON: Duration = Duration::from_secs(2);

impl Matches {
    /// No matches yet.
    pub fn new(context: Context, settings: MatchesSettings) -> Self {
        Self(Arc::new(Inner { context, settings, live: Mutex::default(), aftermath: Aftermath::default() }))
    }

    /// How matches are played here.
    pub fn settings(&self) -> MatchesSettings {
        self.0.settings
    }

    /// This process, as the owner of its matches.
    pub fn node(&self) -> crate::ids::NodeId {
        self.0.context.health.node
    }

    /// The time, as the rows of matches have it.
    pub(super) fn now(&self) -> OffsetDateTime {
        self.0.context.clock.wall()
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        // Nothing in here can panic half-way through a change.
        self.0.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves a match that has just been committed, and tells its players.
    pub fn serve(&self, setup: Setup) {
        let (handle, inbox) = Handle::new();
        let state = State::new(Arc::new(setup));
        self.insert(&state, handle);
        let started = frame(&serde_json::json!({"type": "match_started", "match": state.setup().id}));
        let setup = Arc::clone(state.setup());
        tokio::spawn(Actor::begin(self.0.context.clone(), self.clone(), state, inbox).run());
        for (_, player) in setup.players.iter() {
            self.0.context.connections.push(player.id, &started);
        }
        self.tell_wallets(&setup);
    }

    /// The stakes of a match went into its escrow, or out of it: its players are told what they have now.
    pub(super) fn tell_wallets(&self, setup: &Setup) {
        if setup.terms.wager.stake().is_some() {
            for (_, player) in setup.players.iter() {
                self.0.context.connections.wallet_changed(player.id);
            }
        }
    }

    /// Serves a match of this process whose commit it has not heard of, unless it is served or over. Gives its players
    /// where it is new.
    pub async fn serve_unheard_of(&self, id: MatchId) -> Result<Option<BySeat<PlayerRef>>, sqlx::Error> {
        let context = &self.0.context;
        let is_ours = queries::is_live(&context.pool, id).await?
            && queries::is_owned(&context.pool, id, context.health.node, 1).await?;
        let setup = match queries::setup(&context.pool, id).await {
            Ok(Some(setup)) if is_ours && self.find(id).is_none() => setup,
            Ok(_) => return Ok(None),
            Err(LoadError::Database(error)) => return Err(error),
            Err(LoadError::Unreadable(error)) => return Err(sqlx::Error::Decode(error.into())),
        };
        let players = setup.players.clone();
        self.serve(setup);
        Ok(Some(players))
    }

    /// Serves a match of an earlier process. The receiver is told when play goes on.
    pub fn take_over(&self, state: State, epoch: i32) -> oneshot::Receiver<()> {
        let (handle, inbox) = Handle::new();
        let (served, ready) = oneshot::channel();
        self.insert(&state, handle);
        tokio::spawn(Actor::resume(self.0.context.clone(), self.clone(), state, epoch, inbox, served).run());
        ready
    }

    fn insert(&self, state: &State, handle: Handle) {
        let mut live = self.live();
        live.matches.insert(state.setup().id, handle);
        for (_, player) in state.setup().players.iter() {
            live.by_player.entry(player.id).or_default().push(state.setup().id);
        }
        metrics::gauge!("stakeboard_matches_live").set(count(live.matches.len()));
    }

    /// The actor of a match has ended.
    pub(super) fn remove(&self, state: &State) {
        let mut live = self.live();
        live.matches.remove(&state.setup().id);
        for (_, player) in state.setup().players.iter() {
            if let Some(matches) = live.by_player.get_mut(&player.id) {
                matches.retain(|id| *id != state.setup().id);
                if matches.is_empty() {
                    live.by_player.remove(&player.id);
                }
            }
        }
        metrics::gauge!("stakeboard_matches_live").set(count(live.matches.len()));
    }

    fn find(&self, id: MatchId) -> Option<Handle> {
        self.live().matches.get(&id).cloned()
    }

    /// A player acts; `reply` is called once with the result. `stamp` is when the request had been read.
    pub fn act(&self, player: PlayerId, id: MatchId, command: Command, stamp: Instant, reply: Reply) {
        let message = Message::Act { player, command, stamp, reply };
        self.send(id, message, move |matches, message| async move {
            let Message::Act { player, command, reply, .. } = message else { return };
            let stamp = Stamp { instant: stamp, wall: matches.0.context.clock.wall_at(stamp) };
            match matches.load_ended(id).await {
                Ok(state) => match state.setup().seat_of(player) {
                    None => reply(Err(Refusal::NotAPlayer)),
                    Some(seat) => match state.judge(seat, &command, stamp) {
                        Ok(Verdict::Recorded(seq)) => reply(Ok(seq)),
                        Ok(Verdict::Write(_)) => reply(Err(Refusal::MatchOver)),
                        Err(refusal) => reply(Err(refusal)),
                    },
                },
                Err(refusal) => reply(Err(refusal)),
            }
        });
    }

    /// Voids a live match. Gives the `seq` of its end.
    pub async fn void(&self, id: MatchId, order: VoidOrder) -> Result<u32, Refusal> {
        let handle = match self.find(id) {
            Some(handle) => Some(handle),
            None => self.find_soon(id).await,
        };
        if let Some(handle) = handle {
            let (done, answer) = oneshot::channel();
            let reply: Reply = Box::new(move |result| drop(done.send(result)));
            if handle.deliver(Message::Void { order, reply }).await.is_ok() {
                return answer.await.unwrap_or(Err(Refusal::Stopping));
            }
        }
        self.load_ended(id).await.and(Err(Refusal::MatchOver))
    }

    /// A socket watches a match: it is sent what it missed, then everything that happens.
    pub fn watch(&self, id: MatchId, outbox: Outbox, since: Option<u32>, request: Option<serde_json::Value>) {
        let (watcher, named) = (outbox.clone(), request.clone());
        self.send(id, Message::Watch { outbox, since, request }, move |matches, _| async move {
            match matches.load_ended(id).await {
                Ok(state) => {
                    matches.0.aftermath.watch(&state, watcher, matches.answer(&state, since, named));
                    drop(state);
                    // What was written between the reading and the entry in the list of watchers.
                    matches.news(id).await;
                }
                Err(refusal) => drop(watcher.push(frame(&RefusedFrame::new(named, &refusal)))),
            }
        });
    }

    /// The answer to `watch` for a match that has ended: what the watcher missed, or all of it.
    fn answer(&self, state: &State, since: Option<u32>, request: Option<serde_json::Value>) -> Frame {
        match since.filter(|since| *since <= state.seq()) {
            Some(since) => frame(&EventsFrame {
                kind: "events",
                id: request,
                match_id: state.setup().id,
                from: since + 1,
                to: state.seq(),
                events: state.events_since(since),
            }),
            None => frame(&MatchFrame { kind: "match", id: request, snapshot: self.view(state) }),
        }
    }

    /// The journal of an ended match may hold more than its watchers were told; to be called after the commit.
    pub async fn news(&self, id: MatchId) {
        while let Some(known) = self.0.aftermath.known(id) {
            let told = match queries::last_seq(&self.0.context.pool, id).await {
                Ok(last) if last <= known => return,
                Ok(_) => self.load_ended(id).await.map(|state| self.0.aftermath.news(&state)),
                Err(_) => Err(Refusal::Paused),
            };
            match told {
                Err(Refusal::Paused | Refusal::Overloaded) if !self.live().stopping => {
                    tokio::time::sleep(NEWS_AGAIN).await;
                }
                _ => return,
            }
        }
    }

    /// Those who watched a match to its end go on watching.
    pub(super) fn adopt(&self, state: &State, watchers: Vec<Outbox>) {
        if self.0.aftermath.adopt(state, watchers) {
            // Somebody who came in between has brought news with them.
            let (matches, id) = (self.clone(), state.setup().id);
            tokio::spawn(async move { matches.news(id).await });
        }
    }

    /// Whether a player is in a live match of this process, for a stake or for nothing.
    pub fn is_playing(&self, player: PlayerId) -> bool {
        self.live().by_player.contains_key(&player)
    }

    /// Whether a match is live in this process.
    pub fn is_served(&self, id: MatchId) -> bool {
        self.find(id).is_some()
    }

    /// A socket has seen enough of a match; `reply` is called once nothing more of it will come.
    pub fn unwatch(&self, id: MatchId, socket: SocketId, reply: Reply) {
        let unsent = match self.find(id) {
            Some(handle) => handle.send(Message::Unwatch { socket, reply }),
            None => Err(Message::Unwatch { socket, reply }),
        };
        if let Err(Message::Unwatch { reply, .. }) = unsent {
            self.unwatch_ended(id, socket);
            reply(Ok(0));
        }
    }

    /// A socket has seen enough of a match that has ended.
    pub(super) fn unwatch_ended(&self, id: MatchId, socket: SocketId) {
        self.0.aftermath.unwatch(id, socket);
    }

    /// A match at this moment.
    pub async fn snapshot(&self, id: MatchId) -> Result<MatchView, Refusal> {
        if let Some(handle) = self.find(id) {
            let (reply, answer) = oneshot::channel();
            if handle.deliver(Message::Snapshot(reply)).await.is_ok()
                && let Ok(view) = answer.await
            {
                return Ok(view);
            }
        }
        self.load_ended(id).await.map(|state| self.view(&state))
    }

    /// Who is there at this moment: of the two players whoever has a socket open, and how many sockets watch.
    pub async fn attendance(&self, id: MatchId) -> Result<AttendanceView, Refusal> {
        let Players { first, second } = self.snapshot(id).await?.players;
        let is_online = |player: &PlayerRef| self.0.context.connections.presence(player.id) == Presence::Online;
        let mut watchers = 0;
        if let Some(handle) = self.find(id) {
            let (reply, answer) = oneshot::channel();
            if handle.deliver(Message::Audience(reply)).await.is_ok() {
                watchers = answer.await.unwrap_or_default();
            }
        }
        Ok(AttendanceView { first: is_online(&first), second: is_online(&second), watchers })
    }

    fn view(&self, state: &State) -> MatchView {
        let now = self.0.context.clock.now();
        MatchView::new(state, now, self.0.context.clock.wall_at(now))
    }

    /// Sends to the actor, or has `otherwise` answer from the record where there is none.
    fn send<F, W>(&self, id: MatchId, message: Message, otherwise: F)
    where
        F: FnOnce(Self, Message) -> W + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let unsent = match self.find(id) {
            Some(handle) => match handle.send(message) {
                Ok(()) => return,
                Err(message) => message,
            },
            None => message,
        };
        let matches = self.clone();
        tokio::spawn(async move {
            match matches.find_soon(id).await {
                Some(handle) => {
                    if let Err(message) = handle.send(unsent) {
                        otherwise(matches, message).await;
                    }
                }
                None => otherwise(matches, unsent).await,
            }
        });
    }

    /// The actor of a match that is live in the database but was not found: it is about to be served.
    async fn find_soon(&self, id: MatchId) -> Option<Handle> {
        let until = self.0.context.clock.now() + SERVED_SOON;
        loop {
            match queries::is_live(&self.0.context.pool, id).await {
                Ok(true) if self.0.context.clock.now() < until && !self.live().stopping => {}
                _ => return None,
            }
            if let Some(handle) = self.find(id) {
                return Some(handle);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn load_ended(&self, id: MatchId) -> Result<State, Refusal> {
        match queries::load(&self.0.context.pool, id).await {
            Ok(Some(state)) if state.outcome().is_some() => Ok(state),
            Ok(Some(_)) if self.live().stopping => Err(Refusal::Stopping),
            Ok(Some(_)) => Err(Refusal::Overloaded),
            Ok(None) => Err(Refusal::NotFound),
            Err(LoadError::Database(error)) => {
                tracing::warn!(match_id = %id, %error, "a match could not be read");
                Err(Refusal::Paused)
            }
            Err(LoadError::Unreadable(error)) => {
                tracing::error!(match_id = %id, %error, "the record of a match can't be read");
                Err(Refusal::Overloaded)
            }
        }
    }

    /// A player came or went: their matches' watchers are told.
    pub fn presence_changed(&self, change: PresenceChange) {
        let handles: Vec<Handle> = {
            let live = self.live();
            let ids = live.by_player.get(&change.player).into_iter().flatten();
            ids.filter_map(|id| live.matches.get(id).cloned()).collect()
        };
        for handle in handles {
            drop(handle.send(Message::Presence { player: change.player, online: change.online }));
        }
    }

    /// The server goes down: every match finishes the commit under way and takes nothing more.
    pub async fn stop(&self) {
        let handles: Vec<Handle> = {
            let mut live = self.live();
            live.stopping = true;
            live.matches.values().cloned().collect()
        };
        for handle in handles {
            let (done, stopped) = oneshot::channel();
            if handle.deliver(Message::Stop(done)).await.is_ok() {
                drop(stopped.await);
            }
        }
    }
}

/// A number of things as a metric.
fn count(things: usize) -> f64 {
    u32::try_from(things).unwrap_or(u32::MAX).into()
}
