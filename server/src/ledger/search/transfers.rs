//! Transfers by any combination of filters.
//!
//! Every page is read in the order of an index. Those of kind and size, for all accounts or for one side of one, begin
//! with the kind and the magnitude of the amount: its number of digits and the first of them. There are few of those,
//! so each is found by one step in the index, and the newest of each are merged. Only in the magnitude that `min_amount`
//! itself belongs to are amounts read that do not fit. An escrow is a side of its match's transfers, which are found by the
//! match: those indexes leave them out (`Role`).

use serde::{Deserialize, Serialize};
use sqlx::{PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    clock::rfc3339_ms,
    ids::{AccountId, MatchId, PlayerId, TransferId},
    ledger::{search::TRANSFER_KINDS, until},
    money::Cents,
};

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
    let Some(accounts) = Accounts::find(pool, filter).await? else { return Ok(Vec::new()) };
    let mut query = QueryBuilder::new(
        "select t.id, t.kind, t.amount, t.debit, d.kind as debit_kind, d.player_id as debit_player,
                t.credit, c.kind as credit_kind, c.player_id as credit_player,
                t.match_id, t.reference, t.position, t.reverses, t.created_at
         from (select id, created_at from (",
    );
    Search { filter, accounts, after, limit }.push(&mut query);
    query.push(") found order by created_at desc, id desc limit ").push_bind(limit);
    query.push(
        ") page join transfers t on t.id = page.id
         join accounts d on d.id = t.debit join accounts c on c.id = t.credit
         order by t.created_at desc, t.id desc",
    );
    let rows: Vec<Row> = query.build_query_as().fetch_all(pool).await?;
    Ok(rows.into_iter().map(Transfer::from).collect())
}

/// The accounts that are asked for. A transfer fits where one of each list is a side of it.
#[derive(Default)]
struct Accounts {
    /// Those to begin with: of two lists the one with fewer entries.
    few: Option<Vec<AccountId>>,
    many: Option<Vec<AccountId>>,
    /// The match of the account that is asked for, where that is an escrow.
    escrow_of: Option<MatchId>,
}

/// A side of a transfer, with the kinds of which it is an escrow: the index of that side is without them.
#[derive(Clone, Copy)]
enum Role {
    Debit,
    Credit,
}

impl Role {
    fn column(self) -> &'static str {
        match self {
            Self::Debit => "debit",
            Self::Credit => "credit",
        }
    }

    /// What the index says of its rows, word for word.
    fn indexed(self) -> &'static str {
        match self {
            Self::Debit => "kind not in ('payout', 'fee', 'refund')",
            Self::Credit => "kind <> 'stake'",
        }
    }
}

impl Accounts {
    /// `None` where nothing can fit.
    async fn find(pool: &PgPool, filter: &TransferFilter) -> Result<Option<Self>, sqlx::Error> {
        let account = match filter.account {
            Some(id) => Asked::find(pool, id).await?,
            None => None,
        };
        let escrow_of = account.as_ref().and_then(|account| account.match_id);
        let Some(player) = filter.player else {
            return Ok(Some(Self { few: filter.account.map(|account| vec![account]), many: None, escrow_of }));
        };
        let theirs = sqlx::query!(
            r#"select a.id as "id: AccountId", b.version from accounts a join balances b on b.account_id = a.id
               where a.player_id = $1"#,
            player.0
        )
        .fetch_all(pool)
        .await?;
        let entries: i64 = theirs.iter().map(|account| account.version).sum();
        let theirs: Vec<_> = theirs.into_iter().map(|account| account.id).collect();
        if theirs.is_empty() {
            return Ok(None);
        }
        let Some(asked) = filter.account else {
            return Ok(Some(Self { few: Some(theirs), many: None, escrow_of }));
        };
        let (one, all) = (Some(vec![asked]), Some(theirs));
        Ok(account.map(|account| {
            let (few, many) = if account.version < entries { (one, all) } else { (all, one) };
            Self { few, many, escrow_of }
        }))
    }
}

/// The account that is asked for.
struct Asked {
    /// Of which match it is the escrow.
    match_id: Option<MatchId>,
    /// How many entries it has.
    version: i64,
}

impl Asked {
    async fn find(pool: &PgPool, id: AccountId) -> Result<Option<Self>, sqlx::Error> {
        sqlx::query_as!(
            Self,
            r#"select a.match_id as "match_id: MatchId", b.version
               from accounts a join balances b on b.account_id = a.id where a.id = $1"#,
            id.0
        )
        .fetch_optional(pool)
        .await
    }
}

/// What every part of a query has in common.
struct Search<'a> {
    filter: &'a TransferFilter,
    accounts: Accounts,
    after: Option<Place>,
    limit: i64,
}

impl Search<'_> {
    /// Adds the identifiers and times of those that fit: the newest, and with some walks more of them.
    fn push(&self, query: &mut QueryBuilder<Postgres>) {
        let filter = self.filter;
        match &self.accounts.few {
            // A match has a handful of transfers: its own index finds them.
            _ if filter.match_id.is_some() => self.push_by_time(query),
            None if filter.kind.is_none() && filter.min_amount.is_none() => self.push_by_time(query),
            None => self.push_by_size(query, None),
            Some(accounts) => {
                let sides = accounts.iter().flat_map(|account| [(Role::Debit, *account), (Role::Credit, *account)]);
                for (number, side) in sides.enumerate() {
                    // What is found on both sides is one.
                    query.push(if number == 0 { "" } else { " union " });
                    self.push_by_size(query, Some(side));
                }
                if self.accounts.escrow_of.is_some() {
                    query.push(" union ");
                    self.push_by_time(query);
                }
            }
        }
    }

    /// The newest of all.
    fn push_by_time(&self, query: &mut QueryBuilder<Postgres>) {
        query.push("(select id, created_at from transfers where true");
        if let Some(kind) = &self.filter.kind {
            query.push(" and kind = ").push_bind(kind.clone());
        }
        push_touches(query, self.accounts.few.as_deref());
        if let Some(escrow_of) = self.accounts.escrow_of {
            query.push(" and match_id = ").push_bind(escrow_of);
        }
        self.push_rest(query);
    }

    /// The newest of each kind and magnitude: of all accounts, or of one side of one.
    fn push_by_size(&self, query: &mut QueryBuilder<Postgres>, side: Option<(Role, AccountId)>) {
        let push_from = |query: &mut QueryBuilder<Postgres>| {
            query.push(" from transfers where ");
            if let Some((side, account)) = side {
                query.push(side.column()).push(" = ").push_bind(account).push(" and ");
                query.push(side.indexed()).push(" and ");
            }
        };
        let kinds = match &self.filter.kind {
            Some(kind) => vec![kind.clone()],
            None => TRANSFER_KINDS.map(str::to_owned).to_vec(),
        };
        query.push("(with recursive sizes (kind, size) as (select k.kind, first.size from unnest(").push_bind(kinds);
        query.push(") k (kind) cross join lateral (select magnitude(amount) as size");
        push_from(query);
        query.push("kind = k.kind and magnitude(amount) >= magnitude(");
        query.push_bind(self.filter.min_amount.unwrap_or(1));
        query.push(
            ") order by magnitude(amount) limit 1) first
             union all
             select s.kind, next.size from sizes s cross join lateral (select magnitude(amount) as size",
        );
        push_from(query);
        query.push(
            "kind = s.kind and magnitude(amount) > s.size order by magnitude(amount) limit 1) next)
             select newest.* from sizes s cross join lateral (select id, created_at",
        );
        push_from(query);
        query.push("kind = s.kind and magnitude(amount) = s.size");
        self.push_rest(query);
        query.push(" newest)");
    }

    /// What every search ends with: the other filters, the order and the limit.
    fn push_rest(&self, query: &mut QueryBuilder<Postgres>) {
        let filter = self.filter;
        push_touches(query, self.accounts.many.as_deref());
        if let Some(match_id) = filter.match_id {
            query.push(" and match_id = ").push_bind(match_id);
        }
        if let Some(from) = filter.from {
            query.push(" and created_at >= ").push_bind(from);
        }
        if let Some(to) = filter.to {
            query.push(" and created_at < ").push_bind(until(to));
        }
        if let Some(least) = filter.min_amount {
            query.push(" and amount >= ").push_bind(least);
        }
        if let Some(place) = self.after {
            query.push(" and (created_at, id) < (").push_bind(place.at).push(", ").push_bind(place.id).push(")");
        }
        query.push(" order by created_at desc, id desc limit ").push_bind(self.limit).push(")");
    }
}

/// Only those of which one of these accounts is a side.
fn push_touches(query: &mut QueryBuilder<Postgres>, accounts: Option<&[AccountId]>) {
    if let Some(accounts) = accounts {
        let ids: Vec<_> = accounts.iter().map(|account| account.0).collect();
        query.push(" and (debit = any(").push_bind(ids.clone()).push(") or credit = any(").push_bind(ids).push("))");
    }
}
