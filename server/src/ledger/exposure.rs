//! What a player has put in and lost, for the limits players set (P-2). Read while the player's balance is locked.

use crate::{db::Tx, ids::PlayerId, money::Cents};

/// Deposits of the last so many hours, and what may still come in of those asked for in them.
pub async fn deposited_within(tx: &mut Tx, player: PlayerId, hours: i32) -> Result<Cents, sqlx::Error> {
    let sum = sqlx::query_scalar!(
        r#"select coalesce((
               select sum(e.change) from entries e join transfers t on t.id = e.transfer_id
               where e.account_id = (select id from accounts where player_id = $1 and kind = 'player')
                   and t.kind = 'deposit' and e.created_at > clock_timestamp() - make_interval(hours => $2)
                   and not exists (select from transfers r where r.reverses = t.id)
           ), 0)::bigint + coalesce((
               select sum(amount) from deposits
               where player_id = $1 and status = 'pending'
                   and requested_at > clock_timestamp() - make_interval(hours => $2)
           ), 0)::bigint as "sum!""#,
        player.0,
        hours
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(Cents(sum))
}
