//! The trial balance: every promise of the ledger as a check with its figure (L-10).

use serde::Serialize;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Postgres, Row as _, Transaction};
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

/// What all accounts of a kind and a currency have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct KindTotal {
    /// The kind: `player`, `escrow`, `house_fee` …
    pub kind: String,
    /// ISO 4217.
    pub currency: String,
    /// How many accounts there are.
    pub accounts: i64,
    /// What they have together. Wider than an amount, so that a ledger in disorder can be told of too.
    pub balance: i128,
}

/// Checks that one pass over the same rows makes: each by its name, with a column that counts what breaks the promise.
struct Pass {
    checks: &'static [&'static str],
    statement: &'static str,
}

impl Pass {
    async fn run(
        &self,
        connection: &mut PgConnection,
        tables: &str,
        asked: impl Fn(&str) -> bool,
    ) -> Result<Vec<Check>, sqlx::Error> {
        let statement = AssertSqlSafe(format!("{tables} {}", self.statement));
        let counts = sqlx::query(statement).fetch_one(connection).await?;
        let names = self.checks.iter().copied().enumerate().filter(|(_, name)| asked(name));
        names
            .map(|(column, name)| {
                let faults: i64 = counts.try_get(column)?;
                Ok(Check { name, passed: faults == 0, figure: format!("{faults} at fault") })
            })
            .collect()
    }
}

/// As few passes over the large tables as there can be, each of which Postgres can share out over its processors: they
/// are what the time of a trial balance goes to.
const PASSES: [Pass; 14] = [
    // Every account with its entries, in their order. What each entry leaves less what the one before it left comes to what
    // the last one left, and spares looking ahead.
    Pass {
        checks: &[
            "every account has its balance",
            "every balance is its last entry",
            "every balance is the sum of its entries",
            "versions count up by one",
            "every entry follows from the one before",
            "no account is below its floor",
        ],
        statement: "select
             count(*) filter (where a.id is null or b.account_id is null
                 or b.floored <> (a.kind in ('player', 'escrow', 'withdrawal_hold'))),
             count(*) filter (where b.balance <> coalesce(e.last_balance, 0) or b.version <> coalesce(e.last, 0)),
             count(*) filter (where b.balance <> coalesce(e.total, 0)),
             count(*) filter (where coalesce(e.first, 1) <> 1 or coalesce(e.last, 0) <> coalesce(e.entries, 0)
                 or b.version <> coalesce(e.last, 0)),
             coalesce(sum(e.faults), 0)::bigint,
             count(*) filter (where b.balance < 0 and (b.floored or a.kind in ('player', 'escrow', 'withdrawal_hold')))
         from accounts a
         full join balances b on b.account_id = a.id
         full join (
             select account_id, count(*) as entries, min(version) as first, max(version) as last, sum(change) as total,
                    sum(balance_after) - sum(before) as last_balance,
                    count(*) filter (where before + change <> balance_after or created_at < before_at) as faults
             from (
                 select account_id, version, change, balance_after, created_at,
                        coalesce(lag(balance_after) over w, 0) as before, lag(created_at) over w as before_at
                 from entries window w as (partition by account_id order by version)
             ) e group by account_id
         ) e on e.account_id = b.account_id",
    },
    // No account has two entries of one transfer: twice as many that fit as there are transfers are all there should be.
    Pass {
        checks: &["every transfer has its two entries", "every entry belongs to its transfer"],
        statement: "select 2 * (select count(*) from transfers) - fit, entries - belong from (
             select count(*) as entries,
                 count(*) filter (where e.account_id in (t.debit, t.credit)) as belong,
                 count(*) filter (where e.created_at = t.created_at
                     and ((e.account_id = t.debit and e.change = -t.amount)
                         or (e.account_id = t.credit and e.change = t.amount))) as fit
             from entries e left join transfers t on t.id = e.transfer_id
         ) e",
    },
    // Likewise: a place in a group is there once, so that a transfer which fits its place fits it alone.
    Pass {
        checks: &[
            "transfers stay within one currency",
            "each staked match was begun with one stake of each player",
            "each settlement was paid to who was owed",
        ],
        statement: "select currencies,
             stakes - stakes_that_fit + 2 * (select count(*) from matches where stake > 0) - stakes_that_fit,
             ends - ends_that_fit + 2 * (select count(*) from settlements) - ends_that_fit + (
                 select count(*) from (
                     select match_id from transfers where kind = 'refund' group by match_id having count(distinct credit) < 2
                 ) r)
         from (
             select count(*) filter (where d.currency <> c.currency) as currencies,
                 count(*) filter (where t.kind = 'stake') as stakes,
                 count(*) filter (where t.kind = 'stake' and t.reference = 'match:' || m.id || ':stake'
                     and t.amount = m.stake and c.match_id = m.id and d.kind = 'player'
                     and d.player_id = case t.position when 1 then m.first_player when 2 then m.second_player end
                 ) as stakes_that_fit,
                 count(*) filter (where t.kind in ('payout', 'fee', 'refund')) as ends,
                 count(*) filter (where t.reference = 'match:' || s.match_id || ':settle' and d.match_id = s.match_id
                     and case t.kind
                         when 'payout' then s.outcome = 'win' and t.position = 1 and t.amount = s.payout
                             and c.kind = 'player' and c.player_id = s.winner
                         when 'fee' then s.outcome = 'win' and t.position = 2 and t.amount = s.fee
                             and c.kind = 'house_fee'
                         when 'refund' then s.outcome <> 'win' and t.amount = s.stake
                             and c.kind = 'player' and c.player_id in (m.first_player, m.second_player)
                         else false end
                 ) as ends_that_fit
             from transfers t
             join accounts d on d.id = t.debit join accounts c on c.id = t.credit
             left join matches m on m.id = t.match_id left join settlements s on s.match_id = t.match_id
         ) t",
    },
    Pass {
        checks: &[
            "each live staked match holds exactly both stakes",
            "each ended staked match has an empty escrow and one settlement",
            "each live staked match is its players' only one",
            "each settlement is the outcome of its ended match",
        ],
        statement: "select
             count(*) filter (where m.stake > 0 and m.status = 'live' and b.balance is distinct from m.stake * 2),
             count(*) filter (where m.stake > 0 and m.status = 'ended'
                 and (b.balance is distinct from 0 or s.match_id is null)),
             count(*) filter (where m.stake > 0
                 and (m.status = 'live') <> (first.match_id is not null and second.match_id is not null)),
             count(*) filter (where s.match_id is not null and (m.status is distinct from 'ended'
                 or s.stake <> m.stake or s.payout <> m.payout or s.fee <> m.fee
                 or (s.outcome = 'void') is distinct from (m.ending = 'void')
                 or s.winner is distinct from (case m.winner when 'first' then m.first_player
                                                             when 'second' then m.second_player end)))
         from matches m
         full join settlements s on s.match_id = m.id
         left join accounts a on a.match_id = m.id left join balances b on b.account_id = a.id
         left join live_stakes first on first.match_id = m.id and first.player_id = m.first_player
         left join live_stakes second on second.match_id = m.id and second.player_id = m.second_player",
    },
    Pass {
        checks: &["nobody is kept from playing by a match that is over"],
        statement: "select count(*) from live_stakes l left join matches m on m.id = l.match_id
         where m.status is distinct from 'live' or m.stake = 0
             or l.player_id not in (m.first_player, m.second_player)",
    },
    Pass {
        checks: &["nothing was staked on a friendly match"],
        statement: "select count(*) from matches m
         where m.stake = 0
             and (exists (select from accounts a where a.match_id = m.id)
                  or exists (select from transfers t where t.match_id = m.id)
                  or exists (select from settlements s where s.match_id = m.id))",
    },
    Pass {
        checks: &["each completed deposit was credited, and no other"],
        statement: "select count(*) from deposits d
         left join payments p on p.deposit_id = d.id
         left join transfers t on t.reference = 'deposit:' || coalesce(p.payment, d.id::text)
         left join accounts a on a.id = t.credit
         where (d.status = 'completed') <> (t.id is not null) or t.amount <> d.amount
             or a.player_id is distinct from (case when t.id is not null then d.player_id end)",
    },
    Pass {
        checks: &["each payment that was told of is in the ledger, or in suspense"],
        statement: "select count(*) from payments p
         left join transfers t on t.reference = case
             when p.direction = 'in' then 'deposit:' || p.payment
             when p.suspense is null then 'withdrawal:' || p.withdrawal_id || ':settle'
             else 'payout:' || p.payment end
         where t.amount is distinct from p.amount
             or t.kind <> (case when p.suspense is not null then 'suspense'
                                when p.direction = 'in' then 'deposit' else 'withdrawal' end)",
    },
    Pass {
        checks: &["each player's hold is their open withdrawal"],
        statement: "select count(*)
         from (select a.player_id, b.balance from balances b join accounts a on a.id = b.account_id
               where a.kind = 'withdrawal_hold') h
         full join (select player_id, sum(amount) as amount from withdrawals
                    where status in ('requested', 'approved', 'submitted') group by player_id) w using (player_id)
         where coalesce(h.balance, 0) <> coalesce(w.amount, 0)",
    },
    Pass {
        checks: &["each withdrawal was held, and paid or given back as it says"],
        statement: "select count(*)
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
    },
    Pass {
        checks: &["each adjustment, reversal and assignment was made as it says, and no other"],
        statement: "select count(*)
         from adjustments a
         full join (select * from transfers where reference like 'adjustment:%') t on t.reference = 'adjustment:' || a.id
         where (a.status in ('done', 'undone')) is distinct from (t.id is not null)
             or (a.status = 'undone') is distinct from
                 (a.kind = 'assignment' and exists (select from transfers r where r.reverses = t.id)) or t.amount <> abs(a.amount)
             or t.kind <> (case when a.kind = 'assignment' then case when a.amount > 0 then 'deposit' else 'withdrawal' end
                                else a.kind end)
             or (t.id is not null and t.reverses is distinct from case a.kind when 'reversal' then a.transfer_id end)",
    },
    Pass {
        checks: &["each reversal moves back what the transfer that it names has moved"],
        statement: "select count(*) from transfers r left join transfers t on t.id = r.reverses
         where (r.kind = 'reversal') <> (r.reverses is not null)
             or (r.kind = 'reversal'
                 and (r.debit, r.credit, r.amount) is distinct from (t.credit, t.debit, t.amount))",
    },
    // The other way round: the passes above begin from what was done, and do not see a transfer that none of it names.
    // What belongs to a match is looked at from both sides already. A deed has one transfer, which is its group's first.
    Pass {
        checks: &["every transfer stands for what was done"],
        statement: "with deeds as (
             select 'deposit:' || coalesce(p.payment, d.id::text) as reference, 'deposit' as kind, d.amount,
                    'external' as debit, null::uuid as payer, 'player' as credit, d.player_id as payee,
                    null::uuid as reverses
             from deposits d left join payments p on p.deposit_id = d.id where d.status = 'completed'
             union all
             select 'withdrawal:' || id || ':hold', 'hold', amount,
                    'player', player_id, 'withdrawal_hold', player_id, null
             from withdrawals
             union all
             select 'withdrawal:' || id || ':settle', case status when 'paid' then 'withdrawal' else 'release' end, amount,
                    'withdrawal_hold', player_id,
                    case status when 'paid' then 'external' else 'player' end,
                    case when status <> 'paid' then player_id end, null
             from withdrawals where status in ('paid', 'rejected', 'cancelled', 'failed')
             union all
             select case direction when 'in' then 'deposit:' else 'payout:' end || payment, 'suspense', amount,
                    case direction when 'in' then 'external' else 'suspense' end, null,
                    case direction when 'in' then 'suspense' else 'external' end, null, null
             from payments where suspense is not null
             union all
             select 'adjustment:' || id, case when kind = 'adjustment' then kind
                                              when amount > 0 then 'deposit' else 'withdrawal' end, abs(amount),
                    case when amount < 0 then 'player' when kind = 'adjustment' then kind else 'suspense' end,
                    case when amount < 0 then player_id end,
                    case when amount > 0 then 'player' when kind = 'adjustment' then kind else 'suspense' end,
                    case when amount > 0 then player_id end, null
             from adjustments where kind <> 'reversal' and status in ('done', 'undone')
             union all
             select 'adjustment:' || a.id, 'reversal', r.amount, d.kind, d.player_id, c.kind, c.player_id, r.id
             from adjustments a join transfers r on r.id = a.transfer_id
             join accounts d on d.id = r.credit join accounts c on c.id = r.debit
             where a.kind = 'reversal' and a.status = 'done'
         )
         select count(*) from transfers t
         join accounts d on d.id = t.debit join accounts c on c.id = t.credit
         left join deeds on deeds.reference = t.reference and deeds.kind = t.kind and t.position = 1
         where t.kind not in ('stake', 'payout', 'fee', 'refund')
             and (t.amount, d.kind, d.player_id, c.kind, c.player_id, t.reverses) is distinct from
                 (deeds.amount, deeds.debit, deeds.payer, deeds.credit, deeds.payee, deeds.reverses)",
    },
    Pass {
        checks: &["what is in suspense is what nobody has found a place for"],
        statement: "select count(*)
         from (select a.currency, sum(b.balance) as balance from accounts a join balances b on b.account_id = a.id
               where a.kind = 'suspense' group by a.currency) h
         full join (
             select p.currency, sum(case p.direction when 'in' then p.amount else -p.amount end) as amount
             from payments p
             join transfers t
                 on t.reference = case p.direction when 'in' then 'deposit:' else 'payout:' end || p.payment
             where p.suspense is not null
                 and not exists (select from adjustments a where a.transfer_id = t.id and a.status = 'done')
             group by p.currency
         ) p using (currency)
         where coalesce(h.balance, 0) <> coalesce(p.amount, 0)",
    },
];

/// What every row there is has to be read for, that of the journal too: at night and by command, not on demand.
const WHOLE: [Pass; 2] = [
    // Who changes what a match came to in one place is found by the other.
    Pass {
        checks: &["each staked match has its whole record, which ends as it was settled"],
        statement: "select count(*) from matches m
         left join (
             select match_id, count(*) as entries, max(seq) as last, count(*) filter (where kind = 'ended') as ends,
                    min(seat) filter (where kind = 'ended') as winner, min(detail) filter (where kind = 'ended') as ending,
                    min(at) filter (where kind = 'ended') as ended_at
             from match_journal group by match_id
         ) j on j.match_id = m.id
         where m.stake > 0 and (
             coalesce(j.entries, 0) <> coalesce(j.last, 0)
             or coalesce(j.ends, 0) <> (m.status = 'ended')::integer
             or (j.winner, j.ending, j.ended_at) is distinct from (m.winner, m.ending, m.ended_at)
         )",
    },
    // Without its last seals a chain is a shorter chain.
    Pass {
        checks: &["what was written more than two days ago is sealed"],
        statement: "select count(*) from entries
         where seq > coalesce((select max(last_entry) from seals), 0)
             and created_at < clock_timestamp() - interval '2 days'",
    },
];

/// Begins what sees the ledger as of one moment, with the memory to sort and to join it in one go.
pub(super) async fn begin(connection: &mut PgConnection) -> Result<Transaction<'_, Postgres>, sqlx::Error> {
    let mut tx = connection.begin_with("begin isolation level repeatable read, read only").await?;
    sqlx::query("set local work_mem = '64MB'").execute(&mut *tx).await?;
    Ok(tx)
}

/// Runs every check in one repeatable-read transaction: it passes at any moment of play.
pub async fn verify(connection: &mut PgConnection) -> Result<Vec<Check>, sqlx::Error> {
    let mut tx = begin(connection).await?;
    let (_, mut checks) = run(&mut tx, "", |_| true).await?;
    checks.extend(whole(&mut tx).await?);
    tx.commit().await?;
    Ok(checks)
}

/// The checks that read all there is.
pub(super) async fn whole(connection: &mut PgConnection) -> Result<Vec<Check>, sqlx::Error> {
    let mut checks = Vec::new();
    for pass in &WHOLE {
        checks.extend(pass.run(connection, "", |_| true).await?);
    }
    checks.push(seals::check(connection).await?);
    Ok(checks)
}

/// Totals by kind of account and currency, and the checks that are asked for by name. `tables` is put before each
/// statement: common table expressions that stand in for tables of the same name.
pub(super) async fn run(
    connection: &mut PgConnection,
    tables: &str,
    asked: impl Fn(&str) -> bool,
) -> Result<(Vec<KindTotal>, Vec<Check>), sqlx::Error> {
    let totals = totals(connection, tables).await?;
    let mut checks = vec![sum(&totals), fees(connection, tables, &totals).await?];
    for pass in PASSES.iter().filter(|pass| pass.checks.iter().any(|name| asked(name))) {
        checks.extend(pass.run(connection, tables, &asked).await?);
    }
    Ok((totals, checks))
}

async fn totals(connection: &mut PgConnection, tables: &str) -> Result<Vec<KindTotal>, sqlx::Error> {
    let statement = AssertSqlSafe(format!(
        "{tables} select a.kind, a.currency, count(*), coalesce(sum(b.balance), 0)::text
         from accounts a left join balances b on b.account_id = a.id group by a.kind, a.currency order by a.kind, a.currency"
    ));
    let rows: Vec<(String, String, i64, String)> = sqlx::query_as(statement).fetch_all(connection).await?;
    let totals = rows.into_iter().map(|(kind, currency, accounts, balance)| {
        let balance = balance.parse().map_err(|error: std::num::ParseIntError| sqlx::Error::Decode(error.into()))?;
        Ok(KindTotal { kind, currency, accounts, balance })
    });
    totals.collect()
}

fn sum(totals: &[KindTotal]) -> Check {
    let sum: i128 = totals.iter().map(|total| total.balance).sum();
    Check { name: "all balances sum to zero", passed: sum == 0, figure: format!("sum {sum}") }
}

async fn fees(connection: &mut PgConnection, tables: &str, totals: &[KindTotal]) -> Result<Check, sqlx::Error> {
    let house: i128 = totals.iter().filter(|total| total.kind == "house_fee").map(|total| total.balance).sum();
    let statement = AssertSqlSafe(format!(
        "{tables} select coalesce(sum(pot), 0)::text, coalesce(sum(pot), 0) = $1::text::numeric * 10
         from settlements where outcome = 'win'"
    ));
    let (pots, agree): (String, bool) = sqlx::query_as(statement).bind(house.to_string()).fetch_one(connection).await?;
    Ok(Check {
        name: "the house has ten per cent of the decided pots",
        passed: agree,
        figure: format!("{house} of {pots}"),
    })
}

/// The names of the counted checks.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    PASSES.iter().flat_map(|pass| pass.checks.iter().copied())
}
