-- `:matches` staked matches of the twelve months before this one, each with 100 entries: as many as its partition holds.
set synchronous_commit = off;
create temporary table played as
select overlay(first_id(began)::text placing '7000-8' || lpad(to_hex(m % 4096), 3, '0') from 15 for 9)::uuid as id, began
from (
    select m, date_trunc('month', now()) - m * (interval '365 days' / :matches) as began from generate_series(1, :matches) m
) m;
insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner, status, ended_at,
                     winner, ending, payout, fee)
select id, 'oware', '{}', 5, md5('player1')::uuid, md5('player2')::uuid, 600000, began, md5('other')::uuid, 'ended',
       began + interval '10 minutes', 'first', 'resignation', 9, 1
from played;
insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
select id, s, 1, case when s < 100 then 'moved' else 'ended' end, case s % 2 when 1 then 'first' else 'second' end,
       case when s = 100 then 'resignation' when s % 2 = 1 then chr(65 + (s * 7 + extract(epoch from began)::integer) % 6)
            else chr(97 + (s * 5 + extract(epoch from began)::integer) % 6) end,
       600000 - s * 2900, 600000 - s * 3100, began + s * interval '6 seconds'
from played, generate_series(1, 100) s
order by id, s;
vacuum analyze match_events;
vacuum analyze matches;
