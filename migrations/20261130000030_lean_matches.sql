-- What a staked match costs Postgres from its beginning to its end: fewer statements in the functions that every match
-- calls, plans that are made once, and no index entry that nothing reads.
--
-- Functions in SQL are parsed and planned at each call; those in PL/pgSQL keep their plans. A list of identifiers makes the
-- planner believe that a plan for this very list is cheaper, and plan at each call again: `force_generic_plan` keeps one.

-- L-5: almost no transfer reverses another; the others need no entry that says so.
alter table transfers drop constraint transfers_reversed_once;
create unique index transfers_reversed_once on transfers (reverses) where reverses is not null;

-- The escrow is on one side of all transfers of a match, and has those alone: they are found by the match. The other side
-- is what is searched by account.
drop index transfers_by_debit;
drop index transfers_by_credit;
create index transfers_by_debit on transfers (debit, kind, magnitude(amount), created_at, id) include (amount)
    where kind not in ('payout', 'fee', 'refund');
create index transfers_by_credit on transfers (credit, kind, magnitude(amount), created_at, id) include (amount)
    where kind <> 'stake';

create or replace function lock_available(p_players uuid[]) returns table (player_id uuid, balance bigint)
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
    return query
    select a.player_id, b.balance
    from accounts a join balances b on b.account_id = a.id
    where a.player_id = any (p_players) and a.kind = 'player'
    order by b.lock_rank, b.account_id
    for no key update of b;
end
$$;

-- Locks what these players have available, as `lock_available` does, and reads all else that may keep them from staking on
-- this game: everything that changes it locks the balance first, or the switches. Volatile: what is read is as new as the
-- locks. `stakes_closed` is about everybody.
create function lock_stakers(p_players uuid[], p_game text) returns table (
    player_id uuid, available bigint, stakes_closed boolean, playing boolean, stopped boolean, frozen boolean,
    break_until timestamptz, identity text, stake_match bigint, loss_day bigint
) language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
    perform 1 from accounts a join balances b on b.account_id = a.id
    where a.player_id = any (p_players) and a.kind = 'player'
    order by b.lock_rank, b.account_id
    for no key update of b;
    perform lock_switches(false);
    return query
    select p.id,
        b.balance,
        exists (
            select from trial_balances t where t.closes
                and not exists (select from trial_acknowledgements k where k.trial_balance_id = t.id)
        ),
        exists (select from live_stakes l where l.player_id = p.id),
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
    left join accounts a on a.player_id = p.id and a.kind = 'player'
    left join balances b on b.account_id = a.id
    where p.id = any (p_players);
end
$$;
revoke all on function lock_stakers from public;
grant execute on function lock_stakers to stakeboard_server;

-- Claims the key of a request for this transaction: whether nobody else holds it, and the answer of the first request where
-- there was one in the last 24 hours. Two statements, so that what is read is as new as the lock.
create function claim_key(p_lock bigint, p_player uuid, p_method text, p_path text, p_key text)
returns table (locked boolean, body_hash bytea, answer jsonb) language plpgsql as $$
begin
    if not pg_try_advisory_xact_lock(p_lock) then
        return query select false, null::bytea, null::jsonb;
        return;
    end if;
    return query
    select true, k.body_hash, k.answer
    from (values (true)) one (row)
    left join idempotency_keys k
        on k.player_id = p_player and k.method = p_method and k.path = p_path and k.key = p_key
        and k.created_at > now() - interval '24 hours';
end
$$;

-- MA-1: both stakes into the escrow of the match, or neither. The escrow is opened with what comes into it: nobody else
-- knows of it yet. Both balances are locked in the order of L-7 before they are looked at, and the time is taken after.
create or replace function hold_stakes(p_match uuid, p_escrow uuid, p_ids uuid[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
    this record;
    had record;
begin
    select m.stake, f.id as first, s.id as second, f.currency, f.currency = s.currency as fits into strict this
    from matches m
    join accounts f on f.player_id = m.first_player and f.kind = 'player'
    join accounts s on s.player_id = m.second_player and s.kind = 'player'
    where m.id = p_match;
    if not this.fits then
        raise exception 'transfer between currencies' using errcode = 'check_violation';
    end if;
    insert into accounts (id, kind, currency, match_id) values (p_escrow, 'escrow', this.currency, p_match)
    on conflict do nothing;

    select greatest(clock_timestamp(), max(b.changed_at)) as now_at,
        max(b.balance) filter (where b.account_id = this.first) as first_balance,
        max(b.version) filter (where b.account_id = this.first) as first_version,
        max(b.balance) filter (where b.account_id = this.second) as second_balance,
        max(b.version) filter (where b.account_id = this.second) as second_version
    into strict had
    from (
        select account_id, balance, version, changed_at from balances
        where account_id in (this.first, this.second)
        order by lock_rank, account_id
        for no key update
    ) b;

    insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, created_at) values
        (p_ids[1], 'match:' || p_match || ':stake', 1, 'stake', this.first, p_escrow, this.stake, p_match, had.now_at),
        (p_ids[2], 'match:' || p_match || ':stake', 2, 'stake', this.second, p_escrow, this.stake, p_match, had.now_at);
    update balances set balance = balance - this.stake, version = version + 1, changed_at = had.now_at
    where account_id in (this.first, this.second);
    insert into balances (account_id, floored, lock_rank, balance, version, changed_at)
    values (p_escrow, true, 0, this.stake * 2, 2, had.now_at);
    insert into entries (account_id, version, transfer_id, change, balance_after, created_at) values
        (this.first, had.first_version + 1, p_ids[1], -this.stake, had.first_balance - this.stake, had.now_at),
        (p_escrow, 1, p_ids[1], this.stake, this.stake, had.now_at),
        (this.second, had.second_version + 1, p_ids[2], -this.stake, had.second_balance - this.stake, had.now_at),
        (p_escrow, 2, p_ids[2], this.stake, this.stake * 2, had.now_at);
end
$$;

-- MA-2, MA-3, L-6: pays out the escrow of a match, once. `p_winner` is null for a draw or a void. The settlement's key
-- comes before the balances: whoever is second waits there, and holds nothing.
create or replace function settle_stakes(p_match uuid, p_outcome text, p_winner uuid, p_ids uuid[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
    this record;
    had record;
    pot bigint;
    one uuid;
    other uuid;
    to_one bigint;
    to_other bigint;
begin
    select m.stake, m.first_player, m.second_player, e.id as escrow, f.id as first, s.id as second, e.currency,
        e.currency = f.currency and e.currency = s.currency as fits
    into strict this
    from matches m
    join accounts e on e.match_id = m.id
    join accounts f on f.player_id = m.first_player and f.kind = 'player'
    join accounts s on s.player_id = m.second_player and s.kind = 'player'
    where m.id = p_match;
    pot := this.stake * 2;
    if p_outcome = 'win' then
        if p_winner not in (this.first_player, this.second_player) then
            raise exception 'the winner of match % did not play it', p_match using errcode = 'check_violation';
        end if;
        one := case p_winner when this.first_player then this.first else this.second end;
        to_other := pot / 10;
        to_one := pot - to_other;
    else
        one := this.first;
        other := this.second;
        to_one := this.stake;
        to_other := this.stake;
    end if;

    insert into settlements (match_id, outcome, winner, stake, pot, payout, fee, settled_at)
    values (
        p_match, p_outcome, p_winner, this.stake, pot,
        case p_outcome when 'win' then to_one else 0 end, case p_outcome when 'win' then to_other else 0 end,
        clock_timestamp()
    );

    if p_outcome = 'win' then
        -- L-9
        select id, this.fits and currency = this.currency into strict other, this.fits from accounts
        where kind = 'house_fee'
            and stripe = (
                select abs(hashtextextended(p_match::text, 0) % count(*)) from accounts where kind = 'house_fee'
            );
    end if;
    if not this.fits then
        raise exception 'transfer between currencies' using errcode = 'check_violation';
    end if;

    select greatest(clock_timestamp(), max(b.changed_at)) as now_at,
        max(b.balance) filter (where b.account_id = this.escrow) as escrow_balance,
        max(b.version) filter (where b.account_id = this.escrow) as escrow_version,
        max(b.balance) filter (where b.account_id = one) as one_balance,
        max(b.version) filter (where b.account_id = one) as one_version,
        max(b.balance) filter (where b.account_id = other) as other_balance,
        max(b.version) filter (where b.account_id = other) as other_version
    into strict had
    from (
        select account_id, balance, version, changed_at from balances
        where account_id in (this.escrow, one, other)
        order by lock_rank, account_id
        for no key update
    ) b;

    insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, created_at) values
        (p_ids[1], 'match:' || p_match || ':settle', 1, case p_outcome when 'win' then 'payout' else 'refund' end,
         this.escrow, one, to_one, p_match, had.now_at),
        (p_ids[2], 'match:' || p_match || ':settle', 2, case p_outcome when 'win' then 'fee' else 'refund' end,
         this.escrow, other, to_other, p_match, had.now_at);
    update balances set
        balance = balance + case account_id when this.escrow then -pot when one then to_one else to_other end,
        version = version + case account_id when this.escrow then 2 else 1 end,
        changed_at = had.now_at
    where account_id in (this.escrow, one, other);
    insert into entries (account_id, version, transfer_id, change, balance_after, created_at) values
        (this.escrow, had.escrow_version + 1, p_ids[1], -to_one, had.escrow_balance - to_one, had.now_at),
        (one, had.one_version + 1, p_ids[1], to_one, had.one_balance + to_one, had.now_at),
        (this.escrow, had.escrow_version + 2, p_ids[2], -to_other, had.escrow_balance - pot, had.now_at),
        (other, had.other_version + 1, p_ids[2], to_other, had.other_balance + to_other, had.now_at);
end
$$;

-- The other transfers: as before, their plans made once.
alter function post_transfers set plan_cache_mode = force_generic_plan;

-- What a match did to the ratings of its players, written down and put into effect. In the transaction that settles it.
create or replace function change_ratings(p_match uuid, p_game text, p_at timestamptz, p_changes jsonb)
returns void language plpgsql as $$
begin
    with change as (
        select * from jsonb_to_recordset(p_changes) as c (
            player_id uuid, number integer, result text, rating_before double precision,
            deviation_before double precision, rating double precision, deviation double precision,
            volatility double precision, settled_until timestamptz
        )
    ), written as (
        insert into rating_changes
            (player_id, match_id, game, number, result, rating_before, deviation_before, rating, deviation, volatility,
             rated_at)
        select player_id, p_match, p_game, number, result, rating_before, deviation_before, rating, deviation, volatility,
            p_at
        from change
    )
    insert into ratings as r
        (player_id, game, rating, deviation, volatility, won, drawn, lost, rated_at, settled_until)
    select player_id, p_game, rating, deviation, volatility,
        (result = 'won')::integer, (result = 'drawn')::integer, (result = 'lost')::integer, p_at, settled_until
    from change
    on conflict (player_id, game) do update set
        rating = excluded.rating, deviation = excluded.deviation, volatility = excluded.volatility,
        won = r.won + excluded.won, drawn = r.drawn + excluded.drawn, lost = r.lost + excluded.lost,
        rated_at = excluded.rated_at, settled_until = excluded.settled_until;
end
$$;
