-- What every match calls looks up a few rows by their keys, and its plans are kept as long as a connection lasts. One that
-- is made before a table was ever counted reads all of the table at each call, when it has long grown: these functions may
-- not. Nor may they find a player's account among all those of its kind: an expression in place of the kind fits no index
-- but that of the player.

create or replace function lock_available(p_players uuid[]) returns table (player_id uuid, balance bigint)
language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    return query
    select a.player_id, b.balance
    from accounts a join balances b on b.account_id = a.id
    where a.player_id = any (p_players) and a.kind || '' = 'player'
    order by b.lock_rank, b.account_id
    for no key update of b;
end
$$;

create or replace function lock_stakers(p_players uuid[], p_game text) returns table (
    player_id uuid, available bigint, stakes_closed boolean, playing boolean, stopped boolean, frozen boolean,
    break_until timestamptz, identity text, stake_match bigint, loss_day bigint
) language plpgsql security definer
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    perform 1 from accounts a join balances b on b.account_id = a.id
    where a.player_id = any (p_players) and a.kind || '' = 'player'
    order by b.lock_rank, b.account_id
    for no key update of b;
    perform lock_switches(false);
    return query
    select p.id,
        (select b.balance from accounts a join balances b on b.account_id = a.id
         where a.player_id = p.id and a.kind || '' = 'player'),
        exists (
            select from trial_balances t where t.closes
                and not exists (select from trial_acknowledgements k where k.trial_balance_id = t.id)
        ),
        -- Not `exists`, of which the planner also makes a list of all who play.
        (select true from live_stakes l where l.player_id = p.id) is not null,
        exists (
            select from stake_stops s
            where (s.game is null and s.player_id is null) or s.game = p_game or s.player_id = p.id
        ),
        p.frozen_at is not null,
        case when p.break_until > clock_timestamp() then p.break_until end,
        p.identity,
        (select case when m.next_at <= clock_timestamp() then m.next_amount else m.amount end
         from player_limits m where m.player_id = p.id and m.kind = 'stake_match'),
        (select case when d.next_at <= clock_timestamp() then d.next_amount else d.amount end
         from player_limits d where d.player_id = p.id and d.kind = 'loss_day')
    from players p
    where p.id = any (p_players);
end
$$;

alter function post_transfers set enable_seqscan = off;
alter function hold_stakes set enable_seqscan = off;
alter function settle_stakes set enable_seqscan = off;
alter function refuse_staked_bot set enable_seqscan = off;

-- The seeks among these that are open, as the lobby shows them.
create function open_seeks(p_ids uuid[]) returns table (
    id uuid, game text, options jsonb, stake bigint, player_id uuid, display_name text, created_at timestamptz,
    rating double precision, deviation double precision, volatility double precision, rated_at timestamptz
) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
    return query
    select s.id, s.game, s.options, s.stake, s.player_id, p.display_name, s.created_at,
        r.rating, r.deviation, r.volatility, r.rated_at
    from seeks s join players p on p.id = s.player_id
    left join ratings r on r.player_id = s.player_id and r.game = s.game
    where s.id = any (p_ids);
end
$$;
