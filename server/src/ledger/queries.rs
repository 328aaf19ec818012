//! Reading the ledger.

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{MatchId, PlayerId, TransferId},
    ledger::until,
    money::Cents,
};

/// What a match came to in the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settled {
    /// Who was paid; nobody where each stake went back.
    pub winner: Option<PlayerId>,
    /// What the winner was paid.
    pub payout: Cents,
    /// What the house took.
    pub fee: Cents,
}

/// What a match was settled for; `None` where it was not.
pub async fn settled(pool: &PgPool, match_id: MatchId) -> Result<Option<Settled>, sqlx::Error> {
    sqlx::query_as!(
        Settled,
        r#"select winner as "winner: PlayerId", payout as "payout: Cents", fee as "fee: Cents"
           from settlements where match_id = $1"#,
        match_id.0
    )
    .fetch_optional(pool)
    .await
}

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

/// Which of a player's own lines are asked for: those that fit everything that is said.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OwnFilter {
    /// Only those of this kind.
    pub kind: Option<String>,
    /// Only those of this match.
    #[serde(rename = "match")]
    pub match_id: Option<MatchId>,
    /// Only those made at this time or later.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub from: Option<OffsetDateTime>,
    /// Only those made at this time or before, to the millisecond.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub to: Option<OffsetDateTime>,
}

/// A player's own lines, newest first, from before a place on the account.
pub async fn own_transfers(
    pool: &PgPool,
    player: PlayerId,
    filter: &OwnFilter,
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
               and ($3::text is null or t.kind = $3) and ($4::uuid is null or t.match_id = $4)
               and ($5::timestamptz is null or e.created_at >= $5) and ($6::timestamptz is null or e.created_at < $6)
           order by e.version desc limit $7"#,
        player.0,
        before,
        filter.kind,
        filter.match_id.map(|id| id.0),
        filter.from,
        filter.to.map(until),
        limit
    )
    .fetch_all(pool)
    .await
}

/// What a range of time did to a player's money (P-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct OwnTotals {
    /// Paid in, less what was reversed of it.
    pub deposits: Cents,
    /// Paid out, less what was reversed of it.
    pub withdrawn: Cents,
    /// Put up in matches.
    pub staked: Cents,
    /// Paid to the winner of a match.
    pub won: Cents,
    /// Stakes that came back, from draws and voids.
    pub refunded: Cents,
    /// Corrections by the staff, less what was reversed of them.
    pub adjusted: Cents,
    /// What the matches that ended in it have brought, or below zero have cost. Over all time: the lifetime net result.
    pub net: Cents,
}

/// A player's totals of a range of time; of all time where neither end is said.
pub async fn own_totals(
    pool: &PgPool,
    player: PlayerId,
    from: Option<OffsetDateTime>,
    to: Option<OffsetDateTime>,
) -> Result<OwnTotals, sqlx::Error> {
    sqlx::query_as!(
        OwnTotals,
        r#"select coalesce(sum(e.change) filter (where k.kind = 'deposit'), 0)::bigint as "deposits!: Cents",
                  coalesce(-sum(e.change) filter (where k.kind = 'withdrawal'), 0)::bigint as "withdrawn!: Cents",
                  coalesce(-sum(e.change) filter (where k.kind = 'stake'), 0)::bigint as "staked!: Cents",
                  coalesce(sum(e.change) filter (where k.kind = 'payout'), 0)::bigint as "won!: Cents",
                  coalesce(sum(e.change) filter (where k.kind = 'refund'), 0)::bigint as "refunded!: Cents",
                  coalesce(sum(e.change) filter (where k.kind = 'adjustment'), 0)::bigint as "adjusted!: Cents",
                  coalesce((
                      select sum(case when s.winner = $1 then s.payout - s.stake when s.outcome = 'win' then -s.stake
                                      else 0 end)
                      from matches m join settlements s on s.match_id = m.id
                      where (m.first_player = $1 or m.second_player = $1)
                          and ($2::timestamptz is null or s.settled_at >= $2)
                          and ($3::timestamptz is null or s.settled_at < $3)
                  ), 0)::bigint as "net!: Cents"
           from entries e join transfers t on t.id = e.transfer_id left join transfers r on r.id = t.reverses
           cross join lateral (select coalesce(r.kind, t.kind) as kind) k
           where e.account_id in (select id from accounts where player_id = $1)
               and ($2::timestamptz is null or e.created_at >= $2) and ($3::timestamptz is null or e.created_at < $3)"#,
        player.0,
        from,
        to.map(until)
    )
    .fetch_one(pool)
    .await
}
