//! Searching the ledger by any combination of filters (O-1).

use serde::{Deserialize, Serialize};
use sqlx::{PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{AccountId, MatchId, PlayerId, TransferId},
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

/// One side of a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Side {
    /// The account.
    pub account: AccountId,
    /// Its kind: `player`, `escrow` …
    pub kind: String,
    /// Whose it is, where it is a player's.
    pub player_id: Option<PlayerId>,
}

/// A transfer, as the staff sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Transfer {
    /// The transfer.
    pub id: TransferId,
    /// What it was: `deposit`, `stake`, `payout` …
    pub kind: String,
    /// How much, above zero.
    pub amount: Cents,
    /// Where it came from.
    pub debit: Side,
    /// Where it went.
    pub credit: Side,
    /// The match it belongs to.
    pub match_id: Option<MatchId>,
    /// What it is in business terms, the same for transfers that were made together.
    pub reference: String,
    /// Its place among those.
    pub position: i16,
    /// The transfer it undoes.
    pub reverses: Option<TransferId>,
    /// When.
    #[serde(serialize_with = "rfc3339_ms::serialize")]
    pub created_at: OffsetDateTime,
}

/// A place in the list of transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    #[serde(with = "time::serde::timestamp::microseconds")]
    at: OffsetDateTime,
    id: TransferId,
}

impl From<&Transfer> for Place {
    fn from(transfer: &Transfer) -> Self {
        Self { at: transfer.created_at, id: transfer.id }
    }
}

/// Which transfers are asked for: those that fit everything that is said.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TransferFilter {
    /// Only those from or to this account.
    pub account: Option<AccountId>,
    /// Only those from or to an account of this player.
    pub player: Option<PlayerId>,
    /// Only those of this match.
    #[serde(rename = "match")]
    pub match_id: Option<MatchId>,
    /// Only those of this kind.
    pub kind: Option<String>,
    /// Only those made at this time or later.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub from: Option<OffsetDateTime>,
    /// Only those made at this time or before, to the millisecond.
    #[serde(serialize_with = "rfc3339_ms::serialize_option")]
    pub to: Option<OffsetDateTime>,
    /// Only those of at least this amount.
    pub min_amount: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: TransferId,
    kind: String,
    amount: Cents,
    debit: AccountId,
    debit_kind: String,
    debit_player: Option<PlayerId>,
    credit: AccountId,
    credit_kind: String,
    credit_player: Option<PlayerId>,
    match_id: Option<MatchId>,
    reference: String,
    position: i16,
    reverses: Option<TransferId>,
    created_at: OffsetDateTime,
}

impl From<Row> for Transfer {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            amount: row.amount,
            debit: Side { account: row.debit, kind: row.debit_kind, player_id: row.debit_player },
            credit: Side { account: row.credit, kind: row.credit_kind, player_id: row.credit_player },
            match_id: row.match_id,
            reference: row.reference,
            position: row.position,
            reverses: row.reverses,
            created_at: row.created_at,
        }
    }
}

/// Transfers that fit, newest first, from after a place in that order.
pub async fn transfers(
    pool: &PgPool,
    filter: &TransferFilter,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<Transfer>, sqlx::Error> {
    let players = match filter.player {
        Some(player) => Some(
            sqlx::query_scalar!(r#"select id as "id: AccountId" from accounts where player_id = $1"#, player.0)
                .fetch_all(pool)
                .await?,
        ),
        None => None,
    };
    let accounts = match (filter.account, &players) {
        (Some(account), _) => Some(vec![account]),
        (None, players) => players.clone(),
    };
    if accounts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::new(
        "select t.id, t.kind, t.amount, t.debit, d.kind as debit_kind, d.player_id as debit_player,
                t.credit, c.kind as credit_kind, c.player_id as credit_player,
                t.match_id, t.reference, t.position, t.reverses, t.created_at
         from (",
    );
    let search = Search { filter, also: filter.account.and(players), after, limit };
    match accounts {
        None => search.push(&mut query, None),
        // One search for each account and side, each in the order of its own index; what both sides find is one.
        Some(accounts) => {
            let mut sides = accounts.iter().flat_map(|account| [("debit", *account), ("credit", *account)]);
            if let Some(first) = sides.next() {
                search.push(&mut query, Some(first));
            }
            for side in sides {
                query.push(" union ");
                search.push(&mut query, Some(side));
            }
        }
    }
    query.push(
        ") t join accounts d on d.id = t.debit join accounts c on c.id = t.credit
         order by t.created_at desc, t.id desc limit ",
    );
    query.push_bind(limit);
    let rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    Ok(rows.into_iter().map(Transfer::from).collect())
}

/// What every part of a query has in common.
struct Search<'a> {
    filter: &'a TransferFilter,
    /// Accounts of which one must be part of it too.
    also: Option<Vec<AccountId>>,
    after: Option<Place>,
    limit: i64,
}

impl Search<'_> {
    /// Adds a part: all transfers, or those of one account on one side.
    fn push(&self, query: &mut QueryBuilder<Postgres>, side: Option<(&str, AccountId)>) {
        let filter = self.filter;
        query.push("(select t.* from transfers t where true");
        if let Some((side, account)) = side {
            query.push(" and t.").push(side).push(" = ").push_bind(account);
        }
        if let Some(also) = &self.also {
            let ids: Vec<_> = also.iter().map(|account| account.0).collect();
            query.push(" and (t.debit = any(").push_bind(ids.clone());
            query.push(") or t.credit = any(").push_bind(ids).push("))");
        }
        if let Some(match_id) = filter.match_id {
            query.push(" and t.match_id = ").push_bind(match_id);
        }
        if let Some(kind) = &filter.kind {
            query.push(" and t.kind = ").push_bind(kind.clone());
        }
        if let Some(from) = filter.from {
            query.push(" and t.created_at >= ").push_bind(from);
        }
        if let Some(to) = filter.to {
            query.push(" and t.created_at < ").push_bind(until(to));
        }
        if let Some(least) = filter.min_amount {
            query.push(" and t.amount >= ").push_bind(least);
        }
        if let Some(place) = self.after {
            query.push(" and (t.created_at, t.id) < (").push_bind(place.at);
            query.push(", ").push_bind(place.id).push(")");
        }
        query.push(" order by t.created_at desc, t.id desc limit ").push_bind(self.limit).push(")");
    }
}

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
///
/// Times and versions of an account grow together, so the entry is found by halving: some twenty steps for a million
/// entries, and no index for it that every entry would have to be written to.
pub async fn balance_at(pool: &PgPool, id: AccountId, at: OffsetDateTime) -> Result<(Cents, i64), sqlx::Error> {
    let row = sqlx::query!(
        r#"with recursive search (low, high) as (
               select 0::bigint, version from balances where account_id = $1
               union all
               select case when e.created_at < $2 then e.version else s.low end,
                      case when e.created_at < $2 then s.high else e.version - 1 end
               from search s join entries e on e.account_id = $1 and e.version = (s.low + s.high + 1) / 2
               where s.low < s.high
           )
           select e.balance_after as "balance: Cents", e.version
           from search s join entries e on e.account_id = $1 and e.version = s.low
           where s.low = s.high"#,
        id.0,
        until(at)
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map_or((Cents::ZERO, 0), |row| (row.balance, row.version)))
}
