//! Reading the ledger.

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{MatchId, PlayerId, TransferId},
    money::Cents,
};

/// A line of a player's own account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OwnTransfer {
    /// The transfer.
    pub id: TransferId,
    /// What it was: `deposit`, `stake`, `payout`, `refund` …
    pub kind: String,
    /// What it changed, from the player's side: negative where money went out.
    pub amount: Cents,
    /// What the player had available after it.
    pub balance_after: Cents,
    /// The match it belongs to.
    pub match_id: Option<MatchId>,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
    /// Its place on the account, which orders the list.
    #[serde(skip)]
    pub version: i64,
}

/// A player's own lines, newest first, from before a place on the account.
pub async fn own_transfers(
    pool: &PgPool,
    player: PlayerId,
    before: Option<i64>,
    limit: i64,
) -> Result<Vec<OwnTransfer>, sqlx::Error> {
    sqlx::query_as!(
        OwnTransfer,
        r#"select t.id as "id: TransferId", t.kind, e.change as "amount: Cents",
                  e.balance_after as "balance_after: Cents", t.match_id as "match_id: MatchId", t.created_at, e.version
           from entries e join transfers t on t.id = e.transfer_id
           where e.account_id = (select id from accounts where kind = 'player' and player_id = $1)
               and ($2::bigint is null or e.version < $2)
           order by e.version desc limit $3"#,
        player.0,
        before,
        limit
    )
    .fetch_all(pool)
    .await
}
