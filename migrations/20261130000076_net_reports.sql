-- O-3: a reversal belongs to the figure of what it reverses, so that deposits less withdrawals are what the provider moved,
-- and adjustments what the staff gave. On the day of a reversal a figure can be below zero.
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
            sum(s.change) filter (where k.kind = 'deposit') as deposits,
            sum(s.change) filter (where k.kind = 'stake') as staked,
            sum(s.change) filter (where k.kind = 'payout') as won,
            sum(s.change) filter (where k.kind = 'refund') as refunded,
            sum(s.change) filter (where k.kind = 'withdrawal') as withdrawn,
            sum(s.change) filter (where k.kind = 'adjustment') as adjusted
        from transfers t
        left join transfers r on r.id = t.reverses
        cross join lateral (select coalesce(r.kind, t.kind) as kind) k
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
