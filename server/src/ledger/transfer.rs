//! Transfers: the only way a balance changes (L-1). The groups that belong to a match are written by
//! `hold_stakes` and `settle_stakes`, inside the statements that begin and end it.

use crate::{
    db::Tx,
    ids::{PlayerId, TransferId},
    money::Cents,
};

/// Money that came in from the payment provider, into what a player has available.
pub async fn deposit(tx: &mut Tx, player: PlayerId, reference: &str, amount: Cents) -> Result<TransferId, sqlx::Error> {
    let id = TransferId::generate();
    sqlx::query!(
        "select post_transfers($1, null, array[$2::uuid], array['deposit'],
             array[(select id from accounts where kind = 'external' and currency =
                        (select currency from accounts where kind = 'player' and player_id = $3))],
             array[(select id from accounts where kind = 'player' and player_id = $3)],
             array[$4::bigint])",
        reference,
        id.0,
        player.0,
        amount.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(id)
}
