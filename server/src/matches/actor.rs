//! The task that owns a live match: it moves messages; the thinking is in [`state`](super::state).
//!
//! Order for every command: judge, commit, acknowledge and publish. Commits are awaited in the body of a branch,
//! never as a branch, so nothing can cut one in half.

mod bots;
mod void;

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use metrics::Histogram;
use sqlx::PgPool;
use tokio::{
    sync::oneshot,
    time::{sleep_until, timeout},
};
use tracing::Instrument as _;

use crate::{
    bus::{Connections, Frame, Outbox, frame},
    clock::Clock,
    ids::PlayerId,
    matches::{
        Health, Journal, Matches, Refusal,
        entry::{Act, Entry, Trouble},
        events::{ClocksView, EventsFrame, MatchFrame, Notice, RefusedFrame},
        handle::{Command, Mail, Message, Reply, VoidOrder},
        journal::{self, AppendError},
        queries,
        settle::{End, Settlers},
        state::{Stamp, State, Verdict},
        view::MatchView,
    },
};

/// A flag falls this long after zero, so that a move stamped in time has reached the mailbox.
const FLAG_GRACE: Duration = Duration::from_millis(20);
/// The same while a player acts through another node: what they send takes another way (MA-5).
const FLAG_GRACE_ELSEWHERE: Duration = Duration::from_millis(250);
/// How much later than here whoever hears of a match through a relay may hear that it goes on: the relay has to find out
/// who serves it now. Their clock runs no sooner.
const TOLD_ELSEWHERE: Duration = Duration::from_millis(400);
/// How long the database may take to say what the journal holds.
const READ_PATIENCE: Duration = Duration::from_secs(2);
/// How often a match in trouble looks whether it can go on.
const RETRY: Duration = Duration::from_millis(100);

/// Looked up once: it is written to with every move.
static COMMIT_SECONDS: LazyLock<Histogram> = LazyLock::new(|| metrics::histogram!("stakeboard_commit_seconds"));

/// What all matches of a process share.
#[derive(Clone)]
pub struct Context {
    /// For reading.
    pub pool: PgPool,
    /// For the last entries of a match.
    pub settlers: Settlers,
    /// For every other entry.
    pub journal: Journal,
    /// Whether the service can write.
    pub health: Health,
    /// The time.
    pub clock: Clock,
    /// Players' sockets.
    pub connections: Arc<Connections>,
}

/// Why a match does not go on at the moment.
struct Pause {
    trouble: Trouble,
    retry_at: Instant,
    /// The journal may hold more than memory: a commit had no answer.
    unsure: bool,
    /// What kept it from going on has been written down.
    logged: bool,
    /// Told once the match is served for the first time after a restart.
    served: Option<oneshot::Sender<()>>,
    /// Who has been told more, by whoever reads the journal, than this process knows yet: they are answered once it does.
    ahead: Vec<Watch>,
}

impl Pause {
    fn new(trouble: Trouble, retry_at: Instant) -> Self {
        Self { trouble, retry_at, unsure: true, logged: false, served: None, ahead: Vec::new() }
    }
}

/// A socket that watches, after a snapshot or after what it missed.
struct Watch {
    outbox: Outbox,
    since: Option<u32>,
    request: Option<serde_json::Value>,
}

/// A live match and everything it needs.
pub struct Actor {
    context: Context,
    matches: Matches,
    state: State,
    epoch: i32,
    inbox: Mail,
    /// Messages taken out of the inbox while a flag was being looked at.
    waiting: VecDeque<Box<Message>>,
    watchers: Vec<Outbox>,
    pause: Option<Pause>,
    stopping: bool,
}

impl Actor {
    /// A match that was just committed: its first clock runs from now on (MA-13).
    pub fn begin(context: Context, matches: Matches, mut state: State, inbox: Mail) -> Self {
        state.clocks_mut().run(context.clock.now());
        Self::new(context, matches, state, 1, inbox, None)
    }

    /// A match of an earlier process, its clocks standing; it is served once the credit is written.
    pub fn resume(
        context: Context,
        matches: Matches,
        state: State,
        epoch: i32,
        inbox: Mail,
        served: oneshot::Sender<()>,
    ) -> Self {
        let retry_at = context.clock.now();
        // The journal was read after the match had been taken over.
        let pause = Pause { served: Some(served), unsure: false, ..Pause::new(Trouble::Restart, retry_at) };
        Self::new(context, matches, state, epoch, inbox, Some(pause))
    }

    fn new(context: Context, matches: Matches, state: State, epoch: i32, inbox: Mail, pause: Option<Pause>) -> Self {
        let waiting = VecDeque::new();
        Self { context, matches, state, epoch, inbox, waiting, watchers: Vec::new(), pause, stopping: false }
    }

    /// Runs the match to its end, or to the end of the process.
    pub async fn run(mut self) {
        // One timer for the whole match, which is put off and not made anew: nearly always it is never met.
        let mut timer = pin!(sleep_until(self.context.clock.now().into()));
        while self.state.outcome().is_none() && !self.stopping {
            if let Some(message) = self.waiting.pop_front() {
                self.handle(*message).await;
                continue;
            }
            let wake = self.wake();
            if let Some(wake) = wake
                && timer.deadline() != wake.into()
            {
                timer.as_mut().reset(wake.into());
            }
            tokio::select! {
                biased;
                message = self.inbox.recv() => match message {
                    Some(message) => self.handle(*message).await,
                    None => break,
                },
                () = timer.as_mut(), if wake.is_some() => Box::pin(self.on_timer()).await,
                () = self.context.health.pause_changed() => self.on_health(),
            }
        }
        if self.state.outcome().is_some() {
            self.matches.adopt(&self.state, std::mem::take(&mut self.watchers));
        }
        self.matches.remove(&self.state, self.epoch);
        if self.state.outcome().is_some() {
            self.matches.tell_wallets(self.state.setup());
        }
        // What arrived before the match was removed still gets its answer.
        self.inbox.close();
        while let Some(message) = self.next_waiting().await {
            self.handle(*message).await;
        }
    }

    async fn next_waiting(&mut self) -> Option<Box<Message>> {
        match self.waiting.pop_front() {
            Some(message) => Some(message),
            None => self.inbox.recv().await,
        }
    }

    /// When something is to be done without being asked.
    fn wake(&self) -> Option<Instant> {
        match &self.pause {
            Some(pause) => Some(pause.retry_at),
            None => self.state.clocks().deadline().map(|deadline| deadline + FLAG_GRACE),
        }
    }

    async fn on_timer(&mut self) {
        if self.pause.is_some() {
            self.try_resume().await;
        } else {
            self.flag().await;
        }
    }

    fn on_health(&mut self) {
        if let Some(since) = self.context.health.paused() {
            self.stand(since, Trouble::Outage);
        }
    }

    async fn handle(&mut self, message: Message) {
        match message {
            Message::Act { player, command, stamp, reply } => self.on_act(player, &command, stamp, reply).await,
            Message::Void { order, reply } => Box::pin(self.void(order, reply)).await,
            Message::Watch { outbox, since, request } => self.watch(Watch { outbox, since, request }),
            Message::Unwatch { socket, reply } => {
                self.watchers.retain(|outbox| outbox.id() != socket);
                self.matches.unwatch_ended(self.state.setup().id, socket);
                reply(Ok(self.state.seq()));
            }
            Message::Snapshot(reply) => drop(reply.send(self.view())),
            Message::Audience(reply) => drop(reply.send(self.watchers.len())),
            Message::Presence { player, online } => {
                if let Some(seat) = self.state.setup().seat_of(player) {
                    self.publish(&frame(&Notice::Presence { match_id: self.state.setup().id, seat, online }));
                }
            }
            Message::CutOff { since } => self.stand(since, Trouble::Outage),
            Message::Stop(done) => {
                self.stopping = true;
                let _ = done.send(());
            }
        }
    }

    async fn on_act(&mut self, player: PlayerId, command: &Command, stamp: Instant, reply: Reply) {
        if let Some(since) = self.context.health.paused_now() {
            self.stand(since, Trouble::Outage);
        }
        let late = self.state.clocks().deadline().is_some_and(|deadline| stamp >= deadline);
        if late {
            // The clock ran out before the request was read: that is settled first.
            Box::pin(self.flag()).await;
        }
        let span = tracing::debug_span!("act", match_id = %self.state.setup().id, %player);
        self.act(player, command, stamp, reply).instrument(span).await;
    }

    async fn act(&mut self, player: PlayerId, command: &Command, stamp: Instant, reply: Reply) {
        let Some(seat) = self.state.setup().seat_of(player) else { return reply(Err(Refusal::NotAPlayer)) };
        if self.state.setup().is_with_a_bot()
            && let Some(refusal) = bots::closed(&self.context.pool, self.state.setup(), player, command).await
        {
            return reply(Err(refusal));
        }
        let stamp = Stamp { instant: stamp, wall: self.context.clock.wall_at(stamp) };
        match self.state.judge(seat, command, stamp) {
            Ok(Verdict::Recorded(seq)) => reply(Ok(seq)),
            Ok(Verdict::Write(_)) if self.stopping => reply(Err(Refusal::Stopping)),
            Ok(Verdict::Write(_)) if self.pause.is_some() => reply(Err(Refusal::Paused)),
            Ok(Verdict::Write(entries)) => {
                let acknowledged = entries.first().map_or(0, |entry| entry.seq);
                if let Ok(frames) = self.commit(entries, None).await {
                    reply(Ok(acknowledged));
                    for frame in frames {
                        self.publish(&frame);
                    }
                } else {
                    self.stand(stamp.instant, Trouble::Outage);
                    reply(Err(Refusal::Paused));
                }
            }
            Err(refusal) => reply(Err(refusal)),
        }
    }

    /// Commits entries and puts them into effect; gives what is to be published.
    async fn commit(&mut self, mut entries: Vec<Entry>, order: Option<VoidOrder>) -> Result<Vec<Frame>, AppendError> {
        let began = self.context.clock.now();
        let ends = matches!(entries.last(), Some(Entry { act: Act::Ended(..), .. }));
        let frames = if ends {
            // In a box of its own: once in a match, and it takes more room than all the rest.
            Box::pin(self.commit_end(entries, order)).await?
        } else {
            let entry = entries.pop().expect("a verdict to write has an entry");
            let written = self.context.journal.append(self.state.setup().id, self.epoch, entry.clone());
            written.instrument(tracing::debug_span!("commit")).await?;
            vec![frame(&self.state.apply(entry))]
        };
        let now = self.context.clock.now();
        COMMIT_SECONDS.record(now.saturating_duration_since(began).as_secs_f64());
        if self.pause.is_none() {
            self.state.clocks_mut().run(now);
        }
        Ok(frames)
    }

    /// Commits the last entries with the outcome and the payout.
    async fn commit_end(&mut self, entries: Vec<Entry>, order: Option<VoidOrder>) -> Result<Vec<Frame>, AppendError> {
        let mut after = self.state.clone();
        let frames = entries.iter().map(|entry| frame(&after.apply(entry.clone()))).collect();
        let outcome = after.outcome().expect("an `ended` entry ends the match");
        let context = &self.context;
        let end = End { setup: self.state.setup(), entries: &entries, outcome, order: order.as_ref() };
        let settled = context.settlers.settle(context.health.clone(), self.epoch, end);
        settled.instrument(tracing::debug_span!("settle")).await?;
        self.state = after;
        Ok(frames)
    }

    /// MA-4: the running clock has reached zero. The flag falls once a heartbeat later than zero has been
    /// written (the service was there to take a move) and every command stamped before zero has been judged.
    async fn flag(&mut self) {
        let Some(deadline) = self.state.clocks().deadline() else { return };
        sleep_until((deadline + self.flag_grace()).into()).await;
        // One receiver for all turns of the loop: a fresh copy would count every earlier beat as news, and never wait.
        let mut beats = self.context.health.clone();
        while self.context.health.last_beat().min(self.served_until()) < deadline {
            if let Some(since) = self.context.health.paused_now().or_else(|| self.cut_off()) {
                return self.stand(since, Trouble::Outage);
            }
            tokio::select! {
                () = beats.next_beat() => {}
                () = self.context.health.pause_changed() => {}
            }
        }
        while let Ok(message) = self.inbox.try_recv() {
            self.waiting.push_back(message);
        }
        for message in std::mem::take(&mut self.waiting) {
            match *message {
                Message::Act { player, command, stamp, reply } if stamp < deadline => {
                    self.act(player, &command, stamp, reply).await;
                }
                later => self.waiting.push_back(Box::new(later)),
            }
        }
        if self.pause.is_some() || self.state.clocks().deadline() != Some(deadline) {
            return;
        }
        let stamp = self.stamp();
        if let Some(entry) = self.state.flag(stamp) {
            match self.commit(vec![entry], None).await {
                Ok(frames) => frames.iter().for_each(|frame| self.publish(frame)),
                Err(_) => self.stand(deadline, Trouble::Outage),
            }
        }
    }

    fn players(&self) -> [PlayerId; 2] {
        let players = &self.state.setup().players;
        [players.first.id, players.second.id]
    }

    /// Whether one of the players acts through another node.
    fn is_played_elsewhere(&self) -> bool {
        self.players().into_iter().any(|player| self.context.connections.is_elsewhere(player))
    }

    /// Whether one of the players may hear of the match through a relay: that of another node or, where the match has just
    /// come here, that of this one.
    fn is_relayed(&self) -> bool {
        self.is_played_elsewhere() || self.matches.is_relayed(self.state.setup().id)
    }

    fn flag_grace(&self) -> Duration {
        if self.is_played_elsewhere() { FLAG_GRACE_ELSEWHERE } else { FLAG_GRACE }
    }

    /// Until when both players could certainly act.
    fn served_until(&self) -> Instant {
        self.context.connections.served_until(self.players())
    }

    /// Since when one of the players can't, by no fault of theirs.
    fn cut_off(&self) -> Option<Instant> {
        self.context.connections.cut_off(self.players())
    }

    fn stamp(&self) -> Stamp {
        let instant = self.context.clock.now();
        Stamp { instant, wall: self.context.clock.wall_at(instant) }
    }

    /// The service is in trouble since `since`: clocks stand, watchers are told.
    fn stand(&mut self, since: Instant, trouble: Trouble) {
        if self.pause.is_some() || self.state.outcome().is_some() {
            return;
        }
        self.state.clocks_mut().stand(since);
        self.pause = Some(Pause::new(trouble, self.context.clock.now()));
        self.publish(&frame(&Notice::Paused { match_id: self.state.setup().id, clocks: self.clocks_view() }));
    }

    async fn try_resume(&mut self) {
        let is_cut_off = self.context.health.paused_now().is_some() || self.cut_off().is_some();
        let resumed = if is_cut_off { Ok(false) } else { self.resume_from_journal().await };
        match resumed {
            Ok(true) => {
                if let Some(pause) = self.pause.take() {
                    self.end_pause(pause);
                }
            }
            Ok(false) => {}
            Err(error) => self.log_what_keeps_it(&error),
        }
        let now = self.context.clock.now();
        if let Some(pause) = &mut self.pause {
            pause.retry_at = now + RETRY;
            pause.unsure = true;
        }
    }

    /// Once, however often it is tried.
    fn log_what_keeps_it(&mut self, error: &queries::LoadError) {
        if let Some(pause) = &mut self.pause
            && !std::mem::replace(&mut pause.logged, true)
        {
            tracing::warn!(match_id = %self.state.setup().id, %error, "a match can't go on yet");
        }
    }

    fn end_pause(&mut self, pause: Pause) {
        if let Some(served) = pause.served {
            let _ = served.send(());
        }
        for watch in pause.ahead {
            if self.stopping {
                watch.outbox.push(frame(&RefusedFrame::new(watch.request, &Refusal::Paused)));
            } else {
                self.watch(watch);
            }
        }
    }

    /// Reads what the journal holds beyond memory (a commit whose outcome was unknown), then writes the credit.
    async fn resume_from_journal(&mut self) -> Result<bool, queries::LoadError> {
        let setup = Arc::clone(self.state.setup());
        let unsure = self.pause.as_ref().is_none_or(|pause| pause.unsure);
        let (owned, entries) = if unsure {
            timeout(READ_PATIENCE, self.read_on()).await.map_err(|_| sqlx::Error::PoolTimedOut)??
        } else {
            (true, Vec::new())
        };
        if !owned {
            tracing::error!(match_id = %setup.id, "the match has another owner; this process lets go of it");
            self.stopping = true;
            self.matches.pass_on(&self.state, std::mem::take(&mut self.watchers));
            return Ok(true);
        }
        for entry in entries {
            let event = self.state.apply(entry);
            self.publish(&frame(&event));
        }
        if self.state.outcome().is_some() {
            return Ok(true);
        }
        let stamp = self.stamp();
        let trouble = self.pause.as_ref().map_or(Trouble::Outage, |pause| pause.trouble);
        let entry = self.state.flag_after_outage(stamp).unwrap_or_else(|| self.state.credit(trouble, stamp));
        let credited = matches!(entry.act, Act::ClockCredited(_));
        let Ok(frames) = self.commit(vec![entry], None).await else { return Ok(false) };
        if credited {
            metrics::counter!("stakeboard_clock_credits_total", "reason" => trouble.code()).increment(1);
        }
        let told = if self.is_relayed() { TOLD_ELSEWHERE } else { Duration::ZERO };
        self.state.clocks_mut().run(self.context.clock.now() + told);
        for frame in frames {
            self.publish(&frame);
        }
        if self.state.outcome().is_none() {
            self.publish(&frame(&Notice::Resumed { match_id: setup.id, clocks: self.clocks_view() }));
        }
        Ok(true)
    }

    /// Whether this process still owns the match, and what its journal holds beyond memory.
    async fn read_on(&mut self) -> Result<(bool, Vec<Entry>), queries::LoadError> {
        let (pool, id) = (&self.context.pool, self.state.setup().id);
        let owned = queries::is_owned(pool, id, self.context.health.node, self.epoch).await?;
        Ok((owned, journal::read(pool, self.state.game(), id, self.state.seq()).await?))
    }

    /// Subscribes and tells what came before, in one step: nothing can fall between.
    fn watch(&mut self, watch: Watch) {
        if let Some(pause) = &mut self.pause
            && pause.unsure
            && watch.since.is_some_and(|since| since > self.state.seq())
        {
            return pause.ahead.push(watch);
        }
        let Watch { outbox, since, request } = watch;
        let told = match since {
            Some(since) if since <= self.state.seq() => frame(&EventsFrame {
                kind: "events",
                id: request,
                match_id: self.state.setup().id,
                from: since + 1,
                to: self.state.seq(),
                events: self.state.events_since(since),
            }),
            _ => frame(&MatchFrame { kind: "match", id: request, snapshot: self.view() }),
        };
        if !outbox.push(told) {
            return;
        }
        if self.pause.is_some() {
            outbox.push(frame(&Notice::Paused { match_id: self.state.setup().id, clocks: self.clocks_view() }));
        }
        if self.state.outcome().is_some() {
            self.matches.adopt(&self.state, vec![outbox]);
        } else if self.watchers.iter().all(|watcher| watcher.id() != outbox.id()) {
            self.watchers.push(outbox);
        }
    }

    fn publish(&mut self, frame: &Frame) {
        self.watchers.retain(|watcher| watcher.push(frame.clone()));
    }

    fn view(&self) -> MatchView {
        let stamp = self.stamp();
        MatchView::new(&self.state, stamp.instant, stamp.wall)
    }

    fn clocks_view(&self) -> ClocksView {
        let stamp = self.stamp();
        ClocksView::new(self.state.clocks().shown(stamp.instant), self.state.clocks().running(), stamp.wall)
    }
}
