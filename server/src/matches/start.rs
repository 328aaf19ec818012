//! The beginning of a match: the row and both stakes, in the caller's transaction (MA-1).

use std::collections::HashMap;

use stakeboard_engine::BySeat;

use crate::{
    db::Tx,
    ids::{AccountId, MatchId, PlayerId, TransferId},
    matches::{Matches, PlayerRef, Setup, Terms},
    money::Wager,
};

/// Two players who are to play, and who of them opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seating {
    /// What the match will be called.
    pub id: MatchId,
    /// What they have agreed to.
    pub terms: Terms,
    /// Plays `first` (MA-9, MA-12).
    pub opener: PlayerId,
    /// Plays `second`.
    pub other: PlayerId,
}

/// Makes a match in the caller's transaction. For a staked one the caller has locked both balances, found them good for
/// the stake, and withdrawn what else both had posted (L-8); a friendly one is a row and nothing else (MA-10).
pub async fn start(tx: &mut Tx, matches: &Matches, seating: Seating) -> Result<Setup, sqlx::Error> {
    let Seating { id, terms, opener, other } = seating;
    let setup = Setup {
        id,
        terms,
        players: named(tx, opener, other).await?,
        clock_ms: matches.settings().clock_ms,
        started_at: matches.now(),
    };
    sqlx::query!(
        "insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id.0,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.wager.cents().0,
        opener.0,
        other.0,
        setup.clock_ms.cast_signed(),
        setup.started_at,
        matches.node().0
    )
    .execute(&mut **tx)
    .await?;
    match terms.wager {
        Wager::Friendly => {}
        Wager::Staked(_) => hold(tx, seating).await?,
    }
    Ok(setup)
}

async fn named(tx: &mut Tx, first: PlayerId, second: PlayerId) -> Result<BySeat<PlayerRef>, sqlx::Error> {
    let mut names: HashMap<_, _> =
        sqlx::query!("select id, display_name from players where id = any($1)", &[first.0, second.0])
            .fetch_all(&mut **tx)
            .await?
            .into_iter()
            .map(|row| (row.id, row.display_name))
            .collect();
    let mut player = |id: PlayerId| {
        let display_name = names.remove(&id.0).ok_or(sqlx::Error::RowNotFound)?;
        Ok::<_, sqlx::Error>(PlayerRef { id, display_name })
    };
    Ok(BySeat::new(player(first)?, player(second)?))
}

/// Both stakes into the escrow of the match, and both players into the list that has each of them once (L-8).
async fn hold(tx: &mut Tx, Seating { id, opener, other, .. }: Seating) -> Result<(), sqlx::Error> {
    sqlx::query!("insert into live_stakes (player_id, match_id) values ($1, $3), ($2, $3)", opener.0, other.0, id.0)
        .execute(&mut **tx)
        .await?;
    let transfers = [TransferId::generate().0, TransferId::generate().0];
    sqlx::query!("select hold_stakes($1, $2, $3)", id.0, AccountId::generate().0, &transfers)
        .fetch_one(&mut **tx)
        .await?;
    Ok(())
}

/// In how many live friendly matches a player is. Exact while the player's row is locked: every new one locks it.
pub async fn friendly_of(tx: &mut Tx, player: PlayerId) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select (select count(*) from matches where first_player = $1 and stake = 0 and status = 'live')
                + (select count(*) from matches where second_player = $1 and stake = 0 and status = 'live') as "count!""#,
        player.0
    )
    .fetch_one(&mut **tx)
    .await
}
