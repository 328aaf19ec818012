//! Every live match of this process, one owner each, and the way to those of other processes.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use serde::Serialize;
use serde_json::Value;
use stakeboard_engine::BySeat;
use time::OffsetDateTime;
use tokio::sync::oneshot;

use crate::{
    bus::{Bus, Frame, News, Outbox, Presence, PresenceChange, SocketId, Transit, frame},
    clock::Clock,
    ids::{MatchId, NodeId, PlayerId},
    matches::{
        PlayerRef, Refusal, Reply, Setup,
        actor::{Actor, Context},
        aftermath::Aftermath,
        events::{EventsFrame, MatchFrame, RefusedFrame},
        handle::{Command, Handle, Message, VoidOrder},
        queries::{self, LoadError, Whereabouts},
        remote::Remote,
        state::{Stamp, State, Verdict},
        view::{AttendanceView, MatchView},
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
    /// Where there are other nodes.
    remote: Option<Remote>,
}

#[derive(Default)]
struct Live {
    stopping: bool,
    matches: HashMap<MatchId, Served>,
    by_player: HashMap<PlayerId, Vec<MatchId>>,
}

struct Served {
    epoch: i32,
    handle: Handle,
}

/// Where a message for a match is to go.
enum Place {
    Here(Handle),
    There(NodeId),
    /// It has ended, or is served by nobody yet.
    Nowhere,
}

/// A match at a moment, as whoever owns it has it.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Snapshot {
    /// This node.
    Own(Box<MatchView>),
    /// Another one.
    Others(Value),
}

/// How soon the journal is asked again for news that could not be read.
const NEWS_AGAIN: Duration = Duration::from_millis(200);
/// How long a match that is committed, but not served yet, is waited for.
const SERVED_SOON: Duration = Duration::from_secs(2);

impl Matches {
    /// No matches yet.
    pub fn new(context: Context, settings: MatchesSettings, bus: Option<(Bus, Transit)>) -> Self {
        let remote = bus.map(|(bus, transit)| Remote::new(bus, transit));
        Self(Arc::new(Inner { context, settings, live: Mutex::default(), aftermath: Aftermath::default(), remote }))
    }

    /// How matches are played here.
    pub fn settings(&self) -> MatchesSettings {
        self.0.settings
    }

    /// This process, as the owner of its matches.
    pub fn node(&self) -> NodeId {
        self.0.context.health.node
    }

    /// The nodes that hold a lease.
    pub fn peers(&self) -> Arc<BTreeSet<NodeId>> {
        self.0.context.health.peers()
    }

    pub(super) fn context(&self) -> &Context {
        &self.0.context
    }

    pub(super) fn clock(&self) -> Clock {
        self.0.context.clock
    }

    pub(super) fn remote(&self) -> Option<&Remote> {
        self.0.remote.as_ref()
    }

    /// Whether nobody can be served at the moment.
    pub fn is_paused(&self) -> bool {
        self.0.context.health.paused().is_some()
    }

    /// Whether the server goes down.
    pub(super) fn is_stopping(&self) -> bool {
        self.live().stopping
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
        if !self.insert(&state, 1, handle) {
            // It was found to have no owner meanwhile, and taken up.
            return;
        }
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
        self.insert(&state, epoch, handle);
        tokio::spawn(Actor::resume(self.0.context.clone(), self.clone(), state, epoch, inbox, served).run());
        ready
    }

    /// Whether it is served by this from now on: of two owners the later one counts.
    fn insert(&self, state: &State, epoch: i32, handle: Handle) -> bool {
        let mut live = self.live();
        let id = state.setup().id;
        if live.matches.get(&id).is_some_and(|served| served.epoch >= epoch) {
            return false;
        }
        if live.matches.insert(id, Served { epoch, handle }).is_none() {
            for (_, player) in state.setup().players.iter() {
                live.by_player.entry(player.id).or_default().push(id);
            }
        }
        metrics::gauge!("stakeboard_matches_live").set(count(live.matches.len()));
        true
    }

    /// The actor of a match has ended.
    pub(super) fn remove(&self, state: &State, epoch: i32) {
        let mut live = self.live();
        let id = state.setup().id;
        if live.matches.get(&id).is_none_or(|served| served.epoch != epoch) {
            return;
        }
        live.matches.remove(&id);
        for (_, player) in state.setup().players.iter() {
            if let Some(matches) = live.by_player.get_mut(&player.id) {
                matches.retain(|match_id| *match_id != id);
                if matches.is_empty() {
                    live.by_player.remove(&player.id);
                }
            }
        }
        metrics::gauge!("stakeboard_matches_live").set(count(live.matches.len()));
    }

    pub(super) fn find(&self, id: MatchId) -> Option<Handle> {
        self.live().matches.get(&id).map(|served| served.handle.clone())
    }

    pub(super) async fn whereabouts(&self, id: MatchId) -> Result<Option<Whereabouts>, sqlx::Error> {
        queries::whereabouts(&self.0.context.pool, id).await
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
        let (done, answer) = oneshot::channel();
        let reply: Reply = Box::new(move |result| drop(done.send(result)));
        let message = Message::Void { order, reply };
        let unsent = match self.find(id) {
            Some(handle) => handle.deliver(message).await.err(),
            None => Some(message),
        };
        if let Some(message) = unsent {
            self.send_on(id, message, move |matches, message| async move {
                let Message::Void { reply, .. } = message else { return };
                reply(matches.load_ended(id).await.and(Err(Refusal::MatchOver)));
            });
        }
        answer.await.unwrap_or(Err(Refusal::Stopping))
    }

    /// A socket watches a match: it is sent what it missed, then everything that happens.
    pub fn watch(&self, id: MatchId, outbox: Outbox, since: Option<u32>, request: Option<serde_json::Value>) {
        if let Some(remote) = &self.0.remote {
            remote.relays.leave(self, id, outbox.id());
        }
        let (watcher, named) = (outbox.clone(), request.clone());
        self.send(id, Message::Watch { outbox, since, request }, move |matches, _| async move {
            match matches.load_ended(id).await {
                Ok(state) => {
                    matches.0.aftermath.watch(&state, watcher, matches.answer(&state, since, named));
                    drop(state);
                    // What was written between the reading and the entry in the list of watchers.
                    matches.news_from_elsewhere(id).await;
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

    /// The journal of an ended match holds more than its watchers were told; to be called after the commit.
    pub async fn news(&self, id: MatchId) {
        self.0.context.connections.outside().tell(|| News::Epilogue { match_id: id });
        self.news_from_elsewhere(id).await;
    }

    /// The journal of an ended match may hold more than its watchers here were told.
    pub async fn news_from_elsewhere(&self, id: MatchId) {
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

    /// Those who watched a match that this process has let go of go on watching it where it is played now.
    pub(super) fn pass_on(&self, state: &State, watchers: Vec<Outbox>) {
        if let Some(remote) = &self.0.remote {
            remote.relays.adopt(state.setup().id, watchers, state.seq());
        }
    }

    /// Whether a match is live in this process.
    pub(super) fn is_here(&self, id: MatchId) -> bool {
        self.find(id).is_some()
    }

    /// Whether something may come of a match: it is live, here or elsewhere.
    pub fn is_served(&self, id: MatchId) -> bool {
        self.is_here(id) || self.is_relayed(id)
    }

    /// Whether somebody here hears of a match through the relay.
    pub(super) fn is_relayed(&self, id: MatchId) -> bool {
        self.0.remote.as_ref().is_some_and(|remote| remote.relays.has(id))
    }

    /// A socket has seen enough of a match; `reply` is called once nothing more of it will come.
    pub fn unwatch(&self, id: MatchId, socket: SocketId, reply: Reply) {
        if let Some(remote) = &self.0.remote {
            remote.relays.leave(self, id, socket);
        }
        self.unwatch_here(id, socket, reply);
    }

    /// The same for a match that is played or has ended here.
    pub(super) fn unwatch_here(&self, id: MatchId, socket: SocketId, reply: Reply) {
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
    pub async fn snapshot(&self, id: MatchId) -> Result<Snapshot, Refusal> {
        let place = match self.find(id) {
            Some(handle) => Place::Here(handle),
            None if self.0.remote.is_some() => self.locate(id).await,
            None => Place::Nowhere,
        };
        match (place, &self.0.remote) {
            (Place::Here(handle), _) => {
                let (reply, answer) = oneshot::channel();
                if handle.deliver(Message::Snapshot(reply)).await.is_ok()
                    && let Ok(view) = answer.await
                {
                    return Ok(Snapshot::Own(Box::new(view)));
                }
            }
            (Place::There(owner), Some(remote)) => {
                if let Some(snapshot) = remote.snapshot(owner, id).await? {
                    return Ok(Snapshot::Others(snapshot));
                }
            }
            _ => {}
        }
        self.load_ended(id).await.map(|state| Snapshot::Own(Box::new(self.view(&state))))
    }

    /// Who is there at this moment: of the two players whoever has a socket open, and how many sockets watch.
    pub async fn attendance(&self, id: MatchId) -> Result<AttendanceView, Refusal> {
        let setup = queries::setup(&self.0.context.pool, id).await.map_err(|_| Refusal::Paused)?;
        let players = setup.ok_or(Refusal::NotFound)?.players;
        let is_online = |player: &PlayerRef| self.0.context.connections.presence(player.id) == Presence::Online;
        let watchers = match (&self.0.remote, self.is_here(id)) {
            (None, _) => self.audience_here(id).await.unwrap_or_default(),
            (Some(remote), true) => remote.audience(self, self.node(), id).await,
            (Some(remote), false) => match self.whereabouts(id).await {
                Ok(Some(Whereabouts::Live(owner))) => remote.audience(self, owner, id).await,
                _ => 0,
            },
        };
        Ok(AttendanceView { first: is_online(&players.first), second: is_online(&players.second), watchers })
    }

    /// What watches a match of this process: sockets, and one for each other node with a watcher.
    pub(super) async fn audience_here(&self, id: MatchId) -> Option<usize> {
        let (reply, answer) = oneshot::channel();
        self.find(id)?.deliver(Message::Audience(reply)).await.ok()?;
        answer.await.ok()
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
        self.send_on(id, unsent, otherwise);
    }

    /// The same, looking for the actor first: it may be about to begin, or be at another node.
    fn send_on<F, W>(&self, id: MatchId, mut unsent: Message, otherwise: F)
    where
        F: FnOnce(Self, Message) -> W + Send + 'static,
        W: Future<Output = ()> + Send + 'static,
    {
        let matches = self.clone();
        tokio::spawn(async move {
            let until = matches.clock().now() + SERVED_SOON;
            // Who watches a match here knows whose it is: most acts are those of its players.
            let mut known = matches.remote().and_then(|remote| remote.relays.owner(id));
            loop {
                let place = match known.take() {
                    Some(owner) => Place::There(owner),
                    None => matches.locate(id).await,
                };
                unsent = match (place, matches.remote()) {
                    (Place::Here(handle), _) => match handle.send(unsent) {
                        Ok(()) => return,
                        Err(message) => break otherwise(matches.clone(), message).await,
                    },
                    (Place::There(owner), Some(remote)) => match remote.forward(&matches, owner, id, unsent).await {
                        Ok(()) => return,
                        Err(message) => message,
                    },
                    _ => break otherwise(matches.clone(), unsent).await,
                };
                if let Some(remote) = matches.remote() {
                    remote.relays.forget_owner(id);
                }
                if matches.clock().now() >= until || matches.is_paused() {
                    break otherwise(matches.clone(), unsent).await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
    }

    /// Where a match that was not found here is: about to be served, or at another node.
    async fn locate(&self, id: MatchId) -> Place {
        let until = self.clock().now() + SERVED_SOON;
        loop {
            match self.whereabouts(id).await {
                Ok(Some(Whereabouts::Live(owner))) if owner != self.node() && self.0.remote.is_some() => {
                    return Place::There(owner);
                }
                Ok(Some(Whereabouts::Live(_) | Whereabouts::Orphaned))
                    if self.clock().now() < until && !self.is_stopping() => {}
                _ => return Place::Nowhere,
            }
            if let Some(handle) = self.find(id) {
                return Place::Here(handle);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn load_ended(&self, id: MatchId) -> Result<State, Refusal> {
        match queries::load(&self.0.context.pool, id).await {
            Ok(Some(state)) if state.outcome().is_some() => Ok(state),
            Ok(Some(_)) if self.live().stopping => Err(Refusal::Stopping),
            // It is taken over in a while; its clock stands.
            Ok(Some(_)) if self.0.remote.is_some() => Err(Refusal::Paused),
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

    /// A player came or went, or is cut off: their matches are told.
    pub fn presence_changed(&self, change: PresenceChange) {
        let (PresenceChange::Came(player) | PresenceChange::Left(player) | PresenceChange::CutOff(player, _)) = change;
        let handles: Vec<Handle> = {
            let live = self.live();
            let ids = live.by_player.get(&player).into_iter().flatten();
            ids.filter_map(|id| live.matches.get(id).map(|served| served.handle.clone())).collect()
        };
        for handle in handles {
            drop(handle.send(match change {
                PresenceChange::Came(player) => Message::Presence { player, online: true },
                PresenceChange::Left(player) => Message::Presence { player, online: false },
                PresenceChange::CutOff(_, since) => Message::CutOff { since },
            }));
        }
    }

    /// The server goes down: every match finishes the commit under way and takes nothing more.
    pub async fn stop(&self) {
        self.live().stopping = true;
        self.stop_all().await;
    }

    /// This node has lost its lease: its matches are others' now, whatever it still holds of them.
    pub async fn let_go(&self) {
        if let Some(remote) = &self.0.remote {
            remote.let_go();
        }
        self.stop_all().await;
    }

    async fn stop_all(&self) {
        let handles: Vec<Handle> = self.live().matches.values().map(|served| served.handle.clone()).collect();
        for handle in handles {
            let (done, stopped) = oneshot::channel();
            if handle.deliver(Message::Stop(done)).await.is_ok() {
                drop(stopped.await);
            }
        }
    }

    /// Nodes have come or gone: who is connected, and what is watched where, follows.
    pub fn nodes_changed(&self) {
        let leased = self.0.context.health.peers();
        self.0.context.connections.keep_nodes(&leased);
        if let Some(remote) = &self.0.remote {
            remote.keep_nodes(&leased);
            remote.relays.keep_owners(|owner| leased.contains(&owner));
        }
    }

    /// A node has let go of what it owned.
    pub fn node_let_go(&self, node: NodeId) {
        if let Some(remote) = &self.0.remote {
            remote.relays.keep_owners(|owner| owner != node);
        }
    }
}

/// A number of things as a metric.
fn count(things: usize) -> f64 {
    u32::try_from(things).unwrap_or(u32::MAX).into()
}
