-- How the ledger is read: searched by any combination of filters, and checked in few passes.

-- The entries of an account in their order, with all that a balance or a check reads of them: no row is fetched.
alter table entries
    drop constraint entries_pkey,
    add constraint entries_pkey primary key (account_id, version) include (change, balance_after, created_at);

-- How large an amount above zero is: its number of digits and the first of them. Few amounts differ in it by much, and
-- a ledger has few of it, so that transfers of at least some amount are found in the order of time, one magnitude
-- after the other.
create function magnitude(p_amount bigint) returns integer language sql immutable parallel safe as $$
    select length(p_amount::text) * 10 + left(p_amount::text, 1)::integer
$$;

drop index transfers_by_debit;
drop index transfers_by_credit;
drop index transfers_by_amount;
drop index transfers_of_rare_kinds;
create index transfers_by_size on transfers (kind, magnitude(amount), created_at, id) include (amount);
create index transfers_by_debit on transfers (debit, kind, magnitude(amount), created_at, id) include (amount);
create index transfers_by_credit on transfers (credit, kind, magnitude(amount), created_at, id) include (amount);

-- L-3: what an account had right before a time, and its version then: its last entry before it. Times and versions of an
-- account grow together, so the entry is found by halving: some twenty steps for a million entries, and no index for it
-- that every entry would have to be written to. `limit 1` keeps the planner to one step in the index each.
create function balance_before(p_account uuid, p_at timestamptz) returns table (balance bigint, version bigint)
language sql stable parallel safe as $$
    with recursive search (low, high) as (
        select 0::bigint, b.version from balances b where b.account_id = p_account
        union all
        select case when e.created_at < p_at then e.version else s.low end,
               case when e.created_at < p_at then s.high else e.version - 1 end
        from search s
        cross join lateral (
            select i.version, i.created_at from entries i
            where i.account_id = p_account and i.version = (s.low + s.high + 1) / 2
            limit 1
        ) e
        where s.low < s.high
    )
    select e.balance_after, e.version
    from search s join entries e on e.account_id = p_account and e.version = s.low
    where s.low = s.high
$$;

-- O-3: what a window did to the money of each player who had any or moved any. Held amounts are still the player's,
-- so that holding and giving back cancel out. What there was comes from the entries and what moved from the transfers:
-- two paths that have to meet.
create or replace function daily_lines(p_from timestamptz, p_to timestamptz) returns table (
    player_id uuid, opening bigint, deposits bigint, staked bigint, won bigint, refunded bigint, withdrawn bigint,
    adjusted bigint, closing bigint
) language sql stable as $$
    with had as (
        select a.player_id, sum(d.opening) as opening, sum(d.closing) as closing
        from accounts a
        join balances b on b.account_id = a.id
        cross join lateral (
            select
                case when b.changed_at < p_from then b.balance
                    else coalesce((select o.balance from balance_before(a.id, p_from) o), 0) end as opening,
                case when b.changed_at < p_to then b.balance
                    else coalesce((select c.balance from balance_before(a.id, p_to) c), 0) end as closing
        ) d
        where a.player_id is not null
        group by a.player_id
    ),
    moved as (
        select a.player_id,
            sum(s.change) filter (where t.kind = 'deposit') as deposits,
            sum(s.change) filter (where t.kind = 'stake') as staked,
            sum(s.change) filter (where t.kind = 'payout') as won,
            sum(s.change) filter (where t.kind = 'refund') as refunded,
            sum(s.change) filter (where t.kind = 'withdrawal') as withdrawn,
            sum(s.change) filter (where t.kind in ('adjustment', 'reversal')) as adjusted
        from transfers t
        cross join lateral (values (t.debit, -t.amount), (t.credit, t.amount)) s (account, change)
        join accounts a on a.id = s.account
        where a.player_id is not null and t.created_at >= p_from and t.created_at < p_to
        group by a.player_id
    )
    select h.player_id, h.opening::bigint, coalesce(m.deposits, 0)::bigint, coalesce(-m.staked, 0)::bigint,
        coalesce(m.won, 0)::bigint, coalesce(m.refunded, 0)::bigint, coalesce(-m.withdrawn, 0)::bigint,
        coalesce(m.adjusted, 0)::bigint, h.closing::bigint
    from had h left join moved m on m.player_id = h.player_id
    where h.opening <> 0 or h.closing <> 0 or m.player_id is not null
$$;
