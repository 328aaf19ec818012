//! Seeks: posted, listed, withdrawn, accepted.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgPool;
use stakeboard_engine::Game;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, Claim, ClaimError, Key},
    ids::{MatchId, PlayerId, SeekId},
    lobby::{
        Lobby, LobbySettings, Parts,
        pairing::{self, Accepted, Pairing, StakedTerms, Unready},
        presence,
    },
    matches::{self, Seating, StartError},
    money::{Cents, Stake},
    ratings::{RatedPlayer, Rating},
};

/// An open offer to play. Its terms never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Seek {
    /// The seek.
    pub id: SeekId,
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
    /// Who posted it.
    pub player: RatedPlayer,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
}

/// Which seeks are asked for.
#[derive(Clone, Debug, Default)]
pub struct SeekFilter {
    /// Only of this game.
    pub game: Option<Game>,
    /// Only with at least this stake.
    pub stake_min: Option<i64>,
    /// Only with at most this stake.
    pub stake_max: Option<i64>,
    /// Only those posted before this one.
    pub before: Option<SeekId>,
    /// At most this many.
    pub limit: i64,
}

/// Why a seek can't be posted.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The player can't make the stake now.
    #[error(transparent)]
    Unready(Unready),
    /// The player has as many seeks open as allowed.
    #[error("the player has as many seeks open as allowed")]
    TooMany,
    /// No new staked matches for now.
    #[error("no new staked matches for now")]
    StakesClosed,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

/// Why a seek can't be withdrawn.
#[derive(Debug, thiserror::Error)]
pub enum WithdrawError {
    /// There is no such open seek of this player.
    #[error("there is no such open seek of this player")]
    NotFound,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

/// Why a seek can't be accepted. No money has moved.
#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    /// The stake is not the one the caller saw.
    #[error("the stake is not the one the caller saw")]
    StakeChanged,
    /// It is the caller's own.
    #[error("it is the caller's own")]
    OwnSeek,
    /// The poster is not there.
    #[error("the poster is not there")]
    HostAway,
    /// It is no longer open, or its poster can no longer stake.
    #[error("it is no longer open")]
    SeekGone,
    /// The caller can't make the stake now.
    #[error(transparent)]
    Unready(Unready),
    /// No new staked matches for now.
    #[error("no new staked matches for now")]
    StakesClosed,
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

impl From<ClaimError> for AcceptError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Database(error) => Self::Database(error),
            other => Self::Key(other),
        }
    }
}

impl AsDatabaseError for AcceptError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Start(error) => error.database(),
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl AsDatabaseError for PostError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl Lobby {
    /// Posts a seek. Nothing is moved yet; the stake must be there all the same. The work runs in a task of its own:
    /// a dropped request does not leave a seek that the lobby was not told of.
    pub async fn post(&self, player: PlayerId, terms: StakedTerms) -> Result<Seek, PostError> {
        let lobby = self.clone();
        db::uncut(&self.0.tasks, async move { lobby.post_to_the_end(player, terms).await }).await
    }

    async fn post_to_the_end(&self, player: PlayerId, terms: StakedTerms) -> Result<Seek, PostError> {
        let lobby = &self.0;
        let (id, now) = (SeekId::generate(), lobby.clock.wall());
        let posted = db::repeated(|| post(&lobby.pool, player, terms, id, now, lobby.settings)).await;
        // Also where it failed: a commit whose answer was lost may have been made.
        self.0.feed.changed(id);
        posted
    }

    /// Open seeks, newest first.
    pub async fn list(&self, filter: &SeekFilter) -> Result<Vec<Seek>, sqlx::Error> {
        list(&self.0.pool, filter).await
    }

    /// Withdraws an own seek, in a task of its own as well.
    pub async fn withdraw(&self, player: PlayerId, id: SeekId) -> Result<(), WithdrawError> {
        let lobby = self.clone();
        db::uncut(&self.0.tasks, async move {
            let done = sqlx::query!("delete from seeks where id = $1 and player_id = $2", id.0, player.0)
                .execute(&lobby.0.pool)
                .await;
            lobby.0.feed.changed(id);
            if done?.rows_affected() == 0 { Err(WithdrawError::NotFound) } else { Ok(()) }
        })
        .await
    }

    /// Accepts a seek: it is taken, the match made and both stakes held, or nothing. The work runs in a task of
    /// its own: a dropped request does not cut it in half.
    pub async fn accept(&self, player: PlayerId, id: SeekId, stake: i64, key: Key) -> Result<Accepted, AcceptError> {
        let lobby = self.clone();
        db::uncut(&self.0.tasks, async move { lobby.accept_to_the_end(player, id, stake, key).await }).await
    }

    async fn accept_to_the_end(
        &self,
        player: PlayerId,
        id: SeekId,
        stake: i64,
        key: Key,
    ) -> Result<Accepted, AcceptError> {
        let lobby = &self.0;
        let pairing = db::in_transaction(&lobby.pool, |tx| {
            let (lobby, key) = (Arc::clone(lobby), key.clone());
            Box::pin(async move { pair(&lobby, tx, player, id, stake, &key).await })
        })
        .await;
        self.conclude(player, key, pairing)?.ok_or_else(|| {
            lobby.feed.changed(id);
            AcceptError::SeekGone
        })
    }

    /// Withdraws the seeks of players who have been away too long.
    pub(super) async fn sweep_seeks(&self) -> Result<(), sqlx::Error> {
        let now = self.0.clock.now();
        for seek in self.0.feed.all() {
            let posted = self.0.clock.instant_at(seek.created_at).max(self.0.started);
            if presence::is_gone(self.0.connections.presence(seek.player.id), posted, now) {
                // One at a time: rows locked together in another order than a pairing does could deadlock with it.
                sqlx::query!("delete from seeks where id = $1", seek.id.0).execute(&self.0.pool).await?;
                self.0.feed.changed(seek.id);
            }
        }
        Ok(())
    }
}

/// One statement, which is a transaction by itself.
async fn post(
    pool: &PgPool,
    player: PlayerId,
    terms: StakedTerms,
    id: SeekId,
    now: OffsetDateTime,
    settings: LobbySettings,
) -> Result<Seek, PostError> {
    let StakedTerms { options, stake } = terms;
    let posted = sqlx::query!(
        r#"select refused, break_until, display_name as "display_name!", rating, deviation, volatility, rated_at
           from post_seek($1, $2, $3, $4, $5, $6, $7, $8)"#,
        id.0,
        player.0,
        options.game().code(),
        options.to_json(),
        stake.cents().0,
        now,
        settings.identity_needed,
        settings.seeks_most
    )
    .fetch_one(pool)
    .await?;
    match posted.refused.as_deref() {
        Some("stakes_closed") => return Err(PostError::StakesClosed),
        Some("too_many_seeks") => return Err(PostError::TooMany),
        refused => {
            if let Some(unready) = Unready::read(refused, posted.break_until)? {
                return Err(PostError::Unready(unready));
            }
        }
    }
    Ok(Seek::from(Row {
        id,
        game: options.game().code().to_owned(),
        options: options.to_json(),
        stake: stake.cents().0,
        player_id: player,
        display_name: posted.display_name,
        // To the microsecond, as it is kept.
        created_at: now.replace_nanosecond(now.microsecond() * 1_000).unwrap_or(now),
        rating: posted.rating,
        deviation: posted.deviation,
        volatility: posted.volatility,
        rated_at: posted.rated_at,
    }))
}

/// A seek that is being accepted, with both balances locked, where it is there.
struct Taken {
    claim: Claim,
    seek: Option<TakenSeek>,
}

struct TakenSeek {
    poster: PlayerId,
    terms: StakedTerms,
    created_at: OffsetDateTime,
    closed_out: bool,
    own_unready: Option<Unready>,
    poster_is_unready: bool,
}

async fn take(
    tx: &mut Tx,
    player: PlayerId,
    key: &Key,
    answer: Accepted,
    (id, stake): (SeekId, i64),
    identity_needed: bool,
) -> Result<Taken, AcceptError> {
    let row = sqlx::query!(
        r#"select locked as "locked!", body_hash, answer, poster as "poster: PlayerId", game, options, stake, created_at,
                  stakes_closed, own_unready, own_break_until, poster_unready
           from take_seek($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"#,
        idempotency::lock_id(player, key),
        player.0,
        key.method,
        key.path,
        key.key,
        key.body_hash,
        serde_json::to_value(answer).map_err(|error| sqlx::Error::Encode(error.into()))?,
        id.0,
        stake,
        identity_needed
    )
    .fetch_one(&mut **tx)
    .await?;
    let claim = Claim { locked: row.locked, body_hash: row.body_hash, answer: row.answer };
    let (Some(poster), Some(game), Some(options), Some(stake), Some(created_at)) =
        (row.poster, row.game, row.options, row.stake, row.created_at)
    else {
        return Ok(Taken { claim, seek: None });
    };
    let seek = TakenSeek {
        poster,
        terms: StakedTerms::read(&game, &options, stake)?,
        created_at,
        closed_out: row.stakes_closed.unwrap_or(false),
        own_unready: Unready::read(row.own_unready.as_deref(), row.own_break_until)?,
        poster_is_unready: row.poster_unready.is_some(),
    };
    Ok(Taken { claim, seek: Some(seek) })
}

/// Two statements: the seek is taken with all that has to be known, and the match made. What is refused is rolled back, and
/// with it that the seek was taken.
async fn pair(
    lobby: &Parts,
    tx: &mut Tx,
    player: PlayerId,
    id: SeekId,
    stake: i64,
    key: &Key,
) -> Result<Pairing, AcceptError> {
    let accepted = Accepted { match_id: MatchId::generate() };
    let Taken { claim, seek } = take(tx, player, key, accepted, (id, stake), lobby.settings.identity_needed).await?;
    if let Some(first) = claim.first::<Accepted>(key)? {
        return Ok(Pairing::Repeated(first));
    }
    let seek = seek.ok_or(AcceptError::SeekGone)?;
    if seek.terms.stake.cents().0 != stake {
        return Err(AcceptError::StakeChanged);
    }
    if seek.poster == player {
        return Err(AcceptError::OwnSeek);
    }
    if seek.closed_out {
        return Err(AcceptError::StakesClosed);
    }
    if let Some(unready) = seek.own_unready {
        return Err(AcceptError::Unready(unready));
    }
    if !lobby.is_there(seek.poster, seek.created_at) {
        return Err(AcceptError::HostAway);
    }
    if seek.poster_is_unready {
        // L-8: the seek goes with this transaction.
        return Ok(Pairing::Withdrawn);
    }
    let seating = Seating { id: accepted.match_id, ..pairing::draw(seek.terms.into(), [player, seek.poster]) };
    Ok(Pairing::Made(Box::new(matches::start(tx, &lobby.matches, seating).await?)))
}

/// A row of the lists below.
struct Row {
    id: SeekId,
    game: String,
    options: Value,
    stake: i64,
    player_id: PlayerId,
    display_name: String,
    created_at: OffsetDateTime,
    rating: Option<f64>,
    deviation: Option<f64>,
    volatility: Option<f64>,
    rated_at: Option<OffsetDateTime>,
}

impl From<Row> for Seek {
    fn from(row: Row) -> Self {
        let (payout, fee) =
            Stake::new(row.stake).map_or((Cents::ZERO, Cents::ZERO), |stake| (stake.payout(), stake.fee()));
        let rating = Rating::read(row.rating, row.deviation, row.volatility);
        let rating = rating.zip(row.rated_at).map(|(rating, at)| rating.after_idling(row.created_at - at));
        Self {
            id: row.id,
            game: row.game,
            options: row.options,
            stake: Cents(row.stake),
            payout,
            fee,
            player: RatedPlayer::new(row.player_id, row.display_name, rating),
            created_at: row.created_at,
        }
    }
}

/// The seeks among these that are open.
pub(super) async fn select<'e>(executor: impl sqlx::PgExecutor<'e>, ids: &[SeekId]) -> Result<Vec<Seek>, sqlx::Error> {
    let ids: Vec<_> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query_as!(
        Row,
        r#"select id as "id!: SeekId", game as "game!", options as "options!", stake as "stake!",
                  player_id as "player_id!: PlayerId", display_name as "display_name!", created_at as "created_at!",
                  rating, deviation, volatility, rated_at
           from open_seeks($1)"#,
        &ids
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().map(Seek::from).collect())
}

/// Open seeks, newest first.
pub(super) async fn list(pool: &PgPool, filter: &SeekFilter) -> Result<Vec<Seek>, sqlx::Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"select s.id as "id!: SeekId", s.game as "game!", s.options as "options!", s.stake as "stake!",
                  s.player_id as "player_id!: PlayerId", p.display_name as "display_name!",
                  s.created_at as "created_at!", r.rating as "rating?", r.deviation as "deviation?",
                  r.volatility as "volatility?", r.rated_at as "rated_at?"
           from seeks s join players p on p.id = s.player_id
           left join ratings r on r.player_id = s.player_id and r.game = s.game
           where ($1::text is null or s.game = $1)
               and ($2::bigint is null or s.stake >= $2)
               and ($3::bigint is null or s.stake <= $3)
               and ($4::uuid is null or s.id < $4)
           order by s.id desc limit $5"#,
        filter.game.map(Game::code),
        filter.stake_min,
        filter.stake_max,
        filter.before.map(|id| id.0),
        filter.limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(Seek::from).collect())
}
