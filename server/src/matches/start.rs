//! The beginning of a match: the row and both stakes, in the caller's transaction (MA-1).

use stakeboard_engine::BySeat;

use crate::{
    db::{AsDatabaseError, Tx},
    ids::{AccountId, MatchId, PlayerId, TransferId},
    matches::{Matches, PlayerRef, Setup, Terms},
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

/// Why a match can't begin. Nothing has moved, once the caller's transaction is rolled back.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The service stands still: the clocks of the match would too, and nobody could act in it.
    #[error("the service stands still")]
    Paused,
    /// The database's own.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl AsDatabaseError for StartError {
    fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Paused => None,
            Self::Database(error) => Some(error),
        }
    }
}

/// Makes a match in the caller's transaction, in one statement, unless this node can't serve it. For a staked one the caller
/// has locked both balances and found them good for the stake: both stakes go into its escrow, both players into the list
/// that has each of them once, and what else they had posted for a stake is withdrawn (L-8), which watchers are told by the
/// caller, after the commit. A friendly one is a row and nothing else (MA-10).
pub async fn start(tx: &mut Tx, matches: &Matches, seating: Seating) -> Result<Setup, StartError> {
    if matches.is_paused() {
        return Err(StartError::Paused);
    }
    let Seating { id, terms, opener, other } = seating;
    let (clock_ms, started_at) = (matches.settings().clock_ms, matches.now());
    let transfers = [TransferId::generate().0, TransferId::generate().0];
    let names = sqlx::query!(
        "with made as (
             insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             returning id, stake, first_player, second_player
         ), playing as (
             insert into live_stakes (player_id, match_id)
             select player, id from made, unnest(array[first_player, second_player]) player where stake > 0
         )
         select f.display_name as first, s.display_name as second,
                case when m.stake > 0 then hold_stakes(m.id, $10, $11) end as held,
                case when m.stake > 0 then withdraw_postings(array[m.first_player, m.second_player]) end as withdrawn
         from made m join players f on f.id = m.first_player join players s on s.id = m.second_player",
        id.0,
        terms.options.game().code(),
        terms.options.to_json(),
        terms.wager.cents().0,
        opener.0,
        other.0,
        clock_ms.cast_signed(),
        started_at,
        matches.node().0,
        AccountId::generate().0,
        &transfers
    )
    .fetch_one(&mut **tx)
    .await?;
    let players = BySeat::new(
        PlayerRef { id: opener, display_name: names.first },
        PlayerRef { id: other, display_name: names.second },
    );
    Ok(Setup { id, terms, players, clock_ms, started_at })
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
