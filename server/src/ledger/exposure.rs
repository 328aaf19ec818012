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

/// What the matches that ended in the last 24 hours have cost in all, nothing where they brought money, and on top
/// of it what is staked now.
pub async fn loss_at_risk(tx: &mut Tx, player: PlayerId) -> Result<Cents, sqlx::Error> {
    let sum = sqlx::query_scalar!(
        r#"select greatest(0, coalesce((
               select sum(case when s.winner = $1 then s.stake - s.payout when s.outcome = 'win' then s.stake else 0 end)
               from matches m join settlements s on s.match_id = m.id
               where (m.first_player = $1 or m.second_player = $1)
                   and s.settled_at > clock_timestamp() - interval '24 hours'
           ), 0))::bigint + coalesce((
               select sum(m.stake) from live_stakes l join matches m on m.id = l.match_id where l.player_id = $1
           ), 0)::bigint as "sum!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(Cents(sum))
}
