//! Whether a player may play, deposit or be paid out now. Who may stake is found out by `lock_stakers` in the database,
//! which locks what it reads; see [`crate::lobby`].

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
