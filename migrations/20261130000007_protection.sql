-- What keeps money from being staked: switches of the operator, freezing, breaks and limits of the player.

-- O-2: each row stops new staked matches: all, those of a game, or those of a player.
create table stake_stops (
    id uuid primary key,
    game text,
    player_id uuid references players,
    stopped_at timestamptz not null default clock_timestamp(),
    stopped_by uuid references players,
    reason text not null,
    constraint stake_stops_one_scope check (game is null or player_id is null)
);
create unique index stake_stops_all on stake_stops ((true)) where game is null and player_id is null;
create unique index stake_stops_game on stake_stops (game) where game is not null;
create unique index stake_stops_player on stake_stops (player_id) where player_id is not null;
grant select, insert, delete on stake_stops to stakeboard_server;

alter table players
    -- By an administrator; until unfrozen no new stakes and no deposits.
    add column frozen_at timestamptz,
    -- P-3: the player's own break or self-exclusion. It is never set to an earlier time.
    add column break_until timestamptz,
    add column break_kind text,
    -- P-4
    add column identity text not null default 'none',
    add constraint players_break_known check (
        (break_until is null) = (break_kind is null) and break_kind in ('break', 'exclusion')
    ),
    add constraint players_identity_known check (identity in ('none', 'pending', 'verified', 'refused'));

-- P-2: a limit that is not here is none, and so is one without an amount.
create table player_limits (
    player_id uuid not null references players,
    kind text not null,
    amount bigint,
    -- A higher one waits here until its time has come; from then on it is the one that counts.
    next_amount bigint,
    next_at timestamptz,
    primary key (player_id, kind),
    constraint player_limits_kind_known check (
        kind in ('deposit_day', 'deposit_week', 'deposit_month', 'loss_day', 'stake_match')
    ),
    constraint player_limits_amount check (amount >= 0 and next_amount >= 0),
    constraint player_limits_next check (next_at is not null or next_amount is null)
);
grant select, insert, update on player_limits to stakeboard_server;

-- Changes of the switches and new stakes exclude each other: once a stop is committed, no match begins that it
-- should have kept from beginning. Stakes do not wait for stakes.
create function lock_switches(p_change boolean) returns void language plpgsql as $$
begin
    if p_change then
        perform pg_advisory_xact_lock(hashtextextended('stakeboard switches', 0));
    else
        perform pg_advisory_xact_lock_shared(hashtextextended('stakeboard switches', 0));
    end if;
end
$$;

-- What may keep a player from staking, money aside. Called with the player's balance locked, which all that changes
-- it locks first. Volatile: what is read is as new as the lock.
create function lock_standing(p_player uuid, p_game text)
returns table (stopped boolean, frozen boolean, break_until timestamptz, identity text)
language plpgsql as $$
begin
    perform lock_switches(false);
    return query select
        exists (
            select from stake_stops s
            where (s.game is null and s.player_id is null) or s.game = p_game or s.player_id = p_player
        ),
        p.frozen_at is not null,
        case when p.break_until > clock_timestamp() then p.break_until end,
        p.identity
    from players p where p.id = p_player;
end
$$;

-- O-5: an adjustment of a player's balance. Above a set amount it waits for a second administrator.
create table adjustments (
    id uuid primary key,
    player_id uuid not null references players,
    amount bigint not null,
    reason text not null,
    status text not null,
    asked_by uuid not null references players,
    asked_at timestamptz not null default clock_timestamp(),
    decided_by uuid references players,
    decided_at timestamptz,
    constraint adjustments_amount check (amount <> 0),
    constraint adjustments_status_known check (status in ('waiting', 'done', 'rejected')),
    constraint adjustments_by_another check (decided_by <> asked_by),
    constraint adjustments_decided check (
        (decided_by is null) = (decided_at is null)
        and case status when 'waiting' then decided_by is null when 'rejected' then decided_by is not null else true end
    )
);
create index adjustments_waiting on adjustments (id) where status = 'waiting';
create trigger adjustments_kept before delete or truncate on adjustments
    for each statement execute function refuse_change();
grant select, insert, update on adjustments to stakeboard_server;

-- O-4: what players say of a match they played; once each.
create table complaints (
    id uuid primary key,
    match_id uuid not null references matches,
    player_id uuid not null references players,
    text text not null,
    at timestamptz not null default clock_timestamp(),
    constraint complaints_once unique (match_id, player_id)
);
grant select, insert on complaints to stakeboard_server;

-- P-6: what is left of a player who is gone are a pseudonym and the ledger.
alter table players add column deleted_at timestamptz;

-- For reports over a window.
create index settlements_by_time on settlements (settled_at);

-- O-3: what a window did to the money of each player who had any or moved any. Held amounts are still the player's,
-- so that holding and giving back cancel out.
create function daily_lines(p_from timestamptz, p_to timestamptz) returns table (
    player_id uuid, opening bigint, deposits bigint, staked bigint, won bigint, refunded bigint, withdrawn bigint,
    adjusted bigint, closing bigint
) language sql stable as $$
    select p.player_id, d.opening, d.deposits, d.staked, d.won, d.refunded, d.withdrawn, d.adjusted, d.closing
    from (select a.player_id from accounts a where a.kind = 'player') p
    cross join lateral (
        select coalesce(sum(o.balance_after), 0)::bigint as opening, coalesce(sum(c.balance_after), 0)::bigint as closing,
            coalesce(sum(m.deposits), 0)::bigint as deposits, coalesce(-sum(m.staked), 0)::bigint as staked,
            coalesce(sum(m.won), 0)::bigint as won, coalesce(sum(m.refunded), 0)::bigint as refunded,
            coalesce(-sum(m.withdrawn), 0)::bigint as withdrawn, coalesce(sum(m.adjusted), 0)::bigint as adjusted,
            coalesce(sum(m.entries), 0) as entries
        from accounts a
        left join lateral (
            select e.balance_after from entries e
            where e.account_id = a.id and e.created_at < p_from order by e.version desc limit 1
        ) o on true
        left join lateral (
            select e.balance_after from entries e
            where e.account_id = a.id and e.created_at < p_to order by e.version desc limit 1
        ) c on true
        left join lateral (
            select count(*) as entries, sum(e.change) filter (where t.kind = 'deposit') as deposits,
                sum(e.change) filter (where t.kind = 'stake') as staked,
                sum(e.change) filter (where t.kind = 'payout') as won,
                sum(e.change) filter (where t.kind = 'refund') as refunded,
                sum(e.change) filter (where t.kind = 'withdrawal') as withdrawn,
                sum(e.change) filter (where t.kind in ('adjustment', 'reversal')) as adjusted
            from entries e join transfers t on t.id = e.transfer_id
            where e.account_id = a.id and e.created_at >= p_from and e.created_at < p_to
        ) m on true
        where a.player_id = p.player_id
    ) d
    where d.opening <> 0 or d.closing <> 0 or d.entries > 0
$$;
