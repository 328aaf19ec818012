//! What administrators move by hand: a player's balance, a transfer that was a mistake, money in suspense. Above a set
//! amount a day a second administrator decides (O-5).

mod work;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    admin::Office,
    audit::{self, Act, Action},
    clock::rfc3339_ms,
    db::{self, AsDatabaseError},
    idempotency::{ClaimError, Key},
    ids::{PlayerId, TransferId},
    money::Cents,
};

/// The largest adjustment, either way.
pub const LARGEST: i64 = 1_000_000_000_000;

/// What an adjustment does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum AdjustmentKind {
    /// It gives a player an amount, or takes it.
    #[default]
    Adjustment,
    /// It undoes a transfer that was a mistake, or sends money in suspense back where it came from (L-5).
    Reversal,
    /// It finds money in suspense the player whom it belongs to (W-2).
    Assignment,
}

impl AdjustmentKind {
    /// The kind as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Adjustment => "adjustment",
            Self::Reversal => "reversal",
            Self::Assignment => "assignment",
        }
    }
}

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
    /// It was done, to the wrong player, and has been reversed: the money is in suspense again.
    Undone,
}

impl AdjustmentStatus {
    /// The state as it is stored and sent.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Rejected => "rejected",
            Self::Undone => "undone",
        }
    }
}

/// An adjustment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Adjustment {
    /// The adjustment.
    pub id: Uuid,
    /// What it does.
    #[serde(default)]
    pub kind: AdjustmentKind,
    /// Whose balance; null where money in suspense goes back.
    #[schema(required)]
    pub player: Option<PlayerId>,
    /// The transfer that is reversed or assigned; null for a plain adjustment.
    #[serde(default)]
    #[schema(required)]
    pub transfer: Option<TransferId>,
    /// How much, in minor units; below zero where it is taken from the player, or from suspense.
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
    /// There is no such player, transfer or adjustment.
    #[error("there is no such thing")]
    NotFound,
    /// The staff does not act on its own account.
    #[error("the account is the caller's own")]
    OwnAccount,
    /// Whoever asked for it can't be the one who decides.
    #[error("the caller asked for it")]
    OwnRequest,
    /// Whoever asked for it is no administrator any more: it can only be rejected.
    #[error("whoever asked for it has lost the role")]
    AskerGone,
    /// Guests have no money.
    #[error("the player is a guest")]
    Guest,
    /// It has been decided.
    #[error("it has been decided")]
    Decided,
    /// The transfer is part of something larger, or not in suspense, or in another currency.
    #[error("the transfer can't be corrected like this")]
    NotCorrectable,
    /// Each transfer is corrected at most once; a correction that waits counts.
    #[error("the transfer has been corrected")]
    Corrected,
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

/// What an administrator wants to be moved.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// An amount that is not zero, to a player or from them.
    Adjust(PlayerId, Cents),
    /// What a transfer moved, back again.
    Reverse(TransferId),
    /// What a transfer moved into suspense, to a player; or from them, where it went out.
    Assign(TransferId, PlayerId),
}

/// An adjustment to make.
#[derive(Clone, Debug)]
pub struct NewAdjustment {
    /// What is to be moved.
    pub wanted: Move,
    /// Why.
    pub reason: String,
}

impl Office {
    /// Makes an adjustment, or puts it before a second administrator where what
    /// this one has moved alone in a day would be above the set amount.
    pub async fn adjust(&self, actor: PlayerId, new: NewAdjustment, key: Key) -> Result<Adjustment, AdjustError> {
        let office = self.clone();
        db::uncut(&self.tasks, async move {
            let adjustment = db::in_transaction(&office.pool, |tx| {
                let (new, key, alone_most) = (new.clone(), key.clone(), office.settings.adjust_alone_most);
                Box::pin(async move { work::ask(tx, actor, &new, alone_most, &key).await })
            })
            .await?;
            office.tell_wallet(&adjustment);
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
                Box::pin(async move { work::decide(tx, actor, id, approved, &reason).await })
            })
            .await?;
            office.tell_wallet(&adjustment);
            Ok(adjustment)
        })
        .await
    }

    fn tell_wallet(&self, adjustment: &Adjustment) {
        adjustment.player.into_iter().for_each(|player| self.connections.wallet_changed(player));
    }

    /// Adjustments, newest first, from before one of them. The look is in the audit log.
    pub async fn adjustments(
        &self,
        actor: PlayerId,
        status: Option<AdjustmentStatus>,
        before: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<Adjustment>, sqlx::Error> {
        let act = Act { actor: Some(actor), ..Act::new(Action::AdjustmentsRead) };
        audit::record(&self.pool, act).await?;
        sqlx::query_as!(
            Adjustment,
            r#"select id, kind as "kind: AdjustmentKind", player_id as "player: PlayerId",
                      transfer_id as "transfer: TransferId", amount as "amount: Cents", reason,
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
