-- A ledger of a million transfers and a bit, as its rules would have written it: 2,000 players who deposit, and
-- 250,000 matches, each with two stakes, and with a payout and a fee or, one in ten, with two refunds. `:matches` says how
-- many matches.
\set ON_ERROR_STOP on
set synchronous_commit = off;
set work_mem = '256MB';
set maintenance_work_mem = '256MB';
begin;

-- An identifier as the server makes them: its first part is the time in milliseconds, so that they grow with it.
create function pg_temp.made_at(p_at timestamptz, p_what text) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') || '7' || substr(md5(p_what), 1, 3)
            || '8' || substr(md5(p_what), 4, 15))::uuid
$$;

insert into players (id, guest, display_name, display_name_key)
select md5('player' || p)::uuid, true, 'player ' || p, 'player ' || p from generate_series(0, 1999) p;
select count(open_account(md5(kind || p)::uuid, kind, 'BRL', md5('player' || p)::uuid, null, null))
from generate_series(0, 1999) p, unnest(array['player', 'withdrawal_hold']) kind;
select count(open_account(md5(kind)::uuid, kind, 'BRL', null, null, null))
from unnest(array['external', 'adjustment', 'suspense']) kind;
select count(open_account(md5('house_fee' || s)::uuid, 'house_fee', 'BRL', null, null, s::smallint))
from generate_series(0, 15) s;

create temporary table played as
select m, pg_temp.made_at(began, 'match' || m) as id, pg_temp.made_at(began, 'escrow' || m) as escrow, winner, loser,
       stake, began, m % 10 = 0 as drawn
from (
    select m, m % 2000 as winner, (m % 2000 + 1 + m / 2000 % 1999) % 2000 as loser, (100 + 5 * (m % 50))::bigint as stake,
           timestamptz '2026-01-01 00:00:00Z' + m * interval '100 milliseconds' as began
    from generate_series(1, :matches) m
) m;

insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner, status,
                     ended_at, winner, ending, payout, fee)
select id, 'oware', '{}', stake, md5('player' || winner)::uuid, md5('player' || loser)::uuid, 600000, began,
       md5('node')::uuid, 'ended', began + interval '50 milliseconds', case when not drawn then 'first' end,
       case when drawn then 'agreement' else 'resignation' end,
       case when drawn then 0 else stake * 2 - stake / 5 end, case when drawn then 0 else stake / 5 end
from played;
insert into accounts (id, kind, currency, match_id, opened_at) select escrow, 'escrow', 'BRL', id, began from played;
insert into settlements (match_id, outcome, winner, stake, pot, payout, fee, settled_at)
select id, case when drawn then 'draw' else 'win' end, case when not drawn then md5('player' || winner)::uuid end, stake,
       stake * 2, case when drawn then 0 else stake * 2 - stake / 5 end, case when drawn then 0 else stake / 5 end,
       began + interval '50 milliseconds'
from played;

insert into deposits (id, player_id, amount, status, ended_at)
select md5('deposit' || p)::uuid, md5('player' || p)::uuid, 1000000, 'completed', now() from generate_series(0, 1999) p;
insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, created_at)
select pg_temp.made_at(at, 'deposit' || p), 'deposit:' || md5('deposit' || p)::uuid, 1, 'deposit', md5('external')::uuid,
       md5('player' || p)::uuid, 1000000, null, at
from generate_series(0, 1999) p, lateral (select timestamptz '2025-12-31 00:00:00Z' + p * interval '1 second') w (at)
union all
select pg_temp.made_at(began + part.after, part.kind || part.position || m), 'match:' || id || part.reference,
       part.position, part.kind, part.debit, part.credit, part.amount, id, began + part.after
from played, lateral (values
    (':stake', 1, 'stake', md5('player' || winner)::uuid, escrow, stake, interval '0'),
    (':stake', 2, 'stake', md5('player' || loser)::uuid, escrow, stake, interval '0'),
    (':settle', 1, case when drawn then 'refund' else 'payout' end, escrow, md5('player' || winner)::uuid,
     case when drawn then stake else stake * 2 - stake / 5 end, interval '50 milliseconds'),
    (':settle', 2, case when drawn then 'refund' else 'fee' end, escrow,
     case when drawn then md5('player' || loser)::uuid else md5('house_fee' || m % 16)::uuid end,
     case when drawn then stake else stake / 5 end, interval '50 milliseconds')
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
