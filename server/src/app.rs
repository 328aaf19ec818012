//! The one place that wires everything.

mod nodes;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::Context as _;
use axum::extract::FromRef;
use sqlx::{PgPool, postgres::PgConnectOptions};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    admin::Office,
    agreement::Agreement,
    auth::{Auth, Keys, sessions},
    bus::{Connections, News, PresenceChange},
    clock::Clock,
    config::Settings,
    db, fair_play,
    http::{
        forwarded::TrustedProxies,
        limits::HttpLimits,
        router, serve,
        service::{ConfigView, LimitsView},
        socket::Origins,
        tunnel::Tunnel,
    },
    idempotency,
    ids::NodeId,
    ledger,
    lifecycle::Readiness,
    lobby::{self, Feed, Lobby, Parts},
    matches::{
        self, Beating, Health, Journal, Matches, Settlers, Sharing,
        actor::Context,
        receipt::{ReceiptKeys, Receipts},
    },
    money::{Cents, Stake},
    players::names,
    practice::{self, Bots, Practice, PracticeSettings, Sandbox, Streaks, Tables},
    realtime::{self, Realtime},
    signing::KeyError,
    telemetry::{self, Metrics, start_metrics},
    wallet::{self, Wallet},
    watch,
};

/// Where a server keeps its data and how it gets in.
#[derive(Clone, Debug)]
pub struct Database {
    /// The server's own way in.
    pub server: PgConnectOptions,
    /// The schema's owner's, where the server is to migrate.
    pub owner: Option<PgConnectOptions>,
}

/// Services that handlers ask for.
#[derive(Clone, FromRef)]
pub struct AppState {
    auth: Auth,
    clock: Clock,
    config: ConfigView,
    lobby: Lobby,
    matches: Matches,
    metrics: Metrics,
    office: Office,
    origins: Origins,
    pool: PgPool,
    practice: Practice,
    readiness: Readiness,
    realtime: Realtime,
    receipts: Receipts,
    sandbox: Sandbox,
    streaks: Streaks,
    /// What is waited for when the server stops: work on money and sessions.
    tasks: TaskTracker,
    wallet: Wallet,
}

/// A server that has recovered its matches and is bound to its address, but does not answer yet.
pub struct App {
    state: AppState,
    listener: TcpListener,
    limits: HttpLimits,
    proxies: TrustedProxies,
    connections: Arc<Connections>,
    socket_tasks: TaskTracker,
    beating: Beating,
    tunnel: Tunnel,
    recovered: usize,
}

/// How long a request waits for a connection to Postgres.
const DATABASE_PATIENCE: Duration = Duration::from_secs(3);
/// How long acknowledged work may take to come to its end once the server stops.
const STOP_PATIENCE: Duration = Duration::from_secs(2);

impl App {
    /// Connects, migrates, takes over live matches and binds the address.
    pub async fn build(settings: &Settings, database: Database, secrets: Option<PathBuf>) -> anyhow::Result<Self> {
        let metrics = start_metrics()?;
        let pool = open_database(settings, &database).await?;
        let clock = nodes::shared_clock(&pool).await?;
        let (keys, receipt_keys) = load_keys(settings, secrets.as_deref())?;
        let agreement = Arc::new(settings.agreement(&keys, &receipt_keys, &settings.webhook_keys()?));

        let MatchServing { matches, connections, health, beating, tunnel, others } =
            serve_matches(settings, &database, clock, &pool, &agreement).await?;

        let (tasks, socket_tasks) = (TaskTracker::new(), TaskTracker::new());
        let auth = Auth::new(pool.clone(), clock, keys, settings.auth());
        let wallet = open_wallet(settings, &pool, &connections, &tasks)?;
        let connected = Arc::clone(&connections);
        let lobby = open_lobby(settings, &pool, clock, connected, matches.clone(), tasks.clone()).await?;
        let office = Office::new(settings.office(), &auth, &connections, &lobby, &matches, &tasks);
        let realtime = Realtime {
            auth: auth.clone(),
            connections: Arc::clone(&connections),
            matches: matches.clone(),
            lobby: lobby.clone(),
            clock,
            settings: settings.realtime(),
            tasks: socket_tasks.clone(),
        };

        nodes::until_acquainted(&matches, &connections).await;
        // Not before it could serve: where there are other servers, who finds this door shut goes to one of them.
        let listener = listen(settings.listen).await?;
        // Last of all: the clocks of those matches run again from here on.
        let recovered = matches::recover(&matches, &pool, health.node).await?;
        let limits = HttpLimits::new(auth.clone(), settings.http_limit());
        let (practice, sandbox) = open_practice(settings, &pool, clock, &matches, &tasks)?;
        let (config, readiness) = (config_view(settings, &receipt_keys), Readiness::new(health.clone()));
        let state = AppState {
            auth,
            clock,
            config,
            lobby,
            metrics,
            office,
            origins: Origins::new(&settings.origins),
            sandbox,
            practice,
            readiness,
            realtime,
            receipts: Receipts::new(pool.clone(), receipt_keys, settings.currency.clone()),
            streaks: Streaks::new(pool.clone(), clock),
            pool,
            matches,
            tasks,
            wallet,
        };
        start_chores(settings, &state, &connections, agreement);
        nodes::start(&state, &connections, &health, others);
        let proxies = TrustedProxies::new(&settings.trusted_proxies);
        Ok(Self { state, listener, limits, proxies, connections, socket_tasks, beating, tunnel, recovered })
    }

    /// The address it is bound to.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// How many live matches it took over.
    pub fn recovered(&self) -> usize {
        self.recovered
    }

    /// This server among several on its database; `None` where it has that alone.
    pub fn node(&self) -> Option<NodeId> {
        self.connections.outside().is_open().then(|| self.state.matches.node())
    }

    /// The accounts' front door, for who makes accounts beside HTTP.
    pub fn auth(&self) -> &Auth {
        &self.state.auth
    }

    /// Players' money, for who moves it beside HTTP.
    pub fn wallet(&self) -> &Wallet {
        &self.state.wallet
    }

    /// Serves until `stop` is cancelled, then stops in order: nothing new, acknowledged work to its end, a last
    /// heartbeat, sockets told.
    pub async fn run_until(self, stop: CancellationToken) {
        let router = router::service(self.state.clone(), self.limits, self.tunnel.clone());
        self.tunnel.serve(router.clone()).await;
        let pool = self.state.pool.clone();
        let Beating { last, stopped, leave, losses, task } = self.beating;
        let (matches, connections) = (self.state.matches.clone(), Arc::clone(&self.connections));
        tokio::spawn(nodes::let_go_of_what_is_lost(matches, connections, losses));
        let stopping = async {
            self.state.readiness.stop();
            // The last heartbeat comes first: from here on no clock is charged.
            last.cancel();
            within(STOP_PATIENCE, stopped).await;
            self.state.tasks.close();
            within(STOP_PATIENCE, self.state.tasks.wait()).await;
            within(STOP_PATIENCE, self.state.matches.stop()).await;
            // What was played here may be taken over now.
            leave.cancel();
            within(STOP_PATIENCE, task).await;
            nodes::say_that_it_let_go(&self.state.matches, &self.connections);
            self.connections.stop();
            self.socket_tasks.close();
            within(STOP_PATIENCE, self.socket_tasks.wait()).await;
        };
        let service = serve::Service { router, proxies: self.proxies };
        serve::serve(self.listener, service, stop, stopping).await;
        within(Duration::from_secs(1), pool.close()).await;
    }
}

/// Waits for work, but not for ever.
async fn within<T>(patience: Duration, work: impl Future<Output = T>) {
    if tokio::time::timeout(patience, work).await.is_err() {
        tracing::warn!(patience_ms = patience.as_millis(), "something did not stop in time");
    }
}

/// What it takes to play matches.
struct MatchServing {
    matches: Matches,
    connections: Arc<Connections>,
    health: Health,
    beating: Beating,
    tunnel: Tunnel,
    /// What other nodes tell.
    others: mpsc::UnboundedReceiver<News>,
}

/// Starts the heartbeat and the journal, and what tells players of their matches and money.
async fn serve_matches(
    settings: &Settings,
    database: &Database,
    clock: Clock,
    pool: &PgPool,
    agreement: &Arc<Agreement>,
) -> anyhow::Result<MatchServing> {
    let node = NodeId::generate();
    let (presence_sender, presence_changes) = mpsc::unbounded_channel();
    let (wallet_sender, wallet_changes) = mpsc::unbounded_channel();
    let connections = Connections::new(clock, settings.sockets_most.into(), presence_sender, wallet_sender);
    let nodes::Shared { connections, bus, echo, others } =
        nodes::share(settings, pool, clock, node, connections).await?;
    let sharing =
        Sharing { lease: Duration::from_millis(settings.lease_ms.into()), echo, agreement: Arc::clone(agreement) };
    let (health, beating) = Health::start(database.server.clone(), clock, node, sharing).await?;
    let context = Context {
        pool: pool.clone(),
        settlers: Settlers::connect(database.server.clone()).await?,
        journal: Journal::start(&database.server, node, clock, &health.alarm()),
        health: health.clone(),
        clock,
        connections: Arc::clone(&connections),
    };
    let tunnel = Tunnel::new(bus.as_ref().map(|(bus, _)| bus.clone()), health.clone());
    let matches = Matches::new(context, settings.matches(), bus);
    tokio::spawn(matches::serve_others(matches.clone()));
    tokio::spawn(tell_presence(matches.clone(), presence_changes));
    tokio::spawn(wallet::announce(pool.clone(), Arc::clone(&connections), wallet_changes));
    Ok(MatchServing { matches, connections, health, beating, tunnel, others })
}

async fn listen(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let bound = TcpListener::bind(address).await;
    bound.with_context(|| format!("STAKEBOARD_LISTEN: {address} can't be listened on"))
}

/// The keys of tokens and of receipts. What is not named is made in the folder of secrets, where there is one.
fn load_keys(settings: &Settings, secrets: Option<&Path>) -> Result<(Keys, ReceiptKeys), KeyError> {
    let keys = match (&settings.signing_keys[..], secrets) {
        ([], Some(folder)) => Keys::load_or_create(folder)?,
        (paths, _) => Keys::load(paths)?,
    };
    let receipt_keys = match (&settings.receipt_keys[..], secrets) {
        ([], Some(folder)) => ReceiptKeys::load_or_create(folder)?,
        (paths, _) => ReceiptKeys::load(paths)?,
    };
    Ok((keys, receipt_keys))
}

async fn open_lobby(
    settings: &Settings,
    pool: &PgPool,
    clock: Clock,
    connections: Arc<Connections>,
    matches: Matches,
    tasks: TaskTracker,
) -> Result<Lobby, sqlx::Error> {
    Ok(Lobby::new(Parts {
        pool: pool.clone(),
        clock,
        feed: Feed::start(pool.clone(), connections.outside().clone()).await?,
        connections,
        matches,
        tasks,
        settings: settings.lobby(),
        started: clock.now(),
    }))
}

/// What is played against the computer, with the endgame tables of the settings.
fn open_practice(
    settings: &Settings,
    pool: &PgPool,
    clock: Clock,
    matches: &Matches,
    tasks: &TaskTracker,
) -> anyhow::Result<(Practice, Sandbox)> {
    let tables = match &settings.endgame_tables {
        Some(folder) => {
            Tables::kept_in(folder.clone()).context("the thread for endgame tables could not be started")?
        }
        None => Tables::none(),
    };
    let bots = Bots::new(tables);
    let practice = Practice::new(pool.clone(), clock, bots.clone(), PracticeSettings::default(), matches.node());
    let sandbox = Sandbox::new(pool.clone(), clock, matches.clone(), bots, tasks.clone(), settings.sandbox());
    Ok((practice, sandbox))
}

/// A pool on a schema that is up to date, with the accounts of the house opened.
async fn open_database(settings: &Settings, database: &Database) -> anyhow::Result<PgPool> {
    if let Some(owner) = &database.owner {
        db::migrate(owner).await.with_context(|| {
            format!(
                "the schema could not be brought up to date as its owner (STAKEBOARD_OWNER_DATABASE_URL) at {}",
                db::place(owner)
            )
        })?;
    }
    let pool = db::connect(database.server.clone(), settings.database_connections, DATABASE_PATIENCE)
        .await
        .with_context(|| db::unreached(&database.server))?;
    db::check_schema(&pool).await?;
    names::fill_in_skeletons(&pool).await.context("the players' names could not be looked at")?;
    ledger::open_house(&pool, &settings.currency)
        .await
        .context("the accounts of the house could not be opened: is STAKEBOARD_CURRENCY that of the ledger?")?;
    Ok(pool)
}

/// Players' money, with the payment provider of the settings.
fn open_wallet(
    settings: &Settings,
    pool: &PgPool,
    connections: &Arc<Connections>,
    tasks: &TaskTracker,
) -> anyhow::Result<Wallet> {
    let provider = settings.payments.open();
    let settings = settings.wallet(settings.webhook_keys()?);
    Ok(Wallet::new(pool.clone(), Arc::clone(connections), tasks.clone(), settings, provider))
}

/// What goes on beside requests until the process ends.
fn start_chores(settings: &Settings, state: &AppState, connections: &Arc<Connections>, agreement: Arc<Agreement>) {
    tokio::spawn(nodes::end_sockets(state.auth.clone(), Arc::clone(connections)));
    tokio::spawn(sweep(state.lobby.clone(), state.practice.clone(), Arc::clone(connections)));
    tokio::spawn(practice::keep_playing(state.sandbox.clone()));
    tokio::spawn(lobby::keep_pairing(state.lobby.clone()));
    tokio::spawn(wallet::keep_paying_out(state.wallet.clone()));
    tokio::spawn(forget_old(state.pool.clone(), state.streaks.clone()));
    tokio::spawn(watch::keep_telling(state.pool.clone(), state.clock, state.matches.node(), agreement));
    tokio::spawn(telemetry::keep_adding_up(state.metrics.clone()));
    tokio::spawn(ledger::trial::every_night(state.pool.clone(), state.clock));
    let judge_every = Duration::from_secs(settings.fair_play_seconds.into());
    tokio::spawn(fair_play::keep_judging(state.pool.clone(), state.clock, judge_every));
    let seal_every = Duration::from_secs(settings.seal_seconds.into());
    tokio::spawn(ledger::Sealer::new(state.pool.clone()).run(seal_every));
}

/// Tells the watchers of their matches who came and who went.
async fn tell_presence(matches: Matches, mut changes: mpsc::UnboundedReceiver<PresenceChange>) {
    while let Some(change) = changes.recv().await {
        matches.presence_changed(change);
    }
}

/// Withdraws the postings of those who left and forgets idle practice, once a second.
async fn sweep(lobby: Lobby, practice: Practice, connections: Arc<Connections>) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    let mut sweeps = db::Lasting::new("the lobby can't be swept", "the lobby is swept again");
    loop {
        ticks.tick().await;
        sweeps.tried(&lobby.sweep().await);
        connections.forget_old();
        practice.forget_idle();
    }
}

/// Removes what has served its time, and makes room in the journal for the months to come, once an hour.
async fn forget_old(pool: PgPool, streaks: Streaks) {
    let mut ticks = tokio::time::interval(Duration::from_hours(1));
    loop {
        ticks.tick().await;
        let done = async {
            matches::prepare_journal(&pool).await?;
            idempotency::forget_old(&pool).await?;
            streaks.end_left_alone(None).await?;
            matches::forget_friendly(&pool).await?;
            matches::forget_nodes(&pool).await?;
            sessions::forget_expired(&pool).await
        };
        if let Err(error) = done.await {
            tracing::warn!(%error, "what has served its time could not be removed; it will be in an hour");
        }
    }
}

fn config_view(settings: &Settings, receipt_keys: &ReceiptKeys) -> ConfigView {
    ConfigView {
        currency: settings.currency.clone(),
        fee_percent: 10,
        clock_ms: settings.clock_ms,
        stake_min: settings.stake_min.cents(),
        stake_max: settings.stake_max.cents(),
        stake_step: Cents(Stake::GRID),
        deposit_min: Cents(wallet::DEPOSIT_MIN),
        deposit_max: Cents(settings.deposit_max),
        withdrawal_cancellation: settings.withdrawal_cancellation,
        identity_for_stakes: settings.identity_for_stakes,
        identity_for_withdrawals: settings.identity_for_withdrawals,
        minimum_age: settings.minimum_age,
        receipt_key: receipt_keys.current(),
        heartbeat_ms: settings.heartbeat_ms,
        away_ms: milliseconds(lobby::AWAY),
        limits: LimitsView {
            http_per_second: settings.http_per_second,
            http_burst: settings.http_burst,
            socket_frames_per_second: settings.socket_frames_per_second,
            socket_frames_burst: settings.socket_frames_burst,
            socket_frame_bytes: realtime::LARGEST_FRAME,
            socket_hello_ms: milliseconds(realtime::HELLO_PATIENCE),
            socket_watches: realtime::MOST_WATCHED,
            sockets: settings.sockets_most,
            body_bytes: router::LARGEST_BODY,
            request_ms: milliseconds(router::PATIENCE),
            idempotency_key_hours: idempotency::KEPT_HOURS,
            seeks: settings.seeks_most,
            tables: settings.tables_most,
            friendly_matches: settings.friendly_most,
            bot_matches: settings.bot_matches_most,
            practice_sessions: PracticeSettings::default().sessions,
            login_failures: settings.login_failures,
            refreshes: settings.auth().refreshes.burst(),
        },
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
