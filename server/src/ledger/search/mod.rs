//! Searching the ledger by any combination of filters (O-1).

mod transfers;

use serde::Serialize;
use sqlx::PgPool;
use time::OffsetDateTime;
use utoipa::ToSchema;

pub use transfers::{Place, Side, Transfer, TransferFilter, transfers};

use crate::{
    clock::rfc3339_ms,
    ids::{AccountId, MatchId, PlayerId},
    ledger::until,
    money::Cents,
};

/// Every kind of transfer, as the constraint `transfers_kind_known` has them.
pub const TRANSFER_KINDS: [&str; 11] = [
    "deposit",
    "stake",
    "payout",
    "fee",
    "refund",
    "hold",
    "release",
    "withdrawal",
    "suspense",
    "adjustment",
    "reversal",
];

/// Every kind of account, as the constraint `accounts_kind_known` has them.
pub const ACCOUNT_KINDS: [&str; 7] =
    ["player", "escrow", "withdrawal_hold", "house_fee", "external", "adjustment", "suspense"];

/// An account, as the staff sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Account {
    /// The account.
    pub id: AccountId,
    /// Its kind: `player`, `escrow`, `house_fee` …
    pub kind: String,
    /// ISO 4217.
    pub currency: String,
    /// Whose it is.
    pub player_id: Option<PlayerId>,
    /// The match whose stakes it holds.
    pub match_id: Option<MatchId>,
    /// Which of the rows it is that the house's fees are spread over.
    pub stripe: Option<i16>,
    /// When it was opened.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub opened_at: OffsetDateTime,
    /// What it has.
    pub balance: Cents,
    /// How many entries it has.
    pub version: i64,
}

/// Which accounts are asked for.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AccountFilter {
    /// Only those of this kind.
    pub kind: Option<String>,
    /// Only those of this player.
    pub player: Option<PlayerId>,
    /// Only that of this match.
    #[serde(rename = "match")]
    pub match_id: Option<MatchId>,
}

/// Accounts with what they have now, newest first, from before one of them.
pub async fn accounts(
    pool: &PgPool,
    filter: &AccountFilter,
    before: Option<AccountId>,
    limit: i64,
) -> Result<Vec<Account>, sqlx::Error> {
    sqlx::query_as!(
        Account,
        r#"select a.id as "id: AccountId", a.kind, a.currency, a.player_id as "player_id: PlayerId",
                  a.match_id as "match_id: MatchId", a.stripe, a.opened_at,
                  b.balance as "balance: Cents", b.version
           from accounts a join balances b on b.account_id = a.id
           where ($1::text is null or a.kind = $1) and ($2::uuid is null or a.player_id = $2)
               and ($3::uuid is null or a.match_id = $3) and ($4::uuid is null or a.id < $4)
           order by a.id desc limit $5"#,
        filter.kind,
        filter.player.map(|player| player.0),
        filter.match_id.map(|id| id.0),
        before.map(|id| id.0),
        limit
    )
    .fetch_all(pool)
    .await
}

/// One account with what it has now.
pub async fn account(pool: &PgPool, id: AccountId) -> Result<Option<Account>, sqlx::Error> {
    sqlx::query_as!(
        Account,
        r#"select a.id as "id: AccountId", a.kind, a.currency, a.player_id as "player_id: PlayerId",
                  a.match_id as "match_id: MatchId", a.stripe, a.opened_at,
                  b.balance as "balance: Cents", b.version
           from accounts a join balances b on b.account_id = a.id where a.id = $1"#,
        id.0
    )
    .fetch_optional(pool)
    .await
}

/// What an account had at a time, and its version then: its last entry up to then (L-3).
pub async fn balance_at(pool: &PgPool, id: AccountId, at: OffsetDateTime) -> Result<(Cents, i64), sqlx::Error> {
    let row = sqlx::query!(
        r#"select balance as "balance!: Cents", version as "version!" from balance_before($1, $2)"#,
        id.0,
        until(at)
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map_or((Cents::ZERO, 0), |row| (row.balance, row.version)))
}
