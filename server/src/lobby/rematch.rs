//! Rematches: proposed, agreed to, declined (MA-9).
//!
//! No process owns a match that has ended, so nothing here asks for one. Every act locks both players first, as every
//! pairing does that could take the proposal away; what has happened is read from the journal under these locks, and what
//! happens is appended to it in the same transaction.

use std::{sync::Arc, time::Duration};

use stakeboard_engine::Seat;
use time::OffsetDateTime;

use crate::{
    code::Code,
    db::{self, AsDatabaseError, Trouble, Tx},
    ids::{MatchId, PlayerId},
    ledger,
    lobby::{
        Lobby, Parts,
        pairing::{Stakers, Unready},
        presence,
    },
    matches::{
        self, Seating, Setup, StartError, Terms,
        entry::Act,
        epilogue::{self, REMATCH_LIFETIME},
    },
    money::Wager,
    players::standing,
};

/// How often a rematch whose answer was lost is looked for.
const FIND_OUT: Duration = Duration::from_millis(200);

/// What can be done about a rematch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RematchAct {
    /// Propose one; where the rival's proposal is open, that agrees to it.
    Propose,
    /// Agree to the rival's proposal.
    Accept,
    /// Turn the rival's proposal down, or take back one's own.
    Decline,
}

/// Why a rematch comes to nothing. No money has moved.
#[derive(Debug, thiserror::Error)]
pub enum RematchError {
    /// There is no such match.
    #[error("there is no such match")]
    NotFound,
    /// Spectators only watch.
    #[error("spectators only watch")]
    NotAPlayer,
    /// The match goes on.
    #[error("the match goes on")]
    NotOver,
    /// No proposal is open that this could be about, or its proposer can no longer play for it.
    #[error("no proposal is open")]
    Gone,
    /// The proposer is not there.
    #[error("the proposer is not there")]
    HostAway,
    /// The caller can't make the stake now, or plays for one.
    #[error(transparent)]
    Unready(#[from] Unready),
    /// The caller is in as many friendly matches as allowed.
    #[error("the caller is in as many friendly matches as allowed")]
    TooManyMatches,
    /// No new staked matches for now.
    #[error("no new staked matches for now")]
    StakesClosed,
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

impl RematchError {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::NotFound => Code::NotFound,
            Self::NotAPlayer => Code::NotAPlayer,
            Self::NotOver => Code::MatchNotOver,
            Self::Gone => Code::RematchGone,
            Self::HostAway => Code::HostAway,
            Self::Unready(unready) => unready.code(),
            Self::TooManyMatches => Code::TooManyMatches,
            Self::StakesClosed => Code::StakesClosed,
            Self::Start(StartError::Paused) => Code::Paused,
            Self::Start(StartError::Database(error)) | Self::Database(error) => match db::trouble(error) {
                Trouble::Unavailable => Code::Paused,
                Trouble::Conflict => Code::Overloaded,
                Trouble::Fault => Code::Internal,
            },
            Self::Stopped(_) => Code::Stopping,
        }
    }
}

impl AsDatabaseError for RematchError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Start(error) => error.database(),
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

/// What the transaction of an act came to.
enum Done {
    /// It stands in the journal at this `seq`.
    Recorded(u32),
    /// The same, and a match was made.
    Started(u32, Box<Setup>),
    /// The proposal has expired, or its proposer can no longer play; it was withdrawn.
    Withdrawn,
}

/// A match that has ended, for who of its players acts.
struct Last {
    id: MatchId,
    terms: Terms,
    first: PlayerId,
    second: PlayerId,
    by: Seat,
}

impl Last {
    fn player(&self, seat: Seat) -> PlayerId {
        match seat {
            Seat::First => self.first,
            Seat::Second => self.second,
        }
    }
}

/// A proposal that can be answered.
struct Proposal {
    next_match: MatchId,
    by: Seat,
    proposed_at: OffsetDateTime,
}

impl Lobby {
    /// A player of an ended match acts. Gives where the act stands in its journal. The work runs in a task of its own: a
    /// dropped request does not cut it in half.
    pub async fn rematch(&self, player: PlayerId, id: MatchId, act: RematchAct) -> Result<u32, RematchError> {
        let lobby = self.clone();
        db::uncut(&self.0.tasks, async move { lobby.rematch_to_the_end(player, id, act).await }).await
    }

    async fn rematch_to_the_end(&self, player: PlayerId, id: MatchId, act: RematchAct) -> Result<u32, RematchError> {
        let done = db::in_transaction(&self.0.pool, |tx| {
            let lobby = Arc::clone(&self.0);
            Box::pin(async move { decide(&lobby, tx, player, id, act).await })
        })
        .await;
        if done.as_ref().is_err_and(|error| error.database().is_some_and(db::is_unavailable)) {
            // The answer to the commit may be what was lost.
            tokio::spawn(self.clone().find_out_rematch(player, id));
        }
        let seq = match done? {
            Done::Recorded(seq) => seq,
            Done::Started(seq, setup) => {
                self.serve(*setup);
                seq
            }
            Done::Withdrawn => return Err(RematchError::Gone),
        };
        self.0.matches.news(id).await;
        Ok(seq)
    }

    /// Finds out whether a rematch whose answer was lost was committed. It is served then.
    async fn find_out_rematch(self, player: PlayerId, id: MatchId) {
        loop {
            match self.serve_rematch(player, id).await {
                Err(RematchError::Database(error)) if !matches!(error, sqlx::Error::PoolClosed) => {
                    tracing::debug!(%player, %error, "what came of a rematch can't be found out yet");
                }
                _ => return,
            }
            tokio::time::sleep(FIND_OUT).await;
        }
    }

    async fn serve_rematch(&self, player: PlayerId, id: MatchId) -> Result<(), RematchError> {
        // The locks are taken after a transaction that is still under way has come to its end.
        let next = db::in_transaction(&self.0.pool, |tx| {
            let lobby = Arc::clone(&self.0);
            Box::pin(async move {
                let last = last(tx, player, id).await?;
                lock(&lobby, tx, &last).await?;
                Ok::<_, RematchError>(epilogue::rematch_started(tx, id).await?)
            })
        })
        .await?;
        if let Some((_, next)) = next
            && let Some(players) = self.0.matches.serve_unheard_of(next).await?
        {
            tracing::warn!(match_id = %next, "a match is served whose commit was not heard of");
            players.iter().for_each(|(_, paired)| self.0.feed.player_changed(paired.id));
        }
        self.0.matches.news(id).await;
        Ok(())
    }

    /// Withdraws proposals whose minute is over, and those of players who have been away too long.
    pub(super) async fn sweep_rematches(&self) -> Result<(), sqlx::Error> {
        let open = sqlx::query!(r#"select match_id, proposer as "proposer: PlayerId", proposed_at from rematches"#)
            .fetch_all(&self.0.pool)
            .await?;
        for row in open {
            if !self.0.stands(row.proposer, row.proposed_at) {
                // One at a time, as with seeks; and none that was made anew since it was looked at.
                sqlx::query!(
                    "delete from rematches where match_id = $1 and proposed_at = $2",
                    row.match_id,
                    row.proposed_at
                )
                .execute(&self.0.pool)
                .await?;
            }
        }
        Ok(())
    }
}

impl Parts {
    /// Whether a proposal can still be answered, its withdrawal by other things aside.
    fn stands(&self, proposer: PlayerId, proposed_at: OffsetDateTime) -> bool {
        let posted = self.clock.instant_at(proposed_at).max(self.started);
        self.clock.wall() < proposed_at + REMATCH_LIFETIME
            && !(self.knows_presence()
                && presence::is_gone(self.connections.presence(proposer), posted, self.clock.now()))
    }
}

async fn decide(
    lobby: &Parts,
    tx: &mut Tx,
    player: PlayerId,
    id: MatchId,
    act: RematchAct,
) -> Result<Done, RematchError> {
    let last = last(tx, player, id).await?;
    let stakers = lock(lobby, tx, &last).await?;
    if let Some((seq, _)) = epilogue::rematch_started(tx, id).await? {
        // Two who agree at once meet in one match, and so does a repeat.
        return if act == RematchAct::Decline { Err(RematchError::Gone) } else { Ok(Done::Recorded(seq)) };
    }
    let mut open = open(tx, &last).await?;
    if open.as_ref().is_some_and(|proposal| !lobby.stands(last.player(proposal.by), proposal.proposed_at)) {
        // It goes now: its proposer may be there again before it is looked for.
        withdraw(tx, id).await?;
        if act != RematchAct::Propose {
            return Ok(Done::Withdrawn);
        }
        open = None;
    }
    match (act, open) {
        (RematchAct::Propose, None) => propose(lobby, tx, &last, &stakers).await,
        (RematchAct::Propose, Some(own)) if own.by == last.by => {
            Ok(Done::Recorded(epilogue::rematch_proposed(tx, id).await?.ok_or(RematchError::Gone)?))
        }
        (RematchAct::Propose | RematchAct::Accept, Some(rivals)) if rivals.by != last.by => {
            agree(lobby, tx, &last, &stakers, &rivals).await
        }
        (RematchAct::Decline, Some(_)) => {
            take(tx, id).await?;
            Ok(Done::Recorded(epilogue::append(tx, id, Act::RematchDeclined(last.by), lobby.clock.wall()).await?))
        }
        (RematchAct::Accept | RematchAct::Propose, _) | (RematchAct::Decline, None) => Err(RematchError::Gone),
    }
}

/// The match that is played again.
async fn last(tx: &mut Tx, player: PlayerId, id: MatchId) -> Result<Last, RematchError> {
    let row = sqlx::query!(
        r#"select game, options, stake, status,
                  first_player as "first: PlayerId", second_player as "second: PlayerId"
           from matches where id = $1"#,
        id.0
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(RematchError::NotFound)?;
    let by = match player {
        _ if player == row.first => Seat::First,
        _ if player == row.second => Seat::Second,
        _ => return Err(RematchError::NotAPlayer),
    };
    if row.status != "ended" {
        return Err(RematchError::NotOver);
    }
    let terms =
        matches::terms(&row.game, &row.options, row.stake).map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(Last { id, terms, first: row.first, second: row.second, by })
}

/// L-7: balances first; then the rows of the players, who may be guests without one.
async fn lock(lobby: &Parts, tx: &mut Tx, last: &Last) -> Result<Stakers, sqlx::Error> {
    let both = [last.first, last.second];
    let stakers = Stakers::lock(tx, &both, last.terms, lobby.settings.identity_needed).await?;
    standing::lock_rows(tx, &both).await?;
    Ok(stakers)
}

/// The proposal that was made and has not been taken away.
async fn open(tx: &mut Tx, last: &Last) -> Result<Option<Proposal>, sqlx::Error> {
    let row = sqlx::query!(
        r#"select next_match as "next_match: MatchId", proposer as "proposer: PlayerId", proposed_at
           from rematches where match_id = $1"#,
        last.id.0
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.map(|row| Proposal {
        next_match: row.next_match,
        by: if row.proposer == last.first { Seat::First } else { Seat::Second },
        proposed_at: row.proposed_at,
    }))
}

/// Takes the proposal; it can have gone since it was read.
async fn take(tx: &mut Tx, id: MatchId) -> Result<(), RematchError> {
    if withdraw(tx, id).await? { Ok(()) } else { Err(RematchError::Gone) }
}

async fn withdraw(tx: &mut Tx, id: MatchId) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from rematches where match_id = $1", id.0).execute(&mut **tx).await?;
    Ok(done.rows_affected() > 0)
}

async fn propose(lobby: &Parts, tx: &mut Tx, last: &Last, stakers: &Stakers) -> Result<Done, RematchError> {
    let (player, rival) = (last.player(last.by), last.player(last.by.other()));
    refuse_closed(last, stakers)?;
    refuse_unfit(lobby, tx, last, stakers, player).await?;
    let (next, now) = (MatchId::generate(), lobby.clock.wall());
    sqlx::query!(
        "insert into rematches (match_id, next_match, proposer, rival, proposed_at) values ($1, $2, $3, $4, $5)",
        last.id.0,
        next.0,
        player.0,
        rival.0,
        now
    )
    .execute(&mut **tx)
    .await?;
    Ok(Done::Recorded(epilogue::append(tx, last.id, Act::RematchProposed(last.by, next), now).await?))
}

/// MA-9: the same terms, held anew; whoever did not open the last match opens the next.
async fn agree(
    lobby: &Parts,
    tx: &mut Tx,
    last: &Last,
    stakers: &Stakers,
    proposal: &Proposal,
) -> Result<Done, RematchError> {
    let (player, proposer) = (last.player(last.by), last.player(proposal.by));
    refuse_closed(last, stakers)?;
    refuse_unfit(lobby, tx, last, stakers, player).await?;
    if !lobby.is_there(proposer, proposal.proposed_at) {
        return Err(RematchError::HostAway);
    }
    take(tx, last.id).await?;
    match refuse_unfit(lobby, tx, last, stakers, proposer).await {
        Ok(()) => {}
        Err(RematchError::Database(error)) => return Err(error.into()),
        // L-8: the proposal goes with this transaction.
        Err(_) => return Ok(Done::Withdrawn),
    }
    let seating = Seating { id: proposal.next_match, terms: last.terms, opener: last.second, other: last.first };
    let setup = matches::start(tx, &lobby.matches, seating).await?;
    let seq = epilogue::append(tx, last.id, Act::RematchStarted(setup.id), setup.started_at).await?;
    Ok(Done::Started(seq, Box::new(setup)))
}

fn refuse_closed(last: &Last, stakers: &Stakers) -> Result<(), RematchError> {
    let closed = last.terms.wager.stake().is_some() && stakers.are_closed_out();
    if closed { Err(RematchError::StakesClosed) } else { Ok(()) }
}

/// Refuses where a player can't play these terms again now. Who plays for a stake proposes and agrees to nothing (L-8).
async fn refuse_unfit(
    lobby: &Parts,
    tx: &mut Tx,
    last: &Last,
    stakers: &Stakers,
    player: PlayerId,
) -> Result<(), RematchError> {
    match last.terms.wager {
        Wager::Staked(_) => stakers.unready(player)?.map_or(Ok(()), |unready| Err(unready.into())),
        Wager::Friendly => {
            if ledger::is_playing(tx, player).await? {
                return Err(Unready::AlreadyPlaying.into());
            }
            if let Some(barred) = standing::shut_out(&mut **tx, player).await? {
                return Err(Unready::Barred(barred).into());
            }
            let many = matches::friendly_of(tx, player).await? >= lobby.settings.friendly_most;
            if many { Err(RematchError::TooManyMatches) } else { Ok(()) }
        }
    }
}
