-- The queue: players who wait to be paired with somebody of like strength. One entry a player, whatever they join with.

create table queue_entries (
    player_id uuid primary key references players,
    game text not null,
    options jsonb not null,
    stake bigint not null,
    -- As it was when the player joined. It stays while they wait: whoever waits plays for no stake.
    rating double precision not null,
    -- Since when they wait on these terms, and when they last said so. By the clock of the server, which compares it with
    -- its own start.
    joined_at timestamptz not null,
    posted_at timestamptz not null,
    constraint queue_entries_stake_on_grid check (stake > 0 and stake % 5 = 0)
) with (fillfactor = 70);
create index queue_entries_by_terms on queue_entries (game, stake, rating);
grant select, insert, update, delete on queue_entries to stakeboard_server;
