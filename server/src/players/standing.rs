//! Whether a player may stake or deposit now: the one place that decides it, money aside.

use time::OffsetDateTime;

use crate::{
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

/// A stake that a player wants to make.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The game.
    pub game: &'a str,
    /// How much.
    pub stake: Cents,
    /// Whether the operator requires a verified identity for it.
    pub identity_needed: bool,
}

/// Why a player may not make this stake now. The player's balance is locked by the caller: what is
/// found holds until the transaction ends.
pub async fn barred_from_staking(
    tx: &mut Tx,
    player: PlayerId,
    wanted: Wanted<'_>,
) -> Result<Option<Barred>, sqlx::Error> {
    let standing = sqlx::query!(
        r#"select stopped as "stopped!", frozen as "frozen!", break_until, identity as "identity!: Identity"
           from lock_standing($1, $2)"#,
        player.0,
        wanted.game
    )
    .fetch_one(&mut **tx)
    .await?;
    if standing.frozen {
        return Ok(Some(Barred::Frozen));
    }
    if let Some(until) = standing.break_until {
        return Ok(Some(Barred::OnBreak(until)));
    }
    if standing.stopped {
        return Ok(Some(Barred::Stopped));
    }
    if wanted.identity_needed && standing.identity != Identity::Verified {
        return Ok(Some(Barred::Identity));
    }
    over_a_limit_on_stakes(tx, player, wanted.stake).await
}

async fn over_a_limit_on_stakes(tx: &mut Tx, player: PlayerId, stake: Cents) -> Result<Option<Barred>, sqlx::Error> {
    let limits = limits::load(&mut **tx, player).await?;
    if limits.stake_match.is_some_and(|most| stake > most) {
        return Ok(Some(Barred::Limit(LimitKind::StakeMatch)));
    }
    if let Some(most) = limits.loss_day {
        let at_risk = ledger::loss_at_risk(tx, player).await?;
        if at_risk.checked_add(stake).is_none_or(|total| total > most) {
            return Ok(Some(Barred::Limit(LimitKind::LossDay)));
        }
    }
    Ok(None)
}

/// Why a player may not deposit this much now. The player's balance is locked by the caller.
pub async fn barred_from_depositing(
    tx: &mut Tx,
    player: PlayerId,
    amount: Cents,
) -> Result<Option<Barred>, sqlx::Error> {
    let standing = sqlx::query!(
        r#"select frozen_at is not null as "frozen!",
                  case when break_until > clock_timestamp() then break_until end as break_until
           from players where id = $1"#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await?;
    if standing.frozen {
        return Ok(Some(Barred::Frozen));
    }
    if let Some(until) = standing.break_until {
        return Ok(Some(Barred::OnBreak(until)));
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
