-- Money on its way in and out: deposits, withdrawals, and what the payment provider tells of them.

-- A withdrawal. Its money is a transfer into the player's `withdrawal_hold` in the transaction that makes the row, and
-- leaves the hold once, in the transaction that writes an end state.
create table withdrawals (
    id uuid primary key,
    player_id uuid not null references players,
    amount bigint not null,
    status text not null default 'requested',
    requested_at timestamptz not null default clock_timestamp(),
    -- Who of the staff approved or rejected it, and why it was rejected.
    decided_by uuid references players,
    decided_at timestamptz,
    reason text,
    submitted_at timestamptz,
    ended_at timestamptz,
    -- Why the provider could not pay it out.
    failure text,
    constraint withdrawals_amount_positive check (amount > 0),
    constraint withdrawals_status_known check (
        status in ('requested', 'approved', 'submitted', 'paid', 'rejected', 'cancelled', 'failed')
    ),
    constraint withdrawals_decided_by_staff check (
        (decided_by is not null) = (status in ('approved', 'submitted', 'paid', 'rejected', 'failed'))
        and (decided_by is null) = (decided_at is null)
    ),
    constraint withdrawals_submitted_first check (
        (submitted_at is not null) = (status in ('submitted', 'paid', 'failed'))
    ),
    constraint withdrawals_ended check (
        (ended_at is not null) = (status in ('paid', 'rejected', 'cancelled', 'failed'))
    )
);
-- W-4: one open withdrawal a player.
create unique index withdrawals_one_open on withdrawals (player_id)
    where status in ('requested', 'approved', 'submitted');
create index withdrawals_of_player on withdrawals (player_id, id);
create index withdrawals_by_status on withdrawals (status, id);

-- W-4: the steps and no others; an end state is final. The server compares and sets; this is the second path.
create function withdrawals_steps() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        if new.status <> 'requested' then
            raise exception 'a withdrawal begins as requested, not as %', new.status using errcode = 'check_violation';
        end if;
        return new;
    end if;
    if (new.id, new.player_id, new.amount, new.requested_at)
        is distinct from (old.id, old.player_id, old.amount, old.requested_at) then
        raise exception 'what was asked for in withdrawal % never changes', old.id using errcode = 'check_violation';
    end if;
    if not (
        (old.status = 'requested' and new.status in ('approved', 'rejected', 'cancelled'))
        or (old.status = 'approved' and new.status = 'submitted')
        or (old.status = 'submitted' and new.status in ('paid', 'failed'))
    ) then
        raise exception 'withdrawal % is %, from which there is no step to %', old.id, old.status, new.status
            using errcode = 'check_violation';
    end if;
    return new;
end
$$;
create trigger withdrawals_step_by_step before insert or update on withdrawals
    for each row execute function withdrawals_steps();
create trigger withdrawals_kept before delete or truncate on withdrawals
    for each statement execute function refuse_change();
grant select, insert, update on withdrawals to stakeboard_server;

-- A deposit. With a provider that confirms by callbacks it is `pending` until the money is there.
create table deposits (
    id uuid primary key,
    player_id uuid not null references players,
    amount bigint not null,
    status text not null,
    requested_at timestamptz not null default clock_timestamp(),
    ended_at timestamptz,
    constraint deposits_amount_positive check (amount > 0),
    constraint deposits_status_known check (status in ('pending', 'completed', 'failed')),
    constraint deposits_ended check ((ended_at is not null) = (status <> 'pending'))
);
create index deposits_of_player on deposits (player_id, id);

-- W-3: callbacks come in any order. Money that came in decides, before and after a failure.
create function deposits_steps() returns trigger language plpgsql as $$
begin
    if (new.id, new.player_id, new.amount, new.requested_at)
        is distinct from (old.id, old.player_id, old.amount, old.requested_at) then
        raise exception 'what was asked for in deposit % never changes', old.id using errcode = 'check_violation';
    end if;
    if not (
        (old.status = 'pending' and new.status in ('completed', 'failed'))
        or (old.status = 'failed' and new.status = 'completed')
    ) then
        raise exception 'deposit % is %, from which there is no step to %', old.id, old.status, new.status
            using errcode = 'check_violation';
    end if;
    return new;
end
$$;
create trigger deposits_step_by_step before update on deposits for each row execute function deposits_steps();
create trigger deposits_kept before delete or truncate on deposits
    for each statement execute function refuse_change();
grant select, insert, update on deposits to stakeboard_server;

-- W-2: every callback whose signature held, once by its id, as it came.
create table payment_events (
    id text primary key,
    -- The order of arrival, for lists.
    number bigint generated by default as identity unique,
    kind text not null,
    body text not null,
    -- What came of it.
    outcome text not null,
    received_at timestamptz not null default clock_timestamp(),
    constraint payment_events_outcome_known check (
        outcome in (
            'credited', 'failed', 'paid', 'returned', 'suspense', 'repeated', 'ignored', 'unmatched', 'unknown_type',
            'unreadable'
        )
    )
);
create trigger payment_events_append_only before update or delete or truncate on payment_events
    for each statement execute function refuse_change();
grant select, insert on payment_events to stakeboard_server;

-- W-2: every movement of money that the provider told of, once by the provider's own name for it. What fits nothing
-- is in suspense, and says why.
create table payments (
    direction text not null,
    payment text not null,
    number bigint generated by default as identity unique,
    amount bigint not null,
    currency text not null,
    deposit_id uuid references deposits,
    withdrawal_id uuid references withdrawals,
    -- What the provider said it was for.
    reference text not null,
    suspense text,
    event_id text not null references payment_events deferrable initially deferred,
    received_at timestamptz not null default clock_timestamp(),
    primary key (direction, payment),
    constraint payments_direction_known check (direction in ('in', 'out')),
    constraint payments_amount_positive check (amount > 0),
    constraint payments_applied_or_in_suspense check (
        (suspense is null) = (deposit_id is not null or withdrawal_id is not null)
        and (deposit_id is null or direction = 'in')
        and (withdrawal_id is null or direction = 'out')
    ),
    constraint payments_suspense_known check (
        suspense in ('unknown_reference', 'wrong_currency', 'wrong_amount', 'already_paid', 'not_submitted')
    )
);
create unique index payments_one_a_deposit on payments (deposit_id) where deposit_id is not null;
create unique index payments_one_a_withdrawal on payments (withdrawal_id) where withdrawal_id is not null;
create index payments_in_suspense on payments (number) where suspense is not null;
create trigger payments_append_only before update or delete or truncate on payments
    for each statement execute function refuse_change();
grant select, insert on payments to stakeboard_server;
