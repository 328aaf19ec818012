-- What a match costs before its first move: two players who are to stake are locked, read and judged in one call, a seek is
-- posted in one, and accepted in two. Plans are kept and look up by keys, as in the functions that these take the place of.
-- `lock_stakers` of two arguments stays: the release before calls it.

-- What the matches that ended in the last 24 hours have cost a player in all, nothing where they brought money, and on top
-- of it what is staked now (P-2).
create function loss_at_risk(p_player uuid) returns numeric language plpgsql stable
set search_path = public, pg_temp set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    return (
        select greatest(0, coalesce(sum(
            case when s.winner = p_player then s.stake - s.payout when s.outcome = 'win' then s.stake else 0 end), 0))
        from matches m join settlements s on s.match_id = m.id
        where (m.first_player = p_player or m.second_player = p_player)
            and s.settled_at > clock_timestamp() - interval '24 hours'
    ) + (
        select coalesce(sum(m.stake), 0) from live_stakes l join matches m on m.id = l.match_id
        where l.player_id = p_player
    );
end
$$;

-- Locks what these players have available, in the order of all locks (L-7), and says why each of them can't make this stake
-- on this game now: `unready` is null where they can. It holds until the transaction ends: everything that changes it locks
-- the balance first, or the switches. `stakes_closed` is about everybody. Volatile: what is read is as new as the locks.
create function lock_stakers(p_players uuid[], p_game text, p_stake bigint, p_identity_needed boolean) returns table (
    player_id uuid, stakes_closed boolean, unready text, break_until timestamptz
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
        exists (
            select from trial_balances t where t.closes
                and not exists (select from trial_acknowledgements k where k.trial_balance_id = t.id)
        ),
        case
            -- Not `exists`, of which the planner also makes a list of all who play.
            when (select true from live_stakes l where l.player_id = p.id) is not null then 'already_playing'
            when p.frozen_at is not null then 'frozen'
            when p.break_until > clock_timestamp() then 'on_break'
            when exists (
                select from stake_stops s
                where (s.game is null and s.player_id is null) or s.game = p_game or s.player_id = p.id
            ) then 'stopped'
            when p_identity_needed and p.identity <> 'verified' then 'identity'
            when p_stake > (
                select case when m.next_at <= clock_timestamp() then m.next_amount else m.amount end
                from player_limits m where m.player_id = p.id and m.kind = 'stake_match'
            ) then 'stake_match'
            when (
                select loss_at_risk(p.id) + p_stake > day.most
                from (
                    select case when d.next_at <= clock_timestamp() then d.next_amount else d.amount end as most
                    from player_limits d where d.player_id = p.id and d.kind = 'loss_day'
                ) day
                where day.most is not null
            ) then 'loss_day'
            when (
                select b.balance from accounts a join balances b on b.account_id = a.id
                where a.player_id = p.id and a.kind || '' = 'player'
            ) >= p_stake is not true then 'insufficient_funds'
        end,
        p.break_until
    from players p
    where p.id = any (p_players);
end
$$;
revoke all on function lock_stakers(uuid[], text, bigint, boolean) from public;
grant execute on function lock_stakers(uuid[], text, bigint, boolean) to stakeboard_server;

-- Posts a seek where its player can make the stake, and has fewer than so many open. `refused` says why it was not posted; the
-- rest is what the lobby shows with it.
create function post_seek(
    p_id uuid, p_player uuid, p_game text, p_options jsonb, p_stake bigint, p_created_at timestamptz,
    p_identity_needed boolean, p_most bigint
) returns table (
    refused text, break_until timestamptz, display_name text, rating double precision, deviation double precision,
    volatility double precision, rated_at timestamptz
) language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
    staker record;
    why text;
begin
    select * into strict staker from lock_stakers(array[p_player], p_game, p_stake, p_identity_needed);
    why := case when staker.stakes_closed then 'stakes_closed' else staker.unready end;
    if why is null and (select count(*) from seeks where player_id = p_player) >= p_most then
        why := 'too_many_seeks';
    end if;
    if why is null then
        insert into seeks (id, player_id, game, options, stake, created_at)
        values (p_id, p_player, p_game, p_options, p_stake, p_created_at);
    end if;
    return query
    select why, staker.break_until, p.display_name, r.rating, r.deviation, r.volatility, r.rated_at
    from players p left join ratings r on r.player_id = p.id and r.game = p_game
    where p.id = p_player;
end
$$;

-- Takes a seek for who wants to accept it at this stake, under the key of their request. `locked`, `body_hash` and `answer`
-- are those of `claim_key`; where the key is free and the seek there, all that a pairing has to know follows. Where nothing
-- in it stands against the pairing the request's answer is kept. The caller rolls back where it refuses.
create function take_seek(
    p_lock bigint, p_player uuid, p_method text, p_path text, p_key text, p_body_hash bytea, p_answer jsonb,
    p_seek uuid, p_stake bigint, p_identity_needed boolean
) returns table (
    locked boolean, body_hash bytea, answer jsonb, poster uuid, game text, options jsonb, stake bigint,
    created_at timestamptz, stakes_closed boolean, own_unready text, own_break_until timestamptz, poster_unready text
) language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
    staker record;
begin
    select k.locked, k.body_hash, k.answer into strict locked, body_hash, answer
    from claim_key(p_lock, p_player, p_method, p_path, p_key) k;
    if locked and body_hash is null then
        select s.player_id, s.game, s.options, s.stake, s.created_at into poster, game, options, stake, created_at
        from seeks s where s.id = p_seek;
    end if;
    if stake = p_stake and poster <> p_player then
        -- L-7: balances are locked before seeks, here and wherever a pairing takes seeks away.
        for staker in select * from lock_stakers(array[p_player, poster], game, p_stake, p_identity_needed) loop
            stakes_closed := staker.stakes_closed;
            if staker.player_id = p_player then
                own_unready := staker.unready;
                own_break_until := staker.break_until;
            else
                poster_unready := staker.unready;
            end if;
        end loop;
        delete from seeks where id = p_seek;
        if not found then
            poster := null;
        elsif not stakes_closed and own_unready is null and poster_unready is null then
            insert into idempotency_keys (player_id, method, path, key, body_hash, status, answer)
            values (p_player, p_method, p_path, p_key, p_body_hash, 201, p_answer)
            on conflict (player_id, method, path, key) do update set
                body_hash = excluded.body_hash, status = excluded.status, answer = excluded.answer, created_at = now();
        end if;
    end if;
    return next;
end
$$;

-- Withdraws what these players have posted for a stake and what a pairing by any route takes away (L-8). Proposals in an
-- order: two pairings can take away the same ones, each for one of the two who meet in them.
create function withdraw_postings(p_players uuid[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
    delete from seeks where player_id = any (p_players);
    delete from queue_entries where player_id = any (p_players);
    delete from rematches where match_id in (
        select match_id from rematches where proposer = any (p_players) or rival = any (p_players)
        order by match_id for update
    );
end
$$;
