-- 500 live matches, and the batch that the journal writes (server/src/matches/journal.rs) with what it takes.
-- The months of before have their partitions, as they would where the server made them.
do $$
declare
    month timestamp := date_trunc('month', now() at time zone 'UTC');
begin
    execute format('drop table %I', 'match_events_' || to_char(month, 'YYYY_MM'));
    for ago in 0 .. 12 loop
        execute format(
            'create table %I partition of match_events for values from (%L) to (%L)',
            'match_events_' || to_char(month - make_interval(months => ago), 'YYYY_MM'),
            first_id((month - make_interval(months => ago)) at time zone 'UTC'),
            first_id((month - make_interval(months => ago - 1)) at time zone 'UTC')
        );
    end loop;
end
$$;
insert into players (id, guest, display_name, display_name_key)
select md5('player' || p)::uuid, true, 'player ' || p, 'player ' || p from generate_series(1, 2) p;
insert into matches (id, game, options, stake, first_player, second_player, clock_ms, started_at, owner)
select overlay(first_id(now())::text placing '7000-8' || lpad(to_hex(m), 3, '0') from 15 for 9)::uuid, 'oware', '{}', 0,
       md5('player1')::uuid, md5('player2')::uuid, 600000, now(), md5('node')::uuid
from generate_series(1, 500) m;

-- Writes an entry of each match, a fifth of them at once, so many times. Gives the pages read and the microseconds for each.
create function write_batches(p_times integer, out pages numeric, out micros numeric)
language plpgsql set enable_seqscan = off as $$
declare
    ids uuid[];
    seqs integer[];
    plan json;
    read bigint := 0;
    took double precision := 0;
    entries bigint := 0;
begin
    for time in 1 .. p_times loop
        select array_agg(m.id), array_agg(coalesce(last.seq, 0) + 1) into ids, seqs
        from (select id, row_number() over (order by id) as place from matches where status = 'live') m
        left join lateral (select seq from match_events e where e.match_id = m.id order by seq desc limit 1) last on true
        where m.place % 5 = time % 5;
        execute 'explain (analyze, buffers, timing off, format json)
                 insert into match_events (match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at)
                 select r.match_id, r.seq, 1, ''moved'', ''first'', ''C'', 600000, 600000, now()
                 from unnest($1, $2) as r (match_id, seq)
                 where (select owner = md5(''node'')::uuid and epoch = 1 and status = ''live''
                        from matches where id = r.match_id)
                 on conflict do nothing
                 returning match_id, seq' into plan using ids, seqs;
        read := read + (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint
            + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
        took := took + (plan -> 0 ->> 'Execution Time')::double precision;
        entries := entries + cardinality(ids);
    end loop;
    pages := round(read::numeric / entries, 2);
    micros := round((took * 1000 / entries)::numeric, 1);
end
$$;
