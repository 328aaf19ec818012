-- Live staked matches, each of two players of its own (L-8), as the server's functions leave them: `:matches` of them.
\set ON_ERROR_STOP on
set synchronous_commit = off;
set work_mem = '256MB';
begin;
create table bench_matches as
select n, gen_random_uuid() as id, gen_random_uuid() as escrow, gen_random_uuid() as first, gen_random_uuid() as second,
       gen_random_uuid() as first_account, gen_random_uuid() as second_account
from generate_series(1, :matches) n;
create temporary table bench_players as
select first as id, first_account as account, n * 2 as number from bench_matches
union all
select second, second_account, n * 2 + 1 from bench_matches;

insert into players (id, guest, display_name, display_name_key)
select id, true, 'player ' || number, 'player ' || number from bench_players;
insert into accounts (id, kind, currency, player_id) select account, 'player', 'BRL', id from bench_players;
insert into accounts (id, kind, currency) select gen_random_uuid(), kind, 'BRL'
from unnest(array['external', 'adjustment', 'suspense']) kind;
insert into balances (account_id, floored, lock_rank) select id, kind = 'player', case kind when 'player' then 0 else 1 end
from accounts;
insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
select id, 'oware', '{}', 500, first, second, 600000, now(), '00000000-0000-0000-0000-000000000001' from bench_matches;
insert into live_stakes (player_id, match_id)
select first, id from bench_matches union all select second, id from bench_matches;
insert into accounts (id, kind, currency, match_id) select escrow, 'escrow', 'BRL', id from bench_matches;
insert into balances (account_id, floored, lock_rank) select escrow, true, 0 from bench_matches;

-- Each player's deposit and stake.
create temporary table bench_transfers as
select gen_random_uuid() as id, 'deposit:' || number as reference, 1 as position, 'deposit' as kind,
       (select id from accounts where kind = 'external') as debit, account as credit, null::uuid as match_id
from bench_players
union all
select gen_random_uuid(), 'match:' || id || ':stake', 1, 'stake', first_account, escrow, id from bench_matches
union all
select gen_random_uuid(), 'match:' || id || ':stake', 2, 'stake', second_account, escrow, id from bench_matches;
insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, created_at)
select id, reference, position, kind, debit, credit, 500, match_id, now() from bench_transfers;
insert into entries (account_id, version, transfer_id, change, balance_after, created_at)
select account, row_number() over w, id, change, sum(change) over w, now()
from (
    select debit as account, id, -500 as change, kind, position from bench_transfers
    union all
    select credit, id, 500, kind, position from bench_transfers
) e
window w as (partition by account order by kind, position, id rows unbounded preceding);
update balances b set balance = last.balance_after, version = last.version
from (
    select distinct on (account_id) account_id, version, balance_after
    from entries order by account_id, version desc
) last
where last.account_id = b.account_id;

alter table bench_matches add primary key (n);
create sequence bench_next;
grant select on bench_matches to stakeboard_server;
grant usage on bench_next to stakeboard_server;
commit;
vacuum analyze;
