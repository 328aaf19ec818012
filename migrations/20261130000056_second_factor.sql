-- A second factor beside the password: codes of an authenticator (TOTP, RFC 6238), and codes to fall back on.

-- Whether the session began with a code, or proved one since.
alter table sessions add column second_factor boolean not null default false;

create table second_factors (
    player_id uuid primary key references players,
    -- Shared with the player's authenticator. Whoever reads it still lacks the password.
    secret bytea not null,
    created_at timestamptz not null default clock_timestamp(),
    -- Null until the first code has shown that the authenticator has the secret.
    confirmed_at timestamptz,
    -- The last step of thirty seconds whose code was taken: no code is taken twice.
    last_step bigint not null default 0
);
grant select, insert, update, delete on second_factors to stakeboard_server;

-- Only hashes, of 120 random bits each. A code that was used is gone.
create table recovery_codes (
    player_id uuid not null references second_factors on delete cascade,
    hash bytea not null,
    primary key (player_id, hash)
);
grant select, insert, delete on recovery_codes to stakeboard_server;
