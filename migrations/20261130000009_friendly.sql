-- Friendly matches (MA-10): played for nothing, kept for a day after their end, then forgotten.

alter table matches add constraint matches_friendly_pays_nothing
    check (stake > 0 or (coalesce(payout, 0) = 0 and coalesce(fee, 0) = 0)) not valid;

-- How many a player has under way, and which are to be forgotten.
create index matches_friendly_of_first on matches (first_player) where stake = 0 and status = 'live';
create index matches_friendly_of_second on matches (second_player) where stake = 0 and status = 'live';
create index matches_friendly_ended on matches (ended_at) where stake = 0 and status = 'ended';

-- Forgets friendly matches that ended more than a day ago, at most so many. The server's role can remove no match and
-- no row of a journal in any other way: what was staked stays on record for good. A match that a player has reported
-- stays as well: whoever reads the report needs it.
create function forget_friendly(p_most integer) returns bigint
language sql security definer set search_path = public, pg_temp as $$
    with gone as (
        delete from matches where id in (
            select m.id from matches m
            where m.stake = 0 and m.status = 'ended' and m.ended_at < clock_timestamp() - interval '1 day'
                and not exists (select from complaints c where c.match_id = m.id)
            order by m.ended_at limit p_most
            for update skip locked
        )
        returning id
    ), moves as (
        delete from match_events using gone where match_id = gone.id
    )
    select count(*) from gone
$$;
revoke all on function forget_friendly from public;
grant execute on function forget_friendly to stakeboard_server;
