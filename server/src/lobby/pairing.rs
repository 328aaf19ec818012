//! What every pairing for a stake has in common, by whichever route two players meet (L-7, L-8).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stakeboard_engine::{Options, Seat};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    code::Code,
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::{MatchId, PlayerId},
    ledger,
    lobby::Lobby,
    matches::{self, Seating, Setup, Terms},
    money::{Stake, Wager},
    players::{limits::LimitKind, standing::Barred},
    rng,
};

/// How often a pairing whose answer was lost is looked for.
const FIND_OUT: Duration = Duration::from_millis(200);

/// The match that a pairing made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Accepted {
    /// The match.
    pub match_id: MatchId,
}

/// What the transaction of a pairing came to.
pub enum Pairing {
    /// The same request was answered before.
    Repeated(Accepted),
    /// A match was made.
    Made(Box<Setup>),
    /// Who posted can no longer play for it; the posting was withdrawn.
    Withdrawn,
}

/// What two players are to put up, and in which game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StakedTerms {
    /// The game and its options.
    pub options: Options,
    /// What each puts up.
    pub stake: Stake,
}

impl From<StakedTerms> for Terms {
    fn from(StakedTerms { options, stake }: StakedTerms) -> Self {
        Self { options, wager: Wager::Staked(stake) }
    }
}

impl StakedTerms {
    /// Reads what a row of a posting says.
    pub(super) fn read(game: &str, options: &Value, stake: i64) -> Result<Self, sqlx::Error> {
        let unreadable = |what: String| sqlx::Error::Decode(what.into());
        let terms = matches::terms(game, options, stake).map_err(|error| unreadable(error.to_string()))?;
        let stake = terms.wager.stake().ok_or_else(|| unreadable("a posting for a stake has none".to_owned()))?;
        Ok(Self { options: terms.options, stake })
    }
}

/// Why a player can't make a stake now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unready {
    /// The player has a live staked match.
    #[error("the player has a live staked match")]
    AlreadyPlaying,
    /// The player may not stake this now.
    #[error(transparent)]
    Barred(Barred),
    /// The player has less than the stake available.
    #[error("the player has less than the stake available")]
    InsufficientFunds,
}

impl Unready {
    /// The stable code.
    pub fn code(self) -> Code {
        match self {
            Self::AlreadyPlaying => Code::AlreadyPlaying,
            Self::Barred(barred) => barred.code(),
            Self::InsufficientFunds => Code::InsufficientFunds,
        }
    }
}

impl Unready {
    /// Reads what `lock_stakers` says stands against a stake; `break_until` is when the player's break ends.
    pub(super) fn read(
        unready: Option<&str>,
        break_until: Option<OffsetDateTime>,
    ) -> Result<Option<Self>, sqlx::Error> {
        let unknown = || sqlx::Error::Decode(format!("nobody is unready for {unready:?}").into());
        let Some(unready) = unready else { return Ok(None) };
        Ok(Some(match unready {
            "already_playing" => Self::AlreadyPlaying,
            "insufficient_funds" => Self::InsufficientFunds,
            "frozen" => Self::Barred(Barred::Frozen),
            "on_break" => Self::Barred(Barred::OnBreak(break_until.ok_or_else(unknown)?)),
            "stopped" => Self::Barred(Barred::Stopped),
            "identity" => Self::Barred(Barred::Identity),
            "stake_match" => Self::Barred(Barred::Limit(LimitKind::StakeMatch)),
            "loss_day" => Self::Barred(Barred::Limit(LimitKind::LossDay)),
            _ => return Err(unknown()),
        }))
    }
}

/// Players whose balances are locked: what is found out about them holds until the transaction ends.
pub struct Stakers {
    stakers: Vec<(PlayerId, Option<Unready>)>,
    closed_out: bool,
}

impl Stakers {
    /// Locks what these players have available, in the order of all locks (L-7), and finds out who of them can't make this
    /// stake now. Nothing that a pairing takes away is locked before.
    pub async fn lock(
        tx: &mut Tx,
        players: &[PlayerId],
        terms: Terms,
        identity_needed: bool,
    ) -> Result<Self, sqlx::Error> {
        let players: Vec<_> = players.iter().map(|player| player.0).collect();
        let rows = sqlx::query!(
            r#"select player_id as "player!: PlayerId", stakes_closed as "stakes_closed!", unready, break_until
               from lock_stakers($1, $2, $3, $4)"#,
            &players,
            terms.options.game().code(),
            terms.wager.cents().0,
            identity_needed
        )
        .fetch_all(&mut **tx)
        .await?;
        let closed_out = rows.iter().any(|row| row.stakes_closed);
        let stakers = rows
            .into_iter()
            .map(|row| Ok((row.player, Unready::read(row.unready.as_deref(), row.break_until)?)))
            .collect::<Result<_, sqlx::Error>>()?;
        Ok(Self { stakers, closed_out })
    }

    /// L-10: whether new staked matches are closed, to everybody.
    pub fn are_closed_out(&self) -> bool {
        self.closed_out
    }

    /// Why one of them can't make this stake now.
    pub fn unready(&self, player: PlayerId) -> Result<Option<Unready>, sqlx::Error> {
        let staker = self.stakers.iter().find(|(staker, _)| *staker == player);
        staker.map(|(_, unready)| *unready).ok_or(sqlx::Error::RowNotFound)
    }
}

/// MA-12: nobody chooses who opens a match that is not a rematch.
pub fn draw(terms: Terms, [one, other]: [PlayerId; 2]) -> Seating {
    let (opener, other) = match rng::draw_seat() {
        Seat::First => (one, other),
        Seat::Second => (other, one),
    };
    Seating { id: MatchId::generate(), terms, opener, other }
}

async fn withdraw_postings(tx: &mut Tx, players: &[PlayerId]) -> Result<(), sqlx::Error> {
    let players: Vec<_> = players.iter().map(|player| player.0).collect();
    sqlx::query!("select withdraw_postings($1)", &players).execute(&mut **tx).await?;
    Ok(())
}

/// Withdraws everything a player has posted: what a match for a stake takes away (L-8), and the tables, which it leaves. In the caller's
/// transaction, which has locked the player's balance; watchers are told by the caller, after the commit.
pub async fn withdraw_all(tx: &mut Tx, player: PlayerId) -> Result<(), sqlx::Error> {
    withdraw_postings(tx, &[player]).await?;
    sqlx::query!("delete from tables where player_id = $1 and match_id is null", player.0).execute(&mut **tx).await?;
    Ok(())
}

impl Lobby {
    /// Serves the match that a keyed pairing made, or gives the one of an earlier answer. `None` where the posting was
    /// withdrawn instead.
    pub(super) fn conclude<E: AsDatabaseError>(
        &self,
        player: PlayerId,
        key: Key,
        pairing: Result<Pairing, E>,
    ) -> Result<Option<Accepted>, E> {
        if pairing.as_ref().is_err_and(|error| error.database().is_some_and(db::is_unavailable)) {
            // The answer to the commit may be what was lost.
            tokio::spawn(self.clone().find_out(player, key));
        }
        Ok(match pairing? {
            Pairing::Repeated(accepted) => Some(accepted),
            Pairing::Made(setup) => {
                let accepted = Accepted { match_id: setup.id };
                self.serve(*setup);
                Some(accepted)
            }
            Pairing::Withdrawn => None,
        })
    }

    /// Finds out whether a pairing whose answer was lost was committed. The match is served then: nobody's stake
    /// stays in a match that nobody can play.
    async fn find_out(self, player: PlayerId, key: Key) {
        loop {
            match self.serve_unheard_of(player, &key).await {
                Ok(()) | Err(ClaimError::Database(sqlx::Error::PoolClosed)) => return,
                Err(error) => tracing::debug!(%player, %error, "what came of a pairing can't be found out yet"),
            }
            tokio::time::sleep(FIND_OUT).await;
        }
    }

    /// Where the answer to the commit of a pairing may be what was lost: finds out whether it was made.
    pub(super) fn find_out_where_lost<T, E: AsDatabaseError>(&self, pairing: &Result<T, E>, player: PlayerId) {
        if pairing.as_ref().is_err_and(|error| error.database().is_some_and(db::is_unavailable)) {
            tokio::spawn(self.clone().find_out_by_stake(player));
        }
    }

    /// The same for a pairing that has no key, by what one of the two has at stake.
    async fn find_out_by_stake(self, player: PlayerId) {
        loop {
            // A transaction under way holds the lock: what is read is what it came to.
            let staked = db::in_transaction(&self.0.pool, |tx| {
                Box::pin(async move {
                    ledger::lock_available(tx, &[player]).await?;
                    ledger::staked_in(tx, player).await
                })
            });
            let found = async {
                match staked.await? {
                    Some(match_id) => self.serve_where_unheard_of(match_id).await,
                    None => Ok(()),
                }
            };
            match found.await {
                Ok(()) | Err(sqlx::Error::PoolClosed) => return,
                Err(error) => tracing::debug!(%player, %error, "what came of a pairing can't be found out yet"),
            }
            tokio::time::sleep(FIND_OUT).await;
        }
    }

    async fn serve_where_unheard_of(&self, match_id: MatchId) -> Result<(), sqlx::Error> {
        if let Some(players) = self.0.matches.serve_unheard_of(match_id).await? {
            tracing::warn!(%match_id, "a match is served whose commit was not heard of");
            players.iter().for_each(|(_, paired)| self.0.feed.player_changed(paired.id));
        }
        Ok(())
    }

    async fn serve_unheard_of(&self, player: PlayerId, key: &Key) -> Result<(), ClaimError> {
        // The claim fails while the transaction is still under way, also where its connection is lost.
        let accepted = db::in_transaction(&self.0.pool, |tx| {
            let key = key.clone();
            Box::pin(async move { idempotency::claim::<Accepted>(tx, player, &key).await })
        })
        .await?;
        let Some(Accepted { match_id }) = accepted else { return Ok(()) };
        Ok(self.serve_where_unheard_of(match_id).await?)
    }
}
