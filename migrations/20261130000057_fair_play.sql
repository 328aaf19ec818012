-- How players played in staked matches that have ended: for people to look at, and never acted on by itself. Worked out
-- in the background. No foreign key to the matches: nothing of theirs waits for this.
create table fair_play (
    match_id uuid not null,
    seat text not null,
    player_id uuid not null references players,
    rival_id uuid not null references players,
    game text not null,
    settled_at timestamptz not null,
    -- Moves made; of them those where some legal move was worse than the best; of those the ones that were best.
    moves integer not null,
    choices integer not null,
    best integer not null,
    -- Time used on the moves, and the sum of the squares of it: mean and deviation of any sum of matches.
    used_ms bigint not null,
    used_squares numeric not null,
    primary key (match_id, seat),
    constraint fair_play_seat_known check (seat in ('first', 'second')),
    constraint fair_play_counts check (best between 0 and choices and choices <= moves and used_ms >= 0)
);
create index fair_play_by_time on fair_play (settled_at);
create index fair_play_by_player on fair_play (player_id, settled_at);
grant select, insert on fair_play to stakeboard_server;
