//! The beginning of a match: the row and both stakes, in the caller's transaction (MA-1).

use std::collections::HashMap;

use stakeboard_engine::{BySeat, Seat};
use time::OffsetDateTime;

use crate::{
    db::Tx,
    ids::{AccountId, MatchId, NodeId, PlayerId, TransferId},
    matches::{PlayerRef, Setup, Terms},
};

/// Makes a match between two players whose balances the caller has locked and found good for the stake.
/// Withdraws every other posting of both (L-8). `opener` plays `first` (MA-9, MA-12).
pub async fn start(
    tx: &mut Tx,
    node: NodeId,
    terms: Terms,
    opener: PlayerId,
    other: PlayerId,
    clock_ms: u32,
    now: OffsetDateTime,
) -> Result<Setup, sqlx::Error> {
    let id = MatchId::generate();
    let mut names: HashMap<_, _> =
        sqlx::query!("select id, display_name from players where id = any($1)", &[opener.0, other.0])
            .fetch_all(&mut **tx)
            .await?
            .into_iter()
            .map(|row| (row.id, row.display_name))
            .collect();
    let mut player = |id: PlayerId| {
        let display_name = names.remove(&id.0).ok_or(sqlx::Error::RowNotFound)?;
        Ok::<_, sqlx::Error>(PlayerRef { id, display_name })
    };
    let players = BySeat::new(player(opener)?, player(other)?);

    sqlx::query!(
        "insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id.0,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.stake.cents().0,
        players[Seat::First].id.0,
        players[Seat::Second].id.0,
        clock_ms.cast_signed(),
        now,
        node.0
    )
    .execute(&mut **tx)
    .await?;
    sqlx::query!("insert into live_stakes (player_id, match_id) values ($1, $3), ($2, $3)", opener.0, other.0, id.0)
        .execute(&mut **tx)
        .await?;
    sqlx::query!("delete from seeks where player_id = any($1)", &[opener.0, other.0]).execute(&mut **tx).await?;
    let transfers = [TransferId::generate().0, TransferId::generate().0];
    sqlx::query!("select hold_stakes($1, $2, $3)", id.0, AccountId::generate().0, &transfers)
        .fetch_one(&mut **tx)
        .await?;
    Ok(Setup { id, terms, players, clock_ms, started_at: now })
}
