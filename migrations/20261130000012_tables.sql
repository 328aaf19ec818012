-- Tables: invitations by link (MA-10, MA-11).

create table tables (
    -- As it is read aloud: capital letters and digits, none of which look alike.
    code text primary key,
    player_id uuid not null references players,
    game text not null,
    options jsonb not null,
    -- 0 for a friendly match.
    stake bigint not null,
    -- By the clock of the server, which compares it with its own start.
    created_at timestamptz not null,
    -- The match that came of it: until the hour is over the link leads there.
    match_id uuid references matches on delete cascade,
    constraint tables_stake_on_grid check (stake >= 0 and stake % 5 = 0)
);
create index tables_by_player on tables (player_id);
create index tables_by_age on tables (created_at);
create index tables_by_match on tables (match_id) where match_id is not null;
grant select, insert, update, delete on tables to stakeboard_server;
