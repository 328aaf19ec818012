//! Corrections by the staff: between what a player has available and the account of adjustments.

use crate::{
    db::Tx,
    ids::{PlayerId, TransferId},
    money::Cents,
};

/// Gives a player an amount, or takes it where it is below zero. The floor of the account holds.
pub async fn adjust(tx: &mut Tx, player: PlayerId, reference: &str, amount: Cents) -> Result<TransferId, sqlx::Error> {
    let id = TransferId::generate();
    sqlx::query!(
        "with theirs as (select id from accounts where kind = 'player' and player_id = $3),
              ours as (select id from accounts where kind = 'adjustment')
         select post_transfers($1, null, array[$2::uuid], array['adjustment'],
             array[case when $4::bigint > 0 then ours.id else theirs.id end],
             array[case when $4::bigint > 0 then theirs.id else ours.id end],
             array[abs($4::bigint)])
         from theirs, ours",
        reference,
        id.0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(id)
}
