-- Players and their sessions.
--
-- Two roles: the owner of this schema, who runs the migrations, and `stakeboard_server`, which the
-- server works as. The second is granted what it needs, table by table, and nothing else; a login
-- of another name is made a member of it.
do $$
begin
    if not exists (select from pg_roles where rolname = 'stakeboard_server') then
        create role stakeboard_server nologin;
    end if;
end
$$;
grant usage on schema public to stakeboard_server;

create table players (
    id uuid primary key,
    guest boolean not null,
    -- As the player wrote it; the key is what must be unique: case folded, compatibility normalised.
    email text,
    email_key text,
    display_name text not null,
    display_name_key text not null,
    password_hash text,
    birth_date date,
    roles text[] not null default '{}',
    created_at timestamptz not null default now(),
    constraint players_email_taken unique (email_key),
    constraint players_display_name_taken unique (display_name_key),
    constraint players_role_known check (roles <@ array['admin', 'cashier', 'auditor']),
    constraint players_account_is_complete check (
        guest = (email is null)
        and guest = (email_key is null)
        and guest = (password_hash is null)
        and guest = (birth_date is null)
    )
);
grant select, insert, update on players to stakeboard_server;

-- A session is a family of refresh tokens: it begins with a log-in and ends as a whole.
create table sessions (
    id uuid primary key,
    player_id uuid not null references players,
    created_at timestamptz not null default now(),
    ended_at timestamptz
);
create index sessions_open on sessions (player_id) where ended_at is null;
grant select, insert, update on sessions to stakeboard_server;

-- Only a hash is kept: who reads this table cannot log in with it.
create table refresh_tokens (
    hash bytea primary key,
    session_id uuid not null references sessions,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    -- When it was first exchanged for its successor.
    used_at timestamptz
);
create index refresh_tokens_by_session on refresh_tokens (session_id);
create index refresh_tokens_by_expiry on refresh_tokens (expires_at);
grant select, insert, update, delete on refresh_tokens to stakeboard_server;

-- What was answered to a money request, so that its repeat gets the same answer. Written in the
-- transaction that moves the money; only answers of success are kept.
create table idempotency_keys (
    player_id uuid not null references players,
    method text not null,
    path text not null,
    key text not null,
    body_hash bytea not null,
    status smallint not null,
    answer jsonb not null,
    created_at timestamptz not null default now(),
    primary key (player_id, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
grant select, insert, update, delete on idempotency_keys to stakeboard_server;
