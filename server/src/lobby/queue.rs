//! The queue: players who leave it to the server whom they play. The truth is in the database; nothing is remembered
//! here, so that any number of processes can pair from one queue.

mod matchmaker;
mod window;

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

pub use matchmaker::keep_pairing;

use crate::{
    bus::frame,
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::PlayerId,
    lobby::{
        Lobby, Parts,
        pairing::{self, Accepted, StakedTerms, Stakers, Unready},
    },
    matches::{self, Setup, StartError},
    money::Cents,
    ratings,
};
use window::Waiting;

/// How often somebody who joins looks for another rival where the one they found was gone, before they wait.
const LOOKS: u32 = 3;
/// How many rivals are looked at, the nearest first.
const RIVALS: i64 = 16;

/// Why a player can't join the queue.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// The player can't make the stake now.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// No new staked matches for now.
    #[error("no new staked matches for now")]
    StakesClosed,
    /// The rival was gone: look for another.
    #[error("the rival was gone")]
    RivalGone,
    /// About the request's key.
    #[error(transparent)]
    Key(ClaimError),
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

impl From<ClaimError> for QueueError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Database(error) => Self::Database(error),
            other => Self::Key(other),
        }
    }
}

impl AsDatabaseError for QueueError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Start(error) => error.database(),
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

/// Whether a player waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueStatus {
    /// The player waits to be paired.
    Waiting,
    /// The player does not wait.
    Idle,
}

/// What came of joining.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Joined {
    /// A rival was there.
    Paired(Accepted),
    /// The player waits.
    Waits {
        /// `waiting`.
        status: QueueStatus,
    },
}

const WAITS: Joined = Joined::Waits { status: QueueStatus::Waiting };

/// Told to all sockets of a player: another of their devices joined or left, or their entry was dropped.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct QueueFrame {
    /// `queue`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// Whether the player waits now.
    status: QueueStatus,
}

/// What a player waits for.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct QueueEntry {
    /// The game.
    pub game: String,
    /// Its options.
    #[schema(value_type = Object)]
    pub options: Value,
    /// What each player puts up.
    pub stake: Cents,
    /// What the winner will be paid.
    pub payout: Cents,
    /// What the house will take from a decided match.
    pub fee: Cents,
    /// Since when the player waits on these terms.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub joined_at: OffsetDateTime,
    /// How many wait on the same terms, this player among them.
    pub waiting: i64,
}

/// A rival as the queue has them.
#[derive(Clone, Copy, Debug)]
struct Rival {
    player: PlayerId,
    rating: f64,
    joined_at: OffsetDateTime,
    posted_at: OffsetDateTime,
}

/// What the transaction of joining came to.
enum Entered {
    Repeated(Joined),
    Waits { dropped: Option<PlayerId> },
    Paired { setup: Box<Setup>, gap: f64, waited: Duration },
}

impl Parts {
    fn waited(&self, since: OffsetDateTime) -> Duration {
        (self.clock.wall() - since).try_into().unwrap_or_default()
    }
}

impl Lobby {
    /// Joins the queue, or stays in it: joining again on the same terms keeps the place, on others it begins anew. Where
    /// somebody of like strength waits, both are paired at once. The work runs in a task of its own.
    pub async fn join_queue(&self, player: PlayerId, terms: StakedTerms, key: Key) -> Result<Joined, QueueError> {
        let lobby = self.clone();
        db::uncut(&self.0.tasks, async move { lobby.join_to_the_end(player, terms, key).await }).await
    }

    async fn join_to_the_end(&self, player: PlayerId, terms: StakedTerms, key: Key) -> Result<Joined, QueueError> {
        let mut looks = LOOKS;
        let entered = loop {
            let done = db::in_transaction(&self.0.pool, |tx| {
                let (parts, key) = (Arc::clone(&self.0), key.clone());
                Box::pin(async move { enter(&parts, tx, player, terms, &key, looks > 0).await })
            })
            .await;
            match done {
                Err(QueueError::RivalGone) => looks = looks.saturating_sub(1),
                done => break done,
            }
        };
        self.find_out_where_lost(&entered, player);
        Ok(match entered? {
            Entered::Repeated(joined) => joined,
            Entered::Waits { dropped } => {
                self.tell_queue(player, QueueStatus::Waiting);
                if let Some(dropped) = dropped {
                    self.tell_queue(dropped, QueueStatus::Idle);
                }
                WAITS
            }
            Entered::Paired { setup, gap, waited } => {
                let match_id = setup.id;
                measure(gap, [waited, Duration::ZERO]);
                self.serve(*setup);
                Joined::Paired(Accepted { match_id })
            }
        })
    }

    /// Leaves the queue. Whether there was something to leave.
    pub async fn leave_queue(&self, player: PlayerId) -> Result<bool, QueueError> {
        let lobby = self.clone();
        db::uncut(&self.0.tasks, async move {
            let left = sqlx::query!("delete from queue_entries where player_id = $1", player.0)
                .execute(&lobby.0.pool)
                .await?
                .rows_affected();
            if left > 0 {
                lobby.tell_queue(player, QueueStatus::Idle);
            }
            Ok(left > 0)
        })
        .await
    }

    /// What a player waits for, if they do.
    pub async fn queue_entry(&self, player: PlayerId) -> Result<Option<QueueEntry>, sqlx::Error> {
        let row = sqlx::query!(
            r#"select e.game, e.options, e.stake, e.joined_at,
                      (select count(*) from queue_entries o
                       where o.game = e.game and o.options = e.options and o.stake = e.stake) as "waiting!"
               from queue_entries e where e.player_id = $1"#,
            player.0
        )
        .fetch_optional(&self.0.pool)
        .await?;
        row.map(|row| {
            let StakedTerms { stake, .. } = StakedTerms::read(&row.game, &row.options, row.stake)?;
            Ok(QueueEntry {
                game: row.game,
                options: row.options,
                stake: stake.cents(),
                payout: stake.payout(),
                fee: stake.fee(),
                joined_at: row.joined_at,
                waiting: row.waiting,
            })
        })
        .transpose()
    }

    fn tell_queue(&self, player: PlayerId, status: QueueStatus) {
        self.0.connections.push(player, &frame(&QueueFrame { kind: "queue", status }));
    }
}

/// How fair the pairings are, for the operator.
fn measure(gap: f64, waited: [Duration; 2]) {
    metrics::histogram!("stakeboard_queue_rating_gap_points").record(gap);
    for waited in waited {
        metrics::histogram!("stakeboard_queue_wait_seconds").record(waited.as_secs_f64());
    }
}

/// L-7: both balances are locked before any entry of the queue, here and wherever a pairing takes entries away.
async fn enter(
    lobby: &Parts,
    tx: &mut Tx,
    player: PlayerId,
    terms: StakedTerms,
    key: &Key,
    look: bool,
) -> Result<Entered, QueueError> {
    if let Some(first) = idempotency::claim::<Joined>(tx, player, key).await? {
        return Ok(Entered::Repeated(first));
    }
    let rating = ratings::of(&mut **tx, player, terms.options.game(), lobby.clock.wall()).await?.rating;
    let rival = if look { reserve(lobby, tx, player, terms, rating).await? } else { None };
    let players: Vec<PlayerId> = std::iter::once(player).chain(rival.map(|rival| rival.player)).collect();
    let stakers = Stakers::lock(tx, &players, terms.into(), lobby.settings.identity_needed).await?;
    if stakers.are_closed_out() {
        return Err(QueueError::StakesClosed);
    }
    if let Some(unready) = stakers.unready(player)? {
        return Err(unready.into());
    }
    let mut dropped = None;
    if let Some(rival) = rival {
        match take(tx, &stakers, rival.player, terms).await? {
            Taken::Gone => return Err(QueueError::RivalGone),
            Taken::Dropped => dropped = Some(rival.player),
            Taken::Ready => {
                let setup =
                    matches::start(tx, &lobby.matches, pairing::draw(terms.into(), [player, rival.player])).await?;
                idempotency::keep(tx, player, key, 201, &Joined::Paired(Accepted { match_id: setup.id })).await?;
                let gap = (rival.rating - rating).abs();
                return Ok(Entered::Paired { setup: Box::new(setup), gap, waited: lobby.waited(rival.joined_at) });
            }
        }
    }
    wait(tx, player, terms, rating, lobby.clock.wall()).await?;
    idempotency::keep(tx, player, key, 200, &WAITS).await?;
    Ok(Entered::Waits { dropped })
}

/// The nearest rival on these terms who is there and whom nobody else is about to be paired with. The lock that says so
/// is only ever tried: it keeps those who join at once apart, and decides nothing.
async fn reserve(
    lobby: &Parts,
    tx: &mut Tx,
    player: PlayerId,
    terms: StakedTerms,
    rating: f64,
) -> Result<Option<Rival>, sqlx::Error> {
    let rivals = sqlx::query_as!(
        Rival,
        r#"select player_id as "player: PlayerId", rating, joined_at, posted_at from queue_entries
           where game = $1 and options = $2 and stake = $3 and player_id <> $4
           order by abs(rating - $5), joined_at limit $6"#,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.stake.cents().0,
        player.0,
        rating,
        RIVALS
    )
    .fetch_all(&mut **tx)
    .await?;
    let newcomer = Waiting { rating, waited: Duration::ZERO };
    for rival in rivals {
        let waiting = Waiting { rating: rival.rating, waited: lobby.waited(rival.joined_at) };
        if newcomer.may_meet(waiting)
            && lobby.is_there(rival.player, rival.posted_at)
            && try_reserve(tx, rival.player).await?
        {
            return Ok(Some(rival));
        }
    }
    Ok(None)
}

async fn try_reserve(tx: &mut Tx, player: PlayerId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock(hashtextextended('stakeboard queue ' || $1::uuid, 0)) as "reserved!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await
}

/// What a pairing finds of somebody who waits.
enum Taken {
    /// They wait no more on these terms.
    Gone,
    /// They could no longer make the stake: their entry went.
    Dropped,
    /// They can be paired.
    Ready,
}

/// Looks at somebody who waits, with their balance locked.
async fn take(tx: &mut Tx, stakers: &Stakers, player: PlayerId, terms: StakedTerms) -> Result<Taken, sqlx::Error> {
    let found = sqlx::query_scalar!(
        r#"select true as "found!" from queue_entries
           where player_id = $1 and game = $2 and options = $3 and stake = $4 for update"#,
        player.0,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.stake.cents().0
    )
    .fetch_optional(&mut **tx)
    .await?;
    if found.is_none() {
        return Ok(Taken::Gone);
    }
    if stakers.unready(player)?.is_none() {
        return Ok(Taken::Ready);
    }
    sqlx::query!("delete from queue_entries where player_id = $1", player.0).execute(&mut **tx).await?;
    Ok(Taken::Dropped)
}

async fn wait(
    tx: &mut Tx,
    player: PlayerId,
    terms: StakedTerms,
    rating: f64,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into queue_entries as e (player_id, game, options, stake, rating, joined_at, posted_at)
         values ($1, $2, $3, $4, $5, $6, $6)
         on conflict (player_id) do update set
             joined_at = case when (e.game, e.options, e.stake) = (excluded.game, excluded.options, excluded.stake)
                              then e.joined_at else excluded.joined_at end,
             game = excluded.game, options = excluded.options, stake = excluded.stake, rating = excluded.rating,
             posted_at = excluded.posted_at",
        player.0,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.stake.cents().0,
        rating,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}
