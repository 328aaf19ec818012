//! One run from beginning to end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context as _;
use tokio::task::JoinSet;

use crate::{
    arguments::Arguments,
    checks, floor,
    pair::{Manner, Pair, Played},
    processes::Processes,
    relay,
    report::{Figures, Limits, Usage},
    tally::Tally,
    target::{Own, Target},
};

/// How long it is waited for matches to end before anything is measured; some games hardly do.
const WARM_UP_MOST: Duration = Duration::from_mins(1);
/// How many pairs sign up at once.
const SIGNING_UP: usize = 16;

/// Runs what was asked for and prints the report. Gives the number of errors.
pub async fn run(arguments: &Arguments) -> anyhow::Result<u64> {
    open_more_files()?;
    let target = Arc::new(match &arguments.url {
        Some(url) => Target::at(url).await?,
        None => Target::start().await?,
    });
    let before = target.own().map(Used::now);
    let tally = Arc::new(Tally::new());
    let (mut playing, under_way) = sit_down(&target, &tally, arguments).await?;
    while under_way.load(Ordering::Relaxed) < u32::try_from(playing.len())? {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tally.under_way.store(true, Ordering::Relaxed);
    if arguments.think_ms == 0 {
        warm_up(&tally, arguments).await;
    }
    let figures = measure(&target, &tally, arguments, before).await?;
    let played = stand_up(&mut playing, &tally).await?;
    let limits = if arguments.limits { measure_limits(&target, &tally, arguments).await? } else { Limits::default() };
    check(&target, &tally, played).await;
    let errors = tally.errors.load(Ordering::Relaxed);
    if let Some(target) = Arc::into_inner(target) {
        target.stop().await;
    }
    figures.print(arguments, &limits, errors);
    Ok(errors)
}

/// Plays until as many matches have ended as are played at once: from then on some begin and some end at any moment.
async fn warm_up(tally: &Tally, arguments: &Arguments) {
    let began = Instant::now();
    while tally.ended_before.load(Ordering::Relaxed) < u64::from(arguments.matches) && began.elapsed() < WARM_UP_MOST {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Two sockets a match here, two in the server, and some more.
fn open_more_files() -> anyhow::Result<()> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most).context("raising the number of open files")
}

/// Every pair has its players and sockets, and begins to play.
async fn sit_down(
    target: &Arc<Target>,
    tally: &Arc<Tally>,
    arguments: &Arguments,
) -> anyhow::Result<(JoinSet<Vec<Played>>, Arc<AtomicU32>)> {
    let manner = manner(target, arguments);
    let under_way = Arc::new(AtomicU32::new(0));
    let (mut coming, mut playing) = (JoinSet::new(), JoinSet::new());
    let mut seeds = arguments.seed..arguments.seed + u64::from(arguments.matches);
    loop {
        while coming.len() < SIGNING_UP
            && let Some(seed) = seeds.next()
        {
            let (target, tally) = (Arc::clone(target), Arc::clone(tally));
            coming.spawn(async move { Pair::new(&target, tally, manner, seed).await });
        }
        let Some(pair) = coming.join_next().await else { break };
        let (pair, under_way) = (pair??, Arc::clone(&under_way));
        playing.spawn(pair.run(move || {
            under_way.fetch_add(1, Ordering::Relaxed);
        }));
    }
    Ok((playing, under_way))
}

fn manner(target: &Target, arguments: &Arguments) -> Manner {
    let per_second = target.setting("limits.socket_frames_per_second").unwrap_or(50).max(1);
    // What our own server allows is never met; of another one's limit four fifths are used.
    let pace = if per_second >= 10_000 {
        Duration::ZERO
    } else {
        Duration::from_millis(1_250) / u32::try_from(per_second).unwrap_or(50)
    };
    Manner {
        game: arguments.game,
        stake: target.setting("stake_min").and_then(|stake| i64::try_from(stake).ok()).unwrap_or(5),
        think: Duration::from_millis(arguments.think_ms),
        pace,
    }
}

/// What the processes have used so far.
struct Used {
    at: Instant,
    server: Duration,
    postgres: Duration,
    /// Of that, what writes the journal.
    journal: Duration,
    resident: u64,
    batches: (f64, f64),
}

impl Used {
    fn now(own: &Own) -> Self {
        let (server, postgres) = (own.server(), own.postgres());
        Self {
            at: Instant::now(),
            server: server.processor(),
            postgres: postgres.processor(),
            journal: Duration::ZERO,
            resident: server.resident(),
            batches: (0.0, 0.0),
        }
    }

    async fn with_batches(mut self, target: &Target, journal: &[u32]) -> Self {
        self.journal = Processes::processor_of(journal);
        let metrics = target.client.get("/metrics").await.text;
        let value = |name: &str| {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse().ok()).unwrap_or(0.0)
        };
        self.batches = (value("stakeboard_journal_batch_rows_sum "), value("stakeboard_journal_batch_rows_count "));
        self
    }
}

/// Watches the players for as long as was asked for, with a line each second.
async fn measure(
    target: &Target,
    tally: &Tally,
    arguments: &Arguments,
    before: Option<Used>,
) -> anyhow::Result<Figures> {
    let mut began = None;
    if let Some(own) = target.own() {
        let journal = own.journal().await?;
        began = Some(Used::now(own).with_batches(target, &journal).await);
    }
    tally.measuring.store(true, Ordering::Relaxed);
    let started = Instant::now();
    let (mut last, mut halves, mut midway) = (0, [(); 2].map(|()| tally.lately_acknowledged()), None);
    while started.elapsed() < arguments.duration() {
        tokio::time::sleep(Duration::from_secs(1).min(arguments.duration())).await;
        let moves = tally.moves.load(Ordering::Relaxed);
        let lately = tally.lately_acknowledged();
        let lately_ms = |share| lately.value_at_quantile(share) as f64 / 1_000.0;
        println!(
            "{:>5} s  {:>7} moves/s  ack p50 {:>7.2} ms  p99 {:>7.2} ms  {} matches ended  {} errors",
            started.elapsed().as_secs(),
            moves - last,
            lately_ms(0.5),
            lately_ms(0.99),
            tally.ended.load(Ordering::Relaxed),
            tally.errors.load(Ordering::Relaxed),
        );
        last = moves;
        let is_second = started.elapsed() >= arguments.duration() / 2;
        halves[usize::from(is_second)].add(&lately).expect("both have the same bounds");
        if is_second && midway.is_none() {
            midway = target.own().map(|own| own.server().resident());
        }
    }
    tally.measuring.store(false, Ordering::Relaxed);
    let length = started.elapsed();
    let mut usage = None;
    if let (Some(own), Some(began), Some(before)) = (target.own(), began, before) {
        let journal = own.journal().await?;
        let ended = Used::now(own).with_batches(target, &journal).await;
        usage = Some(Usage {
            length: ended.at - began.at,
            server: ended.server.saturating_sub(began.server),
            postgres: ended.postgres.saturating_sub(began.postgres),
            journal: ended.journal.saturating_sub(began.journal),
            resident: ended.resident,
            resident_before: before.resident,
            resident_midway: midway.unwrap_or_default(),
            rows: ended.batches.0 - began.batches.0,
            batches: ended.batches.1 - began.batches.1,
        });
    }
    Ok(Figures {
        length,
        moves: tally.moves.load(Ordering::Relaxed),
        ended: tally.ended.load(Ordering::Relaxed),
        acknowledged_ms: [0.5, 0.99].map(|share| tally.acknowledged_ms(share)),
        halves_ms: halves.map(|half| half.value_at_quantile(0.99) as f64 / 1_000.0),
        usage,
    })
}

/// The players resign and stop. Gives all that was played.
async fn stand_up(playing: &mut JoinSet<Vec<Played>>, tally: &Tally) -> anyhow::Result<Vec<Played>> {
    tally.stopping.store(true, Ordering::Relaxed);
    let mut played = Vec::new();
    while let Some(pair) = playing.join_next().await {
        played.extend(pair?);
    }
    Ok(played)
}

async fn measure_limits(target: &Target, tally: &Tally, arguments: &Arguments) -> anyhow::Result<Limits> {
    let length = arguments.limit_duration();
    println!("the bare relay, for {} s", length.as_secs());
    let relay = relay::measure(arguments.matches, tally.sizes(), length).await?;
    let Some(own) = target.own() else { return Ok(Limits { relay_us: Some(relay), ..Limits::default() }) };
    let used = Used::now(own).with_batches(target, &[]).await;
    let batch = (used.batches.0 / used.batches.1.max(1.0)).round().clamp(1.0, 1_000.0);
    println!("the bare loop of inserts, {batch} rows each, for {} s", length.as_secs());
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
    let floor = floor::measure(own, arguments.matches, batch as usize, length).await?;
    Ok(Limits { relay_us: Some(relay), floor_us: Some(floor) })
}

async fn check(target: &Arc<Target>, tally: &Tally, played: Vec<Played>) {
    println!("comparing the records of {} matches", played.len());
    let (compared, wrong) = checks::records(target, played).await;
    println!("{compared} acknowledged moves compared with the records, {} records wrong", wrong.len());
    for error in &wrong {
        tally.fail(error);
    }
    match checks::ledger(target).await {
        Ok(Some(_)) => println!("the ledger: every check passed"),
        Ok(None) => println!("the ledger: not checked, its database is not ours"),
        Err(error) => tally.fail(&error),
    }
}
