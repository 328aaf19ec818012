-- Double entry. The server's role may read these tables and call the functions at the end; it can
-- write to none of them in any other way.

create table accounts (
    id uuid primary key,
    kind text not null,
    currency text not null,
    player_id uuid references players,
    match_id uuid references matches,
    -- L-9: the house's fees are spread over several rows, so that no two settlements need the same one.
    stripe smallint,
    opened_at timestamptz not null default clock_timestamp(),
    constraint accounts_kind_known check (
        kind in ('player', 'escrow', 'withdrawal_hold', 'house_fee', 'external', 'adjustment', 'suspense')
    ),
    constraint accounts_currency_code check (currency ~ '^[A-Z]{3}$'),
    constraint accounts_owner_fits_kind check (
        (kind in ('player', 'withdrawal_hold')) = (player_id is not null)
        and (kind = 'escrow') = (match_id is not null)
        and (kind = 'house_fee') = (stripe is not null)
    )
);
create unique index accounts_one_of_a_player on accounts (player_id, kind) where player_id is not null;
create unique index accounts_one_escrow on accounts (match_id) where match_id is not null;
create unique index accounts_one_of_the_house on accounts (kind, coalesce(stripe, -1))
    where kind in ('house_fee', 'adjustment');
-- Money in a wrong currency can come in too: it is kept apart, in accounts of that currency.
create unique index accounts_one_a_currency on accounts (kind, currency) where kind in ('external', 'suspense');

create table balances (
    account_id uuid primary key references accounts,
    -- L-2: accounts that hold somebody's money cannot go below zero.
    floored boolean not null,
    -- L-7: locks are taken by rank, then by id; what many matches share comes last.
    lock_rank smallint not null,
    balance bigint not null default 0,
    version bigint not null default 0,
    changed_at timestamptz not null default clock_timestamp(),
    constraint balances_floor check (not floored or balance >= 0)
) with (fillfactor = 70);

create table transfers (
    id uuid primary key,
    -- L-4: what this is in business terms; a retry meets the constraint, not a second payment.
    reference text not null,
    position smallint not null,
    kind text not null,
    debit uuid not null references accounts,
    credit uuid not null references accounts,
    amount bigint not null,
    match_id uuid references matches,
    reverses uuid references transfers,
    created_at timestamptz not null,
    constraint transfers_reference_once unique (reference, position),
    constraint transfers_reversed_once unique (reverses),
    constraint transfers_amount_positive check (amount > 0),
    constraint transfers_two_accounts check (debit <> credit),
    constraint transfers_kind_known check (
        kind in (
            'deposit', 'stake', 'payout', 'fee', 'refund', 'hold', 'release', 'withdrawal', 'suspense',
            'adjustment', 'reversal'
        )
    )
);
create index transfers_by_match on transfers (match_id) where match_id is not null;

create table entries (
    account_id uuid not null references accounts,
    version bigint not null,
    transfer_id uuid not null references transfers,
    change bigint not null,
    balance_after bigint not null,
    created_at timestamptz not null,
    primary key (account_id, version),
    constraint entries_once_a_side unique (transfer_id, account_id)
);

create table settlements (
    match_id uuid primary key references matches,
    outcome text not null,
    winner uuid references players,
    stake bigint not null,
    pot bigint not null,
    payout bigint not null,
    fee bigint not null,
    settled_at timestamptz not null,
    constraint settlements_pot_is_two_stakes check (stake > 0 and pot = stake * 2),
    constraint settlements_split check (
        (outcome = 'win' and winner is not null and fee * 10 = pot and fee + payout = pot)
        or (outcome in ('draw', 'void') and winner is null and fee = 0 and payout = 0)
    )
);

-- L-5
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception '% on % is refused: its rows are never changed or removed', tg_op, tg_table_name
        using errcode = 'restrict_violation';
end
$$;
create trigger transfers_append_only before update or delete or truncate on transfers
    for each statement execute function refuse_change();
create trigger entries_append_only before update or delete or truncate on entries
    for each statement execute function refuse_change();
create trigger settlements_append_only before update or delete or truncate on settlements
    for each statement execute function refuse_change();
create trigger accounts_kept before delete or truncate on accounts
    for each statement execute function refuse_change();
create trigger balances_kept before delete or truncate on balances
    for each statement execute function refuse_change();

-- Opens an account with a balance of zero. Opening it again changes nothing and gives its id.
create function open_account(
    p_id uuid, p_kind text, p_currency text, p_player uuid, p_match uuid, p_stripe smallint
) returns uuid language plpgsql security definer set search_path = public, pg_temp as $$
declare
    opened uuid;
begin
    insert into accounts (id, kind, currency, player_id, match_id, stripe)
    values (p_id, p_kind, p_currency, p_player, p_match, p_stripe)
    on conflict do nothing
    returning id into opened;
    if opened is not null then
        insert into balances (account_id, floored, lock_rank)
        values (
            p_id,
            p_kind in ('player', 'escrow', 'withdrawal_hold'),
            case when p_kind in ('player', 'escrow', 'withdrawal_hold') then 0 else 1 end
        );
        return opened;
    end if;
    select id into strict opened from accounts
    where kind = p_kind
        and currency = p_currency
        and player_id is not distinct from p_player
        and match_id is not distinct from p_match
        and stripe is not distinct from p_stripe;
    return opened;
end
$$;

-- L-7: locks what these players have available, in the order of all locks, and reads it. A function, since a lock
-- asks for a right to change the row that the server does not have.
create function lock_available(p_players uuid[]) returns table (player_id uuid, balance bigint)
language sql security definer set search_path = public, pg_temp as $$
    select a.player_id, b.balance
    from balances b join accounts a on a.id = b.account_id
    where b.account_id in (select id from accounts where accounts.player_id = any (p_players) and kind = 'player')
    order by b.lock_rank, b.account_id
    for no key update of b
$$;

-- L-1, L-3, L-4: moves amounts between accounts as one group under one business reference. The group
-- is written whole or not at all. Balances are locked in the order of L-7 before any is looked at, and
-- the time is taken after the locks, so that the order of times and versions agree on every account.
create function post_transfers(
    p_reference text, p_match uuid, p_ids uuid[], p_kinds text[],
    p_debits uuid[], p_credits uuid[], p_amounts bigint[]
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

    select greatest(clock_timestamp(), max(changed_at)) into now_at
    from balances where account_id = any (p_debits || p_credits);

    for i in 1 .. array_length(p_ids, 1) loop
        insert into transfers (id, reference, position, kind, debit, credit, amount, match_id, created_at)
        values (p_ids[i], p_reference, i, p_kinds[i], p_debits[i], p_credits[i], p_amounts[i], p_match, now_at);

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

-- MA-1: both stakes into the escrow of the match, or neither.
create function hold_stakes(p_match uuid, p_escrow uuid, p_ids uuid[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
    the_match matches;
    first_account uuid;
    second_account uuid;
    the_currency text;
begin
    select * into strict the_match from matches where id = p_match;
    select id, currency into strict first_account, the_currency from accounts
    where player_id = the_match.first_player and kind = 'player';
    select id into strict second_account from accounts
    where player_id = the_match.second_player and kind = 'player';
    perform open_account(p_escrow, 'escrow', the_currency, null, p_match, null);
    perform post_transfers(
        'match:' || p_match || ':stake', p_match, p_ids, array['stake', 'stake'],
        array[first_account, second_account], array[p_escrow, p_escrow],
        array[the_match.stake, the_match.stake]
    );
end
$$;

-- MA-2, MA-3, L-6: pays out the escrow of a match, once. `p_winner` is null for a draw or a void.
create function settle_stakes(p_match uuid, p_outcome text, p_winner uuid, p_ids uuid[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
    the_match matches;
    escrow uuid;
    house uuid;
    pot bigint;
    cut bigint;
    paid uuid[];
begin
    select * into strict the_match from matches where id = p_match;
    select id into strict escrow from accounts where match_id = p_match;
    pot := the_match.stake * 2;
    if p_outcome = 'win' then
        cut := pot / 10;
        if p_winner not in (the_match.first_player, the_match.second_player) then
            raise exception 'the winner of match % did not play it', p_match using errcode = 'check_violation';
        end if;
        select id into strict house from accounts
        where kind = 'house_fee'
            and stripe = (
                select abs(hashtextextended(p_match::text, 0) % count(*)) from accounts where kind = 'house_fee'
            );
    else
        cut := 0;
    end if;

    insert into settlements (match_id, outcome, winner, stake, pot, payout, fee, settled_at)
    values (
        p_match, p_outcome, p_winner, the_match.stake, pot,
        case when p_outcome = 'win' then pot - cut else 0 end, cut, clock_timestamp()
    );

    if p_outcome = 'win' then
        select array_agg(id) into strict paid from accounts where player_id = p_winner and kind = 'player';
        perform post_transfers(
            'match:' || p_match || ':settle', p_match, p_ids, array['payout', 'fee'],
            array[escrow, escrow], array[paid[1], house], array[pot - cut, cut]
        );
    else
        select array_agg(id) into strict paid from accounts
        where player_id in (the_match.first_player, the_match.second_player) and kind = 'player';
        perform post_transfers(
            'match:' || p_match || ':settle', p_match, p_ids, array['refund', 'refund'],
            array[escrow, escrow], paid, array[the_match.stake, the_match.stake]
        );
    end if;
end
$$;

revoke all on function open_account, lock_available, post_transfers, hold_stakes, settle_stakes from public;
grant execute on function open_account, lock_available, post_transfers, hold_stakes, settle_stakes to stakeboard_server;
grant select on accounts, balances, transfers, entries, settlements to stakeboard_server;
