//! Adjustments of a player's balance. Above a set amount a second administrator decides (O-5).

use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    admin::Office,
    audit::{self, Act},
    clock::rfc3339_ms,
    db::{self, AsDatabaseError, Tx},
    idempotency::{self, ClaimError, Key},
    ids::PlayerId,
    ledger,
    money::Cents,
};

/// The largest adjustment, either way.
pub const LARGEST: i64 = 1_000_000_000_000;

/// What has become of an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AdjustmentStatus {
    /// A second administrator has to decide.
    Waiting,
    /// The money has moved.
    Done,
    /// A second administrator said no; nothing has moved.
    Rejected,
}

impl AdjustmentStatus {
    /// The state as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Rejected => "rejected",
        }
    }
}

/// An adjustment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Adjustment {
    /// The adjustment.
    pub id: Uuid,
    /// Whose balance.
    pub player: PlayerId,
    /// How much, in minor units; below zero where it is taken.
    pub amount: Cents,
    /// Why.
    pub reason: String,
    /// What has become of it.
    pub status: AdjustmentStatus,
    /// Who asked for it.
    pub asked_by: PlayerId,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize", deserialize_with = "time::serde::rfc3339::deserialize")]
    pub asked_at: OffsetDateTime,
    /// The second administrator, where one was needed and has decided.
    pub decided_by: Option<PlayerId>,
}

/// Why an adjustment is not made or not decided. No money has moved.
#[derive(Debug, thiserror::Error)]
pub enum AdjustError {
    /// There is no such player or adjustment.
    #[error("there is no such thing")]
    NotFound,
    /// The staff does not act on its own account.
    #[error("the account is the caller's own")]
    OwnAccount,
    /// Whoever asked for it can't be the one who decides.
    #[error("the caller asked for it")]
    OwnRequest,
    /// Guests have no money.
    #[error("the player is a guest")]
    Guest,
    /// It has been decided.
    #[error("it has been decided")]
    Decided,
    /// The player has less available than is to be taken, or has no room for more.
    #[error("the balance would leave its bounds")]
    OutOfBounds,
    /// About the request's key.
    #[error(transparent)]
    Key(ClaimError),
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The work did not come to an end.
    #[error(transparent)]
    Stopped(#[from] db::Stopped),
}

impl From<ClaimError> for AdjustError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Database(error) => Self::Database(error),
            other => Self::Key(other),
        }
    }
}

impl AsDatabaseError for AdjustError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

/// An adjustment to make.
#[derive(Clone, Debug)]
pub struct NewAdjustment {
    /// Whose balance.
    pub player: PlayerId,
    /// How much; not zero.
    pub amount: Cents,
    /// Why.
    pub reason: String,
}

impl Office {
    /// Adjusts a balance, or puts the adjustment before a second administrator where it is above the set amount.
    pub async fn adjust(&self, actor: PlayerId, new: NewAdjustment, key: Key) -> Result<Adjustment, AdjustError> {
        if actor == new.player {
            return Err(AdjustError::OwnAccount);
        }
        let alone = new.amount.0.unsigned_abs() <= self.settings.adjust_alone_most.0.unsigned_abs();
        let office = self.clone();
        db::uncut(&self.tasks, async move {
            let adjustment = db::in_transaction(&office.pool, |tx| {
                let (new, key) = (new.clone(), key.clone());
                Box::pin(async move { ask(tx, actor, &new, alone, &key).await })
            })
            .await?;
            office.connections.wallet_changed(adjustment.player);
            Ok(adjustment)
        })
        .await
    }

    /// Decides on an adjustment that waits: it is made, or not.
    pub async fn decide_adjustment(
        &self,
        actor: PlayerId,
        id: Uuid,
        approved: bool,
        reason: String,
    ) -> Result<Adjustment, AdjustError> {
        let office = self.clone();
        db::uncut(&self.tasks, async move {
            let adjustment = db::in_transaction(&office.pool, |tx| {
                let reason = reason.clone();
                Box::pin(async move { decide(tx, actor, id, approved, &reason).await })
            })
            .await?;
            office.connections.wallet_changed(adjustment.player);
            Ok(adjustment)
        })
        .await
    }

    /// Adjustments, newest first, from before one of them. The look is in the audit log.
    pub async fn adjustments(
        &self,
        actor: PlayerId,
        status: Option<AdjustmentStatus>,
        before: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Adjustment>, sqlx::Error> {
        let act = Act { actor: Some(actor), action: "adjustments.read", ..Act::default() };
        audit::record(&self.pool, act).await?;
        sqlx::query_as!(
            Adjustment,
            r#"select id, player_id as "player: PlayerId", amount as "amount: Cents", reason,
                      status as "status: AdjustmentStatus", asked_by as "asked_by: PlayerId", asked_at,
                      decided_by as "decided_by: PlayerId"
               from adjustments
               where ($1::text is null or status = $1) and ($2::uuid is null or id < $2)
               order by id desc limit $3"#,
            status.map(AdjustmentStatus::as_str),
            before,
            limit
        )
        .fetch_all(&self.pool)
        .await
    }
}

async fn ask(
    tx: &mut Tx,
    actor: PlayerId,
    new: &NewAdjustment,
    alone: bool,
    key: &Key,
) -> Result<Adjustment, AdjustError> {
    if let Some(first) = idempotency::claim(tx, actor, key).await? {
        return Ok(first);
    }
    let guest = sqlx::query_scalar!("select guest from players where id = $1", new.player.0)
        .fetch_optional(&mut **tx)
        .await?
        .ok_or(AdjustError::NotFound)?;
    if guest {
        return Err(AdjustError::Guest);
    }
    let status = if alone { AdjustmentStatus::Done } else { AdjustmentStatus::Waiting };
    let id = Uuid::now_v7();
    if alone {
        transfer(tx, id, new.player, new.amount).await?;
    }
    let asked_at = sqlx::query_scalar!(
        "insert into adjustments (id, player_id, amount, reason, status, asked_by) values ($1, $2, $3, $4, $5, $6)
         returning asked_at",
        id,
        new.player.0,
        new.amount.0,
        new.reason,
        status.as_str(),
        actor.0
    )
    .fetch_one(&mut **tx)
    .await?;
    let adjustment = Adjustment {
        id,
        player: new.player,
        amount: new.amount,
        reason: new.reason.clone(),
        status,
        asked_by: actor,
        asked_at,
        decided_by: None,
    };
    let action = if alone { "player.adjust" } else { "player.adjust_asked" };
    note(tx, actor, action, &adjustment, &new.reason).await?;
    idempotency::keep(tx, actor, key, if alone { 201 } else { 202 }, &adjustment).await?;
    Ok(adjustment)
}

async fn decide(
    tx: &mut Tx,
    actor: PlayerId,
    id: Uuid,
    approved: bool,
    reason: &str,
) -> Result<Adjustment, AdjustError> {
    // Its row is locked before the balance; nothing locks them the other way round.
    let mut adjustment = sqlx::query_as!(
        Adjustment,
        r#"select id, player_id as "player: PlayerId", amount as "amount: Cents", reason,
                  status as "status: AdjustmentStatus", asked_by as "asked_by: PlayerId", asked_at,
                  decided_by as "decided_by: PlayerId"
           from adjustments where id = $1 for no key update"#,
        id
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(AdjustError::NotFound)?;
    if adjustment.player == actor {
        return Err(AdjustError::OwnAccount);
    }
    if adjustment.asked_by == actor {
        return Err(AdjustError::OwnRequest);
    }
    if adjustment.status != AdjustmentStatus::Waiting {
        return Err(AdjustError::Decided);
    }
    if approved {
        transfer(tx, id, adjustment.player, adjustment.amount).await?;
    }
    adjustment.status = if approved { AdjustmentStatus::Done } else { AdjustmentStatus::Rejected };
    adjustment.decided_by = Some(actor);
    sqlx::query!(
        "update adjustments set status = $2, decided_by = $3, decided_at = clock_timestamp() where id = $1",
        id,
        adjustment.status.as_str(),
        actor.0
    )
    .execute(&mut **tx)
    .await?;
    let action = if approved { "player.adjust_approved" } else { "player.adjust_rejected" };
    note(tx, actor, action, &adjustment, reason).await?;
    Ok(adjustment)
}

/// Moves the money, where the player's balance, read under lock, allows it.
async fn transfer(tx: &mut Tx, id: Uuid, player: PlayerId, amount: Cents) -> Result<(), AdjustError> {
    let balances = ledger::lock_available(tx, &[player]).await?;
    let available = balances.get(&player).copied().ok_or(AdjustError::NotFound)?;
    if available.checked_add(amount).is_none_or(|after| after < Cents::ZERO) {
        return Err(AdjustError::OutOfBounds);
    }
    ledger::adjust(tx, player, &format!("adjustment:{id}"), amount).await?;
    Ok(())
}

async fn note(
    tx: &mut Tx,
    actor: PlayerId,
    action: &str,
    adjustment: &Adjustment,
    reason: &str,
) -> Result<(), sqlx::Error> {
    let act = Act {
        actor: Some(actor),
        action,
        player: Some(adjustment.player),
        subject: Some(format!("adjustment:{}", adjustment.id)),
        reason: Some(reason),
        detail: Some(json!({"amount": adjustment.amount})),
    };
    audit::record(&mut **tx, act).await
}
