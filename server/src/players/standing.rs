//! Whether a player may stake or deposit now: the one place that decides it, money aside.

use sqlx::PgExecutor;
use time::OffsetDateTime;

use crate::{
    code::Code,
    db::Tx,
    ids::PlayerId,
    ledger,
    money::Cents,
    players::{
        Identity,
        limits::{self, LimitKind},
    },
};

/// Why a player may not stake or deposit now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Barred {
    /// O-2: new staked matches are stopped: all, of this game, or of this player.
    #[error("new staked matches are stopped")]
    Stopped,
    /// The account has been deleted while the request was on its way.
    #[error("the account is gone")]
    Deleted,
    /// By an administrator.
    #[error("the account is frozen")]
    Frozen,
    /// P-3: by the player's own wish, until then.
    #[error("the player takes a break")]
    OnBreak(OffsetDateTime),
    /// P-4: the player's identity has not been verified, and the operator requires it.
    #[error("the identity has not been verified")]
    Identity,
    /// P-2: it would be above a limit the player has set.
    #[error("a limit of the player's own is reached")]
    Limit(LimitKind),
}

impl Barred {
    /// The stable code.
    pub fn code(self) -> Code {
        match self {
            Self::Stopped => Code::StakesClosed,
            Self::Deleted => Code::Unauthenticated,
            Self::Frozen => Code::Frozen,
            Self::OnBreak(_) => Code::OnBreak,
            Self::Identity => Code::IdentityNeeded,
            Self::Limit(_) => Code::LimitReached,
        }
    }
}

/// A stake that a player wants to make.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// How much.
    pub stake: Cents,
    /// Whether the operator requires a verified identity for it.
    pub identity_needed: bool,
}

/// What a player may stake on a game. Read with the player's balance locked, which all that changes it locks first: it
/// holds until the transaction ends.
#[expect(clippy::struct_excessive_bools, reason = "each is a reason of its own, and a column")]
#[derive(Clone, Copy, Debug)]
pub struct Staker {
    player: PlayerId,
    /// What there is to stake; a guest has nothing.
    pub available: Option<Cents>,
    /// L-10: whether new staked matches are closed, to everybody.
    pub stakes_closed: bool,
    /// Whether the player is in a live staked match.
    pub playing: bool,
    stopped: bool,
    frozen: bool,
    break_until: Option<OffsetDateTime>,
    identity: Identity,
    stake_match: Option<Cents>,
    loss_day: Option<Cents>,
}

/// Locks what these players have available, in the order of all locks (L-7), and reads what they may stake on a game. One
/// round trip, since every match costs several of these.
pub async fn lock_stakers(tx: &mut Tx, players: &[PlayerId], game: &str) -> Result<Vec<Staker>, sqlx::Error> {
    let players: Vec<_> = players.iter().map(|player| player.0).collect();
    sqlx::query_as!(
        Staker,
        r#"select player_id as "player!: PlayerId", available as "available: Cents", stakes_closed as "stakes_closed!",
                  playing as "playing!", stopped as "stopped!", frozen as "frozen!", break_until,
                  identity as "identity!: Identity", stake_match as "stake_match: Cents", loss_day as "loss_day: Cents"
           from lock_stakers($1, $2)"#,
        &players,
        game
    )
    .fetch_all(&mut **tx)
    .await
}

impl Staker {
    /// Whose it is.
    pub fn player(&self) -> PlayerId {
        self.player
    }

    /// Why the player may not make this stake now.
    pub async fn barred(&self, tx: &mut Tx, wanted: Wanted) -> Result<Option<Barred>, sqlx::Error> {
        if self.frozen {
            return Ok(Some(Barred::Frozen));
        }
        if let Some(until) = self.break_until {
            return Ok(Some(Barred::OnBreak(until)));
        }
        if self.stopped {
            return Ok(Some(Barred::Stopped));
        }
        if wanted.identity_needed && self.identity != Identity::Verified {
            return Ok(Some(Barred::Identity));
        }
        self.over_a_limit(tx, wanted.stake).await
    }

    async fn over_a_limit(&self, tx: &mut Tx, stake: Cents) -> Result<Option<Barred>, sqlx::Error> {
        if self.stake_match.is_some_and(|most| stake > most) {
            return Ok(Some(Barred::Limit(LimitKind::StakeMatch)));
        }
        if let Some(most) = self.loss_day {
            let at_risk = ledger::loss_at_risk(tx, self.player).await?;
            if at_risk.checked_add(stake).is_none_or(|total| total > most) {
                return Ok(Some(Barred::Limit(LimitKind::LossDay)));
            }
        }
        Ok(None)
    }
}

/// Locks the rows of players, in the order of their ids and after balances: what is decided about somebody who may have no
/// balance, as a guest, locks these.
pub async fn lock_rows(tx: &mut Tx, players: &[PlayerId]) -> Result<(), sqlx::Error> {
    let ids: Vec<_> = players.iter().map(|player| player.0).collect();
    sqlx::query!("select id from players where id = any($1) order by id for no key update", &ids)
        .fetch_all(&mut **tx)
        .await?;
    Ok(())
}

/// Why a player is shut out of all but what is owed to them (P-3). Where money or a match depends on it, the caller has
/// locked the player's balance or row.
pub async fn shut_out(executor: impl PgExecutor<'_>, player: PlayerId) -> Result<Option<Barred>, sqlx::Error> {
    let standing = sqlx::query!(
        r#"select deleted_at is not null as "deleted!", frozen_at is not null as "frozen!",
                  case when break_until > clock_timestamp() then break_until end as break_until
           from players where id = $1"#,
        player.0
    )
    .fetch_one(executor)
    .await?;
    Ok(if standing.deleted {
        Some(Barred::Deleted)
    } else if standing.frozen {
        Some(Barred::Frozen)
    } else {
        standing.break_until.map(Barred::OnBreak)
    })
}

/// Why a player may not deposit this much now. The player's balance is locked by the caller.
pub async fn barred_from_depositing(
    tx: &mut Tx,
    player: PlayerId,
    amount: Cents,
) -> Result<Option<Barred>, sqlx::Error> {
    if let Some(barred) = shut_out(&mut **tx, player).await? {
        return Ok(Some(barred));
    }
    let limits = limits::load(&mut **tx, player).await?;
    let windows = [
        (LimitKind::DepositDay, limits.deposit_day, 24),
        (LimitKind::DepositWeek, limits.deposit_week, 7 * 24),
        (LimitKind::DepositMonth, limits.deposit_month, 30 * 24),
    ];
    for (kind, most, hours) in windows {
        let Some(most) = most else { continue };
        let before = ledger::deposited_within(tx, player, hours).await?;
        if before.checked_add(amount).is_none_or(|total| total > most) {
            return Ok(Some(Barred::Limit(kind)));
        }
    }
    Ok(None)
}

/// Why a player may not ask to be paid out now. What is owed to players stays theirs: neither a break nor a freeze
/// keeps it from them (P-3), only an identity that the operator requires and has not seen.
pub async fn barred_from_withdrawing(
    tx: &mut Tx,
    player: PlayerId,
    identity_needed: bool,
) -> Result<Option<Barred>, sqlx::Error> {
    if !identity_needed {
        return Ok(None);
    }
    let identity =
        sqlx::query_scalar!(r#"select identity as "identity: Identity" from players where id = $1"#, player.0)
            .fetch_one(&mut **tx)
            .await?;
    Ok((identity != Identity::Verified).then_some(Barred::Identity))
}
