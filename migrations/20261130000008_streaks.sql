-- Streaks of Mū tōrere against the computer (PR-2 to PR-5): the run under way, and what was saved.

create table streaks (
    id uuid primary key,
    player_id uuid not null references players,
    -- The level of the computer, which is also the number of the game: each win raises both by one.
    level integer not null default 1,
    wins integer not null default 0,
    bonus integer not null default 0,
    -- The moves of the game under way, both players'.
    moves text[] not null default '{}',
    -- Counts every change, so that of two at once one is refused.
    version integer not null default 0,
    started_at timestamptz not null,
    changed_at timestamptz not null,
    -- When the run ended and its score was saved; null while it goes on.
    ended_at timestamptz,
    constraint streaks_level_follows_wins check (level = wins + 1),
    constraint streaks_bonus_capped check (bonus between 0 and 999)
);
-- A player has one run at a time.
create unique index streaks_one_running on streaks (player_id) where ended_at is null;
create index streaks_best on streaks (wins desc, bonus desc, ended_at) where ended_at is not null and wins > 0;
create index streaks_left_alone on streaks (changed_at) where ended_at is null;
grant select, insert, update on streaks to stakeboard_server;
