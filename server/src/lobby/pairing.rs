//! What every pairing for a stake has in common, by whichever route two players meet (L-7, L-8).

use std::collections::HashMap;

use stakeboard_engine::{Options, Seat};

use crate::{
    db::Tx,
    ids::{MatchId, PlayerId},
    ledger,
    matches::{self, Matches, Seating, Setup, Terms},
    money::{Cents, Stake, Wager},
    players::standing::{self, Barred, Wanted},
    rng,
};

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

/// Players whose balances are locked: what is found out about them holds until the transaction ends.
pub struct Stakers {
    available: HashMap<PlayerId, Cents>,
    identity_needed: bool,
}

impl Stakers {
    /// Locks what these players have available, in the order of all locks (L-7). Nothing that a pairing takes away is
    /// locked before.
    pub async fn lock(tx: &mut Tx, players: &[PlayerId], identity_needed: bool) -> Result<Self, sqlx::Error> {
        Ok(Self { available: ledger::lock_available(tx, players).await?, identity_needed })
    }

    /// Why one of them can't make this stake now.
    pub async fn unready(
        &self,
        tx: &mut Tx,
        player: PlayerId,
        terms: StakedTerms,
    ) -> Result<Option<Unready>, sqlx::Error> {
        if ledger::is_playing(tx, player).await? {
            return Ok(Some(Unready::AlreadyPlaying));
        }
        let stake = terms.stake.cents();
        let wanted = Wanted { game: terms.options.game().code(), stake, identity_needed: self.identity_needed };
        if let Some(barred) = standing::barred_from_staking(tx, player, wanted).await? {
            return Ok(Some(Unready::Barred(barred)));
        }
        let has = self.available.get(&player).is_some_and(|available| *available >= stake);
        Ok((!has).then_some(Unready::InsufficientFunds))
    }
}

/// Makes a match of two players who were found ready for its stake. MA-12: who of them opens is drawn here.
pub async fn begin(
    tx: &mut Tx,
    matches: &Matches,
    terms: StakedTerms,
    [one, other]: [PlayerId; 2],
) -> Result<Setup, sqlx::Error> {
    withdraw_postings(tx, &[one, other]).await?;
    let (opener, other) = match rng::draw_seat() {
        Seat::First => (one, other),
        Seat::Second => (other, one),
    };
    let seating = Seating { id: MatchId::generate(), terms: terms.into(), opener, other };
    matches::start(tx, matches, seating).await
}

/// Withdraws what these players have posted for a stake and what a pairing by any route takes away (L-8), in the caller's
/// transaction, which has locked their balances. Watchers are told by the caller, after the commit.
pub async fn withdraw_postings(tx: &mut Tx, players: &[PlayerId]) -> Result<(), sqlx::Error> {
    let players: Vec<_> = players.iter().map(|player| player.0).collect();
    sqlx::query!("delete from seeks where player_id = any($1)", &players).execute(&mut **tx).await?;
    Ok(())
}

/// Withdraws everything a player has posted: what a pairing takes away, and what it would leave. In the caller's
/// transaction, which has locked the player's balance; watchers are told by the caller, after the commit.
pub async fn withdraw_all(tx: &mut Tx, player: PlayerId) -> Result<(), sqlx::Error> {
    withdraw_postings(tx, &[player]).await
}
