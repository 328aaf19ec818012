-- Growth: the journal is kept by month, and what is old leaves it.
--
-- Identifiers of matches begin with the time they were made at (UUIDv7), so that a range of them is a range of time. What a
-- move reads and writes lies in the partition of its month, however many matches there ever were.

-- The least identifier that can have been made at a time.
create function first_id(p_at timestamptz) returns uuid language sql immutable parallel safe as $$
    select (lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

-- The journal of before becomes the partition of everything up to the end of this month. `match_events_rest` takes what fits
-- nowhere, so that no move is ever refused for want of a partition.
alter table match_events validate constraint match_events_kind_known;
do $$
declare
    month timestamp := date_trunc('month', clock_timestamp() at time zone 'UTC');
    name text := 'match_events_' || to_char(month, 'YYYY_MM');
    until uuid := first_id((month + interval '1 month') at time zone 'UTC');
begin
    execute format('alter table match_events rename to %I', name);
    execute format('alter index match_events_pkey rename to %I', name || '_pkey');
    execute format('revoke all on %I from stakeboard_server', name);
    execute format('create table match_events (like %I including constraints) partition by range (match_id)', name);
    alter table match_events add primary key (match_id, seq);
    create table match_events_rest partition of match_events default;
    execute format(
        'with later as (delete from %I where match_id >= %L returning *) insert into match_events_rest select * from later',
        name, until
    );
    execute format('alter table match_events attach partition %I for values from (minvalue) to (%L)', name, until);
end
$$;
grant select, insert on match_events to stakeboard_server;

-- Makes the partitions of this month and the next two where they are missing. The server asks for it when it starts and
-- every hour; whoever writes moves meanwhile does not wait. Gives how many were made.
create function prepare_journal() returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    month timestamp;
    name text;
    made integer := 0;
begin
    perform pg_advisory_xact_lock(hashtextextended('stakeboard journal', 0));
    for ahead in 0 .. 2 loop
        month := date_trunc('month', clock_timestamp() at time zone 'UTC') + make_interval(months => ahead);
        name := 'match_events_' || to_char(month, 'YYYY_MM');
        continue when to_regclass(name) is not null;
        execute format('create table %I (like match_events including all)', name);
        -- What came before its partition did.
        lock table match_events_rest in access exclusive mode;
        execute format(
            'with late as (
                 delete from match_events_rest where match_id >= %1$L and match_id < %2$L returning *
             )
             insert into %3$I select * from late',
            first_id(month at time zone 'UTC'), first_id((month + interval '1 month') at time zone 'UTC'), name
        );
        execute format(
            'alter table match_events attach partition %I for values from (%L) to (%L)',
            name, first_id(month at time zone 'UTC'), first_id((month + interval '1 month') at time zone 'UTC')
        );
        made := made + 1;
    end loop;
    return made;
end
$$;
revoke all on function prepare_journal from public;
grant execute on function prepare_journal to stakeboard_server;
select prepare_journal();

-- What has left the journal: a row for each stretch of a match's entries, column by column, which Postgres compresses. The
-- entries are the same, in the same order; `match_journal` reads both as one.
create table archived_entries (
    match_id uuid not null,
    first_seq integer not null,
    last_seq integer not null,
    epochs integer[] not null,
    kinds text[] not null,
    seats text[] not null,
    details text[] not null,
    first_ms integer[] not null,
    second_ms integer[] not null,
    at timestamptz[] not null,
    primary key (match_id, first_seq),
    -- None is missing in between either.
    constraint archived_entries_complete check (
        cardinality(epochs) = last_seq - first_seq + 1
        and cardinality(kinds) = cardinality(epochs) and cardinality(seats) = cardinality(epochs)
        and cardinality(details) = cardinality(epochs) and cardinality(first_ms) = cardinality(epochs)
        and cardinality(second_ms) = cardinality(epochs) and cardinality(at) = cardinality(epochs)
    )
);
create trigger archived_entries_append_only before update or delete or truncate on archived_entries
    for each statement execute function refuse_change();
grant select on archived_entries to stakeboard_server;

-- The journal of a match, wherever it is kept.
create view match_journal as
select match_id, seq, epoch, kind, seat, detail, first_ms, second_ms, at from match_events
union all
select a.match_id, (a.first_seq + e.place - 1)::integer, e.epoch, e.kind, e.seat, e.detail, e.first_ms, e.second_ms, e.at
from archived_entries a
cross join lateral unnest(a.epochs, a.kinds, a.seats, a.details, a.first_ms, a.second_ms, a.at)
    with ordinality as e (epoch, kind, seat, detail, first_ms, second_ms, at, place);
grant select on match_journal to stakeboard_server;

-- Moves the entries of staked matches that ended before a time into the archive: of at most so many matches, the oldest
-- first, from after one of them on, or from the first that the journal has. Gives the last match it looked at, none where
-- there are no more, and how many entries it moved. Friendly matches are forgotten instead. Not for the server's role: it
-- takes rows out of the journal.
create function archive_matches(p_before timestamptz, p_after uuid, p_most integer)
returns table (last uuid, moved bigint)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    looked_at uuid[];
    old uuid[];
begin
    if p_before > clock_timestamp() - interval '1 day' then
        raise exception 'what ended within a day stays where it is' using errcode = 'check_violation';
    end if;
    select array_agg(m.id order by m.id), array_agg(m.id) filter (
        where m.status = 'ended' and m.ended_at < p_before and m.stake > 0
    ) into looked_at, old
    from (
        select * from matches
        where id >= coalesce(p_after, (select match_id from match_events order by match_id limit 1)) and id is distinct from p_after
            and id < first_id(p_before)
        order by id limit p_most
    ) m;
    last := looked_at[cardinality(looked_at)];
    with gone as (
        delete from match_events where match_id = any (old) returning *
    ), kept as (
        insert into archived_entries
            (match_id, first_seq, last_seq, epochs, kinds, seats, details, first_ms, second_ms, at)
        select match_id, min(seq), max(seq), array_agg(epoch order by seq), array_agg(kind order by seq),
            array_agg(seat order by seq), array_agg(detail order by seq), array_agg(first_ms order by seq),
            array_agg(second_ms order by seq), array_agg(gone.at order by seq)
        from gone group by match_id
        returning cardinality(epochs) as entries
    )
    select coalesce(sum(entries), 0) into moved from kept;
    return next;
end
$$;
revoke all on function archive_matches from public;

-- As before, one match after the other: the partition of each is known.
create or replace function forget_friendly(p_most integer) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    gone uuid[];
begin
    with forgotten as (
        delete from matches where id in (
            select m.id from matches m
            where m.stake = 0 and m.status = 'ended' and m.ended_at < clock_timestamp() - interval '1 day'
                and not exists (select from complaints c where c.match_id = m.id)
            order by m.ended_at limit p_most
            for update skip locked
        )
        returning id
    )
    select coalesce(array_agg(id), '{}') into gone from forgotten;
    delete from match_events where match_id = any (gone);
    return cardinality(gone);
end
$$;
