//! Money on its way out. Each group has a reference of its own, and what ends a hold shares one: a hold is paid out
//! or given back, once (L-4, W-4).

use crate::{
    db::Tx,
    ids::{PlayerId, TransferId, WithdrawalId},
    money::Cents,
};

/// Takes an amount from what a player has available and holds it for a withdrawal. The caller has locked what is
/// available and has looked at it.
pub async fn hold(tx: &mut Tx, player: PlayerId, withdrawal: WithdrawalId, amount: Cents) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['hold'],
             array[(select id from accounts where kind = 'player' and player_id = $3)],
             array[(select id from accounts where kind = 'withdrawal_hold' and player_id = $3)],
             array[$4::bigint])",
        format!("withdrawal:{withdrawal}:hold"),
        TransferId::generate().0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// The held amount leaves for the world outside.
pub async fn pay_out(
    tx: &mut Tx,
    player: PlayerId,
    withdrawal: WithdrawalId,
    amount: Cents,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['withdrawal'],
             array[(select id from accounts where kind = 'withdrawal_hold' and player_id = $3)],
             array[(select id from accounts where kind = 'external' and currency =
                        (select currency from accounts where kind = 'withdrawal_hold' and player_id = $3))],
             array[$4::bigint])",
        settle_reference(withdrawal),
        TransferId::generate().0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// The held amount goes back to what the player has available.
pub async fn release(
    tx: &mut Tx,
    player: PlayerId,
    withdrawal: WithdrawalId,
    amount: Cents,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['release'],
             array[(select id from accounts where kind = 'withdrawal_hold' and player_id = $3)],
             array[(select id from accounts where kind = 'player' and player_id = $3)],
             array[$4::bigint])",
        settle_reference(withdrawal),
        TransferId::generate().0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(())
}

/// One reference for both ways out of a hold: the second of them meets the constraint.
fn settle_reference(withdrawal: WithdrawalId) -> String {
    format!("withdrawal:{withdrawal}:settle")
}
