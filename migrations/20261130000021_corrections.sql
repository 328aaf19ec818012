-- L-5: a mistake is mended by a new transfer that names the one it reverses. Money in suspense goes back in the same way,
-- or finds its player.

-- As before, and with the transfer that is reversed: of the same amount, the other way round.
drop function post_transfers (text, uuid, uuid[], text[], uuid[], uuid[], bigint[]);
create function post_transfers(
    p_reference text, p_match uuid, p_ids uuid[], p_kinds text[],
    p_debits uuid[], p_credits uuid[], p_amounts bigint[], p_reverses uuid default null
) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
    now_at timestamptz;
    after bigint;
    new_version bigint;
begin
    perform 1 from balances
    where account_id = any (p_debits || p_credits)
    order by lock_rank, account_id
    for no key update;

    if (
        select count(distinct currency) from accounts where id = any (p_debits || p_credits)
    ) <> 1 then
        raise exception 'transfer between currencies' using errcode = 'check_violation';
    end if;
    if (p_reverses is not null or 'reversal' = any (p_kinds)) and not exists (
        select from transfers
        where id = p_reverses
            and (array['reversal'], array[credit], array[debit], array[amount])
                = (p_kinds, p_debits, p_credits, p_amounts)
    ) then
        raise exception 'a reversal moves back what one transfer has moved' using errcode = 'check_violation';
    end if;

    select greatest(clock_timestamp(), max(changed_at)) into now_at
    from balances where account_id = any (p_debits || p_credits);

    for i in 1 .. array_length(p_ids, 1) loop
        insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, reverses, created_at)
        values (
            p_ids[i], p_reference, i, p_kinds[i], p_debits[i], p_credits[i], p_amounts[i], p_match, p_reverses, now_at
        );

        update balances
        set balance = balance - p_amounts[i], version = version + 1, changed_at = now_at
        where account_id = p_debits[i]
        returning balance, version into strict after, new_version;
        insert into entries (account_id, version, transfer_id, change, balance_after, created_at)
        values (p_debits[i], new_version, p_ids[i], -p_amounts[i], after, now_at);

        update balances
        set balance = balance + p_amounts[i], version = version + 1, changed_at = now_at
        where account_id = p_credits[i]
        returning balance, version into strict after, new_version;
        insert into entries (account_id, version, transfer_id, change, balance_after, created_at)
        values (p_credits[i], new_version, p_ids[i], p_amounts[i], after, now_at);
    end loop;
end
$$;
revoke all on function post_transfers from public;
grant execute on function post_transfers to stakeboard_server;

-- O-5: what administrators move by hand, with the same second administrator above the set amount. A reversal of money in
-- suspense is about no player.
alter table adjustments
    alter column player_id drop not null,
    add column kind text not null default 'adjustment',
    add column transfer_id uuid references transfers,
    add constraint adjustments_kind_known check (kind in ('adjustment', 'reversal', 'assignment')),
    add constraint adjustments_kind_fits check (
        (kind = 'adjustment') = (transfer_id is null) and (player_id is not null or kind = 'reversal')
    );
-- Each transfer is reversed or assigned at most once, and what waits for it counts.
create unique index adjustments_once_a_transfer on adjustments (transfer_id) where status <> 'rejected';

-- A deposit that a balance has no room for.
alter table payments drop constraint payments_suspense_known, add constraint payments_suspense_known check (
    suspense in ('unknown_reference', 'wrong_currency', 'wrong_amount', 'already_paid', 'not_submitted', 'no_room')
);
