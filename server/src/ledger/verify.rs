//! The trial balance: every promise of the ledger as a check with its figure (L-10).

use serde::Serialize;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use utoipa::ToSchema;

use crate::ledger::seals;

/// One promise and whether it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// What is promised.
    pub name: &'static str,
    /// Whether it holds.
    pub passed: bool,
    /// What was found, with its unit.
    pub figure: String,
}

/// Checks whose statement counts what breaks the promise.
const COUNTED: [(&str, &str); 21] = [
    (
        "every account has its balance",
        "select count(*) from accounts a full join balances b on b.account_id = a.id
         where a.id is null or b.account_id is null
             or b.floored <> (a.kind in ('player', 'escrow', 'withdrawal_hold'))",
    ),
    (
        "every balance is its last entry",
        "select count(*) from balances b
         left join entries e on e.account_id = b.account_id and e.version = b.version
         where b.balance is distinct from coalesce(e.balance_after, 0) or (b.version > 0 and e.version is null)",
    ),
    (
        "every balance is the sum of its entries",
        "select count(*) from balances b
         left join (select account_id, sum(change) as total from entries group by account_id) e using (account_id)
         where b.balance <> coalesce(e.total, 0)",
    ),
    (
        "versions count up by one",
        "select count(*) from (
             select b.version, coalesce(max(e.version), 0) as last, count(e.version) as entries,
                    coalesce(min(e.version), 1) as first
             from balances b left join entries e using (account_id) group by b.account_id, b.version
         ) v where first <> 1 or last <> entries or last <> version",
    ),
    (
        "every entry follows from the one before",
        "select count(*) from (
             select change, balance_after, created_at,
                    coalesce(lag(balance_after) over w, 0) as before, lag(created_at) over w as before_at
             from entries window w as (partition by account_id order by version)
         ) e where before + change <> balance_after or created_at < before_at",
    ),
    (
        "no account is below its floor",
        "select count(*) from balances b join accounts a on a.id = b.account_id
         where b.balance < 0 and (b.floored or a.kind in ('player', 'escrow', 'withdrawal_hold'))",
    ),
    (
        "every transfer has its two entries",
        "select count(*) from transfers t
         left join entries d on d.transfer_id = t.id and d.account_id = t.debit
         left join entries c on c.transfer_id = t.id and c.account_id = t.credit
         where d.change is distinct from -t.amount or c.change is distinct from t.amount
             or d.created_at is distinct from t.created_at or c.created_at is distinct from t.created_at",
    ),
    (
        "every entry belongs to its transfer",
        "select count(*) from entries e left join transfers t on t.id = e.transfer_id
         where t.id is null or e.account_id not in (t.debit, t.credit)",
    ),
    (
        "transfers stay within one currency",
        "select count(*) from transfers t join accounts d on d.id = t.debit join accounts c on c.id = t.credit
         where d.currency <> c.currency",
    ),
    (
        "each live staked match holds exactly both stakes",
        "select count(*) from matches m
         left join accounts a on a.match_id = m.id left join balances b on b.account_id = a.id
         where m.status = 'live' and m.stake > 0 and b.balance is distinct from m.stake * 2",
    ),
    (
        "each staked match was begun with one stake of each player",
        "select count(*) from (
             select m.id from matches m
             left join transfers t on t.match_id = m.id and t.kind = 'stake'
             left join accounts d on d.id = t.debit left join accounts c on c.id = t.credit
             where m.stake > 0
             group by m.id
             having count(t.id) <> 2
                 or bool_or(c.match_id is distinct from m.id)
                 or sum(t.amount) filter (where d.kind = 'player' and d.player_id = m.first_player)
                     is distinct from m.stake
                 or sum(t.amount) filter (where d.kind = 'player' and d.player_id = m.second_player)
                     is distinct from m.stake
         ) wrong",
    ),
    (
        "nobody is kept from playing by a match that is over",
        "select count(*) from live_stakes l left join matches m on m.id = l.match_id
         where m.status is distinct from 'live' or m.stake = 0
             or l.player_id not in (m.first_player, m.second_player)",
    ),
    (
        "each live staked match is its players' only one",
        "select count(*) from matches m
         where m.stake > 0 and (m.status = 'live')
             <> (exists (select from live_stakes l where l.match_id = m.id and l.player_id = m.first_player)
                 and exists (select from live_stakes l where l.match_id = m.id and l.player_id = m.second_player))",
    ),
    (
        "each ended staked match has an empty escrow and one settlement",
        "select count(*) from matches m
         left join accounts a on a.match_id = m.id left join balances b on b.account_id = a.id
         left join settlements s on s.match_id = m.id
         where m.status = 'ended' and m.stake > 0 and (b.balance is distinct from 0 or s.match_id is null)",
    ),
    (
        "nothing was staked on a friendly match",
        "select count(*) from matches m
         where m.stake = 0
             and (exists (select from accounts a where a.match_id = m.id)
                  or exists (select from transfers t where t.match_id = m.id)
                  or exists (select from settlements s where s.match_id = m.id))",
    ),
    (
        "each settlement is the outcome of its ended match",
        "select count(*) from settlements s left join matches m on m.id = s.match_id
         where m.status is distinct from 'ended' or s.stake <> m.stake or s.payout <> m.payout or s.fee <> m.fee
             or (s.outcome = 'void') is distinct from (m.ending = 'void')
             or s.winner is distinct from (case m.winner when 'first' then m.first_player
                                                         when 'second' then m.second_player end)",
    ),
    (
        "each settlement was paid to who was owed",
        "select count(*) from (
             select s.match_id from settlements s join matches m on m.id = s.match_id
             left join transfers t on t.match_id = s.match_id and t.kind in ('payout', 'fee', 'refund')
             left join accounts d on d.id = t.debit left join accounts c on c.id = t.credit
             group by s.match_id, m.id
             having coalesce(sum(t.amount), 0) <> s.pot
                 or coalesce(bool_or(d.match_id is distinct from s.match_id), false)
                 or coalesce(sum(t.amount) filter (where t.kind = 'payout' and c.kind = 'player'
                                                       and c.player_id = s.winner), 0) <> s.payout
                 or coalesce(sum(t.amount) filter (where t.kind = 'fee' and c.kind = 'house_fee'), 0) <> s.fee
                 or coalesce(sum(t.amount) filter (where t.kind = 'refund' and c.kind = 'player'
                                                       and c.player_id = m.first_player), 0)
                     <> (case s.outcome when 'win' then 0 else s.stake end)
                 or coalesce(sum(t.amount) filter (where t.kind = 'refund' and c.kind = 'player'
                                                       and c.player_id = m.second_player), 0)
                     <> (case s.outcome when 'win' then 0 else s.stake end)
         ) wrong",
    ),
    (
        "each completed deposit was credited, and no other",
        "select count(*) from deposits d
         left join payments p on p.deposit_id = d.id
         left join transfers t on t.reference = 'deposit:' || coalesce(p.payment, d.id::text)
         left join accounts a on a.id = t.credit
         where (d.status = 'completed') <> (t.id is not null) or t.amount <> d.amount
             or a.player_id is distinct from (case when t.id is not null then d.player_id end)",
    ),
    (
        "each payment that was told of is in the ledger, or in suspense",
        "select count(*) from payments p
         left join transfers t on t.reference = case
             when p.direction = 'in' then 'deposit:' || p.payment
             when p.suspense is null then 'withdrawal:' || p.withdrawal_id || ':settle'
             else 'payout:' || p.payment end
         where t.amount is distinct from p.amount
             or t.kind <> (case when p.suspense is not null then 'suspense'
                                when p.direction = 'in' then 'deposit' else 'withdrawal' end)",
    ),
    (
        "each player's hold is their open withdrawal",
        "select count(*)
         from (select a.player_id, b.balance from balances b join accounts a on a.id = b.account_id
               where a.kind = 'withdrawal_hold') h
         full join (select player_id, sum(amount) as amount from withdrawals
                    where status in ('requested', 'approved', 'submitted') group by player_id) w using (player_id)
         where coalesce(h.balance, 0) <> coalesce(w.amount, 0)",
    ),
    (
        "each withdrawal was held, and paid or given back as it says",
        "select count(*)
         from (select *, case status when 'paid' then 'withdrawal'
                             when 'rejected' then 'release' when 'cancelled' then 'release' when 'failed' then 'release'
                         end as way_out from withdrawals) w
         full join (select split_part(reference, ':', 2) as withdrawal,
                           sum(amount) filter (where kind = 'hold') as held,
                           string_agg(kind, ' ') filter (where kind <> 'hold') as way_out,
                           sum(amount) filter (where kind <> 'hold') as amount
                    from transfers where reference like 'withdrawal:%' group by 1) t on t.withdrawal = w.id::text
         where w.id is null or t.held is distinct from w.amount or t.way_out is distinct from w.way_out
             or t.amount <> w.amount",
    ),
];

/// Runs every check in one repeatable-read transaction: it passes at any moment of play.
pub async fn verify(connection: &mut PgConnection) -> Result<Vec<Check>, sqlx::Error> {
    let mut tx = connection.begin_with("begin isolation level repeatable read, read only").await?;
    let mut checks = run(&mut tx, "", |_| true).await?;
    checks.push(seals::check(&mut tx).await?);
    tx.commit().await?;
    Ok(checks)
}

/// Runs the checks that are asked for by name. `tables` is put before each statement: common table expressions that
/// stand in for tables of the same name.
pub(super) async fn run(
    connection: &mut PgConnection,
    tables: &str,
    asked: impl Fn(&str) -> bool,
) -> Result<Vec<Check>, sqlx::Error> {
    let mut checks = vec![sum(connection, tables).await?, fees(connection, tables).await?];
    for (name, statement) in COUNTED {
        if asked(name) {
            let statement = AssertSqlSafe(format!("{tables} {statement}"));
            let faults: i64 = sqlx::query_scalar(statement).fetch_one(&mut *connection).await?;
            checks.push(Check { name, passed: faults == 0, figure: format!("{faults} at fault") });
        }
    }
    Ok(checks)
}

async fn sum(connection: &mut PgConnection, tables: &str) -> Result<Check, sqlx::Error> {
    let statement = AssertSqlSafe(format!("{tables} select coalesce(sum(balance), 0)::text from balances"));
    let sum: String = sqlx::query_scalar(statement).fetch_one(connection).await?;
    Ok(Check { name: "all balances sum to zero", passed: sum == "0", figure: format!("sum {sum}") })
}

async fn fees(connection: &mut PgConnection, tables: &str) -> Result<Check, sqlx::Error> {
    let statement = AssertSqlSafe(format!(
        "{tables} select house::text, pots::text, house * 10 = pots from
             (select coalesce(sum(b.balance), 0) as house
              from balances b join accounts a on a.id = b.account_id where a.kind = 'house_fee') f,
             (select coalesce(sum(pot), 0) as pots from settlements where outcome = 'win') p"
    ));
    let (house, pots, agree): (String, String, bool) = sqlx::query_as(statement).fetch_one(connection).await?;
    Ok(Check {
        name: "the house has ten per cent of the decided pots",
        passed: agree,
        figure: format!("{house} of {pots}"),
    })
}

/// The names of the counted checks.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COUNTED.iter().map(|(name, _)| *name)
}
