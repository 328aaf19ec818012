-- What the ledger's books say of themselves: trial balances and who has seen them.

-- L-10: each run with its result. A failed one refuses new staked matches until an administrator has seen it.
create table trial_balances (
    id uuid primary key,
    taken_at timestamptz not null default clock_timestamp(),
    -- The night whose run this is; none for a run on demand. One a night, however many servers there are.
    night date,
    passed boolean not null,
    -- Whether it closes new staked matches: a failure that nobody has seen yet.
    closes boolean not null,
    result jsonb not null,
    constraint trial_balances_one_a_night unique (night),
    constraint trial_balances_closes_where_failed check (not (passed and closes))
);
create index trial_balances_closing on trial_balances (id) where closes;
create trigger trial_balances_append_only before update or delete or truncate on trial_balances
    for each statement execute function refuse_change();
grant select, insert on trial_balances to stakeboard_server;

create table trial_acknowledgements (
    trial_balance_id uuid primary key references trial_balances,
    player_id uuid not null references players,
    reason text not null,
    at timestamptz not null default clock_timestamp()
);
create trigger trial_acknowledgements_append_only before update or delete or truncate on trial_acknowledgements
    for each statement execute function refuse_change();
grant select, insert on trial_acknowledgements to stakeboard_server;

-- O-1: what the staff asks of the ledger. The order of lists is that of time, then of the identifier: neither ever
-- changes, so a place in the list stays one under writes.
create index transfers_in_order on transfers (created_at, id);
create index transfers_by_debit on transfers (debit, created_at, id);
create index transfers_by_credit on transfers (credit, created_at, id);
create index transfers_by_amount on transfers (amount);
-- The other kinds are found soon in the order of time: every match has them.
create index transfers_of_rare_kinds on transfers (kind, created_at, id) where kind not in ('stake', 'payout', 'fee');
create index accounts_of_few on accounts (kind, id) where kind <> 'escrow';

-- L-11: the order in which entries are sealed, and the seals. Numbers are drawn in the order of writing, gaps and all;
-- `server/src/ledger/seals.rs` says how far they can be relied on.
alter table entries add column seq bigint generated always as identity;
create unique index entries_in_order on entries (seq);

create table seals (
    -- Which batch: counts up by one. A key, so that two servers never seal the same entries twice.
    number bigint primary key,
    first_entry bigint not null,
    last_entry bigint not null,
    entries bigint not null,
    sum bigint not null,
    -- SHA-256 over the batch and the seal before it.
    seal bytea not null,
    sealed_at timestamptz not null default clock_timestamp(),
    constraint seals_counted check (
        number > 0 and first_entry <= last_entry and entries between 1 and last_entry - first_entry + 1
    ),
    constraint seals_of_sha_256 check (length(seal) = 32)
);
create trigger seals_append_only before update or delete or truncate on seals
    for each statement execute function refuse_change();
grant select, insert on seals to stakeboard_server;
