//! The transactions of adjustments: asked for, looked at, made, decided on.

use serde_json::json;
use uuid::Uuid;

use crate::{
    admin::adjustments::{AdjustError, Adjustment, AdjustmentKind, AdjustmentStatus, Move, NewAdjustment},
    audit::{self, Act, Action},
    db::{self, Tx},
    idempotency::{self, Key},
    ids::{PlayerId, TransferId},
    ledger,
    money::Cents,
    role::Role,
};

/// What a move comes to.
struct Plan {
    kind: AdjustmentKind,
    player: Option<PlayerId>,
    transfer: Option<TransferId>,
    amount: Cents,
}

pub(super) async fn ask(
    tx: &mut Tx,
    actor: PlayerId,
    new: &NewAdjustment,
    alone_most: Cents,
    key: &Key,
) -> Result<Adjustment, AdjustError> {
    if let Some(first) = idempotency::claim(tx, actor, key).await? {
        return Ok(first);
    }
    let Plan { kind, player, transfer, amount } = plan(tx, new.wanted).await?;
    if player == Some(actor) {
        return Err(AdjustError::OwnAccount);
    }
    let alone = may_alone(tx, actor, amount, alone_most).await?;
    let status = if alone { AdjustmentStatus::Done } else { AdjustmentStatus::Waiting };
    let id = Uuid::now_v7();
    let asked_at = sqlx::query_scalar!(
        "insert into adjustments (id, kind, player_id, transfer_id, amount, reason, status, asked_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8) returning asked_at",
        id,
        kind.as_str(),
        player.map(|player| player.0),
        transfer.map(|transfer| transfer.0),
        amount.0,
        new.reason,
        status.as_str(),
        actor.0
    )
    .fetch_one(&mut **tx)
    .await
    .map_err(|error| match db::constraint(&error) {
        Some("adjustments_once_a_transfer") => AdjustError::Corrected,
        _ => error.into(),
    })?;
    let reason = new.reason.clone();
    let adjustment =
        Adjustment { id, kind, player, transfer, amount, reason, status, asked_by: actor, asked_at, decided_by: None };
    if alone {
        make(tx, &adjustment).await?;
    }
    let action = match (kind, alone) {
        (AdjustmentKind::Adjustment, true) => Action::PlayerAdjust,
        (AdjustmentKind::Adjustment, false) => Action::PlayerAdjustAsked,
        (AdjustmentKind::Reversal, true) => Action::TransferReverse,
        (AdjustmentKind::Reversal, false) => Action::TransferReverseAsked,
        (AdjustmentKind::Assignment, true) => Action::TransferAssign,
        (AdjustmentKind::Assignment, false) => Action::TransferAssignAsked,
    };
    note(tx, actor, action, &adjustment, &new.reason).await?;
    idempotency::keep(tx, actor, key, if alone { 201 } else { 202 }, &adjustment).await?;
    Ok(adjustment)
}

/// Whether one administrator makes it alone: what they have moved by themselves in the last day, this included, is at most
/// the set amount. Many small ones are one large one, so their sum counts, either way.
async fn may_alone(tx: &mut Tx, actor: PlayerId, amount: Cents, most: Cents) -> Result<bool, sqlx::Error> {
    // Two calls of the same administrator side by side: the second sees what the first has moved.
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('stakeboard adjustments ' || $1::uuid, 0))", actor.0)
        .execute(&mut **tx)
        .await?;
    sqlx::query_scalar!(
        r#"select coalesce(sum(abs(amount)), 0) + abs($2::bigint) <= $3::bigint as "alone!"
           from adjustments
           where asked_by = $1 and decided_by is null and status in ('done', 'undone')
               and asked_at > clock_timestamp() - interval '24 hours'"#,
        actor.0,
        amount.0,
        most.0
    )
    .fetch_one(&mut **tx)
    .await
}

/// Looks at what is asked for. Nothing of it changes later but the balance, which is looked at when the money moves.
async fn plan(tx: &mut Tx, wanted: Move) -> Result<Plan, AdjustError> {
    match wanted {
        Move::Adjust(player, amount) => {
            find_account(tx, player).await?;
            Ok(Plan { kind: AdjustmentKind::Adjustment, player: Some(player), transfer: None, amount })
        }
        Move::Reverse(transfer) => {
            let booked = ledger::booked(tx, transfer).await?.ok_or(AdjustError::NotFound)?;
            if !booked.reversible {
                return Err(AdjustError::NotCorrectable);
            }
            let amount = Cents(-booked.change.0);
            Ok(Plan { kind: AdjustmentKind::Reversal, player: booked.player, transfer: Some(transfer), amount })
        }
        Move::Assign(transfer, player) => {
            let booked = ledger::booked(tx, transfer).await?.ok_or(AdjustError::NotFound)?;
            find_account(tx, player).await?;
            if !booked.suspended || !ledger::has_account_in(tx, player, &booked.currency).await? {
                return Err(AdjustError::NotCorrectable);
            }
            let (player, transfer, amount) = (Some(player), Some(transfer), booked.change);
            Ok(Plan { kind: AdjustmentKind::Assignment, player, transfer, amount })
        }
    }
}

async fn find_account(tx: &mut Tx, player: PlayerId) -> Result<(), AdjustError> {
    let guest = sqlx::query_scalar!("select guest from players where id = $1 and deleted_at is null", player.0)
        .fetch_optional(&mut **tx)
        .await?
        .ok_or(AdjustError::NotFound)?;
    if guest { Err(AdjustError::Guest) } else { Ok(()) }
}

pub(super) async fn decide(
    tx: &mut Tx,
    actor: PlayerId,
    id: Uuid,
    approved: bool,
    reason: &str,
) -> Result<Adjustment, AdjustError> {
    // Its row is locked before the balance; nothing locks them the other way round.
    let mut adjustment = sqlx::query_as!(
        Adjustment,
        r#"select id, kind as "kind: AdjustmentKind", player_id as "player: PlayerId",
                  transfer_id as "transfer: TransferId", amount as "amount: Cents", reason,
                  status as "status: AdjustmentStatus", asked_by as "asked_by: PlayerId", asked_at,
                  decided_by as "decided_by: PlayerId"
           from adjustments where id = $1 for no key update"#,
        id
    )
    .fetch_optional(&mut **tx)
    .await?
    .ok_or(AdjustError::NotFound)?;
    if adjustment.player == Some(actor) {
        return Err(AdjustError::OwnAccount);
    }
    if adjustment.asked_by == actor {
        return Err(AdjustError::OwnRequest);
    }
    if adjustment.status != AdjustmentStatus::Waiting {
        return Err(AdjustError::Decided);
    }
    if approved {
        if !is_administrator(tx, adjustment.asked_by).await? {
            return Err(AdjustError::AskerGone);
        }
        make(tx, &adjustment).await?;
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
    let action = match (adjustment.kind, approved) {
        (AdjustmentKind::Adjustment, true) => Action::PlayerAdjustApproved,
        (AdjustmentKind::Adjustment, false) => Action::PlayerAdjustRejected,
        (AdjustmentKind::Reversal, true) => Action::TransferReverseApproved,
        (AdjustmentKind::Reversal, false) => Action::TransferReverseRejected,
        (AdjustmentKind::Assignment, true) => Action::TransferAssignApproved,
        (AdjustmentKind::Assignment, false) => Action::TransferAssignRejected,
    };
    note(tx, actor, action, &adjustment, reason).await?;
    Ok(adjustment)
}

/// Whether somebody has the role as it counts for a call. It stays so until the transaction ends.
async fn is_administrator(tx: &mut Tx, player: PlayerId) -> Result<bool, sqlx::Error> {
    let roles = sqlx::query_scalar!(
        "select roles from players where id = $1 and frozen_at is null and deleted_at is null for share",
        player.0
    )
    .fetch_optional(&mut **tx)
    .await?;
    Ok(roles.is_some_and(|roles| Role::from_texts(&roles).contains(&Role::Admin)))
}

/// Moves the money, where the player's balance, read under lock, allows it.
async fn make(tx: &mut Tx, adjustment: &Adjustment) -> Result<(), AdjustError> {
    let Adjustment { id, player, transfer, amount, .. } = adjustment;
    if let Some(player) = *player {
        let balances = ledger::lock_available(tx, &[player]).await?;
        let available = balances.get(&player).copied().ok_or(AdjustError::NotFound)?;
        let bounds = -available.0..=ledger::room(tx, player).await?.0;
        if !bounds.contains(&amount.0) {
            return Err(AdjustError::OutOfBounds);
        }
    }
    let reference = format!("adjustment:{id}");
    match (player, transfer) {
        (Some(player), None) => ledger::adjust(tx, *player, &reference, *amount).await?,
        (Some(player), Some(transfer)) if adjustment.kind == AdjustmentKind::Assignment => {
            ledger::assign(tx, *player, &reference, *transfer).await?;
        }
        (_, Some(transfer)) => {
            ledger::reverse(tx, &reference, *transfer).await?;
            reopen(tx, *transfer).await?;
        }
        // The table knows no such row.
        (None, None) => return Err(AdjustError::NotFound),
    }
    Ok(())
}

/// Where what was reversed had found money in suspense its player, it was the wrong one: the money looks for another.
async fn reopen(tx: &mut Tx, reversed: TransferId) -> Result<(), sqlx::Error> {
    let reference = ledger::reference(tx, reversed).await?;
    sqlx::query!(
        "update adjustments set status = 'undone'
         where $1 = 'adjustment:' || id and kind = 'assignment' and status = 'done'",
        reference
    )
    .execute(&mut **tx)
    .await?;
    Ok(())
}

async fn note(
    tx: &mut Tx,
    actor: PlayerId,
    action: Action,
    adjustment: &Adjustment,
    reason: &str,
) -> Result<(), sqlx::Error> {
    let mut detail = json!({"amount": adjustment.amount});
    if let Some(transfer) = adjustment.transfer {
        detail["transfer"] = json!(transfer);
    }
    let act = Act {
        actor: Some(actor),
        action,
        player: adjustment.player,
        subject: Some(format!("adjustment:{}", adjustment.id)),
        reason: Some(reason),
        detail: Some(detail),
    };
    audit::record(&mut **tx, act).await
}
