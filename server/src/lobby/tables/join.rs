//! Joining a table: the seat is taken and the match begins, or nothing happens.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{LIFETIME, TableCode};
use crate::{
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::PlayerId,
    lobby::{
        Lobby, Parts,
        pairing::{self, Accepted, Pairing, StakedTerms, Stakers, Unready},
    },
    matches::{self, Setup, StartError, Terms},
    money::{Stake, Wager},
    players::standing::{self, Barred},
};

/// Why a table can't be joined. No money has moved.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// The stake is not the one the caller saw.
    #[error("the stake is not the one the caller saw")]
    StakeChanged,
    /// It is the caller's own.
    #[error("it is the caller's own")]
    OwnTable,
    /// A guest can't play for a stake.
    #[error("a guest can't play for a stake")]
    AccountNeeded,
    /// The host is not there.
    #[error("the host is not there")]
    HostAway,
    /// The host is in a live staked match, or in as many friendly ones as allowed.
    #[error("the host is playing")]
    HostPlaying,
    /// It has expired, was used or closed, or never was, or its host can no longer play for it.
    #[error("it is no longer open")]
    Gone,
    /// The caller can't make the stake now.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// The caller may not play now, for a stake or without one.
    #[error(transparent)]
    Barred(#[from] Barred),
    /// The caller is in as many friendly matches as allowed.
    #[error("the caller is in as many friendly matches as allowed")]
    TooManyMatches,
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

impl From<ClaimError> for JoinError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Database(error) => Self::Database(error),
            other => Self::Key(other),
        }
    }
}

impl AsDatabaseError for JoinError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Start(error) => error.database(),
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

/// Who wants to join what.
#[derive(Clone, Debug)]
struct Join {
    code: TableCode,
    player: PlayerId,
    guest: bool,
    /// The stake that the caller saw.
    stake: i64,
    key: Key,
}

/// A table that can be joined, as the transaction finds it.
struct Open {
    host: PlayerId,
    terms: Terms,
    created_at: OffsetDateTime,
}

impl Lobby {
    /// Joins a table: the seat is taken, the match made and both stakes held, or nothing. The work runs in a task of its
    /// own: a dropped request does not cut it in half.
    pub async fn join_table(
        &self,
        player: PlayerId,
        guest: bool,
        code: TableCode,
        stake: i64,
        key: Key,
    ) -> Result<Accepted, JoinError> {
        let lobby = self.clone();
        let join = Arc::new(Join { code, player, guest, stake, key: key.clone() });
        db::uncut(&self.0.tasks, async move {
            let pairing = db::in_transaction(&lobby.0.pool, |tx| {
                let (parts, join) = (Arc::clone(&lobby.0), Arc::clone(&join));
                Box::pin(async move { pair(&parts, tx, &join).await })
            })
            .await;
            lobby.conclude(player, key, pairing)?.ok_or(JoinError::Gone)
        })
        .await
    }
}

async fn pair(lobby: &Parts, tx: &mut Tx, join: &Join) -> Result<Pairing, JoinError> {
    if let Some(first) = idempotency::claim::<Accepted>(tx, join.player, &join.key).await? {
        return Ok(Pairing::Repeated(first));
    }
    let table = lobby.look(tx, &join.code).await?.ok_or(JoinError::Gone)?;
    if table.terms.wager.cents().0 != join.stake {
        return Err(JoinError::StakeChanged);
    }
    if table.host == join.player {
        return Err(JoinError::OwnTable);
    }
    let setup = match table.terms.wager {
        Wager::Staked(stake) => staked(lobby, tx, join, &table, stake).await?,
        Wager::Friendly => friendly(lobby, tx, join, &table).await?,
    };
    let Some(setup) = setup else {
        // L-8: the table goes with this transaction.
        sqlx::query!("delete from tables where code = $1", join.code.as_str()).execute(&mut **tx).await?;
        return Ok(Pairing::Withdrawn);
    };
    sqlx::query!("update tables set match_id = $2 where code = $1", join.code.as_str(), setup.id.0)
        .execute(&mut **tx)
        .await?;
    idempotency::keep(tx, join.player, &join.key, 201, &Accepted { match_id: setup.id }).await?;
    Ok(Pairing::Made(Box::new(setup)))
}

/// A match for a stake. `None` where the host can no longer make it.
async fn staked(
    lobby: &Parts,
    tx: &mut Tx,
    join: &Join,
    table: &Open,
    stake: Stake,
) -> Result<Option<Setup>, JoinError> {
    if join.guest {
        return Err(JoinError::AccountNeeded);
    }
    let (player, host) = (join.player, table.host);
    let terms = StakedTerms { options: table.terms.options, stake };
    let stakers = Stakers::lock(tx, &[player, host], terms.into(), lobby.settings.identity_needed).await?;
    take(tx, &join.code).await?;
    if stakers.are_closed_out() {
        return Err(JoinError::StakesClosed);
    }
    if let Some(unready) = stakers.unready(player)? {
        return Err(unready.into());
    }
    if !lobby.is_there(host, table.created_at) {
        return Err(JoinError::HostAway);
    }
    match stakers.unready(host)? {
        None => Ok(Some(matches::start(tx, &lobby.matches, pairing::draw(terms.into(), [player, host])).await?)),
        Some(Unready::AlreadyPlaying) => Err(JoinError::HostPlaying),
        Some(Unready::Barred(_) | Unready::InsufficientFunds) => Ok(None),
    }
}

/// A match for nothing. `None` where the host may no longer play.
async fn friendly(lobby: &Parts, tx: &mut Tx, join: &Join, table: &Open) -> Result<Option<Setup>, JoinError> {
    let (player, host) = (join.player, table.host);
    standing::lock_rows(tx, &[player, host]).await?;
    take(tx, &join.code).await?;
    if let Some(barred) = standing::shut_out(&mut **tx, player).await? {
        return Err(barred.into());
    }
    if standing::shut_out(&mut **tx, host).await?.is_some() {
        return Ok(None);
    }
    let most = lobby.settings.friendly_most;
    if matches::friendly_of(tx, player).await? >= most {
        return Err(JoinError::TooManyMatches);
    }
    if matches::friendly_of(tx, host).await? >= most {
        return Err(JoinError::HostPlaying);
    }
    let seating = pairing::draw(table.terms, [player, host]);
    Ok(Some(matches::start(tx, &lobby.matches, seating).await?))
}

/// Takes the seat: of two who join at once the second finds none. L-7: balances and players are locked before tables.
async fn take(tx: &mut Tx, code: &TableCode) -> Result<(), JoinError> {
    let free = sqlx::query_scalar!("select match_id is null from tables where code = $1 for update", code.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    if free == Some(Some(true)) { Ok(()) } else { Err(JoinError::Gone) }
}

impl Parts {
    async fn look(&self, tx: &mut Tx, code: &TableCode) -> Result<Option<Open>, sqlx::Error> {
        let row = sqlx::query!(
            r#"select player_id as "host: PlayerId", game, options, stake, created_at from tables
               where code = $1 and match_id is null and created_at > $2"#,
            code.as_str(),
            self.clock.wall() - LIFETIME
        )
        .fetch_optional(&mut **tx)
        .await?;
        row.map(|row| {
            let terms = matches::terms(&row.game, &row.options, row.stake)
                .map_err(|error| sqlx::Error::Decode(error.into()))?;
            Ok(Open { host: row.host, terms, created_at: row.created_at })
        })
        .transpose()
    }
}
