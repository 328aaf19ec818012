//! What a server does because there are others on its database.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use sqlx::PgPool;
use tokio::sync::{broadcast, mpsc, oneshot, watch};

use super::AppState;
use crate::{
    auth::{Attempt, Auth},
    bus::{Bus, Connections, Exchange, News, Outside, Transit},
    clock::Clock,
    config::Settings,
    db,
    ids::NodeId,
    matches::{self, Health, Matches},
};

/// How long a server that starts waits to learn who is connected to the others.
const ACQUAINTANCE: Duration = Duration::from_secs(2);
/// How often a server that is not alone asks whether the sessions of its sockets still run: word of an end can be lost.
const ASK_ABOUT_SESSIONS: Duration = Duration::from_secs(5);

/// A server as one of several, or alone.
pub(super) struct Shared {
    pub connections: Arc<Connections>,
    pub bus: Option<(Bus, Transit)>,
    pub echo: Option<watch::Receiver<Instant>>,
    pub others: mpsc::UnboundedReceiver<News>,
}

/// A clock that agrees with those of all servers on this database, which ask it too.
pub(super) async fn shared_clock(pool: &PgPool) -> Result<Clock, sqlx::Error> {
    let machine = Clock::start();
    // On a connection that is open, and after a first question: to open one, and to plan a statement, takes much longer
    // than to ask, and all of it would count as time that the answer was on its way.
    let mut connection = pool.acquire().await?;
    db::time(&mut connection).await?;
    let asked = machine.now();
    let wall = db::time(&mut connection).await?;
    let took = machine.now().saturating_duration_since(asked);
    Ok(Clock::agreeing_with(wall, asked + took / 2))
}

/// Reaches the bus of the settings, where they name one.
pub(super) async fn share(
    settings: &Settings,
    pool: &PgPool,
    clock: Clock,
    node: NodeId,
    connections: Connections,
) -> anyhow::Result<Shared> {
    let (to_others, others) = mpsc::unbounded_channel();
    let Some(address) = &settings.bus else {
        return Ok(Shared { connections: Arc::new(connections), bus: None, echo: None, others });
    };
    let bus = Bus::connect(address, &db::deployment(pool).await?)
        .await
        .context("STAKEBOARD_BUS: the bus between servers can't be used")?;
    let (outside, outgoing) = Outside::open();
    let connections = Arc::new(connections.with_others(outside));
    let transit = Transit::default();
    let exchange = Exchange {
        bus: bus.clone(),
        node,
        clock,
        connections: Arc::clone(&connections),
        transit: transit.clone(),
        others: to_others,
    };
    let echo = Some(exchange.start(outgoing).await);
    Ok(Shared { connections, bus: Some((bus, transit)), echo, others })
}

/// What goes on beside requests until the process ends, because there are others.
pub(super) fn start(
    state: &AppState,
    connections: &Arc<Connections>,
    health: &Health,
    others: mpsc::UnboundedReceiver<News>,
) {
    if connections.outside().is_open() {
        let matches = state.matches.clone();
        tokio::spawn(hear_others(state.clone(), Arc::clone(connections), health.clone(), others));
        tokio::spawn(tell_attempts(state.auth.clone(), Arc::clone(connections)));
        tokio::spawn(follow_nodes(matches.clone(), health.clone()));
        tokio::spawn(matches::keep_taking_over(matches, state.pool.clone(), health.clone()));
    }
}

/// Waits a moment until every other server has told who is connected to it: until then nobody could be paired here who has
/// no socket here. One that says nothing is not waited for.
pub(super) async fn until_acquainted(matches: &Matches, connections: &Connections) {
    let acquainted = async {
        while !connections.knows_all_of(matches.node(), &matches.peers()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    drop(tokio::time::timeout(ACQUAINTANCE, acquainted).await);
}

async fn hear_others(
    state: AppState,
    connections: Arc<Connections>,
    health: Health,
    mut others: mpsc::UnboundedReceiver<News>,
) {
    let AppState { auth, lobby, matches, .. } = state;
    while let Some(news) = others.recv().await {
        match news {
            News::LoginFailed { account, network } => auth.count_elsewhere(Attempt::Failed(account, network)),
            News::LoggedIn { account } => auth.count_elsewhere(Attempt::Succeeded(account)),
            News::SignedUp { network } => auth.count_elsewhere(Attempt::SignedUp(network)),
            News::SessionEnded { session } => connections.end_session(session),
            News::Seek { seek } => lobby.feed().changed_elsewhere(seek),
            News::Seeks { player } => lobby.feed().player_changed_elsewhere(player),
            News::Epilogue { match_id } => {
                let matches = matches.clone();
                tokio::spawn(async move { matches.news_from_elsewhere(match_id).await });
            }
            News::LetGo { node } => {
                matches.node_let_go(node);
                health.look_now();
            }
            // These are about who is connected, and end where that is known.
            News::Beat { .. } | News::Presence { .. } | News::Push { .. } | News::Wallet { .. } => {}
        }
    }
}

/// Every server counts what counts towards the limits on guessing: who goes from one to the next gains nothing.
async fn tell_attempts(auth: Auth, connections: Arc<Connections>) {
    let mut attempts = auth.attempts();
    loop {
        match attempts.recv().await {
            Ok(attempt) => connections.outside().tell(|| match attempt {
                Attempt::Failed(account, network) => News::LoginFailed { account, network },
                Attempt::Succeeded(account) => News::LoggedIn { account },
                Attempt::SignedUp(network) => News::SignedUp { network },
            }),
            // More at once than limits let through.
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return,
        }
    }
}

async fn follow_nodes(matches: Matches, mut health: Health) {
    loop {
        health.peers_changed().await;
        matches.nodes_changed();
    }
}

/// Each time this node's lease was lost: matches and sockets are let go of, before another lease is begun.
pub(super) async fn let_go_of_what_is_lost(
    matches: Matches,
    connections: Arc<Connections>,
    mut losses: mpsc::Receiver<oneshot::Sender<()>>,
) {
    while let Some(done) = losses.recv().await {
        matches.let_go().await;
        connections.stop();
        say_that_it_let_go(&matches, &connections);
        let _ = done.send(());
    }
}

/// Others need not wait until they notice.
pub(super) fn say_that_it_let_go(matches: &Matches, connections: &Connections) {
    connections.outside().tell(|| News::LetGo { node: matches.node() });
}

/// Closes the sockets of sessions that have ended, here and at other nodes.
pub(super) async fn end_sockets(auth: Auth, connections: Arc<Connections>) {
    let mut ends = auth.ends().subscribe();
    let mut rounds = tokio::time::interval(ASK_ABOUT_SESSIONS);
    let mut asks = db::Lasting::new(
        "whether the sessions of open sockets have ended can't be looked at",
        "whether the sessions of open sockets have ended is looked at again",
    );
    loop {
        tokio::select! {
            ended = ends.recv() => match ended {
                Ok(session) => {
                    connections.end_session(session);
                    connections.outside().tell(|| News::SessionEnded { session });
                }
                // Too many at once to be told one by one: ask about every session that has a socket.
                Err(broadcast::error::RecvError::Lagged(_)) => {
                    asks.tried(&ask_about_sessions(&auth, &connections).await);
                }
                Err(broadcast::error::RecvError::Closed) => return,
            },
            _ = rounds.tick(), if connections.outside().is_open() => {
                asks.tried(&ask_about_sessions(&auth, &connections).await);
            }
        }
    }
}

async fn ask_about_sessions(auth: &Auth, connections: &Connections) -> Result<(), sqlx::Error> {
    for session in auth.ended_among(&connections.sessions()).await? {
        connections.end_session(session);
    }
    Ok(())
}
