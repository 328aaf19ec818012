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
