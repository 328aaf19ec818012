//! Transfers by any combination of filters, in pages or as CSV (O-1).

use axum::{
    Json,
    body::Body,
    extract::{FromRef, State},
    http::header,
    response::{IntoResponse as _, Response},
};
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgPool;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    audit::{self, Act, Action},
    auth::{Auth, Caller},
    clock::rfc3339_ms,
    http::{
        cursor::Question,
        extract::Params,
        page::{Page, known, limit, range},
        problem::{Problem, ProblemBody},
        staff::Reader,
    },
    i18n::FieldRule,
    ids::{AccountId, MatchId, PlayerId},
    ledger::search::{self, Place, TRANSFER_KINDS, Transfer, TransferFilter},
};

/// The routes of this file.
pub fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    Auth: FromRef<S>,
    PgPool: FromRef<S>,
{
    OpenApiRouter::new().routes(routes!(transfers))
}

/// How the list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// Pages of JSON.
    Json,
    /// Everything at once, as CSV.
    Csv,
}

/// Which transfers are asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TransfersQuery {
    /// Only those from or to this account.
    account: Option<AccountId>,
    /// Only those from or to an account of this player.
    player: Option<PlayerId>,
    /// Only those of this match.
    r#match: Option<MatchId>,
    /// Only those of this kind: `deposit`, `stake`, `payout`, `fee`, `refund` …
    kind: Option<String>,
    /// Only those made at this time or later, in RFC 3339.
    from: Option<String>,
    /// Only those made at this time or before, in RFC 3339; to the millisecond, as times are shown.
    to: Option<String>,
    /// Only those of at least this amount.
    #[param(minimum = 1)]
    min_amount: Option<i64>,
    /// `csv` for everything at once as a file; `json` where it is missing. Not together with `limit` and `cursor`.
    #[param(inline)]
    format: Option<Format>,
    /// At most this many: 1 to 200, 50 where it is missing.
    limit: Option<i64>,
    /// `next_cursor` of the page before, of a query with the same filters.
    cursor: Option<String>,
}

/// Reads the filters.
fn filter(query: &TransfersQuery) -> Result<TransferFilter, Problem> {
    if query.min_amount.is_some_and(|least| least < 1) {
        return Err(Problem::field("min_amount", FieldRule::OutOfRange(1, i64::MAX)));
    }
    let (from, to) = range(query.from.as_deref(), query.to.as_deref())?;
    Ok(TransferFilter {
        account: query.account,
        player: query.player,
        match_id: query.r#match,
        kind: known("kind", query.kind.as_deref(), &TRANSFER_KINDS)?,
        from,
        to,
        min_amount: query.min_amount,
    })
}

/// Transfers
///
/// Newest first, by any combination of filters. Pages neither skip nor repeat a transfer while others are made.
/// `format=csv` streams all that fit. For admins and auditors.
#[utoipa::path(get, path = "/v1/admin/ledger/transfers", tag = "Administration", security(("bearer" = [])), params(TransfersQuery), responses(
    (status = 200, content((Page<Transfer> = "application/json"), (String = "text/csv"))),
    (status = 403, description = "`forbidden`", body = ProblemBody, content_type = "application/problem+json"),
    (status = 422, description = "`invalid_request`, also for the cursor of another query", body = ProblemBody, content_type = "application/problem+json"),
))]
async fn transfers(
    State(pool): State<PgPool>,
    Reader(caller): Reader,
    question: Question,
    Params(query): Params<TransfersQuery>,
) -> Result<Response, Problem> {
    let filter = filter(&query)?;
    if query.format == Some(Format::Csv) {
        for (field, given) in [("limit", query.limit.is_some()), ("cursor", query.cursor.is_some())] {
            if given {
                return Err(Problem::field(field, FieldRule::Excludes("format")));
            }
        }
        note(&pool, &caller, Action::LedgerExport, &filter).await?;
        return csv(pool, filter).await;
    }
    let limit = limit(query.limit)?;
    let after: Option<Place> = question.place(query.cursor.as_deref())?;
    note(&pool, &caller, Action::LedgerTransfers, &filter).await?;
    let items = search::transfers(&pool, &filter, after, limit + 1).await?;
    Ok(Json(Page::cut(items, limit, |item| question.cursor(&Place::from(item)))).into_response())
}

/// A look at the ledger is in the audit log, with the player whose data it shows.
async fn note(pool: &PgPool, caller: &Caller, action: Action, filter: &TransferFilter) -> Result<(), Problem> {
    let player = match (filter.player, filter.account) {
        (None, Some(account)) => search::account(pool, account).await?.and_then(|account| account.player_id),
        (player, _) => player,
    };
    let act = Act {
        actor: Some(caller.player),
        player,
        subject: filter.match_id.map(|id| format!("match:{id}")),
        detail: Some(json!(filter)),
        ..Act::new(action)
    };
    Ok(audit::record(pool, act).await?)
}

/// How many transfers are in memory at once.
const CHUNK: i64 = 2_000;

/// Everything that fits, read and sent chunk by chunk, each from after the last line of the one before: neither memory
/// nor a connection to Postgres is held for the whole of it. A failure on the way cuts the answer off, which a client
/// notices.
async fn csv(pool: PgPool, filter: TransferFilter) -> Result<Response, Problem> {
    let first = search::transfers(&pool, &filter, None, CHUNK).await?;
    let lines = stream::try_unfold(Some((first, true)), move |state| {
        let (pool, filter) = (pool.clone(), filter.clone());
        async move {
            let Some((chunk, is_first)) = state else { return Ok::<_, sqlx::Error>(None) };
            let mut text = if is_first { HEADING.to_owned() } else { String::new() };
            for transfer in &chunk {
                write_line(&mut text, transfer);
            }
            let full = i64::try_from(chunk.len()).is_ok_and(|length| length == CHUNK);
            let next = match chunk.last() {
                Some(last) if full => {
                    let next = search::transfers(&pool, &filter, Some(Place::from(last)), CHUNK).await?;
                    (!next.is_empty()).then_some((next, false))
                }
                _ => None,
            };
            Ok(Some((text, next)))
        }
    });
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8; header=present"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"transfers.csv\""),
    ];
    Ok((headers, Body::from_stream(lines)).into_response())
}

const HEADING: &str = "id,created_at,kind,amount,debit,debit_kind,debit_player,credit,credit_kind,credit_player,\
                       match_id,reference,position,reverses\r\n";

/// One line of RFC 4180.
fn write_line(text: &mut String, transfer: &Transfer) {
    let or_empty = |id: Option<String>| id.unwrap_or_default();
    let fields = [
        transfer.id.to_string(),
        rfc3339_ms::text(transfer.created_at),
        transfer.kind.clone(),
        transfer.amount.to_string(),
        transfer.debit.account.to_string(),
        transfer.debit.kind.clone(),
        or_empty(transfer.debit.player_id.map(|id| id.to_string())),
        transfer.credit.account.to_string(),
        transfer.credit.kind.clone(),
        or_empty(transfer.credit.player_id.map(|id| id.to_string())),
        or_empty(transfer.match_id.map(|id| id.to_string())),
        quoted(&transfer.reference),
        transfer.position.to_string(),
        or_empty(transfer.reverses.map(|id| id.to_string())),
    ];
    text.push_str(&fields.join(","));
    text.push_str("\r\n");
}

/// A field that may hold what separates fields: a payment provider's own names can be part of a reference.
fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_csv_is_quoted_where_it_has_to_be() {
        for (field, written) in [
            ("deposit:1", "deposit:1"),
            ("a,b", "\"a,b\""),
            ("say \"a\"", "\"say \"\"a\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            ("", ""),
        ] {
            assert_eq!(quoted(field), written);
        }
    }
}
