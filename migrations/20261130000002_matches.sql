-- Server processes, matches and their journal.

-- A process writes its heartbeat twice a second; what was charged to a clock after an outage is
-- bounded by the last one. `heartbeat_at` and the times in the journal come from one clock, that of
-- the process, and are only ever compared with each other.
create table nodes (
    id uuid primary key,
    started_at timestamptz not null,
    heartbeat_at timestamptz not null,
    stopped_at timestamptz
) with (fillfactor = 50);
grant select, insert, update, delete on nodes to stakeboard_server;

create table matches (
    id uuid primary key,
    game text not null,
    options jsonb not null,
    stake bigint not null,
    first_player uuid not null references players,
    second_player uuid not null references players,
    clock_ms integer not null,
    started_at timestamptz not null,
    -- Who may write to the journal of this match: the process, and how often the match has changed hands.
    owner uuid not null,
    epoch integer not null default 1,
    -- The last sign of life of whoever served this match before its present owner: what a clock is charged up to
    -- where the present owner dies before it has written anything.
    alive_until timestamptz,
    status text not null default 'live',
    ended_at timestamptz,
    winner text,
    ending text,
    first_total smallint,
    second_total smallint,
    payout bigint,
    fee bigint,
    constraint matches_stake_on_grid check (stake >= 0 and stake % 5 = 0),
    constraint matches_two_players check (first_player <> second_player),
    constraint matches_clock_positive check (clock_ms > 0),
    constraint matches_status_known check (status in ('live', 'ended')),
    constraint matches_winner_known check (winner in ('first', 'second')),
    constraint matches_outcome_at_end check (
        (status = 'ended') = (ending is not null)
        and (status = 'ended') = (ended_at is not null)
        and (status = 'ended') = (payout is not null)
        and (status = 'ended') = (fee is not null)
        and (status = 'ended' or winner is null)
        and (first_total is null) = (second_total is null)
    )
) with (fillfactor = 80);
create index matches_live on matches (owner) where status = 'live';
create index matches_of_first on matches (first_player, id);
create index matches_of_second on matches (second_player, id);
grant select, insert, update on matches to stakeboard_server;

-- One row for each event of a match that a client can see. `detail` is the move as text, the reason
-- of a credit or the ending; `seat` is who moved, offered or declined, or the winner.
-- No foreign key: each row is guarded by the owner's epoch in the statement that writes it, and a
-- key check for every move would lock the match's row.
create table match_events (
    match_id uuid not null,
    seq integer not null,
    -- The owner's epoch: which process wrote this row.
    epoch integer not null,
    kind text not null,
    seat text,
    detail text,
    -- Both clocks after the event, in milliseconds.
    first_ms integer not null,
    second_ms integer not null,
    at timestamptz not null,
    primary key (match_id, seq),
    constraint match_events_kind_known check (
        kind in ('moved', 'draw_offered', 'draw_declined', 'clock_credited', 'ended')
    )
);
grant select, insert on match_events to stakeboard_server;

-- L-8: a player is in at most one live staked match.
create table live_stakes (
    player_id uuid not null references players,
    match_id uuid not null references matches,
    constraint live_stakes_one_a_player primary key (player_id)
);
create index live_stakes_by_match on live_stakes (match_id);
grant select, insert, delete on live_stakes to stakeboard_server;

create table seeks (
    id uuid primary key,
    player_id uuid not null references players,
    game text not null,
    options jsonb not null,
    stake bigint not null,
    -- By the clock of the server, which compares it with its own start.
    created_at timestamptz not null,
    constraint seeks_stake_on_grid check (stake > 0 and stake % 5 = 0)
);
create index seeks_by_player on seeks (player_id);
create index seeks_by_game on seeks (game, stake);
grant select, insert, delete on seeks to stakeboard_server;
