//! Balances read under lock, for decisions about money.

use std::collections::HashMap;

use sqlx::PgPool;

use crate::{
    db::Tx,
    ids::{MatchId, PlayerId},
    money::Cents,
};

/// Locks what these players have available and reads it. L-7: locked in the order of the accounts; what is
/// decided on these figures holds until the transaction ends.
pub async fn lock_available(tx: &mut Tx, players: &[PlayerId]) -> Result<HashMap<PlayerId, Cents>, sqlx::Error> {
    let ids: Vec<_> = players.iter().map(|player| player.0).collect();
    let rows = sqlx::query!(
        r#"select player_id as "player_id!: PlayerId", balance as "balance!" from lock_available($1)"#,
        &ids
    )
    .fetch_all(&mut **tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.player_id, Cents(row.balance))).collect())
}

/// Whether a player is in a live staked match. Exact while the player's balance is locked: every pairing locks it.
pub async fn is_playing(tx: &mut Tx, player: PlayerId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(r#"select exists (select from live_stakes where player_id = $1) as "playing!""#, player.0)
        .fetch_one(&mut **tx)
        .await
}

/// Whether a player is in a live staked match of a game now.
pub async fn plays_for_a_stake(pool: &PgPool, player: PlayerId, game: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from live_stakes l join matches m on m.id = l.match_id where l.player_id = $1 and m.game = $2
           ) as "playing!""#,
        player.0,
        game
    )
    .fetch_one(pool)
    .await
}

/// The live staked match that a player is in. Exact while the player's balance is locked, as above.
pub async fn staked_in(tx: &mut Tx, player: PlayerId) -> Result<Option<MatchId>, sqlx::Error> {
    sqlx::query_scalar!(r#"select match_id as "id: MatchId" from live_stakes where player_id = $1"#, player.0)
        .fetch_optional(&mut **tx)
        .await
}

/// Whether a player has money, be it held for a withdrawal. Exact while the player's balance is locked.
pub async fn has_anything(tx: &mut Tx, player: PlayerId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
               select from accounts a join balances b on b.account_id = a.id where a.player_id = $1 and b.balance <> 0
           ) as "anything!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await
}

/// Whether a player has an account in a currency.
pub async fn has_account_in(tx: &mut Tx, player: PlayerId, currency: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from accounts where player_id = $1 and kind = 'player' and currency = $2) as "has!""#,
        player.0,
        currency
    )
    .fetch_one(&mut **tx)
    .await
}

/// How much more a player can be given: what is held, and the pot of the match under way, must have room to come back.
/// Exact while the player's balance is locked.
pub async fn room(tx: &mut Tx, player: PlayerId) -> Result<Cents, sqlx::Error> {
    let room = sqlx::query_scalar!(
        r#"select greatest(0, 9223372036854775807
               - (select coalesce(sum(b.balance), 0) from accounts a join balances b on b.account_id = a.id
                  where a.player_id = $1)
               - (select coalesce(sum(m.stake) * 2, 0) from live_stakes l join matches m on m.id = l.match_id
                  where l.player_id = $1))::bigint as "room!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await?;
    Ok(Cents(room))
}

/// What a player has, by where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holdings {
    /// To be staked or withdrawn.
    pub available: Cents,
    /// In the escrow of a live match.
    pub in_play: Cents,
    /// Held for a withdrawal.
    pub pending_withdrawal: Cents,
}

/// What a player has now, read in one statement.
pub async fn holdings(pool: &PgPool, player: PlayerId) -> Result<Holdings, sqlx::Error> {
    let row = sqlx::query!(
        r#"select
               coalesce(sum(b.balance) filter (where a.kind = 'player'), 0)::bigint as "available!",
               coalesce(sum(b.balance) filter (where a.kind = 'withdrawal_hold'), 0)::bigint as "held!",
               coalesce((select sum(m.stake) from live_stakes l join matches m on m.id = l.match_id
                         where l.player_id = $1), 0)::bigint as "in_play!"
           from accounts a join balances b on b.account_id = a.id
           where a.player_id = $1"#,
        player.0
    )
    .fetch_one(pool)
    .await?;
    Ok(Holdings { available: Cents(row.available), in_play: Cents(row.in_play), pending_withdrawal: Cents(row.held) })
}
