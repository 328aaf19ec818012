-- A ledger of a million transfers and a bit, as its rules would have written it: 2,000 players who deposit, and
-- 250,000 matches, each with two stakes, a payout and a fee. `:matches` says how many matches.
\set ON_ERROR_STOP on
set synchronous_commit = off;
set work_mem = '256MB';
set maintenance_work_mem = '256MB';
begin;

insert into players (id, guest, display_name, display_name_key)
select md5('player' || p)::uuid, true, 'player ' || p, 'player ' || p from generate_series(0, 1999) p;
select count(open_account(md5(kind || p)::uuid, kind, 'BRL', md5('player' || p)::uuid, null, null))
from generate_series(0, 1999) p, unnest(array['player', 'withdrawal_hold']) kind;
select count(open_account(md5(kind)::uuid, kind, 'BRL', null, null, null))
from unnest(array['external', 'adjustment', 'suspense']) kind;
select count(open_account(md5('house_fee' || s)::uuid, 'house_fee', 'BRL', null, null, s::smallint))
from generate_series(0, 15) s;

create temporary table played as
select m, md5('match' || m)::uuid as id, md5('escrow' || m)::uuid as escrow,
       m % 2000 as winner, (m % 2000 + 1 + m / 2000 % 1999) % 2000 as loser,
       (100 + 5 * (m % 50))::bigint as stake,
       timestamptz '2026-01-01 00:00:00Z' + m * interval '100 milliseconds' as began
from generate_series(1, :matches) m;

insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner, status,
                     ended_at, winner, ending, payout, fee)
select id, 'oware', '{}', stake, md5('player' || winner)::uuid, md5('player' || loser)::uuid, 600000, began,
       md5('node')::uuid, 'ended', began + interval '50 milliseconds', 'first', 'resignation',
       stake * 2 - stake / 5, stake / 5
from played;
insert into accounts (id, kind, currency, match_id, opened_at) select escrow, 'escrow', 'BRL', id, began from played;
insert into settlements (match_id, outcome, winner, stake, pot, payout, fee, settled_at)
select id, 'win', md5('player' || winner)::uuid, stake, stake * 2, stake * 2 - stake / 5, stake / 5,
       began + interval '50 milliseconds'
from played;

insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, created_at)
select md5('deposit' || p)::uuid, 'deposit:' || p, 1, 'deposit', md5('external')::uuid, md5('player' || p)::uuid,
       1000000, null, timestamptz '2025-12-31 00:00:00Z' + p * interval '1 second'
from generate_series(0, 1999) p
union all
select md5(part.kind || part.position || m)::uuid, 'match:' || id || part.reference, part.position, part.kind,
       part.debit, part.credit, part.amount, id, began + part.after
from played, lateral (values
    (':stake', 1, 'stake', md5('player' || winner)::uuid, escrow, stake, interval '0'),
    (':stake', 2, 'stake', md5('player' || loser)::uuid, escrow, stake, interval '0'),
    (':settle', 1, 'payout', escrow, md5('player' || winner)::uuid, stake * 2 - stake / 5,
     interval '50 milliseconds'),
    (':settle', 2, 'fee', escrow, md5('house_fee' || m % 16)::uuid, stake / 5, interval '50 milliseconds')
) part (reference, position, kind, debit, credit, amount, after);

insert into entries (account_id, version, transfer_id, change, balance_after, created_at)
select account, row_number() over w, id, change, sum(change) over w, created_at
from (
    select debit as account, id, -amount as change, created_at, position from transfers
    union all
    select credit, id, amount, created_at, position from transfers
) e
window w as (partition by account order by created_at, position)
order by created_at, position, change;

insert into balances (account_id, floored, lock_rank) select escrow, true, 0 from played;
update balances b set balance = last.balance_after, version = last.version, changed_at = last.created_at
from (
    select distinct on (account_id) account_id, version, balance_after, created_at
    from entries order by account_id, version desc
) last
where last.account_id = b.account_id;
commit;
vacuum analyze;
